import fs from "node:fs";
import http from "node:http";
import type net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { flinkProviders } from "../../../dynamic-providers/flink/index.ts";
import { type Bag, jobsOf } from "./jobs.ts";
import { type StubFlink, startStubFlink } from "./stub-flink.ts";

const provider = flinkProviders.flinkJarJob;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "jar-job-"));
const jar = path.join(folder, "job.jar");
fs.writeFileSync(jar, "a program");
let flink: StubFlink;

beforeEach(async () => {
    flink = await startStubFlink();
});
afterEach(async () => {
    vi.restoreAllMocks();
    await flink.close();
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const { checked, create, refusals } = jobsOf(provider, () => ({
    cluster: { url: flink.url },
    jar,
    args: ["--password", "sesame-open", "--table", "t"],
}));

const states = () => flink.jobs.map(({ state }) => state);

test("the JAR runs under an id that was chosen before, and is not left on the cluster", async () => {
    const { id, outs } = await create();
    expect(id).toBe("numbers");
    expect(outs).toMatchObject({ jobStatus: "RUNNING", restarts: 0, restartPending: false });
    expect(flink.jobs).toMatchObject([
        { id: outs["jobId"], name: "numbers", args: ["--password", "sesame-open", "--table", "t"] },
    ]);
    expect(flink.jars.size).toBe(0);
});

test.each([
    ["the upload", "POST", /^\/jars\/upload$/],
    ["the submission", "POST", /\/run$/],
    ["the deletion of the JAR", "DELETE", /^\/jars\//],
])("a lost answer to %s makes no second job", async (_, method, route) => {
    flink.loseNext(method, route);
    const { outs } = await create();
    expect(flink.jobs.map(({ id }) => id)).toEqual([outs["jobId"]]);
    expect(flink.jars.size).toBe(0);
});

test("a job of a run that was cut off is found by its id; it goes on from its savepoint as what is wanted", async () => {
    await create();
    const { outs } = await create({ args: ["--table", "u"] });
    expect(states()).toEqual(["FINISHED", "RUNNING"]);
    expect(flink.jobs[1]).toMatchObject({ id: outs["jobId"], savepoint: "file:/savepoints/savepoint-1" });
});

test("a batch job of a run that was cut off is waited for, and not run twice", async () => {
    await create();
    setTimeout(() => Object.assign(flink.jobs[0]!, { state: "FINISHED" }), 300);
    const { outs } = await create({ executionMode: "BATCH" });
    expect(flink.jobs).toHaveLength(1);
    expect(outs).toMatchObject({ jobStatus: "FINISHED" });
});

test("another stack's job of the same name is left alone", async () => {
    await create();
    await create({ mark: "other/numbers" });
    expect(states()).toEqual(["RUNNING", "RUNNING"]);
});

test("a change stops the job with a savepoint; the new one starts from it", async () => {
    const { id, outs } = await create();
    flink.loseNext("POST", /\/stop$/);
    const { outs: after } = await provider.update(id, outs, await checked({ parallelism: 2 }));
    expect(states()).toEqual(["FINISHED", "RUNNING"]);
    expect(flink.jobs[1]?.savepoint).toBe("file:/savepoints/savepoint-1");
    expect(after).toMatchObject({ jobId: flink.jobs[1]?.id, restartPending: false });
    expect(after["savepoint"]).toBeUndefined();
});

test("state that a run which was cut off has left at its stop is not lost", async () => {
    const { id, outs } = await create();
    Object.assign(flink.jobs[0]!, { state: "FINISHED", stoppedWith: "file:/savepoints/left" });
    await provider.update(id, outs, await checked({ parallelism: 2 }));
    expect(flink.jobs[1]?.savepoint).toBe("file:/savepoints/left");
});

test("without state it is cancelled and starts afresh", async () => {
    const { id, outs } = await create({ restart: "WITHOUT_STATE" });
    await provider.update(id, outs, await checked({ restart: "WITHOUT_STATE", restartTrigger: "2" }));
    expect(states()).toEqual(["CANCELED", "RUNNING"]);
    expect(flink.jobs[1]?.savepoint).toBeUndefined();
});

test('with restart "NEVER" a change waits for somebody else, and says so', async () => {
    const { id, outs } = await create({ restart: "NEVER" });
    const { outs: after } = await provider.update(
        id,
        outs,
        await checked({ restart: "NEVER", parallelism: 2 }),
    );
    expect(flink.jobs).toHaveLength(1);
    expect(after).toMatchObject({ restartPending: true, jobId: flink.jobs[0]?.id });
});

test("a cancelled job stays so, keeps its savepoint and goes on from it", async () => {
    const { id, outs } = await create();
    const { outs: off } = await provider.update(id, outs, await checked({ state: "CANCELLED" }));
    expect(off).toMatchObject({ jobStatus: "CANCELLED", savepoint: "file:/savepoints/savepoint-1" });
    const { outs: on } = await provider.update(id, off, await checked());
    expect(on).toMatchObject({ jobStatus: "RUNNING" });
    expect(flink.jobs[1]?.savepoint).toBe("file:/savepoints/savepoint-1");
});

test("a job that fails is recorded with Flink's reason, without secrets; the next run tries again", async () => {
    flink.onSubmit = (job) => {
        job.state = "FAILED";
        job.exceptions = [
            "org.a.JobException: Recovery is suppressed\n\tat a.b(C.java:1)\nCaused by: org.a.AuthenticationException: sesame-open is wrong",
        ];
    };
    const error = await create().catch((thrown: unknown) => thrown as Error & { properties: Bag });
    expect((error as Error).message).toMatch(/it FAILED: AuthenticationException: \*\*\* is wrong/);
    const recorded = (error as { properties: Bag }).properties;
    expect(recorded).toMatchObject({ jobStatus: "FAILED", failure: "AuthenticationException: *** is wrong" });
    flink.onSubmit = () => undefined;
    const news = await checked();
    expect((await provider.diff("numbers", recorded, news)).changes).toBe(true);
    const { outs } = await provider.update("numbers", recorded, news);
    expect(outs).toMatchObject({ jobStatus: "RUNNING" });
});

test("a job that restarts again and again is no running one", async () => {
    flink.onSubmit = (job) => {
        const grow = setInterval(() => job.exceptions.push("org.a.NotAuthorizedException: no"), 400);
        setTimeout(() => clearInterval(grow), 10_000);
    };
    await expect(create({ healthySeconds: 60, timeoutSeconds: 15 })).rejects.toThrow(
        /restarts again and again .*NotAuthorizedException: no/,
    );
});

test("a job that its cluster has lost is seen, and started afresh", async () => {
    const { id, outs } = await create();
    flink.jobs.length = 0;
    const { props } = await provider.read(id, outs);
    expect(props).toMatchObject({ jobStatus: "GONE", failure: expect.stringContaining("does not know") });
    const news = await checked();
    expect((await provider.diff(id, props!, news)).changes).toBe(true);
    const { outs: after } = await provider.update(id, props!, news);
    expect(after).toMatchObject({ jobStatus: "RUNNING" });
});

test("a finished batch job that Flink has forgotten stays finished, and is not run again", async () => {
    flink.onSubmit = (job) => {
        job.state = "FINISHED";
    };
    const { id, outs } = await create({ executionMode: "BATCH" });
    flink.jobs.length = 0;
    const { props } = await provider.read(id, outs);
    expect(props).toMatchObject({ jobStatus: "FINISHED" });
    expect((await provider.diff(id, props!, await checked({ executionMode: "BATCH" }))).changes).toBe(false);
});

test("a batch job that was lost before its end was seen is not run again by itself", async () => {
    const { id, outs } = await create();
    flink.jobs.length = 0;
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { props } = await provider.read(id, { ...outs, executionMode: "BATCH" });
    expect(props).toMatchObject({ jobStatus: "GONE" });
    const news = await checked({ executionMode: "BATCH" });
    expect((await provider.diff(id, props!, news)).changes).toBe(false);
});

test("a job that is being cancelled is waited for, and another one started", async () => {
    const { id, outs } = await create();
    flink.jobs[0]!.state = "CANCELLING";
    const { outs: after } = await provider.update(id, outs, await checked());
    expect(states()).toEqual(["CANCELED", "RUNNING"]);
    expect(after).toMatchObject({ jobId: flink.jobs[1]?.id, jobStatus: "RUNNING" });
});

test("a delete cancels the job; one that is gone already is fine", async () => {
    const { id, outs } = await create();
    flink.loseNext("PATCH", /^\/jobs\//);
    await provider.delete(id, outs);
    expect(states()).toEqual(["CANCELED"]);
    flink.jobs.length = 0;
    await provider.delete(id, outs);
});

test("another server's 404 is not taken for a lost job", async () => {
    const { id, outs } = await create();
    const other = http.createServer((_, response) => response.writeHead(404).end("404 page not found"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as net.AddressInfo;
    const moved = { ...outs, cluster: { url: `http://127.0.0.1:${port}` } };
    await expect(provider.read(id, moved)).rejects.toThrow(/Flink: could not read job .*404 page not found/);
    other.close();
});

test.each([
    [{ jar: "nowhere.jar" }, /jar: the file 'nowhere.jar' cannot be read/],
    [{ flinkConfiguration: { "pipeline.name": "x" } }, /is set by the argument name/],
    [{ cluster: { url: "localhost:8081" } }, /must be the base URL of a Flink cluster/],
    [{ name: "a\nb" }, /one line/],
    [{ restart: "NEVER", restartTrigger: "2" }, /give one of them/],
])("refuses %o in the preview", async (change, reason) => {
    expect(await refusals(change)).toMatch(reason);
});
