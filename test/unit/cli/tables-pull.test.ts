import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { run } from "../../../cli/run.ts";
import { parseArguments } from "../../../cli/tables-pull-arguments.ts";
import { createTable } from "../../../model/ddl.ts";
import { plan } from "../../../model/plan.ts";
import { asDeclared, parseShowCreateTable } from "../../../model/show-create.ts";
import { type TableSpec, type TableSpecArgs, tableSpec } from "../../../model/table.ts";
import { pulledTable, tableSource } from "../../../model/table-source.ts";
import { type StubAnswer, type StubGateway, startStubGateway, trace } from "../flink-sql/stub-gateway.ts";
import { accounts, trades } from "../model-table/tables.ts";

/** What a server with an Iceberg lake shows of a table: the declared one, and all that it stamps on it. */
const shown = (spec: TableSpec, more: Record<string, string> = {}) =>
    createTable("c", {
        ...spec,
        options: {
            ...spec.options,
            "bootstrap.servers": "h:1",
            "client.security.sasl.password": "hunter2-pw",
            "table.datalake.format": "iceberg",
            "table.datalake.iceberg.token": "hunter2-token",
            "table.replication.factor": "1",
            "table.kv.format-version": "2",
            ...more,
        },
    });
const events: TableSpec = {
    ...trades,
    name: "we-ird",
    comment: "it's */ here",
    columns: [
        { name: "id", type: "INT" },
        { name: "dt", type: "STRING", comment: 'a "day"' },
        { name: "odd name", type: "ROW<`a b` INT, c ARRAY<STRING>>" },
        { name: "at", type: "TIMESTAMP(3)", nullable: false },
    ],
    computedColumns: [{ name: "day", expression: "DATE_FORMAT(`at`, 'yyyy')" }],
    watermark: { column: "at", expression: "`at` - INTERVAL '5' SECOND" },
    partitionKeys: ["dt"],
    options: { "table.log.ttl": "3d" },
};

let gateway: StubGateway | undefined;
afterEach(() => gateway?.close());

async function serve(
    tables: Record<string, string>,
    answers: Record<string, StubAnswer> = {},
): Promise<string> {
    const missing = trace(
        "org.a.ValidationException: Table with identifier `c`.`finance`.`x` does not exist.",
    );
    gateway = await startStubGateway((sql) => {
        const found = Object.entries(answers).find(([start]) => sql.startsWith(start))?.[1];
        if (found) return found;
        if (sql === "SHOW TABLES FROM `c`.`finance`")
            return { rows: Object.keys(tables).map((name) => [name]) };
        const name = /^SHOW CREATE TABLE `c`\.`finance`\.`(.+)`$/.exec(sql)?.[1];
        if (name !== undefined) return tables[name] ? { rows: [[tables[name]]] } : { trace: missing };
        if (sql.startsWith("SHOW PARTITIONS")) return { rows: [["dt=2"], ["dt=1"]] };
        return { rows: [["OK"]] };
    });
    return gateway.url;
}

async function pull(url: string, ...more: string[]) {
    const printed = { out: "", errors: [] as string[] };
    const code = await run(
        [
            ...[
                "tables",
                "pull",
                "--gateway",
                url,
                "--catalog",
                "c",
                "--database",
                "finance",
                "--server",
                "0.9",
            ],
            ...["--option", "bootstrap.servers=h:1", "--secret", "client.security.sasl.password=PW", ...more],
        ],
        { PW: "hunter2-pw" },
        {
            out: (text) => {
                printed.out += text;
            },
            error: (line) => printed.errors.push(line),
        },
    );
    return { code, ...printed };
}

/** The record that the written file exports. */
async function tablesOf(source: string): Promise<Record<string, TableSpec>> {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulled-"));
    const file = path.join(folder, "tables.ts");
    fs.writeFileSync(file, source);
    try {
        const { tables } = (await import(file)) as { tables: Record<string, TableSpecArgs> };
        const read = Object.entries(tables).map(([name, spec]) => [name, tableSpec.parse(spec)]);
        return Object.fromEntries(read) as Record<string, TableSpec>;
    } finally {
        fs.rmSync(folder, { recursive: true });
    }
}

describe("what is written", () => {
    test("is TypeScript whose specs plan to nothing, without what the server stamps and without secrets", async () => {
        const texts = { accounts: shown(accounts), "we-ird": shown(events), trades: shown(trades) };
        const { code, out, errors } = await pull(await serve(texts));
        expect({ code, errors }).toEqual({ code: 0, errors: [] });
        expect(out).not.toMatch(/hunter2|bootstrap|replication|format-version|datalake\.format/);
        const tables = await tablesOf(out);
        expect(Object.keys(tables)).toEqual(["accounts", "trades", "we-ird"]);
        expect(tables).toMatchObject({
            accounts,
            trades,
            "we-ird": { ...events, columns: expect.anything() },
        });
        for (const [name, spec] of Object.entries(tables)) {
            const observed = parseShowCreateTable(texts[name as keyof typeof texts]).spec;
            expect(
                plan(asDeclared(spec, observed), spec, { server: "0.9", lake: "iceberg", catalog: "c" }),
            ).toEqual({ kind: "none" });
        }
        expect(out.split("\n").every((line) => line.length <= 110)).toBe(true);
    });

    test("tells that the lake of a tiered table is not known, and not that the cluster has none", async () => {
        const text = createTable("c", { ...trades, options: { "table.datalake.enabled": "true" } });
        const { code, out, errors } = await pull(await serve({ trades: text }));
        expect(code).toBe(0);
        expect(errors).toEqual([
            "warning: finance.trades: is tiered, and its lake is not shown (table.datalake.format), so that the rules of a lake were not checked",
        ]);
        expect(out).toContain('"table.datalake.enabled": "true"');
    });

    test("says how much an auto-partitioned table keeps, which the server does not print", () => {
        const auto = { ...events, options: { "table.auto-partition.enabled": "true" } };
        expect(pulledTable(auto).spec.options).toEqual({
            "table.auto-partition.enabled": "true",
            "table.auto-partition.num-retention": "7",
        });
    });

    test("has partitions when they are asked for", async () => {
        const url = await serve({ "we-ird": shown(events) });
        expect((await tablesOf((await pull(url)).out))["we-ird"]?.partitions).toBeUndefined();
        const { out } = await pull(url, "--partitions");
        expect((await tablesOf(out))["we-ird"]?.partitions).toEqual([{ dt: "1" }, { dt: "2" }]);
    });

    test("leaves out an option that looks like a secret, and says so without its value", async () => {
        const url = await serve({ accounts: shown(accounts, { "desk.password": "hunter2-mine" }) });
        const { code, out, errors } = await pull(url);
        expect(code).toBe(0);
        expect(out).toContain("// Left out, since they look like secrets: desk.password.");
        expect(errors).toEqual([
            "warning: finance.accounts: the option desk.password is left out, since it looks like a secret",
        ]);
        expect(out + errors.join()).not.toContain("hunter2");
    });

    test("has no materialized table, which Flink cannot print", async () => {
        const cast = trace(
            "java.lang.ClassCastException: class org.apache.flink.table.catalog.ResolvedCatalogMaterializedTable cannot be cast to class org.apache.flink.table.catalog.ResolvedCatalogTable",
        );
        const url = await serve(
            { accounts: shown(accounts), view: "" },
            { "SHOW CREATE TABLE `c`.`finance`.`view`": { trace: cast } },
        );
        const { code, out, errors } = await pull(url);
        expect(code).toBe(0);
        expect(Object.keys(await tablesOf(out))).toEqual(["accounts"]);
        expect(errors).toEqual([
            "warning: finance.view: is left out, since it is a materialized table of Flink",
        ]);
    });

    test("warns of a table that cannot be declared as it is", async () => {
        const late = { ...accounts, primaryKey: ["account_id", "currency"] };
        const { errors } = await pull(await serve({ accounts: shown(late) }));
        expect(errors).toEqual([
            expect.stringMatching(/^warning: finance\.accounts: cannot be .*only one bucket key/),
        ]);
    });

    test("hostile names and texts stay texts", async () => {
        const hostile = "*/ `${process.exit(1)}` \"'\u2028\\";
        const spec: TableSpec = {
            database: "d",
            name: "__proto__",
            comment: hostile,
            columns: [{ name: hostile, type: "INT", comment: hostile }],
            options: { [hostile]: hostile },
        };
        const source = tableSource(hostile, [{ spec, withheld: [], lake: "none" }]);
        const tables = await tablesOf(source);
        expect(Object.entries(tables)).toEqual([["__proto__", spec]]);
    });

    test("goes into a new file only", async () => {
        const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulled-"));
        const file = path.join(folder, "tables.ts");
        const url = await serve({ accounts: shown(accounts) });
        expect(await pull(url, "--out", file)).toEqual({
            code: 0,
            out: "",
            errors: [`1 table written to ${file}`],
        });
        const again = await pull(url, "--out", file);
        expect(again.code).toBe(1);
        expect(again.errors[0]).toMatch(/--out .*: the file exists already.*give another name/);
        expect(await tablesOf(fs.readFileSync(file, "utf8"))).toHaveProperty("accounts");
        fs.rmSync(folder, { recursive: true });
    });
});

describe("what cannot be pulled", () => {
    test("an empty database may be one whose tables the user may not see", async () => {
        const { code, errors } = await pull(await serve({}));
        expect(code).toBe(1);
        expect(errors[0]).toMatch(/no table is visible in database 'finance'.*right to DESCRIBE/s);
    });

    test("named tables that do not exist, all at once, with those that do", async () => {
        const url = await serve({ accounts: shown(accounts) }, { "SHOW DATABASES": { rows: [["finance"]] } });
        const { code, out, errors } = await pull(url, "--table", "x", "--table", "accounts", "--table", "y");
        expect({ code, out }).toEqual({ code: 1, out: "" });
        expect(errors).toEqual([
            "Fluss: tables `c`.`finance`.`x`, `c`.`finance`.`y` do not exist.\nWhat to do: correct --table; there are accounts",
        ]);
    });
});

describe("arguments", () => {
    const faults = (...args: string[]) => {
        const parsed = parseArguments(args, {});
        return "faults" in parsed ? parsed.faults : [];
    };
    test("all faults come at once, and no secret is echoed", () => {
        const all = faults(
            ...[
                "tables",
                "pull",
                "finance",
                "--option",
                "client.security.sasl.password=hunter2",
                "--server",
                "2",
            ],
            ...["--secret", "iceberg.token=hunter2", "--option", "x"],
        );
        expect(all).toEqual([
            "tables pull takes no 'finance'",
            "--database is missing",
            "--server takes 0.9 or 1.0",
            "--option client.security.sasl.password: is a secret, and others see the arguments; use --secret client.security.sasl.password=<VAR>",
            "--option takes <key>=<value>",
            "--secret iceberg.token: the environment has no variable of the name that is given",
            "give one of --gateway and --vvp",
        ]);
    });

    test("one place for SQL, and a sound address", () => {
        expect(
            faults("tables", "pull", "--database", "d", "--gateway", "http://h:1", "--vvp", "https://h"),
        ).toEqual(["give one of --gateway and --vvp"]);
        expect(faults("tables", "pull", "--database", "d", "--gateway", "h:1")[0]).toContain(
            "base URL of a SQL gateway",
        );
        expect(faults("tables", "pull", "--bogus")[0]).toContain("--bogus");
    });

    test("of the platform", () => {
        const args = [
            "--vvp",
            "https://vvp.example.com",
            "--workspace",
            "w",
            "--jar",
            "a.jar",
            "--database",
            "d",
        ];
        expect(parseArguments(["tables", "pull", ...args], {})).toMatchObject({
            runner: {
                kind: "vvp",
                connection: { url: "https://vvp.example.com", workspace: "w", namespace: "default" },
                additionalDependencies: ["a.jar"],
            },
            catalog: { name: "fluss" },
            pull: { database: "d", server: "1.0" },
        });
    });
});
