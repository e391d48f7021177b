import { describe, expect, test } from "vitest";
import { lineDiff } from "../../../cli/preview/line-diff.ts";
import { readPreview } from "../../../cli/preview/read-preview.ts";
import { summarize } from "../../../cli/preview/summary.ts";
import { unknown } from "../../../dynamic-providers/unknown.ts";

const parent = "urn:pulumi:prod::lake::fluss:index:StreamingLakehouse::lh";
const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "x" };

interface Change {
    op?: string;
    type: string;
    old?: object;
    new?: object;
    keys?: string[];
    /** Outputs before. */
    state?: object;
}

/** A stream of events about one resource. */
function summaryOf(...changes: Change[]) {
    const events = changes.map(({ op = "update", type, old, new: now, keys, state }, index) => ({
        sequence: index,
        resourcePreEvent: {
            metadata: {
                op,
                urn: `urn:pulumi:prod::lake::fluss:index:StreamingLakehouse$${type}::it`,
                keys,
                old: old && { parent, inputs: old, ...(state && { outputs: { ...old, ...state } }) },
                new: now && { parent, inputs: now },
            },
        },
    }));
    const end = { sequence: 99, summaryEvent: { resourceChanges: {}, result: "succeeded" } };
    return summarize(readPreview([...events, end].map((event) => JSON.stringify(event)).join("\n")));
}

const vvp = (kind: string) => `pulumi-nodejs:dynamic/vvp:${kind}`;
const restartOf = (change: Change) => summaryOf(change).restarts.map(({ text }) => text);

describe("what restarts", () => {
    const job = { state: "RUNNING", restart: "WITH_STATE", parallelism: 1 };
    test.each([
        [{ ...job, parallelism: 2 }, "the job is stopped with a savepoint and goes on from it"],
        [
            { ...job, parallelism: 2, restart: "WITHOUT_STATE" },
            "the job is stopped and starts afresh, without its state",
        ],
        [
            { ...job, parallelism: 2, restart: "NEVER" },
            "the job keeps its old definition until somebody restarts it",
        ],
        [{ ...job, state: "CANCELLED" }, "the job is stopped"],
        [job, "the job is started when it does not run"],
        [{ ...job, parallelism: unknown }, "the job is stopped with a savepoint and goes on from it"],
    ])("a job that becomes %j", (now, text) => {
        expect(restartOf({ type: vvp("Deployment"), old: job, new: now })).toEqual([text]);
    });

    test("a job that is deleted, replaced or made", () => {
        const type = vvp("Deployment");
        expect(restartOf({ type, op: "delete", old: job })).toEqual(["the job is stopped for good"]);
        expect(restartOf({ type, op: "replace", old: job, new: job })[0]).toContain("without its state");
        expect(restartOf({ type, op: "create", new: job })).toEqual([]);
    });

    test("a session cluster grows without a restart, and does not take other settings without one", () => {
        const old = { state: "RUNNING", numberOfTaskManagers: 1, flinkConfiguration: { a: "1" } };
        const type = vvp("SessionCluster");
        expect(restartOf({ type, old, new: { ...old, numberOfTaskManagers: 2 } })).toEqual([]);
        expect(restartOf({ type, old, new: { ...old, flinkConfiguration: { a: "2" } } })[0]).toContain(
            "restarted",
        );
        expect(restartOf({ type, old, new: { ...old, state: "STOPPED" } })[0]).toContain("stopped");
    });

    describe("when only secrets can be why", () => {
        const running = { jobStatus: "RUNNING" };
        const hidden = { ...job, flinkConf: { "env.java.opts": secret }, sqlScript: secret };
        const restarted = "the job is stopped with a savepoint and goes on from it";
        const started = "the job is started when it does not run";
        const either = `if a secret of it changes, ${restarted}; else ${started}`;

        test.each([
            ["runs", running, {}, restarted],
            [
                "runs and is to lose its state",
                running,
                { restart: "WITHOUT_STATE" },
                "the job is stopped and starts afresh, without its state",
            ],
            [
                "is not restarted",
                running,
                { restart: "NEVER" },
                "the job keeps its old definition until somebody restarts it",
            ],
            ["does not run, which is a reason, too", { jobStatus: "FAILED" }, {}, either],
            ["moves to another address, which is one", running, { connection: { url: "b" } }, either],
            ["was to be restarted before", { ...running, restartOwed: true }, {}, restarted],
            ["waits longer, which is none", running, { timeoutSeconds: 7 }, restarted],
            ["has a state that is not told", undefined, {}, either],
        ])("a job that %s", (_, state, more, text) => {
            const change = { type: vvp("Deployment"), old: hidden, new: { ...hidden, ...more } };
            expect(restartOf({ ...change, ...(state && { state }) })).toEqual([text]);
        });

        test("a secret beside what runs", () => {
            const old = { ...job, connection: { url: "a", headers: { cookie: secret } } };
            const change = { type: vvp("Deployment"), old, new: old, state: running };
            expect(restartOf(change)).toEqual([started]);
            const both = { ...hidden, ...old };
            expect(restartOf({ ...change, old: both, new: both })).toEqual([either]);
        });

        test("jobs of open Flink; a batch job has no savepoint", () => {
            const [type, state] = ["pulumi-nodejs:dynamic/flink:SqlJob", running];
            const old = { ...job, executionMode: "STREAMING", sql: secret, gateway: { password: secret } };
            expect(restartOf({ type, old, new: old, state })).toEqual([restarted]);
            const batch = { ...old, executionMode: "BATCH" };
            expect(restartOf({ type, old: batch, new: batch, state })[0]).toContain("without its state");
            const elsewhere = { ...old, gateway: { url: "b" } };
            expect(
                restartOf({ type, old: { ...old, sql: "a" }, new: { ...elsewhere, sql: "b" }, state }),
            ).toEqual([restarted]);
        });

        test("a session cluster", () => {
            const old = { state: "RUNNING", keepRunning: true, flinkConfiguration: { a: secret } };
            const change = { type: vvp("SessionCluster"), old, new: old };
            expect(restartOf({ ...change, state: { status: "RUNNING" } })).toEqual([
                "the session cluster is restarted; Debug runs on it end",
            ]);
            expect(restartOf({ ...change, state: { status: "STOPPED" } })).toEqual([
                "if a secret of it changes, the session cluster is restarted; Debug runs on it end",
            ]);
        });

        test("a single one is certain only when the job has no reason of its own", () => {
            const old = { ...job, sqlScript: secret };
            const change = { type: vvp("Deployment"), old, new: old };
            const certain = (state: object) =>
                summaryOf({ ...change, state }).secrets.map((one) => one.certain);
            expect(certain(running)).toEqual([true]);
            expect(certain({ jobStatus: "FAILED" })).toEqual([false]);
        });
    });

    test("a secret value restarts jobs as it is told to", () => {
        const type = vvp("SecretValue");
        const old = { value: secret };
        expect(restartOf({ type, old, new: { ...old, restartJobs: "NEVER" } })[0]).toContain(
            "keep the old value",
        );
        expect(restartOf({ type, old, new: { ...old, restartJobs: "WITHOUT_STATE" } })[0]).toContain(
            "without",
        );
    });
});

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
        expect(secrets.map(({ property, certain }) => [property, certain])).toEqual([
            ["a", false],
            ["b.c", false],
        ]);
        expect(summaryOf({ type: "aws:x:Y", old: inputs, new: { ...inputs, d: 1 } }).secrets).toEqual([]);
    });
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
        expect(summary.removed).toEqual([{ name: "it", type, op: "replace", because: ["bucket"] }]);
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
