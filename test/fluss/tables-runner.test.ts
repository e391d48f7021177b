import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { GatewayRunner } from "../../dynamic-providers/flink-sql/gateway.ts";
import { terminalStates } from "../../local/flink/index.ts";
import { createDatabase, createTable, qualified } from "../../model/ddl.ts";
import { clientsOf } from "./quickstart.ts";
import { catalogOptionsOf, runnerFor } from "./tables-catalog.ts";

const lakehouse = inject("lakehouse");
const { flink } = clientsOf(lakehouse);
const database = `runner_${randomBytes(3).toString("hex")}`;
const spec = { database, name: "log", columns: [{ name: "id", type: "INT" }], options: {} };
const runner = runnerFor(lakehouse);

beforeAll(async () => {
    await runner.execute(createDatabase("c", { name: database }), "create the database");
    await runner.execute(createTable("c", spec), "create the table");
});
afterAll(async () => {
    await runner.execute(`DROP DATABASE ${qualified("c", database)} CASCADE`, "drop the database");
});

test("a query without an end is given up at its deadline, and its Flink job with it", async () => {
    const catalogs = [{ name: "c", options: catalogOptionsOf(lakehouse) }];
    const short = new GatewayRunner({ url: lakehouse.gatewayUrl, catalogs, deadlineSeconds: 10 });
    const query = `SELECT * FROM ${qualified("c", database, "log")}`;
    const reading = expect(short.execute(query, "read without an end")).rejects.toThrow(
        /not finished within 10 s/,
    );
    const ours = async () => (await flink.jobs()).filter(({ name }) => name.includes(database));
    await expect.poll(ours, { timeout: 10_000 }).toHaveLength(1);
    await reading;
    const [job] = await ours();
    for (let tries = 0; tries < 50 && !terminalStates.includes((await ours())[0]?.state ?? ""); tries++)
        await sleep(200);
    expect((await ours()).find(({ id }) => id === job?.id)?.state).toBe("CANCELED");
    // The runner goes on.
    expect((await short.execute(`SHOW TABLES FROM ${qualified("c", database)}`, "list")).rows).toEqual([
        ["log"],
    ]);
});
