import { afterEach, beforeEach, expect, test } from "vitest";
import { flinkProviders } from "../../../dynamic-providers/flink/index.ts";
import { type StubAnswer, type StubGateway, startStubGateway, trace } from "../flink-sql/stub-gateway.ts";
import { type Bag, jobsOf } from "./jobs.ts";
import { type StubFlink, startStubFlink } from "./stub-flink.ts";

const provider = flinkProviders.flinkSqlJob;
const password = "sesame-open";
const sql =
    "CREATE TEMPORARY TABLE f (a INT) WITH ('connector' = 'datagen'); INSERT INTO `c`.`d`.`t` SELECT a FROM f";
let flink: StubFlink;
let gateway: StubGateway;
/** What the gateway answers to an INSERT after it has submitted the job; tests change it. */
let insert: (submit: () => void) => StubAnswer;

beforeEach(async () => {
    flink = await startStubFlink();
    insert = (submit) => {
        submit();
        return { rows: [["job"]] };
    };
    gateway = await startStubGateway((statement, options) => {
        if (!/^(INSERT|EXECUTE)/.test(statement)) return { rows: [["OK"]] };
        const job = {
            id: options["$internal.pipeline.job-id"] ?? "",
            name: options["pipeline.name"] ?? "",
            savepoint: options["execution.state-recovery.path"],
        };
        return insert(() => flink.submit(job));
    });
});
afterEach(async () => {
    await gateway.close();
    await flink.close();
});

const { checked, create, refusals } = jobsOf(provider, () => ({
    gateway: { url: gateway.url },
    cluster: { url: flink.url },
    catalogs: [{ name: "c", options: { type: "fluss", "client.security.sasl.password": password } }],
    sql,
}));

test("the statements run in a session of their own, which is closed; the job's id was chosen before", async () => {
    const { outs } = await create();
    expect(flink.jobs).toMatchObject([{ id: outs["jobId"], name: "numbers" }]);
    const [statements = []] = gateway.sessions.values();
    expect(statements.map((text) => text.slice(0, 20))).toEqual([
        "CREATE CATALOG `c` W",
        "CREATE TEMPORARY TAB",
        "INSERT INTO `c`.`d`.",
    ]);
    expect(gateway.open.size).toBe(0);
});

test("a lost answer to the INSERT makes no second job", async () => {
    insert = (submit) => {
        submit();
        return "cut";
    };
    const { outs } = await create();
    expect(flink.jobs.map(({ id }) => id)).toEqual([outs["jobId"]]);
    expect(outs).toMatchObject({ jobStatus: "RUNNING" });
});

test("a statement that Flink refuses is told with its cause, and nothing is recorded as running", async () => {
    const cause = `org.apache.flink.table.api.ValidationException: no column '${password}'`;
    insert = () => ({ trace: trace(cause) });
    const error = (await create().catch((thrown: unknown) => thrown)) as Error & { properties: Bag };
    expect(error.message).toMatch(/could not submit job 'numbers' .*ValidationException: no column '\*\*\*'/);
    expect(flink.jobs).toEqual([]);
    expect(error.properties).toBeUndefined();
});

test("a change that Flink refuses leaves the savepoint of the old job, from which the next one goes on", async () => {
    const { id, outs } = await create();
    const submit = insert;
    insert = () => ({ trace: trace("org.apache.flink.table.api.ValidationException: no column") });
    const wrong = await checked({ sql: `${sql} WHERE b > 1` });
    const error = await provider.update(id, outs, wrong).catch((thrown: unknown) => thrown);
    const { properties } = error as { properties: Bag };
    expect(properties).toMatchObject({
        jobId: outs["jobId"],
        jobStatus: "CANCELLED",
        savepoint: "file:/savepoints/savepoint-1",
        restartPending: true,
    });
    insert = submit;
    await provider.update(id, properties, await checked());
    expect(flink.jobs[1]).toMatchObject({ state: "RUNNING", savepoint: "file:/savepoints/savepoint-1" });
});

test("a change that found no cluster is still to be done by the next run", async () => {
    const { id, outs } = await create();
    const gone = { ...outs, cluster: { url: "http://127.0.0.1:1" } };
    const error = await provider
        .update(id, gone, { ...(await checked({ parallelism: 2 })), cluster: gone.cluster })
        .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringMatching(/Flink: could not list the jobs/) });
    expect(error).not.toHaveProperty("properties");
});

test("a changed script goes on from the savepoint of the old one", async () => {
    const { id, outs } = await create();
    const { outs: after } = await provider.update(id, outs, await checked({ sql: `${sql} WHERE a > 1` }));
    expect(flink.jobs).toMatchObject([
        { state: "FINISHED" },
        { state: "RUNNING", id: after["jobId"], savepoint: "file:/savepoints/savepoint-1" },
    ]);
});

test("a batch job is awaited to its end, and a change runs it again without state", async () => {
    flink.onSubmit = (job) => {
        job.state = "FINISHED";
    };
    const { id, outs } = await create({ executionMode: "BATCH" });
    expect(outs).toMatchObject({ jobStatus: "FINISHED" });
    const news = await checked({ executionMode: "BATCH", sql: `${sql} WHERE a > 1` });
    const { outs: after } = await provider.update(id, outs, news);
    expect(after).toMatchObject({ jobStatus: "FINISHED" });
    expect(flink.jobs.map(({ savepoint }) => savepoint)).toEqual([undefined, undefined]);
});

test.each([
    [{ sql: "SELECT 1" }, /gives rows that nobody takes[\s\S]*there is no INSERT/],
    [{ sql: "INSERT INTO t SELECT '${secret_values.x}'" }, /only Ververica Platform replaces/],
    [{ flinkConfiguration: { "table.dml-sync": "true" } }, /would keep the gateway waiting/],
    [{ flinkConfiguration: { "execution.runtime-mode": "batch" } }, /set by the argument executionMode/],
    [{ gateway: { url: "gateway" } }, /must be the base URL of a SQL gateway/],
])("refuses %o in the preview", async (change, reason) => {
    expect(await refusals(change)).toMatch(reason);
});
