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
                        tables: { clients: accounts, wrong: { ...accounts, name: "wrong", bucketCount: 0 } },
                        allowDataLoss: { "finance.accounts": ["table.log.ttl"] },
                    },
                    opts,
                ),
        );
        expect(await resolved(component.tables.clients.spec)).toMatchObject({ name: "accounts" });
        expect(component.ddl.clients).toBe(`${createTable("fluss_quickstart", accounts)};`);
        expect(await resolved(component.tables.clients.ddl)).toBe(component.ddl.clients);
        expect(component.ddl.wrong).toBe("");
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
});
