import { expect, test } from "vitest";
import { type StatementExecutor, VvpRunner } from "../../../dynamic-providers/flink-sql/vvp-runner.ts";
import { ApiError } from "../../../dynamic-providers/http/api-error.ts";

const engine = { engineVersion: "vera-4.5-jdk11-flink-1.20", additionalDependencies: ["s3i://a/x.jar"] };

function failing(facts: { status?: number; type?: string; serverMessage: string }): StatementExecutor {
    return {
        execute: async () => {
            throw new ApiError({ system: "VVP", action: "x", target: "POST y", ambiguous: false, ...facts });
        },
    };
}

test("every statement carries engine and JARs; only reads may be repeated", async () => {
    const seen: unknown[] = [];
    const runner = new VvpRunner(
        {
            execute: async (statement, options) => {
                seen.push([statement, options]);
                return { headers: ["name"], rows: [["a"]] };
            },
        },
        engine,
    );
    expect(await runner.execute("SHOW CATALOGS", "list")).toEqual({ columns: ["name"], rows: [["a"]] });
    await runner.execute("CREATE DATABASE `c`.`d`", "create");
    expect(seen).toEqual([
        ["SHOW CATALOGS", { ...engine, repeatable: true }],
        ["CREATE DATABASE `c`.`d`", { ...engine, repeatable: false }],
    ]);
});

test("a failed statement is told in Flink's words", async () => {
    const serverMessage =
        "org.apache.flink.table.catalog.exceptions.DatabaseAlreadyExistException: Database d already exists in Catalog c.";
    const runner = new VvpRunner(failing({ type: "RESULT_INVALID", serverMessage }), engine);
    await expect(runner.execute("CREATE DATABASE d", "create database d")).rejects.toMatchObject({
        type: "DatabaseAlreadyExistException",
        serverMessage: "Database d already exists in Catalog c.",
        ambiguous: false,
    });
});

test("a restart of the SQL service leaves the outcome open", async () => {
    const serverMessage = "Failed to get response from sql gateway server: Connection refused";
    const runner = new VvpRunner(failing({ type: "RESULT_INVALID", serverMessage }), engine);
    await expect(runner.execute("CREATE DATABASE d", "create")).rejects.toMatchObject({ ambiguous: true });
});

test("a call that failed stays as it is", async () => {
    const runner = new VvpRunner(failing({ status: 403, serverMessage: "no" }), engine);
    await expect(runner.execute("SHOW CATALOGS", "list")).rejects.toMatchObject({
        status: 403,
        serverMessage: "no",
    });
});
