import { afterEach, describe, expect, test, vi } from "vitest";
import { catalog } from "../../../dynamic-providers/flink-sql/catalog.ts";
import { database } from "../../../dynamic-providers/flink-sql/database.ts";
import { table } from "../../../dynamic-providers/flink-sql/table.ts";
import { hosted } from "../../../dynamic-providers/resource.ts";
import { unknown } from "../../../dynamic-providers/unknown.ts";
import { createTable } from "../../../model/ddl.ts";
import { accounts, trades } from "../model-table/tables.ts";
import { type StubAnswer, type StubGateway, startStubGateway, trace } from "./stub-gateway.ts";

const options = { type: "fluss", "bootstrap.servers": "h:1", "client.security.sasl.password": "hunter2-pw" };
const capabilities = { server: "0.9", lake: "iceberg" };
const runner = { kind: "gateway", url: "http://localhost:1" };
const tableInputs = { runner, catalog: { name: "c", options }, spec: accounts, capabilities };
const email = { name: "email", type: "STRING" };
const more = { ...accounts, columns: [...accounts.columns, email] };
const evenMore = { ...more, columns: [...more.columns, { name: "phone", type: "STRING" }] };
const provider = hosted(table);

describe("the preview of a table", () => {
    test("shows the DDL, then nothing new, then the ALTER, then nothing new", async () => {
        const created = await provider.check({}, tableInputs);
        expect(created.failures).toEqual([]);
        const ddl = `${createTable("c", accounts)};`;
        expect([created.inputs.ddl, created.inputs.plan]).toEqual([ddl, undefined]);
        const again = await provider.check(created.inputs, tableInputs);
        expect(again.inputs).toEqual(created.inputs);
        expect((await provider.diff("", created.inputs, again.inputs)).changes).toBe(false);
        const altered = await provider.check(created.inputs, { ...tableInputs, spec: more });
        expect(altered.inputs.plan).toBe(
            "/* change 1 */ ALTER TABLE `c`.`finance`.`accounts` ADD (\n    `email` STRING\n);",
        );
        expect(altered.inputs.ddl).toBe(`${createTable("c", more)};`);
        expect(await provider.diff("", created.inputs, altered.inputs)).toMatchObject({
            changes: true,
            replaces: [],
        });
        const settled = await provider.check(altered.inputs, { ...tableInputs, spec: more });
        expect(settled.inputs).toEqual(altered.inputs);
        const third = await provider.check(altered.inputs, { ...tableInputs, spec: evenMore });
        expect(third.inputs.plan).toContain("/* change 2 */ ALTER TABLE");
    });

    test("refuses what loses data, with every reason", async () => {
        const { inputs } = await provider.check({}, tableInputs);
        const spec = { ...accounts, columns: accounts.columns.slice(0, 4), bucketCount: 9 };
        const { failures } = await provider.check(inputs, { ...tableInputs, spec });
        expect(failures.map(({ reason }) => reason)).toEqual([
            expect.stringContaining(
                "table.bucketCount = 9: Fluss cannot change it on a table that exists (it is 3)",
            ),
            expect.stringContaining(
                "balance is gone from the spec; replacing finance.accounts would lose all its rows",
            ),
        ]);
    });

    test("waits for what is unknown", async () => {
        for (const part of [
            { spec: unknown },
            { catalog: unknown },
            { catalog: { name: unknown } },
            { runner: unknown },
        ]) {
            const { inputs, failures } = await provider.check({}, { ...tableInputs, ...part });
            expect(failures).toEqual([]);
            expect("runner" in part || (inputs.plan ?? inputs.ddl) === undefined).toBe(true);
        }
    });

    test("shows the plan while the catalog's options are still unknown", async () => {
        const { inputs } = await provider.check(
            {},
            { ...tableInputs, catalog: { name: "c", options: unknown } },
        );
        expect(inputs.ddl).toBe(`${createTable("c", accounts)};`);
    });

    test("another spelling is no change, and no change ever replaces", async () => {
        const { inputs } = await provider.check({}, tableInputs);
        const spelled = {
            ...accounts,
            columns: accounts.columns.map((c) => ({ ...c, type: c.type.toLowerCase() })),
        };
        const respelled = await provider.check(inputs, { ...tableInputs, spec: spelled });
        expect((await provider.diff("", inputs, respelled.inputs)).changes).toBe(false);
        const everything = {
            runner: { ...runner, url: "http://other:1" },
            catalog: { name: "other", options },
            spec: { ...trades, database: "x", name: "y" },
        };
        expect((await provider.diff("", inputs, { ...inputs, ...everything })).replaces).toEqual([]);
        expect(
            (await provider.diff("", inputs, { ...inputs, catalog: unknown, spec: unknown })).replaces,
        ).toEqual([]);
    });

    test("a deadline is a number of seconds that a timer can hold", async () => {
        for (const deadlineSeconds of [0, -1, 1e12, Number.POSITIVE_INFINITY, "120"]) {
            const { failures } = await provider.check(
                {},
                { ...tableInputs, runner: { ...runner, deadlineSeconds } },
            );
            expect(failures.map(({ reason }) => reason)).toEqual([
                expect.stringContaining("runner.deadlineSeconds"),
            ]);
        }
    });

    test("a gateway must be told how to make the catalog", async () => {
        const { failures } = await provider.check({}, { ...tableInputs, catalog: { name: "c" } });
        expect(failures[0]?.reason).toContain("catalog.options: is missing");
    });
});

describe("the preview of a catalog and a database", () => {
    test("shows no secret of a catalog", async () => {
        const { inputs, failures } = await hosted(catalog).check({}, { runner, name: "c", options });
        expect(failures).toEqual([]);
        expect(inputs.plan).toContain("'client.security.sasl.password' = '[secret]'");
        expect(inputs.plan).toContain("'bootstrap.servers'");
    });

    test("refuses a name of a catalog that no statement can hold", async () => {
        for (const name of [" ", "a\nb"]) {
            const { failures } = await hosted(catalog).check({}, { runner, name, options });
            expect(failures.map(({ reason }) => reason)).toEqual([expect.stringContaining("line break")]);
        }
    });

    test("refuses secrets in clear on the platform, and takes references", async () => {
        const vvp = { kind: "vvp", connection: { url: "https://vvp.example.com" } };
        const clear = await hosted(catalog).check({}, { runner: vvp, name: "c", options });
        expect(clear.failures.map(({ reason }) => reason)).toEqual([
            expect.stringContaining('options["client.security.sasl.password"]: is a secret in clear'),
        ]);
        expect(JSON.stringify(clear.failures)).not.toContain("hunter2");
        const referred = { ...options, "client.security.sasl.password": "${secret_values.fluss-password}" };
        const { inputs, failures } = await hosted(catalog).check(
            {},
            { runner: vvp, name: "c", options: referred },
        );
        expect(failures).toEqual([]);
        expect(inputs.plan).toContain("'${secret_values.fluss-password}'");
    });

    test("other options make the catalog anew, the old one dropped first", async () => {
        const { inputs } = await hosted(catalog).check({}, { runner, name: "c", options });
        const other = { ...options, "bootstrap.servers": "h:2" };
        const changed = await hosted(catalog).check(inputs, { runner, name: "c", options: other });
        expect(await hosted(catalog).diff("c", inputs, changed.inputs)).toEqual({
            changes: true,
            replaces: ["options"],
            deleteBeforeReplace: true,
        });
    });

    test("refuses another name or comment of a database", async () => {
        const given = { runner, catalog: { name: "c", options }, name: "finance" };
        const { inputs } = await hosted(database).check({}, given);
        expect(inputs.plan).toBe("CREATE DATABASE `c`.`finance`;");
        const { failures } = await hosted(database).check(inputs, { ...given, name: "money", comment: "x" });
        expect(failures.map(({ reason }) => reason)).toEqual([
            expect.stringContaining("cannot rename the database 'finance'"),
            expect.stringContaining("cannot change the comment"),
        ]);
    });
});

describe("on a server", () => {
    let gateway: StubGateway | undefined;
    afterEach(() => gateway?.close());
    const ok: StubAnswer = { rows: [["OK"]] };
    const missing = trace(
        "org.a.ValidationException: Could not execute SHOW CREATE TABLE. Table with identifier `c`.`d`.`t` does not exist.",
    );
    const taken = trace(
        "org.a.TableAlreadyExistException: Table (or view) finance.accounts already exists in Catalog c.",
    );

    const lakeTaken = trace("org.a.CatalogException: Table finance.accounts already exists.");

    /** Answers by the statement's first words; a list is answered one by one, its last entry for good. */
    async function serve(answers: Record<string, StubAnswer | StubAnswer[]>): Promise<object> {
        gateway = await startStubGateway((sql) => {
            const found = Object.entries(answers).find(([start]) => sql.startsWith(start))?.[1] ?? ok;
            if (!Array.isArray(found)) return found;
            return (found.length > 1 ? found.shift() : found[0]) ?? ok;
        });
        return { ...tableInputs, runner: { kind: "gateway", url: gateway.url } };
    }

    const ran = () =>
        [...(gateway?.sessions.values() ?? [])].flat().filter((sql) => !sql.startsWith("CREATE CATALOG"));
    const shown = (spec = accounts): StubAnswer => ({ rows: [[createTable("c", spec)]] });

    test("a table that exists is an error that says adopt: true, and is taken over with it", async () => {
        const inputs = await serve({ "CREATE TABLE": { trace: taken }, "SHOW CREATE TABLE": shown() });
        await expect(provider.create({ ...inputs })).rejects.toThrow(/did not make it.*adopt: true/s);
        const { id, outs } = await provider.create({ ...inputs, adopt: true });
        expect(id).toBe("c.finance.accounts");
        expect(outs.path).toBe("`c`.`finance`.`accounts`");
    });

    test("a table that exists with another definition is told by its differences, also with adopt", async () => {
        const inputs = await serve({ "CREATE TABLE": { trace: taken }, "SHOW CREATE TABLE": shown(more) });
        await expect(provider.create({ ...inputs, adopt: true })).rejects.toThrow(
            /columns: declared .*, but it is .*email/s,
        );
    });

    test("a lost answer is settled by looking", async () => {
        const inputs = await serve({ "CREATE TABLE": "cut", "SHOW CREATE TABLE": shown() });
        expect((await provider.create({ ...inputs })).id).toBe("c.finance.accounts");
        expect(ran()).toHaveLength(2);
    });

    test("a statement that got lost on the way is sent once more, also when the first comes through after all", async () => {
        const databases: StubAnswer = { rows: [["finance"]] };
        const created = async (answers: Record<string, StubAnswer | StubAnswer[]>) => {
            const inputs = await serve({ "SHOW DATABASES": databases, ...answers });
            const made = await provider.create({ ...inputs }).then(({ id }) => id, String);
            const sent = ran().filter((sql) => sql.startsWith("CREATE TABLE")).length;
            await gateway?.close();
            return [made, sent];
        };
        const notThere = { trace: missing };
        expect(await created({ "CREATE TABLE": ["cut", ok], "SHOW CREATE TABLE": notThere })).toEqual([
            "c.finance.accounts",
            2,
        ]);
        const late = [notThere, notThere, shown()];
        expect(
            await created({ "CREATE TABLE": ["cut", { trace: taken }], "SHOW CREATE TABLE": late }),
        ).toEqual(["c.finance.accounts", 2]);
        expect(await created({ "CREATE TABLE": "cut", "SHOW CREATE TABLE": notThere })).toEqual([
            expect.stringContaining("could not create table"),
            2,
        ]);
    }, 30_000);

    test("a CREATE of an earlier run that is still under way is waited for", async () => {
        const inputs = await serve({
            "CREATE TABLE": { trace: lakeTaken },
            "SHOW CREATE TABLE": [{ trace: missing }, { trace: missing }, shown()],
            "SHOW DATABASES": { rows: [["finance"]] },
        });
        expect((await provider.create({ ...inputs, adopt: true })).id).toBe("c.finance.accounts");
    });

    test("a table that another run makes at the same moment is waited for, and told as existing", async () => {
        const raced = trace(
            "org.a.KeeperException$NodeExistsException: KeeperErrorCode = NodeExists for /fluss/metadata/databases/finance/tables/accounts/schemas/1",
        );
        const inputs = await serve({
            "CREATE TABLE": { trace: raced },
            "SHOW CREATE TABLE": [{ trace: missing }, shown()],
            "SHOW DATABASES": { rows: [["finance"]] },
        });
        await expect(provider.create({ ...inputs })).rejects.toThrow(/exists already.*adopt: true/s);
        expect((await provider.create({ ...inputs, adopt: true })).id).toBe("c.finance.accounts");
    });

    test("the lake's table in the way is the server's error, with what to do", async () => {
        const inputs = await serve({
            "CREATE TABLE": { trace: lakeTaken },
            "SHOW CREATE TABLE": { trace: missing },
            "SHOW DATABASES": { rows: [["finance"]] },
        });
        await expect(provider.create({ ...inputs, adopt: true })).rejects.toThrow(
            /drop it in the Iceberg catalog/,
        );
    }, 30_000);

    test("an update runs what is left to do by what the server has", async () => {
        const inputs = await serve({ "SHOW CREATE TABLE": shown(more) });
        await provider.update("", { ...inputs }, { ...inputs, spec: more });
        expect(ran()).toEqual(["SHOW CREATE TABLE `c`.`finance`.`accounts`"]);
    });

    test("a change from outside that would lose data stops an update", async () => {
        const inputs = await serve({ "SHOW CREATE TABLE": shown({ ...accounts, bucketCount: 7 }) });
        await expect(provider.update("", { ...inputs }, { ...inputs, spec: more })).rejects.toThrow(
            /changed outside.*bucketCount = 3/s,
        );
        expect(ran()).toHaveLength(1);
    });

    test("a missing table is gone only when databases can be seen", async () => {
        const inputs = await serve({
            "SHOW CREATE TABLE": { trace: missing },
            "SHOW DATABASES": { rows: [["fluss"]] },
        });
        expect(await provider.read("x", { ...inputs })).toEqual({});
        await gateway?.close();
        const blind = await serve({
            "SHOW CREATE TABLE": { trace: missing },
            "SHOW DATABASES": { rows: [] },
        });
        await expect(provider.read("x", { ...blind })).rejects.toThrow(
            /no database is visible in catalog 'c'/,
        );
    });

    test("a missing catalog says nothing about its tables", async () => {
        const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
        const gone = trace("org.a.ValidationException: Catalog c does not exist");
        const inputs = await serve({
            "SHOW CREATE TABLE": { trace: missing },
            "SHOW DATABASES": { trace: gone },
        });
        expect(await provider.read("x", { ...inputs })).toMatchObject({
            id: "x",
            inputs: { spec: accounts },
        });
        expect(warn).toHaveBeenCalledWith(expect.stringContaining("cannot be seen"));
        warn.mockRestore();
    });

    test("of a dropped lake table the warning says that its Iceberg table stays", async () => {
        const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
        const inputs = await serve({});
        const dropped = { ...inputs, deletionProtection: false };
        await provider.delete("", { ...dropped, spec: accounts });
        expect(warn).not.toHaveBeenCalled();
        await provider.delete("", { ...dropped, spec: trades });
        expect(warn).toHaveBeenCalledExactlyOnceWith(
            expect.stringMatching(
                /`trades` is dropped; its Iceberg table stays in the lake and keeps its name taken/,
            ),
        );
        warn.mockRestore();
    });

    test("a protected table is not dropped; an unprotected one is, also when it is gone already", async () => {
        const inputs = await serve({
            "DROP TABLE": { trace: missing },
            "SHOW CREATE TABLE": { trace: missing },
            "SHOW DATABASES": { rows: [["fluss"]] },
        });
        await expect(provider.delete("", { ...inputs, deletionProtection: true })).rejects.toThrow(
            /is protected/,
        );
        expect(ran()).toEqual([]);
        await provider.delete("", { ...inputs, deletionProtection: false });
        expect(ran()[0]).toBe("DROP TABLE `c`.`finance`.`accounts`");
    });
});
