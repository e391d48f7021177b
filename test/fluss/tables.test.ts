import { randomBytes } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { FlussCatalog, FlussDatabase, FlussTable } from "../../dynamic-providers/flink-sql/resources.ts";
import type { SqlSession } from "../../local/flink/index.ts";
import { createTable } from "../../model/ddl.ts";
import { parseShowCreateTable } from "../../model/show-create.ts";
import { normalTable, type TableSpec } from "../../model/table.ts";
import { changesOf, type TestStack, testStack } from "../engine/engine.ts";
import { openCatalog } from "./quickstart.ts";
import { catalogOptionsOf } from "./tables-catalog.ts";
import { type LossyGateway, startLossyGateway } from "./tables-gateway.ts";

const lakehouse = inject("lakehouse");
const options = { ...catalogOptionsOf(lakehouse), "iceberg.token": lakehouse.catalog.token };
// A name of its own for each run: the Iceberg tables of an earlier one stay in the lake.
const database = `tables_${randomBytes(3).toString("hex")}`;
const [spare, lost] = [`${database}_spare`, `${database}_lost`];
const columns = [
    { name: "account_id", type: "INT" },
    { name: "client_name", type: "STRING", comment: "it's `quoted`" },
    { name: "balance", type: "DECIMAL(15, 2)" },
];
const accounts: TableSpec = {
    database,
    name: "accounts",
    columns,
    primaryKey: ["account_id"],
    bucketCount: 3,
    options: {},
    custom: { owner: "desk's" },
};
const trades: TableSpec = {
    database,
    name: "trades",
    columns: [
        { name: "trade_id", type: "BIGINT" },
        { name: "tags", type: "MAP<STRING, ARRAY<ROW<k STRING, v TIMESTAMP(3)>>>" },
        { name: "at", type: "TIME" },
    ],
    bucketCount: 1,
    comment: "executed trades",
    options: { "table.datalake.enabled": "true", "table.datalake.freshness": "30s" },
};

/** What the program declares; the tests change it. */
let declared = {
    password: lakehouse.fluss.password,
    tables: [accounts, trades],
    databases: [database],
    adopt: false,
    deletionProtection: true,
};
let gateway: LossyGateway;
let stack: TestStack;
let outside: SqlSession;

beforeAll(async () => {
    gateway = await startLossyGateway(lakehouse.gatewayUrl);
    outside = await openCatalog(lakehouse);
    stack = await testStack({ program, name: "tables" });
});

afterAll(async () => {
    await stack?.dispose();
    for (const name of [database, spare, lost]) {
        await outside?.execute(`DROP DATABASE IF EXISTS fluss_quickstart.\`${name}\` CASCADE`);
    }
    await outside?.close();
    await gateway?.close();
});

async function program(): Promise<Record<string, unknown>> {
    const runner = { kind: "gateway" as const, url: gateway.url };
    const secret = pulumi.secret({ ...options, "client.security.sasl.password": declared.password });
    const { adopt, deletionProtection } = declared;
    const made = new FlussCatalog("catalog", { runner, name: "c", options: secret });
    const catalog = { name: made.name, options: secret };
    const shown: Record<string, unknown> = { catalog: made.plan };
    for (const name of declared.databases) {
        const parent = new FlussDatabase(name, { runner, catalog, name, adopt, deletionProtection });
        for (const spec of declared.tables.filter((table) => table.database === name)) {
            const args = { runner, catalog, spec, adopt, deletionProtection };
            const capabilities = { server: "0.9" as const, lake: "iceberg" as const };
            const { ddl, plan } = new FlussTable(spec.name, { ...args, capabilities }, { dependsOn: parent });
            shown[spec.name] = { ddl, plan };
        }
    }
    return shown;
}

const where = (name: string) => `fluss_quickstart.${database}.${name}`;

/** What an independent client of the server reads. */
async function onServer(name: string): Promise<TableSpec> {
    const { rows } = await outside.execute(`SHOW CREATE TABLE ${where(name)}`);
    return parseShowCreateTable(String(rows[0]?.fields[0])).spec;
}

async function tablesOnServer(): Promise<string[]> {
    const { rows } = await outside.execute(`SHOW TABLES IN fluss_quickstart.${database}`);
    return rows.map(({ fields }) => String(fields[0])).sort();
}

test("a wrong password is told, and nothing is made", async () => {
    declared = { ...declared, password: "not-the-password" };
    const failure = await stack.up().then(String, (error: Error) => error.message);
    expect(failure).toMatch(
        /could not open the catalog 'c'.*Authentication failed: Invalid username or password/s,
    );
    expect(failure).toContain("check client.security.sasl.username and .password");
    expect(failure).not.toContain("not-the-password");
    declared = { ...declared, password: lakehouse.fluss.password };
});

test("the preview shows the DDL, and `up` makes what was declared", async () => {
    const preview = await stack.preview();
    expect(preview.stdout).not.toContain(lakehouse.fluss.password);
    const { outputs } = await stack.up();
    expect(outputs["catalog"]?.value).toMatch(/^CREATE CATALOG `c` WITH/);
    expect(outputs["accounts"]?.value).toEqual({ ddl: `${createTable("c", accounts)};` });
    expect(await tablesOnServer()).toEqual(["accounts", "trades"]);
    const { columns: read, primaryKey, bucketCount, custom: set } = await onServer("accounts");
    const wanted = normalTable(accounts);
    expect({ read, primaryKey, bucketCount }).toEqual({
        read: wanted.columns,
        primaryKey: ["account_id"],
        bucketCount: 3,
    });
    expect(set).toMatchObject({ owner: "desk's" });
    expect(await onServer("trades")).toMatchObject({
        columns: normalTable(trades).columns,
        comment: "executed trades",
    });
});

test("the state stays small", async () => {
    const { resources } = (await stack.export()).deployment as {
        resources: { type: string; inputs: object }[];
    };
    const tables = resources.filter(({ type }) => type === "pulumi-nodejs:dynamic/fluss:Table");
    expect(tables).toHaveLength(2);
    for (const table of tables) {
        const inputs = JSON.stringify(table.inputs).length;
        expect(JSON.stringify(table).length).toBeLessThanOrEqual(1200 + 2.2 * inputs);
    }
});

test("no change is no change, also after a refresh", async () => {
    expect(changesOf(await stack.up())).toEqual([]);
    expect(changesOf(await stack.refresh())).toEqual([]);
    expect(changesOf(await stack.up())).toEqual([]);
});

test("a new column and another option are shown as ALTER and happen in place", async () => {
    const email = { name: "email", type: "STRING" };
    declared.tables = [
        { ...accounts, columns: [...columns, email], custom: { owner: "risk" } },
        { ...trades, options: { ...trades.options, "table.datalake.freshness": "1min" } },
    ];
    const preview = await stack.preview();
    expect(
        changesOf(preview)
            .map(({ op, name }) => `${op} ${name}`)
            .sort(),
    ).toEqual(["update accounts", "update trades"]);
    const plans = planOf(stack, "accounts");
    expect(plans).toContain(`ALTER TABLE \`c\`.\`${database}\`.\`accounts\` ADD (\n    \`email\` STRING\n);`);
    expect(plans).toContain("SET (\n    'owner' = 'risk'\n)");
    const { outputs } = await stack.up();
    expect(outputs["accounts"]?.value.plan).toBe(plans);
    const { columns: read, custom: set } = await onServer("accounts");
    expect(read.at(-1)).toEqual({ ...email, nullable: true });
    expect(set).toMatchObject({ owner: "risk" });
    expect((await onServer("trades")).options).toMatchObject({ "table.datalake.freshness": "1min" });
    expect(changesOf(await stack.up())).toEqual([]);
});

test("the preview after a refresh shows one column more, and nothing that looks like a rename", async () => {
    const before = declared.tables;
    const phone = { name: "phone", type: "STRING" };
    declared.tables = before.map((spec) =>
        spec.name === "accounts" ? { ...spec, columns: [...spec.columns, phone] } : spec,
    );
    await stack.refresh();
    const preview = await stack.preview();
    const [step] = changesOf(preview);
    expect(Object.keys(step?.diff ?? {}).filter((path) => path.startsWith("catalog"))).toEqual([]);
    const { old, next } = shownInputs(stack, "accounts");
    expect(next.catalog).toEqual(old.catalog);
    const added = next.ddl.split("\n").filter((line) => !old.ddl.split("\n").includes(line));
    expect(added).toEqual([expect.stringMatching(/^ +`phone` +STRING,$/)]);
    expect(old.ddl.split("\n").filter((line) => !next.ddl.split("\n").includes(line))).toEqual([]);
    expect(old.plan).toMatch(/^\/\* change 1 \*\/ ALTER TABLE/);
    expect(next.plan).toMatch(/^\/\* change 2 \*\/ ALTER TABLE .* ADD \(\n +`phone` STRING\n\);$/);
    declared.tables = before;
    expect(changesOf(await stack.preview())).toEqual([]);
});

test("what would lose data is refused in the preview, with every reason, and nothing happens", async () => {
    const before = declared.tables;
    declared.tables = [{ ...accounts, columns: columns.slice(0, 2), bucketCount: 9 }, before[1]!];
    const failure = await stack.preview().then(String, (error: Error) => error.message);
    expect(failure).toContain(
        `balance is gone from the spec; replacing ${database}.accounts would lose all its rows`,
    );
    expect(failure).toContain("email is gone from the spec");
    expect(failure).toContain("table.bucketCount = 9");
    declared.tables = before;
    expect(changesOf(await stack.preview())).toEqual([]);
});

test("a change from outside shows up in a refresh, and the next `up` takes it back", async () => {
    await outside.execute(`ALTER TABLE ${where("trades")} SET ('table.datalake.freshness' = '5min')`);
    expect(changesOf(await stack.refresh()).map(({ name }) => name)).toEqual(["trades"]);
    await stack.preview();
    expect(planOf(stack, "trades")).toContain("'table.datalake.freshness' = '1min'");
    await stack.up();
    expect((await onServer("trades")).options).toMatchObject({ "table.datalake.freshness": "1min" });
});

test("what was dropped outside is seen and made again", async () => {
    declared.databases = [database, spare];
    await stack.up();
    await outside.execute(`DROP TABLE ${where("accounts")}`);
    await outside.execute(`DROP DATABASE fluss_quickstart.${spare}`);
    const refreshed = await stack.refresh();
    expect(refreshed.changes).toMatchObject({ delete: 2 });
    const { changes } = await stack.up();
    expect(changes).toMatchObject({ create: 2 });
    expect(await tablesOnServer()).toEqual(["accounts", "trades"]);
});

test("an answer that got lost after the work was done costs nothing", async () => {
    const events = { ...accounts, name: "events" };
    declared.tables = [...declared.tables, { ...events, database: lost }];
    declared.databases = [...declared.databases, lost];
    gateway.loseNext("CREATE DATABASE");
    gateway.loseNext("CREATE TABLE");
    expect((await stack.up()).changes).toMatchObject({ create: 2 });
    const wider = {
        ...events,
        database: lost,
        columns: [...columns, { name: "note", type: "STRING" }],
    };
    declared.tables = [...declared.tables.slice(0, 2), wider];
    gateway.loseNext("ALTER TABLE");
    expect((await stack.up()).changes).toMatchObject({ update: 1 });
    expect(gateway.lost.map((statement) => statement.split(" ").slice(0, 2).join(" "))).toEqual([
        "CREATE DATABASE",
        "CREATE TABLE",
        "ALTER TABLE",
    ]);
    expect(changesOf(await stack.refresh())).toEqual([]);
});

test("a table that somebody made is taken over only with adopt, and only when it is the declared one", async () => {
    const before = declared;
    await outside.execute(`CREATE TABLE ${where("found")} (a INT, b STRING) WITH ('bucket.num' = '2')`);
    const found: TableSpec = {
        database,
        name: "found",
        columns: [{ name: "a", type: "INT" }],
        bucketCount: 2,
        options: {},
    };
    declared = { ...declared, tables: [...declared.tables, found], adopt: true };
    await expect(stack.up()).rejects.toThrow(
        /not the declared one:\n- columns: declared `a` INT, but it is `a` INT, `b` /,
    );
    const right = { ...found, columns: [...found.columns, { name: "b", type: "STRING" }] };
    declared = { ...before, tables: [...before.tables, right] };
    await expect(stack.up()).rejects.toThrow(/did not make it.*It equals the declared one.*adopt: true/s);
    declared = { ...declared, adopt: true };
    expect((await stack.up()).changes).toMatchObject({ create: 1 });
});

test("protected tables stay; without protection all is dropped, and dropped things are no error", async () => {
    await expect(stack.destroy()).rejects.toThrow(/is protected.*deletionProtection: false/s);
    expect(await tablesOnServer()).toEqual(["accounts", "found", "trades"]);
    declared = { ...declared, deletionProtection: false };
    await stack.up();
    await outside.execute(`DROP TABLE ${where("found")}`);
    await stack.destroy();
    const { rows } = await outside.execute("SHOW DATABASES IN fluss_quickstart");
    expect(rows.map(({ fields }) => fields[0]).filter((name) => String(name).startsWith(database))).toEqual(
        [],
    );
});

test("the Iceberg table of a dropped table is in the way of a new one, and the error says so", async () => {
    declared = { ...declared, tables: [trades], databases: [database] };
    await expect(stack.up()).rejects.toThrow(
        /already exists\.\nWhat to do: the Iceberg table of an earlier Fluss table/,
    );
    expect((await stack.destroy()).changes).toMatchObject({ delete: 3 });
});

/** After each test, whatever it did: no secret is in the state in clear. */
afterEach(async () => {
    const text = JSON.stringify(await stack.export());
    for (const secret of lakehouse.secrets) expect(text).not.toContain(secret);
});

/** What the last preview showed of a table as old and new inputs. */
function shownInputs(from: TestStack, name: string) {
    const event = from.events.find(
        ({ resourcePreEvent }) =>
            resourcePreEvent?.metadata.urn.endsWith(`::${name}`) && resourcePreEvent.metadata.op === "update",
    );
    const { old, new: next } = event?.resourcePreEvent?.metadata ?? {};
    return { old: inputsOf(old), next: inputsOf(next) };
}

interface ShownInputs {
    ddl: string;
    plan: string;
    catalog: unknown;
}

function inputsOf(state: unknown): ShownInputs {
    return (state as { inputs: ShownInputs }).inputs;
}

/** The plan that the last preview showed for a table. */
function planOf(from: TestStack, name: string): string {
    return shownInputs(from, name).next.plan;
}
