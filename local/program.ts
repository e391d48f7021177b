import * as pulumi from "@pulumi/pulumi";
import type { PulumiFn } from "@pulumi/pulumi/automation/index.js";
import type { LakeBucketsArgs } from "../components/lake-buckets.ts";
import { StreamingLakehouse, type StreamingLakehouseArgs } from "../components/streaming-lakehouse.ts";
import { quickstartEngine } from "../model/engine-version.ts";
import type { TableSpec } from "../model/table.ts";
import { accounts, trades } from "../stacks/quickstart-tables.ts";
import { SampleWriters } from "../stacks/sample-writers.ts";
import type { Born } from "./birth.ts";
import { emulatedAws } from "./emulated-aws.ts";
import type { LocalSecrets } from "./lakehouse.ts";
import { FlussServers, IcebergCatalog } from "./resources/index.ts";
import { jobNamespace } from "./simulators/services.ts";
import type { ClassPaths } from "./toolchain/types.ts";

/** The Fluss release that runs here. */
export const localFlussVersion = "0.9.1-incubating";

/** The Fluss catalog on the simulated platform. */
export const localCatalog = "fluss_quickstart";

/** What a program on the local services works with. */
export interface LocalServices {
    born: Born;
    secrets: LocalSecrets;
    classPaths: ClassPaths;
}

/**
 * The quickstart stack on the local services: the same components as on a real environment, with the two servers
 * started from the stack's own outputs.
 */
export function localProgram(settings: LocalServices & { extraColumns: readonly string[] }): PulumiFn {
    return async () => {
        const lakehouse = localLakehouse(settings, {
            tables: [withColumns(accounts, settings.extraColumns), trades],
        });
        new SampleWriters(
            "fluss-quickstart-writers",
            {
                connection: localPlatform(settings.born),
                deploymentTarget: lakehouse.workspace.deploymentTarget,
                engineVersion: quickstartEngine,
                additionalDependencies: lakehouse.workspace.clientJarUris,
                catalog: localCatalog,
                generator: "datagen",
                rowsPerSecond: 100,
                adopt: true,
            },
            { dependsOn: [lakehouse.tables] },
        );
        return {
            // What other stacks read; see docs/second-stack.md.
            lakehouse: lakehouse.outputs,
            ...localOutputs(lakehouse),
            accessKeyId: lakehouse.buckets.key.accessKeyId,
            userName: lakehouse.buckets.nodes.user?.name,
            tieringDeploymentId: lakehouse.tiering.deployment.id,
        };
    };
}

/** The simulated platform, as jobs and statements reach it. */
export function localPlatform({ ports }: Born) {
    return {
        url: `http://127.0.0.1:${ports.vvp}`,
        workspace: "defaultworkspace",
        namespace: "default",
    };
}

/**
 * The quickstart's lakehouse on the local services. What exists is adopted, since nothing here belongs to anybody else and a
 * run may have been killed between a call and its record.
 * @param own what differs from one program to the next; `keys` are those of the buckets' user
 */
export function localLakehouse(
    { born, secrets, classPaths }: LocalServices,
    own: Pick<StreamingLakehouseArgs, "tables"> &
        Partial<StreamingLakehouseArgs> &
        Pick<LakeBucketsArgs, "keys">,
): StreamingLakehouse {
    const { ports, s3 } = born;
    const { keys, ...args } = own;
    return new StreamingLakehouse(
        "fluss-quickstart",
        {
            buckets: {
                region: s3.region,
                forceDestroy: true,
                tlsOnly: false,
                ...(keys === undefined ? {} : { keys }),
            },
            lakekeeper: {
                url: `http://127.0.0.1:${ports.lakekeeper}`,
                token: pulumi.secret(secrets.lakekeeperToken),
            },
            fluss: { servers: localServers(s3.endpoint) },
            flussVersion: localFlussVersion,
            vvp: { connection: localPlatform(born), jobNamespace },
            jars: [classPaths.tieringJar, ...classPaths.clientJars],
            catalog: localCatalog,
            // By default the job looks for tables to tier twice a minute, which would double the first wait.
            tieringArguments: { "fluss.tiering.poll.table.interval": "5s" },
            s3Endpoint: s3.endpoint,
            deletionProtection: false,
            adopt: true,
            ...args,
        },
        { providers: { aws: emulatedAws(s3) } },
    );
}

/** What clients of the lakehouse have to know. */
export function localOutputs({ cluster, catalog, buckets }: StreamingLakehouse) {
    return {
        bootstrapServers: cluster.bootstrapServers,
        clientUsername: cluster.clientUsername,
        clientPassword: cluster.clientPassword,
        catalogUri: catalog.catalogUri,
        warehouse: catalog.warehouse,
        lakeBucket: buckets.lakeBucket,
    };
}

/** Servers of this machine: segments are small and go to the remote storage soon, so that a read meets remote ones. */
function localServers(endpoint: string) {
    return {
        beforeStart: (
            { buckets, catalog }: Pick<StreamingLakehouse, "buckets" | "catalog">,
            opts: pulumi.CustomResourceOptions,
        ) => [
            new IcebergCatalog(
                "iceberg-catalog",
                {
                    bucket: buckets.lakeBucket,
                    prefix: "fluss-lake-storage",
                    region: buckets.region,
                    endpoint,
                    accessKeyId: buckets.key.accessKeyId,
                    secretAccessKey: buckets.key.secretAccessKey,
                },
                { ...opts, dependsOn: [catalog] },
            ),
        ],
        start: (options: pulumi.Output<Record<string, string>>, opts: pulumi.CustomResourceOptions) =>
            new FlussServers("fluss-servers", { options }, opts),
        overrides: {
            "default.bucket.number": "1",
            "default.replication.factor": "1",
            "log.segment.file-size": "64kb",
            "remote.log.task-interval-duration": "5s",
            "kv.snapshot.interval": "15s",
        },
    };
}

/** The table with further columns at its end; those that it declares by now stay where they are. */
function withColumns(table: TableSpec, names: readonly string[]): TableSpec {
    const further = names.filter((name) => !table.columns.some((column) => column.name === name));
    return { ...table, columns: [...table.columns, ...further.map((name) => ({ name, type: "STRING" }))] };
}
