import { describe, expect, test } from "vitest";
import { lineDiff } from "../../../cli/preview/line-diff.ts";
import { unknown } from "../../../dynamic-providers/unknown.ts";
import { type Change, resourceInputs, restartOf, secret, summaryOf, vvp } from "./preview-changes.ts";

describe("secrets", () => {
    test("a value that gets secret shows on neither side", () => {
        const { changes } = summaryOf({
            type: "aws:x:Y",
            old: { plain: "hush", list: ["hush"] },
            new: { plain: secret, list: [secret] },
        });
        expect(JSON.stringify(changes)).not.toContain("hush");
        expect(changes[0]?.properties.map(({ path, after }) => [path, after])).toEqual([
            ["plain", "[secret]"],
            ["list", "[secret]"],
        ]);
    });

    test("the advice to set one keeps the key that it names", () => {
        const error =
            "Missing required configuration variable 'team:lakeKey'\n" +
            "    please set a value using the command `pulumi config set --secret team:lakeKey <value>`; not --secret hush";
        const { refused } = summaryOf({ type: "aws:x:Y", error });
        expect(refused[0]?.text).toContain("`pulumi config set --secret team:lakeKey <value>`");
        expect(refused[0]?.text).not.toContain("hush");
    });

    test("one that only gets secret may be the same", () => {
        const { secrets } = summaryOf({ type: "aws:x:Y", old: { plain: "hush" }, new: { plain: secret } });
        expect(secrets).toMatchObject([{ properties: ["plain"], certain: false }]);
    });

    test("what is called like one is none to show, nor what lies in a text", () => {
        const text = JSON.stringify(
            summaryOf({
                type: "aws:x:Y",
                old: {},
                new: {
                    password: "hush",
                    nested: { apiKey: "hush" },
                    list: [{ token: "hush" }],
                    mainArgs: "--datalake.iceberg.token hush --x=1",
                    url: "https://me:hush@example.com/",
                    sql: "WITH ('client.security.sasl.password' = 'hush')",
                    header: "Bearer hush",
                    pass: "hush",
                    "env.java.opts.all": "-Djavax.net.ssl.trustStorePassword=hush -Dapi.token=hush -Dy=2",
                    arguments: ["--db.token", "hush hush", "--z=3"],
                    more: "-Dx.password=\"hush hush\" -password hush --enable-x --token 'hush hush'",
                    jar: "https://example.com/a.jar?token=hush&w=4",
                },
            }),
        );
        expect(text).not.toContain("hush");
        for (const shown of ["--x=1", "-Dy=2", "--z=3", "--enable-x", "&w=4"]) expect(text).toContain(shown);
    });

    test("which of several hidden ones changes cannot be told", () => {
        const inputs = { a: secret, b: { c: secret } };
        const { secrets } = summaryOf({ type: "aws:x:Y", old: inputs, new: inputs });
        expect(secrets.map(({ properties, certain }) => [properties, certain])).toEqual([
            [["a", "b.c"], false],
        ]);
        expect(summaryOf({ type: "aws:x:Y", old: inputs, new: { ...inputs, d: 1 } }).secrets).toEqual([]);
    });
});

describe("secrets of this library's resources", () => {
    const secretsOf = (change: Change) =>
        summaryOf(change).secrets.map(({ properties, certain }) => [properties.join(), certain]);

    test.each([
        ["vvp:SecretValue", { value: secret }, { changedOutside: false }, "value", true],
        ["vvp:SecretValue", { value: secret }, { changedOutside: true }, "value", false],
        ["vvp:SqlScript", { statements: secret }, { executed: 1, changedOutside: true }, "statements", false],
        ["lakekeeper:User", { connection: secret }, {}, "connection", true],
        [
            "lakekeeper:Warehouse",
            { connection: secret, credential: secret },
            { credentialType: "s3/access-key" },
            "connection,credential",
            false,
        ],
        ["vvp:FlussConsoleCluster", { password: secret }, { registered: false }, "password", false],
        ["vvp:FlussConsoleCluster", { password: secret }, { registered: true }, "password", true],
        ["fluss:Table", { catalog: { options: secret }, spec: {} }, {}, "catalog.options", true],
    ])("%s with %j and %j", (type, inputs, state, properties, certain) => {
        for (const prefix of ["pulumi-nodejs:dynamic/", "fluss:"]) {
            const change = { type: `${prefix}${type}`, old: inputs, new: inputs, state };
            expect(secretsOf(change)).toEqual([[properties, certain]]);
        }
    });

    test("of any form at all are read", () => {
        const strange = [undefined, null, 7, "x", [], {}, { a: secret }, secret, unknown];
        for (const { type, inputs } of resourceInputs()) {
            for (const value of strange) {
                const [old, now] = [
                    { [inputs[0]!]: 1 },
                    Object.fromEntries(inputs.map((key) => [key, value])),
                ];
                const change = { type: `fluss:${type}`, state: now };
                expect(summaryOf({ ...change, old, new: now }).changes).toHaveLength(1);
                expect(summaryOf({ ...change, old: now, new: old }).changes).toHaveLength(1);
            }
        }
    });

    test("are named beside a reason that can be seen only where they are what the resource is", () => {
        const change = (type: string, old: object) =>
            secretsOf({ type: vvp(type), old, new: { ...old, connection: { url: "b" } }, state: {} });
        expect(change("SecretValue", { value: secret })).toEqual([["value", false]]);
        expect(change("FlussConsoleCluster", { password: secret })).toEqual([]);
    });
});

test("what differs in a secret alone does not look the same on both sides", () => {
    const [old, now] = ["-Dpassword=hush1", "-Dpassword=hush2"];
    const { changes } = summaryOf({
        type: "aws:x:Y",
        old: { options: old, password: "hush1" },
        new: { options: now, password: "hush2" },
    });
    expect(changes[0]?.properties).toEqual([
        { path: "options", before: "-Dpassword=***", after: "-Dpassword=*** (another one)" },
        { path: "password", before: "[secret]", after: "[secret] (another one)" },
    ]);
});

describe("what is deleted", () => {
    const ddl = "CREATE TABLE `c`.`finance`.`quotes ``x` (\n    `q` STRING\n);";
    const type = "pulumi-nodejs:dynamic/fluss:Table";

    test("a table, with the statement and the loss of its rows", () => {
        const { tables, removed } = summaryOf({ type, op: "delete", old: { ddl } });
        expect(tables).toMatchObject([
            { statements: "DROP TABLE `c`.`finance`.`quotes ``x`;", losesRows: true },
        ]);
        expect(removed).toMatchObject([{ op: "delete", kept: false }]);
        const plan = "CREATE DATABASE `c`.`finance`;";
        const database = summaryOf({
            type: "pulumi-nodejs:dynamic/fluss:Database",
            op: "delete",
            old: { plan },
        });
        expect(database.tables).toMatchObject([
            { statements: "DROP DATABASE `c`.`finance` RESTRICT;", losesRows: false },
        ]);
    });

    test("what the stack only lets go of runs nothing and stops nothing", () => {
        const kept = summaryOf({ type, op: "delete", old: { ddl }, retainOnDelete: true });
        expect([kept.tables, kept.removed[0]?.kept]).toEqual([[], true]);
        const job = { type: vvp("Deployment"), old: { parallelism: 1 }, state: { jobStatus: "RUNNING" } };
        expect(restartOf({ ...job, op: "delete", retainOnDelete: true })).toEqual([]);
        expect(restartOf({ ...job, new: { parallelism: 2 }, retainOnDelete: true })).toHaveLength(1);
    });

    test.each([
        [
            "delete",
            'Preview failed: resource "urn:x" cannot be deleted\nbecause it is protected. To unprotect the resource, …',
            "would be deleted.\n",
        ],
        [
            "replace",
            'unable to replace resource "urn:x"\nas it is currently marked for protection. To unprotect …',
            "would be deleted and made anew (name).\n",
        ],
    ])("a protected resource is not: %s", (op, error, told) => {
        const summary = summaryOf({ type, op, old: { ddl, name: "a" }, keys: ["name"], error });
        expect(summary.refused[0]?.text).toContain(told);
        expect(summary.refused[0]?.text).toContain("deletionProtection: false");
        expect(summary.refused[0]?.text).not.toContain("urn:");
        const { removed, tables, restarts, changes, components, counts } = summary;
        expect({ removed, tables, restarts, changes, components, counts }).toEqual({
            removed: [],
            tables: [],
            restarts: [],
            changes: [],
            components: [],
            counts: {},
        });
    });
});

test("errors stand in an order that stays, without the engine's words in front", () => {
    const [a, b] = ["a", "b"].map((kind) => ({ type: `aws:x:${kind}`, error: `Preview failed: no ${kind}` }));
    const texts = (...changes: Change[]) => summaryOf(...changes).refused.map(({ text }) => text);
    expect(texts(a!, b!)).toEqual(["no a", "no b"]);
    expect(texts(b!, a!)).toEqual(["no a", "no b"]);
});

describe("replacements", () => {
    test("several steps of one resource are one replacement, with what it is for", () => {
        const type = "aws:s3/bucket:Bucket";
        const [old, now] = [{ bucket: "a" }, { bucket: "b" }];
        const summary = summaryOf(
            { type, op: "create-replacement", old, new: now, keys: ["bucket"] },
            { type, op: "replace", old, new: now, keys: ["bucket"] },
            { type, op: "delete-replaced", old },
        );
        expect(summary.counts).toEqual({ replace: 1 });
        expect(summary.removed).toEqual([
            { name: "it", type, op: "replace", because: ["bucket"], kept: false },
        ]);
        expect(summary.changes[0]).toMatchObject({
            component: { name: "lh", type: "StreamingLakehouse" },
            properties: [{ path: "bucket", before: "a", after: "b" }],
        });
    });

    test("values that only the update will know are told so", () => {
        const { changes } = summaryOf({
            type: "aws:x:Y",
            old: { a: "1", b: ["1"] },
            new: { a: unknown, b: [unknown] },
        });
        expect(changes[0]?.properties.map(({ after }) => after)).toEqual([
            "(known after the update)",
            '["(known after the update)"]',
        ]);
    });
});

describe("lines", () => {
    test("are compared, and long stretches of the same are cut", () => {
        const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
        const now = [...lines.slice(0, 10), "new", ...lines.slice(11)];
        const diff = lineDiff(lines.join("\n"), now.join("\n")).split("\n");
        expect(diff[0]).toBe("  …");
        expect(diff.at(-1)).toBe("  …");
        expect(diff.filter((line) => !line.startsWith("  "))).toEqual(["- line 10", "+ new"]);
        expect(diff).toHaveLength(12);
    });

    test("of two very long texts are shown one after the other", () => {
        const text = (word: string) =>
            Array.from({ length: 1100 }, (_, index) => `${word} ${index}`).join("\n");
        const diff = lineDiff(text("a"), text("b")).split("\n");
        expect(diff).toHaveLength(2200);
        expect(diff.slice(0, 1100).every((line) => line.startsWith("- a"))).toBe(true);
    });
});
