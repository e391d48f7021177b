import { afterEach, expect, test } from "vitest";
import { table } from "../../../dynamic-providers/flink-sql/table.ts";
import { hosted } from "../../../dynamic-providers/resource.ts";
import { createTable } from "../../../model/ddl.ts";
import type { TableSpec } from "../../../model/table.ts";
import { trades } from "../model-table/tables.ts";
import { type StubGateway, startStubGateway, trace } from "./stub-gateway.ts";

const spec: TableSpec = {
    ...trades,
    columns: [...trades.columns, { name: "dt", type: "STRING" }],
    partitionKeys: ["dt"],
    partitions: [{ dt: "1" }, { dt: "2" }],
    options: {},
};
const provider = hosted(table);
const start = "ALTER TABLE `c`.`finance`.`trades`";

let gateway: StubGateway | undefined;
afterEach(() => gateway?.close());

/** A server with the table and these partitions, which it adds to and drops from; `fail` refuses to add. */
async function serve(existing: string[], { fail = false, there = true } = {}) {
    const partitions = new Set(existing);
    let exists = there;
    gateway = await startStubGateway((sql) => {
        const values = [...sql.matchAll(/`dt` = '(\w+)'/g)].map(([, value]) => `dt=${value}`);
        if (sql.startsWith("SHOW CREATE TABLE")) {
            return exists
                ? { rows: [[createTable("c", { ...spec, partitions: undefined })]] }
                : { trace: trace("org.a.ValidationException: Table with identifier `c` does not exist.") };
        }
        if (sql.startsWith("SHOW DATABASES")) return { rows: [["finance"]] };
        if (sql.startsWith("SHOW PARTITIONS")) return { rows: [...partitions].map((name) => [name]) };
        if (sql.startsWith("CREATE TABLE")) exists = true;
        if (sql.includes("ADD IF NOT EXISTS")) {
            if (fail)
                return { trace: trace("org.a.CatalogException: Exceed the maximum number of partitions") };
            for (const name of values) partitions.add(name);
        }
        if (sql.includes("DROP IF EXISTS")) for (const name of values) partitions.delete(name);
        return { rows: [["OK"]] };
    });
    const inputs = {
        runner: { kind: "gateway", url: gateway.url },
        catalog: { name: "c", options: { type: "fluss", "bootstrap.servers": "h:1" } },
        spec,
        capabilities: { server: "0.9", lake: "none" },
    };
    return { inputs, partitions };
}

const changes = () =>
    [...(gateway?.sessions.values() ?? [])].flat().filter((sql) => !/^(CREATE CATALOG|SHOW)/.test(sql));

test("are made after the table", async () => {
    const { inputs, partitions } = await serve([], { there: false });
    const { inputs: checked } = await provider.check({}, inputs);
    expect(checked.ddl).toContain(`;\n\n${start} ADD IF NOT EXISTS\n    PARTITION (\`dt\` = '1')`);
    await provider.create({ ...checked });
    expect([...partitions]).toEqual(["dt=1", "dt=2"]);
    expect(changes().map((sql) => sql.split(" ").slice(0, 2).join(" "))).toEqual([
        "CREATE TABLE",
        "ALTER TABLE",
    ]);
});

test("that cannot be made leave a table that the next run goes on with", async () => {
    const { inputs } = await serve([], { there: false, fail: true });
    const failure = await provider.create({ ...inputs }).then(
        () => undefined,
        (error: Error) => error,
    );
    expect(failure).toMatchObject({ id: "c.finance.trades" });
    expect(failure?.message).toContain("Exceed the maximum number of partitions");
});

test("are seen when they are gone, and made again", async () => {
    const { inputs, partitions } = await serve(["dt=2", "dt=writers"]);
    const read = await provider.read("x", { ...inputs });
    expect(read.inputs?.spec).toMatchObject({ partitions: [{ dt: "2" }] });
    await provider.update("", { ...inputs }, { ...inputs });
    expect([...partitions]).toEqual(["dt=2", "dt=writers", "dt=1"]);
    expect(changes()).toEqual([`${start} ADD IF NOT EXISTS\n    PARTITION (\`dt\` = '1')`]);
});

test("are dropped only when allowDataLoss names them, and those of writers never", async () => {
    const { inputs, partitions } = await serve(["dt=1", "dt=2", "dt=writers"]);
    const less = { ...inputs, spec: { ...spec, partitions: [{ dt: "2" }] } };
    const { inputs: old } = await provider.check({}, inputs);
    const refused = await provider.check(old, less);
    expect(refused.failures[0]?.reason).toContain('confirm with allowDataLoss: ["dt=1"]');
    const allowed = await provider.check(old, { ...less, allowDataLoss: ["dt=1"] });
    expect(allowed.failures).toEqual([]);
    expect(allowed.inputs.plan).toBe(`/* change 1 */ ${start} DROP IF EXISTS\n    PARTITION (\`dt\` = '1');`);
    await provider.update("", old, allowed.inputs);
    expect([...partitions]).toEqual(["dt=2", "dt=writers"]);
});
