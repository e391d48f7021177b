import { expect, test } from "vitest";
import { patientRunner } from "../../../dynamic-providers/flink-sql/patient-runner.ts";

const starting = "Flink SQL: could not create database `d`: CoordinatorEventProcessor is not initialized yet";
const noDatabaseYet =
    "Flink SQL: could not create catalog c: CatalogException: The configured default-database 'fluss' does not exist in the Fluss cluster.";

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
    const { runner, asked } = failing([starting, noDatabaseYet]);
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

test("a database that the user named and the cluster does not have is told at once", async () => {
    const { runner, asked } = failing([noDatabaseYet.replace("'fluss'", "'shop'")]);
    await expect(patientRunner(runner, 5, 1).execute("CREATE CATALOG c", "a")).rejects.toThrow(/'shop'/);
    expect(asked).toHaveLength(1);
});

test.each([
    "ConnectException: finishConnect(..) failed: Connection refused",
    "DisconnectException: Cannot send request to server 127.0.0.1:9124 (id: ts-0, rack: null) because it is disconnected.",
    "NetworkException: Disconnected from node 127.0.0.1:9124",
    "IOException: No content to map due to end-of-input",
])(
    "a read waits for a tablet server that is started anew and for a table that is half made, a change does not: %s",
    async (reason) => {
        const refused = `Flink SQL gateway: could not read table t: ${reason}`;
        const reading = failing([refused, refused]);
        await patientRunner(reading.runner, 5, 1).execute("SHOW CREATE TABLE `t`", "read table t");
        expect(reading.asked).toHaveLength(3);
        const changing = failing([refused]);
        await expect(patientRunner(changing.runner, 5, 1).execute("DROP TABLE `t`", "a")).rejects.toThrow(
            refused,
        );
        expect(changing.asked).toHaveLength(1);
    },
);

test("servers that are nowhere are told at once, also by a read", async () => {
    const { runner, asked } = failing([
        "IllegalStateException: Failed to initialize fluss client connection to bootstrap servers: [localhost/127.0.0.1:9]. Reason: NetworkException: Disconnected from node localhost:9",
    ]);
    await expect(patientRunner(runner, 5, 1).execute("SHOW DATABASES IN `c`", "a")).rejects.toThrow(
        /localhost:9/,
    );
    expect(asked).toHaveLength(1);
});
