import { describe, expect, test } from "vitest";
import { unknown } from "../../../dynamic-providers/unknown.ts";
import { restartOf, secret, summaryOf, vvp } from "./preview-changes.ts";

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
        [{ ...job, timeoutSeconds: 9 }, "the job is started when it does not run"],
        [{ ...job, parallelism: unknown }, "the job is stopped with a savepoint and goes on from it"],
    ])("a job that becomes %j", (now, text) => {
        expect(restartOf({ type: vvp("Deployment"), old: job, new: now })).toEqual([text]);
    });

    describe("a job that did not run when it was last looked at", () => {
        const type = vvp("Deployment");
        const become = (state: object, more: object, op = "update") =>
            restartOf({ type, op, old: job, new: { ...job, ...more }, state });
        const started = "is started from its last state, if there is one";
        test.each([
            ["CANCELLED", { parallelism: 2 }, [`the job does not run, and ${started}`]],
            ["FAILED", {}, [`the job does not run, and ${started}`]],
            [
                "GONE",
                { restart: "WITHOUT_STATE" },
                ["the job does not run, and is started afresh, without its state"],
            ],
            [
                "NOT_STARTED",
                { restart: "NEVER" },
                ["the job does not run, and is started afresh, without its state"],
            ],
            ["CANCELLED", { state: "CANCELLED", parallelism: 2 }, []],
            ["RUNNING", { state: "CANCELLED", parallelism: 2 }, ["the job is stopped"]],
            ["FINISHED", { connection: { url: "b" } }, []],
            ["FINISHED", { parallelism: 2, restart: "NEVER" }, []],
            ["FINISHED", { parallelism: 2 }, [`the job, which came to its end, ${started}`]],
        ])("%s, %j", (jobStatus, more, told) => {
            expect(become({ jobStatus }, more)).toEqual(told);
        });

        test("is not stopped by being deleted or replaced", () => {
            expect(become({ jobStatus: "CANCELLED" }, {}, "delete")).toEqual([]);
            expect(become({ jobStatus: "CANCELLED" }, { state: "CANCELLED" }, "replace")).toEqual([]);
            expect(become({ jobStatus: "FAILED" }, {}, "replace")).toEqual([
                "the new job starts without the state of the old one",
            ]);
            expect(become({ jobStatus: "RUNNING" }, { state: "CANCELLED" }, "replace")).toEqual([
                "the job is stopped, and the new one is not started",
            ]);
        });
    });

    test("a session cluster that did not run is not restarted, and is started where it is to run", () => {
        const old = { state: "RUNNING", numberOfTaskManagers: 1, flinkConfiguration: { a: "1" } };
        const [type, state] = [vvp("SessionCluster"), { status: "STOPPED" }];
        const now = { ...old, flinkConfiguration: { a: "2" } };
        expect(restartOf({ type, old, new: now, state })).toEqual([
            "the session cluster does not run, and is started",
        ]);
        for (const wanted of ["ON_DEMAND", "STOPPED"]) {
            expect(restartOf({ type, old, new: { ...now, state: wanted }, state })).toEqual([]);
        }
        for (const op of ["delete", "replace"])
            expect(restartOf({ type, op, old, new: now, state })).toEqual([]);
        expect(restartOf({ type, op: "delete", old, state: { status: "RUNNING" } })[0]).toContain("Debug");
        expect(
            restartOf({ type, old, new: { ...now, state: "STOPPED" }, state: { status: "RUNNING" } }),
        ).toEqual(["the session cluster is stopped"]);
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
            [
                "does not run",
                { jobStatus: "FAILED" },
                {},
                "the job does not run, and is started from its last state, if there is one",
            ],
            [
                "came to its end",
                { jobStatus: "FINISHED" },
                { connection: { url: "b" } },
                "if a secret of it changes, the job, which came to its end, is started from its last state, if there is one",
            ],
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
                "the session cluster does not run, and is started",
            ]);
            const elsewhere = { ...old, connection: { url: "b" } };
            expect(restartOf({ ...change, new: elsewhere, state: { status: "RUNNING" } })).toEqual([
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
