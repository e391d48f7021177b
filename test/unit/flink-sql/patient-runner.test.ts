import { expect, test } from "vitest";
import { patientRunner } from "../../../dynamic-providers/flink-sql/patient-runner.ts";

const starting = "Flink SQL: could not create database `d`: CoordinatorEventProcessor is not initialized yet";

/** A runner that fails with each message in turn, then answers. */
function failing(messages: string[]) {
    const asked: string[] = [];
    const execute = async (statement: string) => {
        asked.push(statement);
        const message = messages.shift();
        if (message) throw new Error(message);
        return { columns: ["result"], rows: [["OK"]] };
    };
    return { runner: { catalogsInSession: true, execute }, asked };
}

test("a statement waits for a coordinator that starts", async () => {
    const { runner, asked } = failing([starting, starting]);
    const rows = await patientRunner(runner, 5, 1).execute("CREATE DATABASE `d`", "create database `d`");
    expect(rows.rows).toEqual([["OK"]]);
    expect(asked).toHaveLength(3);
});

test("another failure is told at once", async () => {
    const { runner, asked } = failing(["Database d already exists"]);
    await expect(patientRunner(runner, 5, 1).execute("CREATE DATABASE `d`", "a")).rejects.toThrow(
        /already exists/,
    );
    expect(asked).toHaveLength(1);
});

test("a coordinator that never gets ready is told in its own words", async () => {
    const { runner } = failing(Array(1000).fill(starting));
    await expect(patientRunner(runner, 0.05, 1).execute("CREATE DATABASE `d`", "a")).rejects.toThrow(
        starting,
    );
});

test("a read waits for a tablet server that is started anew, and a change does not", async () => {
    const refused =
        "Flink SQL gateway: could not read table t: ConnectException: finishConnect(..) failed: Connection refused";
    const reading = failing([refused, refused]);
    await patientRunner(reading.runner, 5, 1).execute("SHOW CREATE TABLE `t`", "read table t");
    expect(reading.asked).toHaveLength(3);
    const changing = failing([refused]);
    await expect(patientRunner(changing.runner, 5, 1).execute("DROP TABLE `t`", "a")).rejects.toThrow(
        refused,
    );
    expect(changing.asked).toHaveLength(1);
});
