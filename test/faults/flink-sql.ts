import { flinkSqlProviders } from "../../dynamic-providers/flink-sql/index.ts";
import type { Hosted } from "../../dynamic-providers/resource.ts";
import { vvpProviders } from "../../dynamic-providers/vvp/index.ts";
import { startVvpSimulator } from "../../local/simulators/vvp/index.ts";
import { trades } from "../../stacks/quickstart-tables.ts";
import { callPlatform } from "../platform-call.ts";
import type { Bag } from "./ledger.ts";
import type { Scenario, World } from "./matrix.ts";
import { flinkBefore, SqlServer, startSqlGateway } from "./sql-server.ts";

const token = "token-of-the-fault-matrix";
const config = { get: (key: string) => (key === "pulumi-fluss:vvpToken" ? token : undefined) };

const catalog = {
    name: "c",
    options: {
        type: "fluss",
        "bootstrap.servers": "coordinator:9123",
        "client.security.sasl.password": "hush-of-the-catalog",
    },
};
/** The platform's catalogs name their secrets. */
const stored = { type: "fluss", "bootstrap.servers": "coordinator:9123" };

const spec = { ...trades, database: "finance", options: { "table.log.ttl": "7d" } };
const partitioned = {
    ...spec,
    name: "by_day",
    columns: [...spec.columns, { name: "dt", type: "STRING" }],
    partitionKeys: ["dt"],
    partitions: [{ dt: "1" }, { dt: "2" }],
};

const adopting = (inputs: Bag) => ({ ...inputs, adopt: true });
const tables = (world: World, name: string) => count(world, "SHOW TABLES FROM `c`.`finance`", name);

const prepared = ["CREATE CATALOG `c` WITH ('type' = 'fluss')", "CREATE DATABASE `c`.`finance`"];

type Provider = keyof typeof flinkSqlProviders | "vvpSqlScript";

const providers = { ...flinkSqlProviders, ...vvpProviders } as Record<Provider, Hosted>;

/** What runs SQL: through a gateway with sessions, and through the platform's SQL service. */
export const flinkSqlScenarios: Scenario[] = [
    {
        ...onGateway("flussDatabase", "a SQL gateway", ["CREATE CATALOG `c` WITH ('type' = 'fluss')"]),
        first: (_, url) => database(gateway(url), catalog),
        adopting,
        count: (world) => count(world, "SHOW DATABASES IN `c`", "finance"),
    },
    {
        ...onGateway("flussTable", "a SQL gateway"),
        first: (_, url) => table(gateway(url), catalog, spec),
        changed: (_, url) =>
            table(gateway(url), catalog, {
                ...spec,
                columns: [...spec.columns, { name: "note", type: "STRING" }],
                options: { "table.log.ttl": "30d" },
            }),
        adopting,
        count: (world) => tables(world, "trades"),
        wrong: (world, wanted) =>
            differs(world, "SHOW CREATE TABLE `c`.`finance`.`trades`", [
                wanted === "first" ? "'7d'" : "'30d'",
                ...(wanted === "first" ? [] : ["`note` STRING"]),
            ]),
    },
    {
        ...onGateway("flussTable", "a SQL gateway, with partitions"),
        first: (_, url) => table(gateway(url), catalog, partitioned),
        changed: (_, url) => ({
            ...table(gateway(url), catalog, { ...partitioned, partitions: [{ dt: "2" }, { dt: "3" }] }),
            allowDataLoss: ["dt=1"],
        }),
        adopting,
        count: (world) => tables(world, "by_day"),
        wrong: async (world, wanted) => {
            const found = await rows(world, "SHOW PARTITIONS `c`.`finance`.`by_day`");
            const expected = wanted === "first" ? "dt=1, dt=2" : "dt=2, dt=3";
            return found.join(", ") === expected ? undefined : `${wanted}: the partitions are ${found}`;
        },
    },
    {
        ...onPlatform("flussCatalog", []),
        first: (_, url) => ({ runner: platform(url), name: "c", options: stored }),
        // The platform keeps catalogs, the servers behind them do not know them.
        count: async ({ url }) => ((await execute(url, "SHOW CATALOGS")).includes('"value":"c"') ? 1 : 0),
        adopting,
    },
    {
        ...onPlatform("flussDatabase", ["CREATE CATALOG `c` WITH ('type' = 'fluss')"]),
        first: (_, url) => database(platform(url), { name: "c" }),
        adopting,
        count: (world) => count(world, "SHOW DATABASES IN `c`", "finance"),
    },
    {
        ...onPlatform("flussTable"),
        first: (_, url) => table(platform(url), { name: "c" }, spec),
        changed: (_, url) =>
            table(platform(url), { name: "c" }, { ...spec, options: { "table.log.ttl": "30d" } }),
        adopting,
        count: (world) => tables(world, "trades"),
        wrong: (world, wanted) =>
            differs(world, "SHOW CREATE TABLE `c`.`finance`.`trades`", [
                wanted === "first" ? "'7d'" : "'30d'",
            ]),
    },
    {
        ...onPlatform("vvpSqlScript", ["CREATE CATALOG `c` WITH ('type' = 'fluss')"]),
        first: (_, url) => script(url, "a"),
        changed: (_, url) => script(url, "b"),
        count: (world) => count(world, "SHOW DATABASES IN `c`", "scripted"),
    },
];

function onGateway(
    provider: Provider,
    where: string,
    before: string[] = prepared,
): Pick<Scenario, "name" | "provider" | "start" | "config"> {
    return {
        name: `${provider} on ${where}`,
        provider: providers[provider],
        // The provider is the same as on the platform.
        config,
        async start() {
            const server = new SqlServer();
            const session = new Set<string>();
            for (const statement of before) server.run(statement, session);
            const front = await startSqlGateway(server);
            return { url: front.url, facts: {}, outside: outsideOf(server), close: front.close };
        },
    };
}

function onPlatform(
    provider: Provider,
    before: string[] = prepared,
): Pick<Scenario, "name" | "provider" | "start" | "config"> {
    return {
        name: `${provider} on the platform`,
        provider: providers[provider],
        config,
        async start() {
            const server = new SqlServer();
            const simulator = await startVvpSimulator({
                port: 0,
                token,
                flink: flinkBefore(server),
                kubernetesNamespaces: ["jobs"],
                transitionReads: 0,
            });
            const world: World = {
                url: simulator.url,
                facts: {},
                outside: outsideOf(server),
                close: () => simulator.close(),
            };
            for (const statement of before) await execute(simulator.url, statement);
            return world;
        },
    };
}

/** What somebody else executes on the platform; the answer's text. */
async function execute(url: string, statement: string): Promise<string> {
    const where = "/sql/v1beta1/namespaces/default/sqlscripts:execute";
    const { ok, text } = await callPlatform(url, token, "POST", where, { statement });
    if (!ok || !text.includes("RESULT_SUCCESS")) throw new Error(`${statement}: ${text}`);
    return text;
}

/** A look past the API: `path` is a statement. */
function outsideOf(server: SqlServer): World["outside"] {
    return async (_method, path) => server.look(path);
}

const rows = async (world: World, statement: string) => (await world.outside("GET", statement)) as string[];

async function count(world: World, statement: string, name: string): Promise<number> {
    return (await rows(world, statement)).filter((row) => row === name).length;
}

/** What is missing in the only row of what the server shows. */
async function differs(world: World, statement: string, parts: string[]): Promise<string | undefined> {
    const [text = ""] = await rows(world, statement);
    const missing = parts.filter((part) => !text.includes(part));
    return missing.length === 0 ? undefined : `the table has no ${missing.join(" and no ")}: ${text}`;
}

const gateway = (url: string) => ({ kind: "gateway", url });
const platform = (url: string) => ({ kind: "vvp", connection: { url } });

const database = (runner: Bag, catalog: Bag) => ({
    runner,
    catalog,
    name: "finance",
    deletionProtection: false,
});

const table = (runner: Bag, catalog: Bag, spec: Bag) => ({
    runner,
    catalog,
    spec,
    capabilities: { server: "1.0", lake: "none" },
    deletionProtection: false,
});

const script = (url: string, comment: string) => ({
    connection: { url },
    statements: [`CREATE DATABASE IF NOT EXISTS \`c\`.\`scripted\` COMMENT '${comment}'`],
    undo: ["DROP DATABASE `c`.`scripted`"],
    probe: "SHOW DATABASES IN `c`",
});
