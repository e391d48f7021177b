import { afterAll, beforeAll, expect, test } from "vitest";
import { VvpSqlScript } from "../../dynamic-providers/vvp/resources.ts";
import { FlinkError } from "../../local/flink/index.ts";
import { vvpWorkspace, type Workspace } from "./vvp-platform.ts";

let w: Workspace;
const createCatalog = "CREATE CATALOG IF NOT EXISTS c WITH ('type' = 'fluss')";
const wish = {
    statements: [createCatalog, "CREATE DATABASE IF NOT EXISTS c.one"],
    undo: ["DROP CATALOG IF EXISTS c"],
    probe: "SHOW DATABASES IN c",
    keepResult: false,
};
const run = (statement: string) =>
    w.outside("POST", "/sql/v1beta1/namespaces/default/sqlscripts:execute", { statement });

beforeAll(async () => {
    w = await vvpWorkspace((connection) => {
        const script = new VvpSqlScript("script", { connection, ...wish });
        return { executed: script.executed, result: script.result };
    });
});
afterAll(() => w.dispose());

test("executes its statements in their order, again when the answer gets lost, and then nothing changes", async () => {
    w.platform.faults.loseNextAnswer("executeSql");
    const { outputs } = await w.stack.up();
    expect(outputs["executed"]?.value).toBe(2);
    expect(outputs["result"]).toBeUndefined();
    expect(w.flink.statements.filter((text) => text.startsWith("CREATE DATABASE"))).toHaveLength(1);
    expect((await w.stack.up()).changes).toEqual({ same: 2 });
});

test("a new statement executes all of them; the last one's rows are kept on request", async () => {
    wish.statements = [
        createCatalog,
        "CREATE DATABASE IF NOT EXISTS c.one",
        "CREATE DATABASE IF NOT EXISTS c.two",
        wish.probe,
    ];
    wish.keepResult = true;
    const { outputs } = await w.stack.up();
    expect(outputs["result"]?.value).toEqual({ headers: ["database name"], rows: [["one"], ["two"]] });
});

test("changed undo and address execute nothing", async () => {
    const before = w.calls("executeSql");
    wish.undo = ["DROP DATABASE IF EXISTS c.one", "DROP DATABASE c.gone", "DROP CATALOG c"];
    await w.stack.up();
    expect(w.calls("executeSql")).toBe(before);
});

test("changed outside: the probe tells it after a refresh, and the next run executes all again", async () => {
    await run("DROP DATABASE c.two");
    await w.stack.refresh();
    expect((await w.stack.up()).changes).toMatchObject({ update: 1 });
    expect(await run(wish.probe)).toMatchObject({ resultTable: { rows: [{}, {}] } });
});

test("gone outside: refresh drops it, the next run makes it again", async () => {
    await run("DROP CATALOG c");
    expect((await w.stack.refresh()).changes).toMatchObject({ delete: 1 });
    expect((await w.stack.up()).changes).toMatchObject({ create: 1 });
});

test("a statement that fails half-way is told with the platform's message, without a secret, and run again", async () => {
    const bad = "CREATE DATABASE c.bad COMMENT 'password = \"hidden-5522\"'";
    const failure = new FlinkError("The gateway refused", {
        status: 500,
        type: "x.SqlParserException",
        reason: "no such thing",
    });
    w.flink.answer(/c\.bad/, failure);
    wish.statements = [createCatalog, bad];
    const error = await w.stack.up().catch((caught: Error) => caught);
    expect(String(error)).toMatch(/no such thing.*1 of 2 statements have been executed/s);
    expect(String(error)).not.toContain("hidden-5522");
    w.flink.answer(/c\.bad/, { columns: [], rows: [] });
    expect((await w.stack.up()).changes).toMatchObject({ update: 1 });
});

test("is undone at the end, also what is partly gone", async () => {
    await w.stack.destroy();
    expect(w.flink.statements.slice(-3)).toEqual(wish.undo);
    expect(w.platform.violations).toEqual([]);
});
