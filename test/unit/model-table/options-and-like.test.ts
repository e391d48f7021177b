import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createTable } from "../../../model/ddl.ts";
import { type FlussVersion, flussOptions } from "../../../model/fluss-options.ts";
import { plan } from "../../../model/plan.ts";
import { asDeclared, parseShowCreateTable, tableDifferences } from "../../../model/show-create.ts";
import {
    normalTable,
    type TableSpec,
    type TableSpecArgs,
    tableSpec,
    validateTable,
} from "../../../model/table.ts";
import { connectorOptions, optionNames, tableOptions } from "../../../model/table-options.ts";
import { accounts, trades } from "./tables.ts";

const plain = { server: "1.0", lake: "none" } as const;
const faults = (options: Record<string, string>, more: Partial<TableSpec> = {}) =>
    validateTable({ ...accounts, options, ...more }, plain);

describe("the type of the options", () => {
    const file = path.resolve(import.meta.dirname, "../../../model/table-options-type.ts");
    const typed = [
        ...fs.readFileSync(file, "utf8").matchAll(/\/\*\*((?:[^*]|\*(?!\/))*)\*\/\s+"([^"]+)"\?/g),
    ];
    const words = (text: string) => text.replaceAll(/\s*\n\s*\*\s*/g, " ").trim();
    const docs = new Map(typed.map(([, doc = "", name = ""]) => [name, words(doc)]));

    test("names every option that Fluss declares, and every one of the connector", () => {
        expect([...docs.keys()].sort()).toEqual([...optionNames].sort());
        expect(connectorOptions.length).toBe(18);
    });

    test.each(Object.keys(tableOptions))("says of %s what the options file says", (name) => {
        const { type, default: value, since, alterable = [] } = flussOptions[name]!;
        const doc = docs.get(name)!;
        expect(doc.startsWith(`${type}`)).toBe(true);
        if (value !== undefined) expect(doc).toContain(`\`${value}\``);
        expect(doc.includes("since 1.0")).toBe(since === "1.0");
        const places: Record<string, string> = {
            "": "Fixed at creation",
            "1.0": "In place on 1.0",
            "0.9,1.0": "In place on 0.9 and 1.0",
        };
        expect(doc).toContain(places[(alterable as FlussVersion[]).join()]);
    });

    test("lets the compiler find a slip", () => {
        const spec: TableSpecArgs = {
            database: "d",
            name: "t",
            columns: [{ name: "a", type: "INT" }],
            // @ts-expect-error there is no such option
            options: { "table.log.tll": "7d" },
        };
        const left: TableSpecArgs = { database: "d", name: "t", columns: spec.columns! };
        expect(tableSpec.parse(left).options).toEqual({});
    });
});

describe("a misspelt option", () => {
    test.each(optionNames)("%s is told with its name", (name) => {
        const second = name.lastIndexOf(".") + 2;
        const misspelt = name.slice(0, second) + name.slice(second + 1);
        const [fault, ...others] = faults({ [misspelt]: "1" });
        expect(others).toEqual([]);
        expect(fault?.path).toBe(`table.options["${misspelt}"]`);
        expect(fault?.fix).toContain(name);
    });

    test("without its table. is told, too, wherever it stands", () => {
        expect(faults({ "log.ttl": "1d" })[0]?.fix).toBe("write table.log.ttl");
        expect(faults({}, { custom: { "log.ttl": "1d" } })[0]?.fix).toBe("write table.log.ttl into options");
    });
});

describe("custom properties", () => {
    test("have a place of their own, and options have none there", () => {
        expect(faults({}, { custom: { owner: "desk" } })).toEqual([]);
        expect(faults({ owner: "desk" })).toMatchObject([
            { path: "table.options.owner", fix: expect.stringContaining("custom") },
        ]);
        const wrong = { "table.log.ttl": "1d", "lookup.async": "false", "bucket.num": "1", "client.id": "x" };
        expect(faults({}, { custom: wrong }).map(({ path: at }) => at)).toEqual(
            Object.keys(wrong).map((key) => `table.custom["${key}"]`),
        );
    });

    test("hold no reference to a secret value", () => {
        expect(faults({}, { custom: { owner: "${secret_values.x}" } })[0]?.reason).toContain("secret value");
    });

    const spec = { ...trades, custom: { owner: "desk" } };
    test("are written, read back, changed and removed like any option", () => {
        const shown = parseShowCreateTable(createTable("c", spec)).spec;
        expect(shown.custom).toEqual({ owner: "desk" });
        expect(asDeclared(spec, shown)).toBe(spec);
        const changed = { ...shown, custom: { owner: "risk", other: "x" } };
        expect(tableDifferences(spec, changed)).toEqual([
            { path: 'custom["owner"]', declared: "desk", observed: "risk" },
        ]);
        expect(asDeclared(spec, changed)).toEqual(normalTable({ ...spec, custom: { owner: "risk" } }));
        const context = { server: "0.9", lake: "iceberg", catalog: "c" } as const;
        expect(plan(spec, trades, context)).toMatchObject({
            statements: [expect.stringContaining("RESET (\n    'owner'\n)")],
        });
    });
});

describe("like", () => {
    const parse = (args: TableSpecArgs) => tableSpec.parse(args);

    test("takes columns, keys and options, and no partitions or comment", () => {
        const days = {
            ...trades,
            comment: "of the desk",
            partitionKeys: ["side"],
            partitions: [{ side: "BUY" }],
            custom: { owner: "desk" },
        };
        const other = parse({ database: "risk", name: "copies", like: days });
        const { comment, partitions, ...shape } = days;
        expect(other).toEqual({ ...shape, database: "risk", name: "copies" });
    });

    test("puts new columns behind and options on top; other fields take the place of the old", () => {
        const email = { name: "email", type: "STRING" };
        const spec = parse({
            database: "finance",
            name: "clients",
            like: { ...accounts, options: { "table.log.ttl": "1d", "table.changelog.image": "WAL" } },
            columns: [email],
            options: { "table.log.ttl": "2d" },
            bucketCount: 7,
        });
        expect(spec).toMatchObject({
            columns: [...accounts.columns, email],
            primaryKey: ["account_id"],
            bucketCount: 7,
            options: { "table.log.ttl": "2d", "table.changelog.image": "WAL" },
        });
    });

    test("of a table that is like another, with a field taken away", () => {
        const first: TableSpecArgs = { database: "d", name: "first", like: accounts };
        const spec = parse({ database: "d", name: "second", like: first, primaryKey: undefined });
        expect(spec.primaryKey).toBeUndefined();
        expect(spec.columns).toEqual(accounts.columns);
        expect(validateTable(spec, plain)).toEqual([]);
    });

    test("of nothing is a fault, as is a table without columns", () => {
        expect(tableSpec.safeParse({ database: "d", name: "t", like: "accounts" }).success).toBe(false);
        expect(tableSpec.safeParse({ database: "d", name: "t", like: {} }).success).toBe(false);
    });
});
