import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { PulumiFn } from "@pulumi/pulumi/automation/index.js";
import { StreamingLakehouse } from "../../components/streaming-lakehouse.ts";
import { emulatedAws } from "../../local/emulated-aws.ts";
import { localFlussVersion } from "../../local/program.ts";
import { jobNamespace } from "../../local/simulators/services.ts";
import type { Tools } from "../../local/toolchain/types.ts";
import { quickstartEngine } from "../../model/engine-version.ts";
import { accounts, trades } from "../../stacks/quickstart-tables.ts";
import { SampleWriters } from "../../stacks/sample-writers.ts";
import { type BedLakehouse, lakeBucket, namespace } from "./lakehouse.ts";

export const catalog = "fluss_quickstart";

/**
 * The quickstart stack with both servers installed by Helm. What differs from a real one: S3 and the charts are reached at
 * addresses of this machine, one tablet server does for three, segments are small, and the sample rows come from `datagen`.
 */
export function program({ bed, s3, ports }: BedLakehouse, tools: Tools): PulumiFn {
    return async () => {
        const provider = emulatedAws(s3);
        const kubernetes = new k8s.Provider("kubernetes", {
            kubeconfig: pulumi.secret(bed.access.kubeconfig),
        });
        const place = { namespace, access: bed.access, storageClass: "kwok-volume" };
        const connection = {
            url: `http://127.0.0.1:${ports.vvp}`,
            workspace: "defaultworkspace",
            namespace: "default",
        };
        const { repository, username, password, charts } = bed.registry;
        const lakehouse = new StreamingLakehouse(
            "fluss-quickstart",
            {
                buckets: { region: s3.region, lakeBucket, forceDestroy: true, tlsOnly: false },
                lakekeeper: {
                    chart: { ...place, repository, login: { username, password } },
                    drain: { deadlineSeconds: 60, purge: true },
                },
                fluss: {
                    chart: {
                        ...place,
                        chart: { location: `oci://${charts}/fluss-bundle`, version: "1.0.0-vv-3" },
                        tabletServers: 1,
                        overrides: {
                            "default.bucket.number": 1,
                            "default.replication.factor": 1,
                            "log.segment.file-size": "64kb",
                            "remote.log.task-interval-duration": "5s",
                            "kv.snapshot.interval": "15s",
                        },
                    },
                },
                flussVersion: localFlussVersion,
                vvp: { connection, jobNamespace },
                jars: [tools.classPaths.tieringJar, ...tools.classPaths.clientJars],
                catalog,
                tables: [accounts, trades],
                tieringArguments: { "fluss.tiering.poll.table.interval": "5s" },
                s3Endpoint: s3.endpoint,
                deletionProtection: false,
            },
            { providers: { aws: provider, kubernetes } },
        );
        new SampleWriters(
            "fluss-quickstart-writers",
            {
                connection,
                deploymentTarget: lakehouse.workspace.deploymentTarget,
                engineVersion: quickstartEngine,
                additionalDependencies: lakehouse.workspace.clientJarUris,
                catalog,
                generator: "datagen",
                rowsPerSecond: 100,
            },
            { dependsOn: [lakehouse.tables] },
        );
        return {
            bootstrapServers: lakehouse.cluster.bootstrapServers,
            clientUsername: lakehouse.cluster.clientUsername,
            clientPassword: lakehouse.cluster.clientPassword,
            tiering: lakehouse.cluster.installed?.tiering,
            catalogUri: lakehouse.catalog.catalogUri,
            warehouse: lakehouse.catalog.warehouse,
            token: lakehouse.catalog.token,
            secretAccessKey: lakehouse.buckets.key.secretAccessKey,
        };
    };
}
