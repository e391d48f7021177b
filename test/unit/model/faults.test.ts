import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { FaultsError, isSecretPath, joinPath, parse, renamed, strict } from "../../../model/faults.ts";
import { nearest } from "../../../model/nearest.ts";
import { faultsOf } from "./fixtures/faults.ts";

const schema = strict({
    name: z.string().refine((text) => text !== "bad", { error: "is bad", params: { fix: "Write good" } }),
    kind: z.enum(["small", "large"]),
    parts: z.array(strict({ size: z.number() })),
    password: z.string().max(3, { error: "is too long" }).optional(),
});

describe("faults", () => {
    it("reports everything at once, with path, value, reason and fix", () => {
        const input = { name: "bad", kind: "lrge", parts: [{ size: 1 }, { size: "x" }], nmae: 1 };
        expect(faultsOf(() => parse(schema, input, "thing"))).toEqual([
            { path: "thing.name", value: '"bad"', reason: "is bad", fix: "Write good" },
            expect.objectContaining({ path: "thing.kind", value: '"lrge"', fix: 'Write "large"' }),
            {
                path: "thing.parts[1].size",
                value: '"x"',
                reason: "must be of type number, but is string",
                fix: "Give a value of type number",
            },
            {
                path: "thing.nmae",
                reason: 'there is no setting "nmae" here',
                fix: expect.stringMatching(/^Use only: name, kind/),
            },
        ]);
    });

    it("names the setting that a misspelt one is like", () => {
        const input = { name: "a", kind: "small", parts: [], pasword: "hunter2" };
        const [fault] = faultsOf(() => parse(schema, input, "thing"));
        expect(fault).toMatchObject({ path: "thing.pasword", fix: "Did you mean password?" });
        expect(JSON.stringify(fault)).not.toContain("hunter2");
    });

    it("names for each of several misspelt ones its own", () => {
        const faults = faultsOf(() =>
            parse(schema, { nam: "a", knd: "small", parts: [], zzz: 1 }, "thing"),
        ).filter(({ reason }) => reason.startsWith("there is no setting"));
        expect(faults.map(({ path, fix }) => [path, fix])).toEqual([
            ["thing.nam", "Did you mean name?"],
            ["thing.knd", "Did you mean kind?"],
            ["thing.zzz", "Remove it"],
        ]);
    });

    it("names to no other key what one is like, and lists what there is once", () => {
        const fixes = (more: object) =>
            faultsOf(() => parse(schema, { name: "a", kind: "small", parts: [], ...more }, "thing")).map(
                ({ fix }) => fix,
            );
        expect(fixes({ pasword: "a", zzz: 1 })).toEqual(["Did you mean password?", "Remove it"]);
        expect(fixes({ yyy: 1, zzz: 1 })).toEqual(["Use only: name, kind, parts, password", "Remove it"]);
    });

    it("takes the names that the user wrote, the longest part first", () => {
        const fault = (path: string) => ({ path, reason: "is odd", fix: "Remove it" });
        const names = {
            "cluster.overrides": "chart.overrides",
            "cluster.overrides.x": "y",
            lake: "chart.lake",
        };
        const paths = ["cluster.overrides.x", 'cluster.overrides["a.b"]', "lake", "lakes", "cluster"];
        expect(renamed(paths.map(fault), names).map(({ path }) => path)).toEqual([
            "y",
            'chart.overrides["a.b"]',
            "chart.lake",
            "lakes",
            "cluster",
        ]);
    });

    it("says in one line each what is wrong", () => {
        const error = new FaultsError("it", [
            { path: "a", value: "1", reason: "is\nodd", fix: "Make it even." },
            { path: "b", reason: "is missing", fix: "Give it" },
        ]);
        expect(error.message).toBe(
            "2 faults in it:\n- a = 1: is odd. Make it even.\n- b: is missing. Give it.",
        );
    });

    it("never shows what stands under a secret's name", () => {
        const input = { name: "a", kind: "small", parts: [], password: "hunter2" };
        const [fault] = faultsOf(() => parse(schema, input, "thing"));
        expect(fault).toMatchObject({ path: "thing.password", reason: "is too long" });
        expect(JSON.stringify(fault)).not.toContain("hunter2");
    });

    it.each([
        ["lake.catalog.auth.token.value", true],
        ["cluster.remote.accessKey.id", true],
        ['cluster.overrides["s3.secret.key"]', true],
        ["client.fs.fs.azure.account.key", true],
        ["security.sasl.plain.jaas.config", true],
        ["datalake.iceberg.credential", true],
        ["pass", true],
        ["containerized.master.env.DB_PASS", true],
        ['flinkConf["db.pwd"]', true],
        ["dbPass", true],
        ["ssl.keystore.passphrase", true],
        ["containerized.master.env.PWD", false],
        ["compass", false],
        ["pass.count", false],
        ["bypass", false],
        ["bucket.key", false],
        ["cluster.remote.bucket", false],
    ])("judges %s by its name: secret %s", (path, secret) => {
        expect(isSecretPath(path)).toBe(secret);
    });

    it("writes paths as code does", () => {
        expect(joinPath("a", ["b", 0, "c.d"])).toBe('a.b[0]["c.d"]');
    });
});

describe("nearest", () => {
    it("finds a name with one letter changed among others", () => {
        const names = ["log.segment.file-size", "kv.snapshot.interval", "remote.data.dir"];
        fc.assert(
            fc.property(fc.constantFrom(...names), fc.nat(), (name, position) => {
                const at = position % name.length;
                const misspelt = `${name.slice(0, at)}x${name.slice(at + 1)}`;
                expect(nearest(misspelt, names)).toBe(name);
            }),
        );
    });

    it("finds nothing for what is like none", () => {
        expect(nearest("colour", ["log.segment.file-size"])).toBeUndefined();
    });
});

describe("what a schema has no words for", () => {
    const plain = strict({
        name: z.string().min(1),
        code: z.string().min(3),
        list: z.array(z.string()).min(1),
        count: z.number().min(1).max(5),
        size: z.number().positive(),
        kind: z.enum(["small", "large"]),
        own: z.string({ error: "is missing: give it here" }),
    });

    it("is told in words of ours", () => {
        const input = { name: "", code: "a", list: [], count: 9, size: 0, kind: "huge" };
        const told = faultsOf(() => parse(plain, input, "thing")).map(({ path, reason }) => [path, reason]);
        expect(told).toEqual([
            ["thing.name", "is empty"],
            ["thing.code", "must have at least 3 characters"],
            ["thing.list", "is empty"],
            ["thing.count", "must be 5 or less"],
            ["thing.size", "must be more than 0"],
            ["thing.kind", "is none of the values that exist here"],
            ["thing.own", "is missing: give it here"],
        ]);
    });

    it("names what an object must hold", () => {
        const [fault] = faultsOf(() => parse(strict({ key: plain }), { key: "x" }, "thing"));
        expect(fault).toEqual({
            path: "thing.key",
            value: '"x"',
            reason: "must be of type object, but is string",
            fix: "Give an object with name, code, list, count, size, kind, own",
        });
    });
});
