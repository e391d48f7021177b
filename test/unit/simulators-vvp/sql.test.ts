import { describe, expect, it } from "vitest";
import { FlinkError } from "../../../local/flink/index.ts";
import { catalogOf, kindOf, splitStatements } from "../../../local/simulators/vvp/sql-text.ts";
import { bench, closeAfterEach, ENGINE, SECRETS } from "./harness.ts";

closeAfterEach();
const CATALOG =
    "CREATE CATALOG `fluss` WITH ('type' = 'fluss', 'client.security.sasl.password' = '${secret_values.pw}')";

describe("sqlscripts:execute", () => {
    it("runs DDL, gives rows of SHOW and tells failures as results", async () => {
        const { execute } = await bench();
        expect((await execute("CREATE CATALOG fluss WITH ('type' = 'fluss')")).body.data.result).toBe(
            "RESULT_SUCCESS",
        );
        await execute(
            "CREATE DATABASE IF NOT EXISTS `fluss`.`finance`; CREATE TABLE `fluss`.`finance`.`t` (x INT);",
        );
        const { data } = (await execute("SHOW TABLES FROM `fluss`.`finance`")).body;
        expect(data).toMatchObject({
            result: "RESULT_SUCCESS_WITH_ROWS",
            resultTable: { headers: [{ name: "table name" }], rows: [{ cells: [{ value: "t" }] }] },
        });
        const again = await execute("CREATE TABLE `fluss`.`finance`.`t` (x INT)");
        expect([again.status, again.body.success, again.body.data.result]).toEqual([
            200,
            true,
            "RESULT_INVALID",
        ]);
        expect(again.body.data.errorMessages[0].message).toMatch(
            /TableAlreadyExistException: .*finance\.t already exists/,
        );
    });

    it("stops at the first statement that fails", async () => {
        const { execute, flink } = await bench();
        const reply = await execute("SET 'a' = 'b'; DROP TABLE nowhere.d.t; SET 'c' = 'd'");
        expect(reply.body.data.result).toBe("RESULT_INVALID");
        expect(flink.statements).toEqual(["SET 'a' = 'b'", "DROP TABLE nowhere.d.t"]);
    });

    it("replays catalogs in each new session, with the secret of that time", async () => {
        const { call, execute, flink } = await bench();
        await call("POST", SECRETS, { metadata: { name: "pw" }, spec: { kind: "PLAIN", value: "first-pw" } });
        await execute(CATALOG);
        await execute("SET 'a' = 'b'");
        await call("PATCH", `${SECRETS}/pw`, { spec: { value: "second-pw" } });
        flink.statements.length = 0;
        expect((await execute("SHOW DATABASES FROM fluss")).body.data.result).toBe(
            "RESULT_SUCCESS_WITH_ROWS",
        );
        await execute("SHOW CATALOGS");
        expect(flink.statements).toEqual([
            CATALOG.replace("${secret_values.pw}", "second-pw"),
            "SHOW DATABASES FROM fluss",
            "SHOW CATALOGS",
        ]);
    });

    it("opens a new session when the gateway lost the old one", async () => {
        const { execute, flink } = await bench();
        await execute("CREATE CATALOG fluss WITH ('type' = 'fluss')");
        flink.forgetAll();
        expect((await execute("SHOW DATABASES FROM fluss")).body.data.result).toBe(
            "RESULT_SUCCESS_WITH_ROWS",
        );
    });

    it("forgets a dropped catalog, also one that cannot be opened any more", async () => {
        const { call, execute, flink } = await bench();
        await call("POST", SECRETS, { metadata: { name: "pw" }, spec: { kind: "PLAIN", value: "first-pw" } });
        await execute(CATALOG);
        await call("DELETE", `${SECRETS}/pw`);
        flink.forgetAll();
        const broken = await execute("SHOW CATALOGS");
        expect(broken.body.data.errorMessages[0].message).toContain("no secret value pw");
        expect((await execute("DROP CATALOG fluss")).body.data.result).toBe("RESULT_SUCCESS");
        expect((await execute("SHOW CATALOGS")).body.data.resultTable.rows).toHaveLength(1);
    });

    it("says which catalog cannot be opened", async () => {
        const { execute, flink } = await bench();
        await execute("CREATE CATALOG fluss WITH ('type' = 'fluss')");
        flink.forgetAll();
        const down = new FlinkError("x", {
            status: 500,
            type: "java.lang.IllegalStateException",
            reason: "no server",
        });
        flink.answer(/^CREATE CATALOG/, down);
        const { data } = (await execute("SHOW CATALOGS")).body;
        expect(data.errorMessages[0].message).toContain("catalog fluss cannot be opened: no server");
    });

    it("masks secrets that Flink prints", async () => {
        const { call, execute, flink } = await bench();
        await call("POST", SECRETS, {
            metadata: { name: "pw" },
            spec: { kind: "PLAIN", value: "s3cr3t-pw" },
        });
        const text =
            "CREATE TABLE t (x INT) WITH ('a' = 's3cr3t-pw', 'table.datalake.iceberg.token' = 'other-token')";
        flink.answer(/^SHOW CREATE/, { columns: ["result"], rows: [[text]] });
        const error = new FlinkError("x", { status: 500, type: "E", reason: "options are: 'b'='s3cr3t-pw'" });
        flink.answer(/^DESCRIBE/, error);
        const shown = await execute("SHOW CREATE TABLE t");
        const failed = await execute("DESCRIBE t");
        expect(shown.text).toContain("CREATE TABLE t (x INT)");
        expect(failed.text).toContain("options are");
        expect(shown.text + failed.text).not.toMatch(/s3cr3t-pw|other-token/);
    });

    it("refuses what is no DDL, unknown engines, JARs and secrets before anything runs", async () => {
        const { execute, flink } = await bench();
        const message = async (statement: string, more = {}) => {
            const { data } = (await execute(statement, more)).body;
            expect(data.result).toBe("RESULT_INVALID");
            return data.errorMessages[0].message as string;
        };
        expect(await message("INSERT INTO t SELECT 1")).toContain("SQL deployment");
        expect(await message("SET 'a' = 'b'; SELECT 1")).toContain("session cluster");
        expect(await message("SHOW CATALOGS", { versionName: "vera-9" })).toContain("vera-9");
        expect(await message("SHOW CATALOGS", { additionalDependencies: ["s3i://x"] })).toContain("s3i://x");
        expect(await message("SET 'a' = '${secret_values.nope}'")).toContain("nope");
        expect(await message(" -- nothing")).toContain("no statement");
        expect(flink.statements).toEqual([]);
        expect((await execute("SHOW CATALOGS", { versionName: ENGINE, batchMode: true })).body.success).toBe(
            true,
        );
        expect(flink.sessions.at(-1)).toEqual({ "execution.runtime-mode": "BATCH" });
        expect((await execute("SHOW CATALOGS", { sessionCluster: "x" })).status).toBe(400);
    });

    it("tells an unreachable gateway in the product's words", async () => {
        const { execute, flink } = await bench();
        flink.reachable = false;
        const { data } = (await execute("SHOW CATALOGS")).body;
        expect(data.errorMessages[0].message).toMatch(/^Failed to get response from sql gateway server/);
    });
});

describe("SQL text", () => {
    it("is split at semicolons outside strings, names and comments; hints stay", () => {
        const script =
            "SET 'a;b' = 'it''s;'; /* c;d */ DROP TABLE `x;y` -- e;f\n; SELECT /*+ OPTIONS('a'='b') */ 1;;";
        expect(splitStatements(script)).toEqual([
            "SET 'a;b' = 'it''s;'",
            "DROP TABLE `x;y`",
            "SELECT /*+ OPTIONS('a'='b') */ 1",
        ]);
    });

    it.each([
        ["create temporary table t (x int)", "temporary"],
        ["CREATE TABLE t (x INT)", "ddl"],
        ["EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END", "insert"],
        ["begin statement set", "set-begin"],
        ["END", "set-end"],
        ["WITH a AS (SELECT 1) SELECT * FROM a", "query"],
        ["desc t", "read"],
        ["USE CATALOG c", "session"],
    ])("%s is %s", (statement, kind) => {
        expect(kindOf(statement)).toBe(kind);
    });

    it("names the catalog of a statement", () => {
        expect(catalogOf("create catalog if not exists `a``b` with ()")).toEqual({
            action: "create",
            name: "a`b",
        });
        expect(catalogOf("DROP CATALOG IF EXISTS c")).toEqual({ action: "drop", name: "c" });
        expect(catalogOf("CREATE DATABASE c.d")).toBeUndefined();
    });
});
