import http from "node:http";
import type net from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { FlinkRest, innermostCause, SqlGateway } from "../../../local/flink/index.ts";

const trace = [
    "<Exception on server side:",
    "org.apache.flink.table.gateway.service.utils.SqlExecutionException: Failed to execute the operation d1.",
    "\tat org.apache.flink.table.gateway.Service.run(Service.java:1)",
    "Caused by: org.apache.flink.table.api.ValidationException: Could not execute CREATE DATABASE",
    "\tat java.base/java.lang.Thread.run(Thread.java:1)",
    "Caused by: org.apache.fluss.exception.DatabaseAlreadyExistException: Database shop already exists.",
    "A second line, 'client.security.sasl.password' = 'sesame'",
    "\t... 12 more",
    "",
    "End of exception on server side>",
].join("\n");

test("the innermost cause of a trace is its last, with all of its lines and no stack", () => {
    expect(innermostCause(trace)).toEqual({
        type: "org.apache.fluss.exception.DatabaseAlreadyExistException",
        reason: "Database shop already exists.\nA second line, 'client.security.sasl.password' = 'sesame'",
    });
});

test.each([
    [
        "java.lang.UnsupportedOperationException\n\tat a.b(C.java:1)",
        "java.lang.UnsupportedOperationException",
        "",
    ],
    ["a.b.C$D: first: second\n\tat x.y(Z.java:2)", "a.b.C$D", "first: second"],
    ["Service Temporarily Unavailable", "", "Service Temporarily Unavailable"],
    ["", "", ""],
])("the innermost cause of %j", (text, type, reason) => {
    expect(innermostCause(text)).toEqual({ type, reason });
});

test("a refusal of the gateway is told by its innermost cause, without secrets or stack", async () => {
    const { gateway } = await stub({
        "GET /v1/sessions/s1/operations/o1/result/0": { status: 500, body: { errors: ["Internal", trace] } },
    });
    const session = await gateway.openSession();
    const failure = session.execute("CREATE DATABASE `shop` WITH ('token' = 'sesame')");
    await expect(failure).rejects.toMatchObject({
        status: 500,
        type: "org.apache.fluss.exception.DatabaseAlreadyExistException",
        message: expect.stringMatching(
            /did not run CREATE DATABASE `shop` WITH \('token' = '\*\*\*'\) at http.*: DatabaseAlreadyExistException: Database shop/,
        ),
    });
    await expect(failure).rejects.not.toThrow(/sesame|Thread\.java/);
});

test("a result is read page by page until its end, and the operation is closed", async () => {
    const { gateway, seen } = await stub({
        "GET /v1/sessions/s1/operations/o1/result/0": [
            { body: { resultType: "NOT_READY" } },
            { body: page([[1]], 1) },
        ],
        "GET /v1/sessions/s1/operations/o1/result/1": { body: page([], 2) },
        "GET /v1/sessions/s1/operations/o1/result/2": { body: { ...page([[2]]), resultType: "EOS" } },
    });
    const session = await gateway.openSession({ "execution.runtime-mode": "batch" });
    expect(await session.execute("SELECT 1", { jobName: "mine" })).toEqual({
        columns: [{ name: "n", type: "INTEGER" }],
        rows: [
            { kind: "INSERT", fields: [1] },
            { kind: "INSERT", fields: [2] },
        ],
        hasContent: true,
        jobId: "j1",
        complete: true,
    });
    await session.close();
    expect(seen[0]).toEqual({
        request: "POST /v1/sessions",
        body: { properties: { "execution.runtime-mode": "batch" } },
    });
    expect(seen[1]?.body).toEqual({ statement: "SELECT 1", executionConfig: { "pipeline.name": "mine" } });
    const requests = seen.map(({ request }) => request);
    expect(requests.slice(-2)).toEqual([
        "DELETE /v1/sessions/s1/operations/o1/close",
        "DELETE /v1/sessions/s1",
    ]);
    expect(requests.filter((request) => request.startsWith("PATCH"))).toEqual([]);
});

test("a reading that is ended by the caller cancels its job at Flink", async () => {
    const { gateway, seen } = await stub({
        "GET /v1/sessions/s1/operations/o1/result/0": { body: page([[1], [2]], 1) },
        "GET /jobs/overview": {
            body: { jobs: [job("j1", "any", "RUNNING"), job("j2", "other", "RUNNING")] },
        },
        "GET /jobs/j1/status": { body: { status: "CANCELED" } },
    });
    const session = await gateway.openSession();
    const result = await session.execute("SELECT *", { until: (rows) => rows.length >= 2 });
    expect(result).toMatchObject({ complete: false, jobId: "j1" });
    expect(seen.map(({ request }) => request).filter((request) => request.startsWith("PATCH"))).toEqual([
        "PATCH /jobs/j1?mode=cancel",
    ]);
});

test("past its deadline a statement fails, and the job that it had begun is found by its name", async () => {
    const { gateway, seen } = await stub({
        "GET /v1/sessions/s1/operations/o1/result/0": { body: { resultType: "NOT_READY" } },
        "GET /jobs/overview": {
            body: { jobs: [job("j7", "slow insert", "RUNNING"), job("j8", "x", "RUNNING")] },
        },
        "GET /jobs/j7/status": { body: { status: "CANCELED" } },
    });
    const session = await gateway.openSession();
    const failure = session.execute("INSERT INTO t SELECT 1", {
        deadlineSeconds: 0.2,
        jobName: "slow insert",
    });
    await expect(failure).rejects.toThrow("not finished within 0.2 s; 0 rows were read");
    expect(seen.map(({ request }) => request)).toContain("PATCH /jobs/j7?mode=cancel");
});

test("an answer that does not come is told with the seconds", async () => {
    const { flink } = await stub({ "GET /overview": { silent: true } }, { deadlineSeconds: 0.2 });
    await expect(flink.slots()).rejects.toMatchObject({
        status: 0,
        message: expect.stringMatching(/could not tell its slots at http.*: no answer within 0\.2 s$/),
    });
});

test("a refused connection and an unexpected answer are told", async () => {
    const nobody = new FlinkRest("http://127.0.0.1:9");
    await expect(nobody.slots()).rejects.toThrow(/ECONNREFUSED/);
    const { flink } = await stub({ "GET /overview": { body: { "slots-total": "many" } } });
    await expect(flink.slots()).rejects.toThrow(/not as expected: slots-total/);
});

test("a job that ended instead of running is told with its last exception", async () => {
    const { flink } = await stub({
        "GET /jobs/j1/status": { body: { status: "FAILED" } },
        "GET /jobs/j1/exceptions?maxExceptions=20": {
            body: { exceptionHistory: { entries: [{ timestamp: 5, stacktrace: trace }] } },
        },
    });
    await expect(flink.waitUntilRunning("j1")).rejects.toThrow(
        /does not run: DatabaseAlreadyExist.*: it is FAILED/,
    );
});

test("cancelling a job that has ended is no error, an unknown one is", async () => {
    const gone = {
        status: 404,
        body: { errors: ["org.apache.flink.util.NotFoundException: Job j2 not found"] },
    };
    const { flink } = await stub({
        "PATCH /jobs/j1?mode=cancel": { status: 409, body: { errors: ["a.b.Terminated: it has ended"] } },
        "GET /jobs/j1/status": { body: { status: "FINISHED" } },
        "PATCH /jobs/j2?mode=cancel": gone,
        "GET /jobs/j2/status": gone,
        "GET /jobs/j2": gone,
    });
    await flink.cancel("j1");
    await expect(flink.cancel("j2")).rejects.toThrow("Job j2 not found");
    expect(await flink.job("j2")).toBeUndefined();
});

test("a failed savepoint tells why", async () => {
    const { flink } = await stub({
        "POST /jobs/j1/savepoints": { status: 202, body: { "request-id": "r1" } },
        "GET /jobs/j1/savepoints/r1": [
            { body: { status: { id: "IN_PROGRESS" }, operation: null } },
            {
                body: {
                    status: { id: "COMPLETED" },
                    operation: { "failure-cause": { "stack-trace": "a.b.C: no disk" } },
                },
            },
        ],
    });
    await expect(flink.savepoint("j1")).rejects.toThrow(/could not take a savepoint of job j1: C: no disk/);
});

interface Canned {
    status?: number;
    body?: unknown;
    silent?: boolean;
}

/** A server for both APIs. Requests without a canned answer of their own are taken: 200 {}. */
async function stub(canned: Record<string, Canned | Canned[]>, options: { deadlineSeconds?: number } = {}) {
    const answers: Record<string, Canned | Canned[]> = {
        "POST /v1/sessions": { body: { sessionHandle: "s1" } },
        "POST /v1/sessions/s1/statements": { body: { operationHandle: "o1" } },
        "GET /jobs/overview": { body: { jobs: [] } },
        ...canned,
    };
    const seen: { request: string; body?: unknown }[] = [];
    const server = http.createServer(async (incoming, outgoing) => {
        const chunks: Buffer[] = [];
        for await (const chunk of incoming) chunks.push(chunk);
        const request = `${incoming.method} ${incoming.url?.replace("?rowFormat=JSON", "")}`;
        const text = Buffer.concat(chunks).toString();
        seen.push(text === "" ? { request } : { request, body: JSON.parse(text) });
        const all = answers[request];
        const answer = Array.isArray(all) ? (all.length > 1 ? all.shift() : all[0]) : all;
        if (answer?.silent) return;
        outgoing.writeHead(answer?.status ?? 200, { "content-type": "application/json" });
        outgoing.end(JSON.stringify(answer?.body ?? {}));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
        server.closeAllConnections();
        server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}/`;
    const flink = new FlinkRest(url, options);
    return { seen, flink, gateway: new SqlGateway(url, flink, options) };
}

function page(rows: unknown[][], next?: number) {
    return {
        resultType: "PAYLOAD",
        resultKind: "SUCCESS_WITH_CONTENT",
        jobID: "j1",
        results: {
            columns: [{ name: "n", logicalType: { type: "INTEGER", nullable: false } }],
            data: rows.map((fields) => ({ kind: "INSERT", fields })),
        },
        nextResultUri:
            next === undefined ? null : `/v1/sessions/s1/operations/o1/result/${next}?rowFormat=JSON`,
    };
}

function job(jid: string, name: string, state: string) {
    return { jid, name, state, "start-time": 1 };
}
