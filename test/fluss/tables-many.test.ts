import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { FlussTables } from "../../components/fluss-tables.ts";
import type { TableSpecArgs } from "../../model/table.ts";
import { changesOf, type TestStack, testStack } from "../engine/engine.ts";
import { flussClientOf } from "./tables-catalog.ts";
import { type LossyGateway, startLossyGateway } from "./tables-gateway.ts";

// What `npm run test:tables:long` measures with 1,000 tables rests on these counts, which hold for any number.
const lakehouse = inject("lakehouse");
const count = 40;
const database = `many_${randomBytes(3).toString("hex")}`;
const columns = [
    { name: "id", type: "BIGINT" },
    { name: "note", type: "STRING" },
];
let tables: TableSpecArgs[] = Array.from({ length: count }, (_, index) => ({
    database,
    name: `t${index}`,
    columns,
    bucketCount: 1,
    ...(index % 10 === 9 && { primaryKey: ["id"] }),
}));
let deletionProtection = false;
let bootstrapServers = lakehouse.fluss.bootstrapServers;
let gateway: LossyGateway;
let stack: TestStack;

beforeAll(async () => {
    gateway = await startLossyGateway(lakehouse.gatewayUrl);
    stack = await testStack({ program, name: "many" });
});

afterAll(async () => {
    await stack?.destroy();
    await stack?.dispose();
    await gateway?.close();
});

async function program(): Promise<void> {
    const client = { ...flussClientOf(lakehouse), bootstrapServers };
    const runner = { kind: "gateway" as const, url: gateway.url };
    const args = { runner, catalog: "c", client, version: "0.9", tables, deletionProtection } as const;
    new FlussTables("many", args);
}

/** How often each kind of statement came: `{ "CREATE TABLE": 40 }`. */
function statements(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const statement of gateway.takeStatements()) {
        const [kind = ""] = /^[A-Z]+ [A-Z]+( TABLE)?/.exec(statement) ?? [];
        counts[kind] = (counts[kind] ?? 0) + 1;
    }
    return counts;
}

test("the first `up` sends one statement for each table, through at most four sessions", async () => {
    expect((await stack.up()).changes).toMatchObject({ create: count + 4 });
    const { "CREATE CATALOG": sessions, ...others } = statements();
    expect(sessions).toBeLessThanOrEqual(4);
    expect(others).toEqual({ "SHOW DATABASES": 1, "CREATE DATABASE": 1, "CREATE TABLE": count });
});

test("an `up` without a change and a preview of one send nothing at all", async () => {
    expect(changesOf(await stack.up())).toEqual([]);
    const more = { ...tables[7]!, columns: [...columns, { name: "email", type: "STRING" }] } as TableSpecArgs;
    tables = tables.with(7, more);
    expect(changesOf(await stack.preview()).map(({ op }) => op)).toEqual(["update"]);
    expect(statements()).toEqual({});
});

test("one changed table is looked at and altered, and no other", async () => {
    expect((await stack.up()).changes).toMatchObject({ update: 1 });
    expect(statements()).toEqual({ "CREATE CATALOG": 1, "SHOW CREATE TABLE": 1, "ALTER TABLE": 1 });
});

test("a refresh reads each table once", async () => {
    expect(changesOf(await stack.refresh())).toEqual([]);
    expect(statements()).toMatchObject({ "SHOW CREATE TABLE": count });
});

test("a protected table that is gone from the program is refused in the preview, and other options of the catalog are fine", async () => {
    tables = tables.slice(0, 3);
    await stack.up();
    deletionProtection = true;
    // The same server under its other name.
    const [here, there] = bootstrapServers.startsWith("localhost")
        ? ["localhost", "127.0.0.1"]
        : ["127.0.0.1", "localhost"];
    bootstrapServers = bootstrapServers.replace(here, there);
    expect((await stack.up()).changes).toMatchObject({ replace: 1, update: 4 });
    tables = tables.slice(0, 2);
    await expect(stack.preview()).rejects.toThrow(/t2.*cannot be deleted.*because it is protected/s);
    deletionProtection = false;
    await expect(stack.preview()).rejects.toThrow(/because it is protected/);
    tables = [...tables, { database, name: "t2", columns, bucketCount: 1 }];
    await stack.up();
    tables = tables.slice(0, 2);
    expect((await stack.up()).changes).toMatchObject({ delete: 1 });
});
