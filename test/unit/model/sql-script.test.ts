import { describe, expect, it } from "vitest";
import { ACCOUNTS, sampleDataSql } from "../../../model/sample-data.ts";
import { noJobFault, readSqlJob, sqlJobText } from "../../../model/sql-script.ts";

const reasons = (sql: string, runner: "vvp" | "gateway" = "gateway") =>
    readSqlJob(sql, runner).faults.map(({ reason }) => reason);

describe("the statements of a job", () => {
    it("are one script: several INSERTs become a statement set", () => {
        const text = sqlJobText({
            setup: ["CREATE TEMPORARY TABLE f (a INT) WITH ('connector' = 'datagen');"],
            inserts: ["INSERT INTO a SELECT * FROM f", "INSERT INTO b SELECT * FROM f;"],
        });
        expect(text).toBe(
            "CREATE TEMPORARY TABLE f (a INT) WITH ('connector' = 'datagen');\n\n" +
                "EXECUTE STATEMENT SET BEGIN\nINSERT INTO a SELECT * FROM f;\nINSERT INTO b SELECT * FROM f;\nEND;\n",
        );
        const { script, faults } = readSqlJob(text, "gateway");
        expect(faults).toEqual([]);
        expect(script.setup).toHaveLength(1);
        expect(script.insert).toMatch(
            /^EXECUTE STATEMENT SET BEGIN\nINSERT INTO a[\s\S]*INSERT INTO b[\s\S]*END$/,
        );
    });

    it("of the quickstart's writer are taken as they stand in its text", () => {
        const target = { catalog: "c", database: "finance", generator: "faker" as const };
        const { script, faults } = readSqlJob(sampleDataSql(ACCOUNTS, target), "gateway");
        expect(faults).toEqual([]);
        expect(script.setup.map((text) => text.slice(0, 22))).toEqual(["CREATE TEMPORARY TABLE"]);
        expect(script.insert).toMatch(/^INSERT INTO/);
    });

    it("of the platform's older notation of a set are brought into Flink's", () => {
        const text = "BEGIN STATEMENT SET; INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END;";
        const { script, faults } = readSqlJob(text, "gateway");
        expect(faults).toEqual([]);
        expect(script.insert).toBe(
            "EXECUTE STATEMENT SET BEGIN\nINSERT INTO a SELECT 1;\nINSERT INTO b SELECT 2;\nEND",
        );
    });

    it("may hold semicolons in strings, hints and comments", () => {
        const text = "-- a; b\nINSERT INTO a SELECT ';' FROM t /*+ OPTIONS('scan.startup.mode' = 'full') */;";
        expect(readSqlJob(text, "gateway")).toEqual({
            script: {
                setup: [],
                insert: "INSERT INTO a SELECT ';' FROM t /*+ OPTIONS('scan.startup.mode' = 'full') */",
            },
            faults: [],
        });
    });
});

describe("what keeps a script from being one job", () => {
    it.each([
        [
            "CREATE TABLE t (a INT); INSERT INTO t SELECT 1",
            /^"CREATE TABLE t \(a" makes or changes what stays/,
        ],
        ["CREATE CATALOG c WITH ('p' = 'pw'); INSERT INTO t SELECT 1", /^"CREATE CATALOG c WITH" makes/],
        ["SET 'a' = 'b'; INSERT INTO t SELECT 1", /sets an option in the script/],
        ["SELECT * FROM t", /gives rows that nobody takes/],
        ["DELETE FROM t; INSERT INTO t SELECT 1", /is no INSERT/],
        ["INSERT INTO a SELECT 1; INSERT INTO b SELECT 1", /2 INSERT statements, each a job of its own/],
        ["INSERT INTO a SELECT 1; CREATE TEMPORARY VIEW v AS SELECT 1", /comes after an INSERT/],
        [
            "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END; INSERT INTO b SELECT 1",
            /more than one job/,
        ],
        ["", /there is no INSERT/],
    ])("%s", (sql, reason) => {
        expect(reasons(sql).join("\n")).toMatch(reason);
    });

    it("are all told at once, and no option's value among them", () => {
        const told = reasons("CREATE CATALOG c WITH ('token' = 'hush'); SET 'a' = 'b'; SELECT 1");
        expect(told).toHaveLength(4);
        expect(told.join()).not.toContain("hush");
    });

    it("includes a secret value on a gateway, which replaces none", () => {
        const sql =
            "INSERT INTO t SELECT * FROM s /*+ OPTIONS('client.fs.s3.secret.key' = '${secret_values.k}') */";
        expect(reasons(sql)).toEqual(["it names ${secret_values.k}, which only Ververica Platform replaces"]);
        expect(reasons(sql, "vvp")).toEqual([]);
    });
});

describe("a script that can be no job", () => {
    it.each([
        "SELECT 1",
        "",
        "-- nothing",
        "WITH a AS (SELECT 1 AS x) SELECT * FROM a",
        "SET 'a' = 'b'; USE CATALOG c; SHOW TABLES",
        "CREATE TABLE t (a INT, p AS PROCTIME(), q AS (a + 1), WATERMARK FOR p AS p) WITH ('x' = 'as select')",
        "CREATE TEMPORARY VIEW v AS SELECT 1; SELECT * FROM v",
        "CREATE CATALOG c WITH ('type' = 'fluss'); DROP TABLE t",
        "EXPLAIN INSERT INTO a SELECT 1",
    ])("is told: %s", (sql) => {
        expect(noJobFault(sql)).toMatchObject({ reason: "no statement of it starts a job" });
    });

    it.each([
        "INSERT INTO a SELECT 1",
        "insert overwrite a select 1",
        "SET 'a' = 'b'; CREATE TABLE t (a INT); INSERT INTO t SELECT 1; SELECT 1",
        "BEGIN STATEMENT SET; INSERT INTO a SELECT 1; END",
        "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END",
        "EXECUTE PLAN '/plan.json'",
        "CREATE TABLE t WITH ('x' = 'y') AS SELECT * FROM s",
        "create or replace table if not exists t as\nselect * from s",
        "CREATE TABLE IF NOT EXISTS t AS TABLE mysql.db.t",
        "USE CATALOG c; CREATE DATABASE IF NOT EXISTS d AS DATABASE mysql.db INCLUDING ALL TABLES",
        "CREATE MATERIALIZED TABLE m FRESHNESS = INTERVAL '1' MINUTE AS SELECT 1",
        "DELETE FROM t WHERE a = 1",
        "CALL sys.compact('t')",
        "${the.script}",
    ])("is not: %s", (sql) => {
        expect(noJobFault(sql)).toBeUndefined();
    });
});
