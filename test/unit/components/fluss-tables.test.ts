import { describe, expect, it } from "vitest";
import { FlussTables, type FlussTablesArgs } from "../../../components/fluss-tables.ts";
import { createTable } from "../../../model/ddl.ts";
import { defineLake } from "../../../model/lake.ts";
import { accounts, trades } from "../../../stacks/quickstart-tables.ts";
import { bootstrapServers, client, lake, lakeInput } from "../model/fixtures/quickstart.ts";
import { build, misplaced, resolved } from "./harness.ts";

const vvp: FlussTablesArgs["runner"] = {
    kind: "vvp",
    connection: { url: "https://vvp.example.com", workspace: "defaultworkspace", namespace: "default" },
};
const gateway: FlussTablesArgs["runner"] = { kind: "gateway", url: "http://localhost:8083" };

const make = (args: Partial<FlussTablesArgs> = {}, preview = false) =>
    build(
        preview,
        (opts) =>
            new FlussTables(
                "desk",
                {
                    runner: vvp,
                    catalog: "fluss_quickstart",
                    client,
                    lake,
                    tables: [accounts, trades],
                    ...args,
                },
                opts,
            ),
    );

describe.each([true, false])("FlussTables, preview %s", (preview) => {
    it("makes catalog, database and tables one after the other", async () => {
        const { component, made, completed } = await make({}, preview);
        expect([...made.values()].map(({ type, name, dependsOn }) => [type, name, dependsOn])).toEqual([
            ["fluss:index:FlussTables", "desk", []],
            ["pulumi-nodejs:dynamic/fluss:Catalog", "desk-catalog", []],
            ["pulumi-nodejs:dynamic/fluss:Database", "desk-finance", ["desk-catalog"]],
            ["pulumi-nodejs:dynamic/fluss:Table", "desk-finance-accounts", ["desk-finance"]],
            ["pulumi-nodejs:dynamic/fluss:Table", "desk-finance-trades", ["desk-finance"]],
        ]);
        expect(Object.keys(component.tables)).toEqual(["finance.accounts", "finance.trades"]);
        expect(misplaced(made, "desk")).toEqual([]);
        expect(completed).toEqual(["desk"]);
    });

    it("knows enough for the DDL: the catalog's name and the spec", async () => {
        const { made } = await make({}, preview);
        expect(made.get("desk-finance-trades")?.inputs).toMatchObject({
            catalog: { name: "fluss_quickstart" },
            spec: trades,
            capabilities: { server: "1.0", lake: "iceberg" },
            deletionProtection: true,
        });
    });
});

describe("the catalog", () => {
    it("has the quickstart's options on the platform, secrets by reference", async () => {
        const { component, made } = await make();
        expect(made.get("desk-catalog")?.inputs).toMatchObject({
            name: "fluss_quickstart",
            options: {
                type: "fluss",
                "bootstrap.servers": bootstrapServers,
                "client.security.protocol": "sasl",
                "client.security.sasl.mechanism": "PLAIN",
                "client.security.sasl.username": "fluss-client",
                "client.security.sasl.password": "${secret_values.fluss-password}",
                "iceberg.token": "${secret_values.fluss-iceberg-token}",
            },
        });
        expect(made.get("desk-catalog")?.secretOutputs).toContain("options");
        expect(await resolved(component.catalog)).toBe("fluss_quickstart");
    });

    it("is told again to databases and tables on a gateway, kept encrypted", async () => {
        const open = {
            client: { bootstrapServers, sasl: { username: "fluss", password: { value: "sesame" } } },
            lake: defineLake({
                ...lakeInput,
                catalog: { ...lakeInput.catalog, auth: { type: "token", token: { value: "client-token" } } },
            }),
        };
        const { made } = await make({ runner: gateway, ...open });
        for (const name of ["desk-finance", "desk-finance-accounts"]) {
            expect(made.get(name)?.inputs).toMatchObject({
                catalog: {
                    name: "fluss_quickstart",
                    options: {
                        "client.security.sasl.password": "sesame",
                        "iceberg.token": "client-token",
                    },
                },
            });
            expect(made.get(name)?.secrets).toEqual(["catalog"]);
        }
    });

    it("is not told again on the platform, which keeps it", async () => {
        const { made } = await make();
        expect(made.get("desk-finance")?.inputs.catalog).toEqual({ name: "fluss_quickstart" });
    });

    it("carries no lake credential without a lake", async () => {
        const { made } = await make({ lake: undefined, tables: [accounts] });
        expect(made.get("desk-catalog")?.inputs.options).not.toHaveProperty("iceberg.token");
        expect(made.get("desk-finance-accounts")?.inputs.capabilities).toEqual({
            server: "1.0",
            lake: "none",
        });
    });
});

describe("databases and tables", () => {
    it("are made once for each name, and a table waits for its own database", async () => {
        const other = { ...accounts, database: "risk", name: "limits" };
        const { made } = await make({ tables: [accounts, other, trades] });
        const databases = [...made.values()].filter(({ type }) => type.endsWith(":Database"));
        expect(databases.map(({ name }) => name)).toEqual(["desk-finance", "desk-risk"]);
        expect(made.get("desk-risk-limits")?.dependsOn).toEqual(["desk-risk"]);
    });

    it("are known by the program's own names when it gives some, with their DDL", async () => {
        const { component, made } = await build(
            false,
            (opts) =>
                new FlussTables(
                    "desk",
                    {
                        runner: vvp,
                        catalog: "fluss_quickstart",
                        client,
                        tables: { clients: accounts },
                        allowDataLoss: { "finance.accounts": ["table.log.ttl"] },
                    },
                    opts,
                ),
        );
        expect(await resolved(component.tables.clients.spec)).toMatchObject({ name: "accounts" });
        expect(component.ddl.clients).toBe(`${createTable("fluss_quickstart", accounts)};`);
        expect(await resolved(component.tables.clients.ddl)).toBe(component.ddl.clients);
        expect(made.get("desk-finance-accounts")?.inputs).toMatchObject({ allowDataLoss: ["table.log.ttl"] });
    });

    it("have the partitions in their DDL", async () => {
        const daily = {
            ...trades,
            columns: [...trades.columns, { name: "dt", type: "STRING" }],
            partitionKeys: ["dt"],
            partitions: [{ dt: "2024-01-01" }],
        };
        const { component } = await make({ tables: [daily] });
        expect(component.ddl["finance.trades"]).toContain(
            ";\n\nALTER TABLE `fluss_quickstart`.`finance`.`trades` ADD IF NOT EXISTS\n" +
                "    PARTITION (`dt` = '2024-01-01');",
        );
    });

    it("take protection, adoption, version and wanted losses as given", async () => {
        const { made } = await make({
            deletionProtection: false,
            adopt: true,
            version: "0.9",
            allowDataLoss: { "finance.trades": ["table.log.ttl"] },
        });
        expect(made.get("desk-finance-trades")?.inputs).toMatchObject({
            deletionProtection: false,
            adopt: true,
            allowDataLoss: ["table.log.ttl"],
            capabilities: { server: "0.9", lake: "iceberg" },
        });
        expect(made.get("desk-finance-accounts")?.inputs).not.toHaveProperty("allowDataLoss");
        expect(made.get("desk-finance")?.inputs).toMatchObject({ deletionProtection: false, adopt: true });
        expect(made.get("desk-catalog")?.inputs).toMatchObject({ adopt: true });
    });

    it("are protected in the engine too, which alone can refuse to delete in a preview", async () => {
        const names = ["desk-finance", "desk-finance-accounts", "desk-finance-trades"];
        const protectedNow = async (deletionProtection?: FlussTablesArgs["deletionProtection"]) => {
            const { made } = await make({ deletionProtection });
            for (const name of names) {
                const { inputs, protect = false } = made.get(name)!;
                expect([name, inputs.deletionProtection]).toEqual([name, protect]);
            }
            return names.filter((name) => made.get(name)?.protect);
        };
        expect(await protectedNow()).toEqual(names);
        expect(await protectedNow(false)).toEqual([]);
        expect(await protectedNow({ "finance.trades": false })).toEqual(names.slice(0, 2));
        expect(await protectedNow({ finance: false, "finance.accounts": false })).toEqual(names.slice(2));
    });
});

describe("all faults of all tables are told at once, before anything is made", () => {
    const faultsOf = (args: Partial<FlussTablesArgs>) =>
        make(args).then(
            () => [],
            (error: Error) => error.message.split("\n"),
        );

    it("by the program's own names", async () => {
        const tables = {
            clients: { ...accounts, options: { "table.log.tll": "7d" } },
            "of trades": { ...trades, columns: [{ name: "a", type: "STRNG" }], bucketcount: 3 },
            more: { ...trades, name: "more", bucketCount: 0 },
        };
        expect(await faultsOf({ tables })).toEqual([
            "3 faults in the tables of desk:",
            '- tables.clients.options["table.log.tll"] = 7d: is not a recognized Fluss table property. did you mean table.log.ttl?',
            '- tables["of trades"].bucketcount: there is no setting "bucketcount" here. Did you mean bucketCount?',
            "- tables.more.bucketCount = 0: the number of buckets must be larger than 0. use 1 or more.",
        ]);
    });

    it("of a list with the table's own name", async () => {
        const odd = { ...accounts, columns: [{ name: "account_id", type: "INTEGR" }] };
        const listed = await faultsOf({ tables: [trades, odd, { ...trades, name: "more", bucketCount: 0 }] });
        expect(listed).toEqual([
            expect.stringMatching(/^\d faults in the tables of desk:$/),
            expect.stringMatching(
                /^- tables\[1\]\.columns\[0\]\.type = .*INTEGR.*: finance\.accounts: "INTEGR" is not a type/,
            ),
            ...Array.from({ length: listed.length - 3 }, () => expect.stringContaining("finance.accounts")),
            "- tables[2].bucketCount = 0: finance.more: the number of buckets must be larger than 0. use 1 or more.",
        ]);
    });

    it("a table that is declared twice, also under two names of a record", async () => {
        expect(await faultsOf({ tables: [accounts, trades, { ...accounts, bucketCount: 9 }] })).toEqual([
            "1 fault in the tables of desk:",
            "- tables[2] = finance.accounts: is declared as tables[0] already. declare each table once.",
        ]);
        expect(await faultsOf({ tables: { a: accounts, b: accounts } })).toEqual([
            "1 fault in the tables of desk:",
            "- tables.b = finance.accounts: is declared as tables.a already. declare each table once.",
        ]);
    });

    it("two tables whose resources would have one name", async () => {
        const tables = [
            { ...accounts, database: "a", name: "b-c" },
            { ...accounts, database: "a-b", name: "c" },
        ];
        expect((await faultsOf({ tables }))[1]).toBe(
            "- tables[1] = a-b.c: its resource would have the same name as that of a.b-c (a-b-c). declare one of both in a component of its own.",
        );
    });

    it("settings by name that name no table", async () => {
        const given = {
            allowDataLoss: { "finance.trade": ["table.log.ttl"], finance: ["dt=1"] },
            deletionProtection: { finance: false, "risk.limits": false },
        };
        expect(await faultsOf(given)).toEqual([
            "3 faults in the tables of desk:",
            '- allowDataLoss["finance.trade"]: there is nothing of that name among the tables. did you mean finance.trades?',
            "- allowDataLoss.finance: there is nothing of that name among the tables. write it as database.table, or take it out.",
            '- deletionProtection["risk.limits"]: there is nothing of that name among the tables. write it as database.table, or take it out.',
        ]);
    });
});
