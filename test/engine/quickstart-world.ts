/** All resources of the quickstart stack: S3 and IAM on the emulator, the servers simulated. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { StreamingLakehouse } from "../../components/streaming-lakehouse.ts";
import { emulatedAws } from "../../local/emulated-aws.ts";
import { startLakekeeperSimulator } from "../../local/simulators/lakekeeper/index.ts";
import { startMemoryCatalog } from "../../local/simulators/lakekeeper/memory-catalog.ts";
import { startVvpSimulator } from "../../local/simulators/vvp/index.ts";
import type { TableSpec } from "../../model/table.ts";
import { accounts, trades } from "../../stacks/quickstart-tables.ts";
import { SampleWriters } from "../../stacks/sample-writers.ts";
import { flinkBefore, SqlServer } from "../faults/sql-server.ts";
import { writeJars } from "../unit/components/jars.ts";
import { startStubFluss } from "../unit/fluss/stub-fluss.ts";
import { type Emulator, startEmulator } from "./emulator.ts";

/** The token of Lakekeeper and the platform. */
export const token = "token-of-the-quickstart";
const password = "password-of-the-quickstart";

export interface QuickstartWorld {
    emulator: Emulator;
    readonly lakekeeper: string;
    readonly vvp: string;
    /** Loses Lakekeeper, the platform and the tables of Fluss, and installs them again, empty, at the same addresses. */
    loseServers(): Promise<void>;
    /** What the stack declares. */
    program(wish?: QuickstartWish): void;
    close(): Promise<void>;
}

/** What tests change between two runs of the program. */
export interface QuickstartWish {
    /** Takes over what exists. Default false. */
    adopt?: boolean;
    /** Another one changes each part of the lakehouse in place: its tags, slots, tables, jobs. Default 1. */
    revision?: number;
    /** Keys of the buckets, as for `LakeBuckets`. Default: its own. */
    keys?: [string] | [string, string];
}

interface Servers {
    lakekeeper: string;
    vvp: string;
    close(): Promise<void>;
}

export async function startQuickstartWorld(): Promise<QuickstartWorld> {
    const jars = fs.mkdtempSync(path.join(os.tmpdir(), "quickstart-jars-"));
    writeJars(jars);
    const emulator = await startEmulator();
    const fluss = await startStubFluss({ password });
    let servers = await startServers();
    return {
        emulator,
        get lakekeeper() {
            return servers.lakekeeper;
        },
        get vvp() {
            return servers.vvp;
        },
        loseServers: async () => {
            await servers.close();
            servers = await startServers(servers);
        },
        program: (wish = {}) => declare({ ...servers, emulator, jars, fluss: fluss.port, ...wish }),
        close: async () => {
            await servers.close();
            await fluss.close();
            await emulator.stop();
            fs.rmSync(jars, { recursive: true, force: true });
        },
    };
}

/** Empty servers, at the addresses of those before. */
async function startServers(before?: Servers): Promise<Servers> {
    const portOf = (url: string | undefined) => (url ? Number(new URL(url).port) : 0);
    const catalog = await startMemoryCatalog();
    const lakekeeper = await startLakekeeperSimulator({
        port: portOf(before?.lakekeeper),
        token,
        backendUrl: catalog.url,
    });
    const vvp = await startVvpSimulator({
        port: portOf(before?.vvp),
        token,
        flink: flinkBefore(new SqlServer()),
        kubernetesNamespaces: ["jobs"],
        flussConsole: true,
        transitionReads: 0,
    });
    return {
        lakekeeper: lakekeeper.url,
        vvp: vvp.url,
        close: async () => {
            await vvp.close();
            await lakekeeper.close();
            await catalog.close();
        },
    };
}

/** In a program: no deployment is watched for seconds after its start. */
export function withoutWaits(): void {
    pulumi.runtime.registerStackTransformation(({ type, props, opts }) =>
        type.endsWith("vvp:Deployment") ? { props: { ...props, healthySeconds: 0 }, opts } : undefined,
    );
}

interface Declared extends QuickstartWish {
    lakekeeper: string;
    vvp: string;
    emulator: Emulator;
    jars: string;
    fluss: number;
}

function declare(declared: Declared): void {
    const { lakekeeper, vvp, emulator, jars, fluss, adopt = false, revision = 1, keys } = declared;
    const { admin } = emulator;
    const connection = { url: vvp };
    const desk = new StreamingLakehouse(
        "desk",
        {
            buckets: {
                region: admin.region,
                remoteBucket: "quickstart-remote",
                lakeBucket: "quickstart-lake",
                forceDestroy: true,
                tlsOnly: false,
                ...(keys ? { keys } : {}),
                ...(revision > 1 ? { tags: { revision: String(revision) } } : {}),
            },
            lakekeeper: { url: lakekeeper, token },
            fluss: {
                existing: {
                    bootstrapServers: `127.0.0.1:${fluss}`,
                    clientUsername: "desk",
                    clientPassword: pulumi.secret(password),
                },
            },
            flussVersion: "1.0.0-vv-3",
            vvp: {
                connection,
                jobNamespace: "jobs",
                consoleName: "desk",
                sessionCluster: revision > 1 ? { keepRunning: revision % 2 === 0 } : {},
            },
            jars,
            tables: [tableOf(accounts, revision), tableOf(trades, revision)],
            ...(revision > 1
                ? { tieringArguments: { "fluss.tiering.poll.table.interval": `${revision}s` } }
                : {}),
            s3Endpoint: admin.endpoint,
            deletionProtection: false,
            adopt,
        },
        { providers: { aws: emulatedAws(admin) } },
    );
    new SampleWriters(
        "writers",
        {
            connection,
            deploymentTarget: desk.workspace.deploymentTarget,
            additionalDependencies: desk.workspace.clientJarUris,
            catalog: "fluss_quickstart",
            generator: "faker",
            rowsPerSecond: revision,
            adopt,
        },
        { dependsOn: [desk.tables] },
    );
}

/** The table with a column for each revision after the first: columns are never taken away. */
function tableOf(table: TableSpec, revision: number): TableSpec {
    const more = Array.from({ length: revision - 1 }, (_, index) => ({
        name: `r${index + 2}`,
        type: "STRING",
    }));
    return { ...table, columns: [...table.columns, ...more] };
}
