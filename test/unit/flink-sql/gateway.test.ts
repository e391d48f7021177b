import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { GatewayRunner } from "../../../dynamic-providers/flink-sql/gateway.ts";
import { ApiError } from "../../../dynamic-providers/http/api-error.ts";
import { type StubAnswer, type StubGateway, startStubGateway, trace } from "./stub-gateway.ts";

const catalogs = [
    {
        name: "c",
        options: { type: "fluss", "bootstrap.servers": "h:1", "client.security.sasl.password": "hunter2-pw" },
    },
];
const ok: StubAnswer = { rows: [["OK"]] };
let gateway: StubGateway;

async function runnerWith(
    answer: (statement: string) => StubAnswer,
    deadlineSeconds?: number,
): Promise<GatewayRunner> {
    gateway = await startStubGateway((statement) =>
        statement.startsWith("CREATE CATALOG") ? ok : answer(statement),
    );
    return new GatewayRunner({ url: gateway.url, catalogs, deadlineSeconds });
}

afterEach(() => gateway.close());

test("a session gets the catalogs first and is used again", async () => {
    const runner = await runnerWith(() => ({
        rows: [
            ["a", null],
            ["b", "2"],
        ],
    }));
    expect(await runner.execute("SHOW TABLES", "list")).toEqual({
        columns: ["c0"],
        rows: [
            ["a", null],
            ["b", "2"],
        ],
    });
    await runner.execute("SHOW DATABASES", "list");
    const statements = [...gateway.sessions.values()];
    expect(statements).toHaveLength(1);
    expect(statements[0]?.[0]).toContain("'client.security.sasl.password' = 'hunter2-pw'");
    expect(statements[0]?.slice(1)).toEqual(["SHOW TABLES", "SHOW DATABASES"]);
    expect(gateway.open.size).toBe(0);
});

test("many statements share at most four sessions", async () => {
    const runner = await runnerWith(() => ok);
    await Promise.all(Array.from({ length: 40 }, (_, index) => runner.execute(`SHOW ${index}`, "list")));
    expect(gateway.sessions.size).toBeLessThanOrEqual(4);
    const statements = [...gateway.sessions.values()].flat().filter((text) => text.startsWith("SHOW"));
    expect(new Set(statements).size).toBe(40);
});

test("an expired session is renewed, and the statement runs once", async () => {
    const runner = await runnerWith(() => ok);
    await Promise.all([1, 2, 3].map((index) => runner.execute(`SHOW ${index}`, "list")));
    gateway.expireSessions();
    await runner.execute("CREATE DATABASE `c`.`d`", "create");
    const ran = [...gateway.sessions.values()].flat().filter((text) => text.startsWith("CREATE DATABASE"));
    expect(ran).toHaveLength(1);
});

test("a session that is lost while its statement runs leaves the outcome open: what changes is not run again", async () => {
    const lossy = (): StubAnswer => {
        gateway.expireSessions();
        return ok;
    };
    let statements = 0;
    const runner = await runnerWith(() => (statements++ === 0 ? lossy() : ok));
    await expect(runner.execute("CREATE TABLE `c`.`d`.`t` (a INT)", "create table t")).rejects.toMatchObject({
        ambiguous: true,
        message: expect.stringMatching(
            /could not create table t .*forgot the session while the statement ran/,
        ),
    });
    expect(statements).toBe(1);
    // A look is harmless, and runs in a new session.
    statements = 0;
    expect((await runner.execute("SHOW TABLES", "list")).rows).toEqual([["OK"]]);
    expect(statements).toBe(2);
});

test("a gateway that is started anew midway is waited for, and the outcome of its statement is open", async () => {
    let restarted: Promise<StubGateway> | undefined;
    const runner = await runnerWith((sql) => {
        if (!sql.startsWith("DROP")) return ok;
        const port = Number(new URL(gateway.url).port);
        const ended = gateway.close();
        restarted = ended.then(async () => {
            await sleep(6000);
            gateway = await startStubGateway(() => ok, port);
            return gateway;
        });
        return "never";
    });
    await runner.execute("SHOW TABLES", "list");
    await expect(runner.execute("DROP TABLE `c`.`d`.`t`", "drop table t")).rejects.toMatchObject({
        ambiguous: true,
    });
    await runner.execute("SHOW TABLES", "list");
    await restarted;
    expect([...gateway.sessions.values()].flat().at(-1)).toBe("SHOW TABLES");
}, 30_000);

test("a failure is the innermost cause: certain, without stack and without secrets, with what to do", async () => {
    const cause =
        "org.apache.fluss.exception.AuthenticationException: Authentication failed: Invalid username or password";
    const runner = await runnerWith(() => ({
        trace: trace(
            `${cause}. Catalog options are: 'client.security.sasl.password'='hunter2-pw' hunter2-pw`,
        ),
    }));
    const error = await runner.execute("SHOW TABLES", "list the tables").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ type: "AuthenticationException", ambiguous: false });
    const { message } = error as ApiError;
    expect(message).toMatch(/could not list the tables .*Invalid username or password/s);
    expect(message).toContain("What to do: check client.security.sasl.username");
    expect(message).not.toMatch(/hunter2|\bat org\.|Failed to execute the operation/);
    expect(gateway.open.size).toBe(0);
    // The session is whole and goes on.
    await runner.execute("SHOW TABLES", "list").catch(() => undefined);
    expect(gateway.sessions.size).toBe(1);
});

test("an answer that never came leaves the outcome open, and the session is left alone", async () => {
    let cut = true;
    const runner = await runnerWith(() => (cut ? "cut" : ok));
    await expect(runner.execute("CREATE DATABASE `c`.`d`", "create")).rejects.toMatchObject({
        ambiguous: true,
    });
    cut = false;
    await runner.execute("SHOW TABLES", "list");
    expect(gateway.sessions.size).toBe(2);
});

test("a statement without end fails at its deadline, and is closed", async () => {
    const runner = await runnerWith(() => "never", 0.3);
    await expect(runner.execute("SHOW TABLES", "list")).rejects.toMatchObject({
        ambiguous: true,
        message: expect.stringMatching(/no(t finished| answer) within 0\.3 s|no answer within 1 s/),
    });
    expect(gateway.open.size).toBe(0);
});

test("the job of a statement that was given up is stopped by its id, in a session of its own", async () => {
    const job = "228d70913eab60dda85c5e7f78b5782c";
    const runner = await runnerWith((sql) => (sql.startsWith("SELECT") ? { job } : ok), 0.3);
    await expect(runner.execute("SELECT * FROM t", "read")).rejects.toMatchObject({ type: "deadline" });
    expect([...gateway.sessions.values()]).toEqual([
        [expect.stringContaining("CREATE CATALOG"), "SELECT * FROM t"],
        [`STOP JOB '${job}'`],
    ]);
    expect(gateway.open.size).toBe(0);
});

test("a job that cannot be stopped hides nothing, and an id that is none is not put into a statement", async () => {
    for (const job of ["228d70913eab60dda85c5e7f78b5782c", "x'; DROP TABLE t; --"]) {
        const gone = { trace: trace("org.a.FlinkException: no such job") };
        const runner = await runnerWith((sql) => (sql.startsWith("SELECT") ? { job } : gone), 0.2);
        await expect(runner.execute("SELECT 1", "read")).rejects.toMatchObject({ type: "deadline" });
        const all = [...gateway.sessions.values()].flat().join();
        expect(all).not.toContain("DROP TABLE");
        await gateway.close();
    }
});

test("a catalog that cannot be opened is told as such", async () => {
    gateway = await startStubGateway(() => ({
        trace: trace(
            "java.lang.IllegalStateException: Failed to initialize fluss client connection to bootstrap servers: [h:1]",
        ),
    }));
    const runner = new GatewayRunner({ url: gateway.url, catalogs });
    await expect(runner.execute("SHOW TABLES", "list")).rejects.toThrow(
        /could not open the catalog 'c'.*bootstrap servers: \[h:1\]\nWhat to do: check bootstrap\.servers/s,
    );
});

test("no gateway at all", async () => {
    const runner = await runnerWith(() => ok);
    await gateway.close();
    await expect(runner.execute("SHOW TABLES", "list")).rejects.toMatchObject({
        ambiguous: false,
        type: "ECONNREFUSED",
    });
});
