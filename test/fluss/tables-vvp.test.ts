import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { run } from "../../cli/run.ts";
import { FlussCatalog, FlussDatabase, FlussTable } from "../../dynamic-providers/flink-sql/resources.ts";
import { executeSql, type SqlExecutor } from "../../dynamic-providers/vvp/index.ts";
import { VvpSecretValue } from "../../dynamic-providers/vvp/resources.ts";
import { realFlink, startVvpSimulator, type VvpSimulator } from "../../local/simulators/vvp/index.ts";
import { createCatalog } from "../../model/ddl.ts";
import { plan } from "../../model/plan.ts";
import { type TableSpec, type TableSpecArgs, tableSpec } from "../../model/table.ts";
import { changesOf, type TestStack, testStack } from "../engine/engine.ts";
import { catalogOptionsOf } from "./tables-catalog.ts";

const lakehouse = inject("lakehouse");
const token = randomBytes(18).toString("hex");
const engineVersion = "vera-4.5-jdk11-flink-1.20";
const database = `tables_vvp_${randomBytes(3).toString("hex")}`;
const options = {
    ...catalogOptionsOf(lakehouse),
    "client.security.sasl.password": "${secret_values.fluss-password}",
};
const spec: TableSpec = {
    database,
    name: "accounts",
    columns: [
        { name: "account_id", type: "INT" },
        { name: "note", type: "STRING", comment: "it's; quoted" },
    ],
    primaryKey: ["account_id"],
    options: {},
};

/** What the program declares; the tests change it. */
const declared: { catalogs: Record<string, Record<string, string>>; spec: TableSpec } = {
    catalogs: { c: options },
    spec,
};
let vvp: VvpSimulator;
let sql: SqlExecutor;
let stack: TestStack;

beforeAll(async () => {
    const flink = realFlink(lakehouse.flinkUrl, lakehouse.gatewayUrl);
    vvp = await startVvpSimulator({ port: 0, token, flink, kubernetesNamespaces: ["jobs"] });
    process.env["VV_API_TOKEN"] = token;
    const connection = { url: vvp.url, workspace: "defaultworkspace", namespace: "default" };
    sql = executeSql(connection, { config: () => undefined });
    stack = await testStack({ program, name: "tables-vvp", env: { VV_API_TOKEN: token } });
});

afterAll(async () => {
    await stack?.dispose();
    delete process.env["VV_API_TOKEN"];
    await vvp?.close();
});

async function program(): Promise<void> {
    const connection = { url: vvp.url };
    const value = pulumi.secret(lakehouse.fluss.password);
    const password = new VvpSecretValue("password", { connection, name: "fluss-password", value });
    const runner = { kind: "vvp" as const, connection, engineVersion };
    const catalogs = Object.entries(declared.catalogs).map(
        ([name, set]) => new FlussCatalog(name, { runner, name, options: set }, { dependsOn: password }),
    );
    const args = { runner, catalog: { name: catalogs[0]!.name }, deletionProtection: false };
    const parent = new FlussDatabase("database", { ...args, name: database });
    const capabilities = { server: "0.9" as const, lake: "iceberg" as const };
    new FlussTable("accounts", { ...args, spec: declared.spec, capabilities }, { dependsOn: parent });
}

async function names(statement: string): Promise<string[]> {
    const { rows } = await sql.execute(statement, { repeatable: true });
    return rows.map(([name]) => name ?? "").sort();
}

test("catalog, database and table are made through the platform, with the secret by reference", async () => {
    await stack.up();
    expect(await names("SHOW CATALOGS")).toContain("c");
    expect(await names(`SHOW TABLES IN c.${database}`)).toEqual(["accounts"]);
    const state = JSON.stringify(await stack.export());
    for (const secret of [...lakehouse.secrets, token]) expect(state).not.toContain(secret);
    expect(state).toContain("${secret_values.fluss-password}");
});

test("no change is no change, also after a refresh", async () => {
    expect(changesOf(await stack.refresh())).toEqual([]);
    expect(changesOf(await stack.up())).toEqual([]);
});

test("other options make the catalog anew; the table and its rows stay", async () => {
    declared.catalogs = { c: { ...options, "default-database": database } };
    const { steps } = await stack.up();
    const changed = steps.filter(({ op }) => op !== "same");
    expect(new Set(changed.map(({ name }) => name))).toEqual(new Set(["c"]));
    expect(changed.map(({ op }) => op)).toContain("delete-replaced");
    expect(await names(`SHOW TABLES IN c.${database}`)).toEqual(["accounts"]);
});

test("a changed table is altered through the platform", async () => {
    declared.spec = { ...spec, columns: [...spec.columns, { name: "email", type: "STRING" }] };
    expect((await stack.up()).changes).toMatchObject({ update: 1 });
    const { rows } = await sql.execute(`SHOW CREATE TABLE c.${database}.accounts`);
    expect(rows[0]?.[0]).toContain("`email` VARCHAR(2147483647)");
});

test("what was pulled through the platform is the declared table, and plans to nothing", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulled-"));
    const file = path.join(folder, "tables.ts");
    const errors: string[] = [];
    const flags = { vvp: vvp.url, engine: engineVersion, catalog: "c", database, server: "0.9", out: file };
    const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
    const code = await run(
        ["tables", "pull", ...args],
        { VV_API_TOKEN: token },
        { out: () => undefined, error: (line) => errors.push(line) },
    );
    expect({ code, errors }).toEqual({ code: 0, errors: [`1 table written to ${file}`] });
    const source = fs.readFileSync(file, "utf8");
    for (const secret of [...lakehouse.secrets, token]) expect(source).not.toContain(secret);
    const { tables } = (await import(file)) as { tables: Record<string, TableSpecArgs> };
    const pulled = tableSpec.parse(tables["accounts"]);
    const shown = { ...declared.spec, bucketCount: pulled.bucketCount };
    expect(plan(shown, pulled, { server: "0.9", lake: "iceberg", catalog: "c" })).toEqual({
        kind: "none",
    });
    fs.rmSync(folder, { recursive: true });
});

test("a lost answer to CREATE CATALOG costs nothing", async () => {
    declared.catalogs = { ...declared.catalogs, c2: { ...options, "default-database": "fluss" } };
    vvp.faults.loseNextAnswer("executeSql");
    expect((await stack.up()).changes).toMatchObject({ create: 1 });
    expect(await names("SHOW CATALOGS")).toContain("c2");
});

test("a catalog that was changed outside is seen and made anew", async () => {
    await sql.execute("DROP CATALOG c2");
    await sql.execute(createCatalog({ name: "c2", options: { ...options, "default-database": database } }));
    expect(changesOf(await stack.refresh()).map(({ name }) => name)).toEqual(["c2"]);
    await stack.up();
    const { rows } = await sql.execute("SHOW CREATE CATALOG c2");
    expect(rows[0]?.[0]).toContain("'default-database' = 'fluss'");
});

test("a catalog that was dropped outside is made again, and its table is not taken for gone", async () => {
    await sql.execute("DROP CATALOG c");
    expect((await stack.refresh()).changes).toMatchObject({ delete: 1 });
    expect((await stack.up()).changes).toMatchObject({ create: 1 });
    expect(await names(`SHOW TABLES IN c.${database}`)).toEqual(["accounts"]);
});

test("everything is dropped in the end", async () => {
    await stack.destroy();
    expect(await names("SHOW CATALOGS")).not.toContain("c");
});
