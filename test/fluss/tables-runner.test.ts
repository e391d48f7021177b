import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { GatewayRunner } from "../../dynamic-providers/flink-sql/gateway.ts";
import { terminalStates } from "../../local/flink/index.ts";
import { createTable, qualified } from "../../model/ddl.ts";
import { ownDatabase } from "./own-database.ts";
import { clientsOf } from "./quickstart.ts";
import { catalogOptionsOf } from "./tables-catalog.ts";

const { lakehouse, runner, database } = ownDatabase("runner");
const { flink } = clientsOf(lakehouse);
const spec = { database, name: "log", columns: [{ name: "id", type: "INT" }], options: {} };

beforeAll(async () => {
    await runner.execute(createTable("c", spec), "create the table");
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
