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
    /** What the stack declares. @param adopt takes over what exists */
    program(adopt?: boolean): void;
    close(): Promise<void>;
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
        program: (adopt = false) => declare({ ...servers, emulator, jars, fluss: fluss.port, adopt }),
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

interface Declared {
    lakekeeper: string;
    vvp: string;
    emulator: Emulator;
    jars: string;
    fluss: number;
    adopt: boolean;
}

function declare({ lakekeeper, vvp, emulator: { admin }, jars, fluss, adopt }: Declared): void {
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
            vvp: { connection, jobNamespace: "jobs", consoleName: "desk" },
            jars,
            tables: [accounts, trades],
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
            rowsPerSecond: 1,
            adopt,
        },
        { dependsOn: [desk.tables] },
    );
}
