/** The local lakehouse that real rounds are made in: its services, its program, and a writer whose rows can be told apart. */

import * as pulumi from "@pulumi/pulumi";
import type { OutputMap } from "@pulumi/pulumi/automation/index.js";
import { FlussTables } from "../../components/fluss-tables.ts";
import { SqlJob } from "../../components/sql-job.ts";
import type { StreamingLakehouse } from "../../components/streaming-lakehouse.ts";
import { LakekeeperWarehouse } from "../../dynamic-providers/lakekeeper/resources.ts";
import { LakekeeperRole } from "../../dynamic-providers/lakekeeper/resources-access.ts";
import { VvpSecretValue } from "../../dynamic-providers/vvp/resources.ts";
import { type Born, startServices } from "../../local/birth.ts";
import { FlinkRest, SqlGateway, type SqlSession } from "../../local/flink/index.ts";
import { localSecrets } from "../../local/lakehouse.ts";
import { endLeftEngines } from "../../local/left-engines.ts";
import { Phases } from "../../local/phases.ts";
import {
    type LocalServices,
    localCatalog,
    localLakehouse,
    localOutputs,
    localPlatform,
} from "../../local/program.ts";
import { catalogStatement } from "../../local/read-back.ts";
import { rootVariable } from "../../local/resources/environment.ts";
import { flinkUrl, sqlGatewayUrl } from "../../local/services/index.ts";
import { ensureTools } from "../../local/toolchain/index.ts";
import { catalogOptions } from "../../model/catalog-options.ts";
import { qualified } from "../../model/ddl.ts";
import { ACCOUNTS, sampleDataSql } from "../../model/sample-data.ts";
import type { TableSpecArgs } from "../../model/table.ts";
import { accounts, database, trades } from "../../stacks/quickstart-tables.ts";
import { type TestStack, testStack } from "../engine/engine.ts";
import { startInOwnFolder } from "../fluss/own-folder.ts";
import type { CommonWish } from "./soak-rounds.ts";

/** Database of the tables that come and go. */
export const desk = "desk";

/** A table that comes and goes. */
export interface DeskTable {
    columns: string[];
    /** Segments that stay on the tablet server: an option that Fluss 0.9 can alter. */
    segments: number;
    /** The property `desk.owner`, which only people read. */
    owner: string;
    /** Whether it may be dropped: the permission goes by its name. */
    free: boolean;
}

/** What the program declares. */
export interface Wish extends CommonWish {
    tables: Record<string, DeskTable>;
    /** Days of the table that has partitions, and whether one that is not declared any more may go. */
    days: string[];
    droppedDays: string[];
    /** Keys of the store; the first is in use. */
    keys: string[];
    /** Of the tiering job. */
    pollSeconds: number;
    /** Of `trades`. */
    freshnessSeconds: number;
    accountColumns: string[];
    /** Of the job that writes accounts. */
    rowsPerSecond: number;
    /** Of the job that writes trades. */
    checkpointSeconds: number;
    /** Whether that job runs. */
    flows: boolean;
    /** Takes over what exists, of the tables, warehouses and roles that come and go. */
    adopt: boolean;
}

/** What is declared at first. */
export const firstWish = (): Wish => ({
    secrets: { password: "first-value" },
    parallelism: 1,
    tables: { t0: newTable(), t1: newTable() },
    warehouses: ["w0"],
    roles: { readers: "first" },
    days: ["d0", "d1"],
    droppedDays: [],
    keys: ["key"],
    pollSeconds: 2,
    freshnessSeconds: 5,
    accountColumns: [],
    rowsPerSecond: 5,
    checkpointSeconds: 5,
    flows: true,
    adopt: false,
});

/** A table that comes and goes, as it is made. */
export function newTable(): DeskTable {
    return { columns: [], segments: 2, owner: "nobody", free: false };
}

/** Names of the resources that changes from outside meet. */
export const names = {
    tiering: "fluss-quickstart-tiering-deployment",
    trades: "fluss-quickstart-tables-finance-trades",
    accountsJob: "soak-accounts-deployment",
    deskTable: (table: string) => `soak-desk-${table}`,
    servers: "fluss-servers",
};

/** The name in SQL of the table with partitions. */
export const daily = "daily";

/** A running lakehouse without its stack's resources. */
export interface SoakLakehouse {
    stack: TestStack;
    flink: FlinkRest;
    lakekeeper: { url: string; token: string };
    vvp: { url: string; token: string };
    /** Opens a session of the gateway that knows the catalog, as somebody beside the stack has it. */
    openSession(properties?: Record<string, string>): Promise<SqlSession>;
    stop(): Promise<void>;
}

/** Starts the services; the first `up` starts Fluss and the Iceberg catalog. */
export async function startSoakLakehouse(wish: Wish, say: (line: string) => void): Promise<SoakLakehouse> {
    const tools = await ensureTools(say);
    return startInOwnFolder(async (supervisor, closing) => {
        const { root } = supervisor;
        process.env[rootVariable] = root;
        const secrets = localSecrets(root);
        const born = await startServices(new Phases(), tools, secrets);
        const services = { born, secrets, classPaths: tools.classPaths };
        const stack = await testStack({
            name: "soak",
            program: async () => program(services, wish),
            standIns: true,
            env: { [rootVariable]: root, VV_API_TOKEN: secrets.vvpToken },
        });
        closing.push(() => stack.dispose());
        // The processes of an engine that a test has killed do not notice that it is gone.
        closing.push(() => endLeftEngines(root));
        const flink = new FlinkRest(flinkUrl(born.ports));
        const gateway = new SqlGateway(sqlGatewayUrl(born.ports), flink);
        let outputs: OutputMap | undefined;
        return {
            stack: {
                ...stack,
                get events() {
                    return stack.events;
                },
                up: async (options) => {
                    const outcome = await stack.up(options);
                    outputs = outcome.outputs;
                    return outcome;
                },
            },
            flink,
            lakekeeper: {
                url: `http://127.0.0.1:${born.ports.lakekeeper}`,
                token: secrets.lakekeeperToken,
            },
            vvp: { url: localPlatform(born).url, token: secrets.vvpToken },
            openSession: async (properties) => {
                const session = await gateway.openSession(properties);
                await session.execute(catalogStatement(born, outputs!));
                return session;
            },
        };
    });
}

async function program(services: LocalServices, wish: Wish) {
    const { born } = services;
    const lakehouse = localLakehouse(services, {
        keys: wish.keys as [string] | [string, string],
        tables: [
            {
                ...accounts,
                columns: [
                    ...accounts.columns,
                    ...wish.accountColumns.map((name) => ({ name, type: "STRING" })),
                ],
            },
            {
                ...trades,
                options: { ...trades.options, "table.datalake.freshness": `${wish.freshnessSeconds}s` },
            },
        ],
        tieringArguments: { "fluss.tiering.poll.table.interval": `${wish.pollSeconds}s` },
    });
    jobs(lakehouse, born, wish);
    deskTables(lakehouse, born, wish);
    const connection = localPlatform(born);
    for (const [name, value] of Object.entries(wish.secrets))
        new VvpSecretValue(`secret:${name}`, { connection, name, value: pulumi.secret(value) });
    const known = {
        connection: {
            url: `http://127.0.0.1:${born.ports.lakekeeper}`,
            token: pulumi.secret(services.secrets.lakekeeperToken),
        },
    };
    const after = { dependsOn: lakehouse.catalog };
    for (const name of wish.warehouses) {
        new LakekeeperWarehouse(
            `warehouse:${name}`,
            {
                ...known,
                name,
                storage: {
                    type: "s3",
                    bucket: lakehouse.buckets.lakeBucket,
                    keyPrefix: `soak-${name}`,
                    region: born.s3.region,
                    flavor: "s3-compat",
                    endpoint: born.s3.endpoint,
                    pathStyleAccess: true,
                },
                credential: { type: "s3-access-key", ...lakehouse.buckets.key },
                deletionProtection: false,
                adopt: wish.adopt,
            },
            after,
        );
    }
    for (const [name, description] of Object.entries(wish.roles))
        new LakekeeperRole(`role:${name}`, { ...known, name, description, adopt: wish.adopt }, after);
    return localOutputs(lakehouse);
}

/** The job of accounts on the platform, which may write a row twice, and that of trades in Flink, which may not. */
function jobs(lakehouse: StreamingLakehouse, born: Born, wish: Wish): void {
    const { ports } = born;
    const { workspace, tables } = lakehouse;
    const after = { dependsOn: [tables] };
    const { rowsPerSecond } = wish;
    new SqlJob(
        "soak-accounts",
        {
            runner: {
                kind: "vvp",
                connection: localPlatform(born),
                deploymentTarget: workspace.deploymentTarget,
                additionalDependencies: workspace.clientJarUris,
            },
            sql: sampleDataSql(ACCOUNTS, {
                catalog: localCatalog,
                database,
                generator: "datagen",
                rowsPerSecond,
            }),
            parallelism: wish.parallelism,
            restart: "WITHOUT_STATE",
        },
        after,
    );
    new SqlJob(
        "soak-trades",
        {
            runner: {
                kind: "gateway",
                url: sqlGatewayUrl(ports),
                clusterUrl: flinkUrl(ports),
                catalogs: [{ name: localCatalog, options: catalogOf(lakehouse) }],
            },
            sql: tradesSql,
            parallelism: 1,
            flinkConfiguration: { "execution.checkpointing.interval": `${wish.checkpointSeconds}s` },
            state: wish.flows ? "RUNNING" : "CANCELLED",
        },
        after,
    );
}

/** Numbers without a gap; the source keeps all that are to come in its state, which must be small. Spread over the buckets by a hint: see `sampleDataSql`. */
const tradesSql = {
    setup: [
        `CREATE TEMPORARY TABLE feed (trade_id BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '20',
    'fields.trade_id.kind' = 'sequence', 'fields.trade_id.start' = '1', 'fields.trade_id.end' = '200000')`,
    ],
    inserts: [
        `INSERT INTO ${qualified(localCatalog, database, "trades")} /*+ OPTIONS('client.writer.bucket.no-key-assigner' = 'round_robin') */
SELECT trade_id, CAST(MOD(trade_id, 19) AS INT) + 1, CAST(trade_id AS DECIMAL(15, 2)), CURRENT_DATE, 'BUY', 'SOAK' FROM feed`,
    ],
};

function clientOf({ cluster }: StreamingLakehouse) {
    return pulumi
        .all([cluster.bootstrapServers, cluster.clientUsername, cluster.clientPassword])
        .apply(([bootstrapServers, username, password]) => ({
            bootstrapServers,
            sasl: { username, password: { value: password } },
        }));
}

function catalogOf(lakehouse: StreamingLakehouse): pulumi.Output<Record<string, string>> {
    const lake = lakehouse.catalog.lake(lakehouse.catalog.token.apply((value) => ({ value })));
    return pulumi
        .all([clientOf(lakehouse), lake])
        .apply(([client, lake]) => catalogOptions(localCatalog, client, lake, "value"));
}

/** Tables by way of the gateway, protected but for those that a change names. */
function deskTables(lakehouse: StreamingLakehouse, { ports }: Born, wish: Wish): void {
    const own = Object.entries(wish.tables);
    const specs: TableSpecArgs[] = own.map(([name, { columns, segments, owner }]) => ({
        database: desk,
        name,
        columns: [
            { name: "id", type: "BIGINT" },
            ...columns.map((column) => ({ name: column, type: "STRING" })),
        ],
        bucketCount: 1,
        options: { "table.log.tiered.local-segments": String(segments) },
        custom: { "desk.owner": owner },
    }));
    specs.push({
        database: desk,
        name: daily,
        columns: [
            { name: "id", type: "BIGINT" },
            { name: "dt", type: "STRING" },
        ],
        partitionKeys: ["dt"],
        partitions: wish.days.map((dt) => ({ dt })),
        bucketCount: 1,
    });
    const free = own.filter(([, table]) => table.free).map(([name]) => [`${desk}.${name}`, false] as const);
    new FlussTables(
        "soak",
        {
            runner: { kind: "gateway", url: sqlGatewayUrl(ports) },
            catalog: "soak",
            client: clientOf(lakehouse),
            version: "0.9",
            tables: specs,
            adopt: wish.adopt,
            deletionProtection: Object.fromEntries(free),
            allowDataLoss: { [`${desk}.${daily}`]: wish.droppedDays.map((day) => `dt=${day}`) },
        },
        { dependsOn: [lakehouse.tables] },
    );
}
