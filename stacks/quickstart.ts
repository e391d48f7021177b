/** The program of the quickstart stack: `pulumi up -s <stack>` from nothing to rows in the lake. */
import path from "node:path";
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { StreamingLakehouse } from "../components/streaming-lakehouse.ts";
import { parseStackConfig, stackConfig } from "../model/stack-config.ts";
import { accounts, trades } from "./quickstart-tables.ts";
import { SampleWriters } from "./sample-writers.ts";

const config = readConfig();
const connection = { url: config.vvpUrl, workspace: config.vvpWorkspace, namespace: config.vvpNamespace };

// The buckets go where the warehouse and the servers look for them, whatever region the environment names.
const provider = new aws.Provider("aws", { region: config.awsRegion as aws.Region });

const desk = new StreamingLakehouse(
    "fluss-quickstart",
    {
        buckets: {
            region: config.awsRegion,
            remoteBucket: config.remoteBucket,
            lakeBucket: config.lakeBucket,
        },
        lakekeeper: {
            url: config.lakekeeperUrl,
            internalUrl: config.lakekeeperInternalUrl,
            token: pulumi.secret(config.lakekeeperToken),
            warehouse: config.warehouse,
        },
        fluss: {
            existing: {
                bootstrapServers: config.flussBootstrapServers,
                clientUsername: config.clientUsername,
                clientPassword: pulumi.secret(config.clientPassword),
            },
        },
        flussVersion: config.flussVersion,
        vvp: {
            connection,
            jobNamespace: config.jobNamespace,
            deploymentTarget: config.deploymentTarget,
            engineVersion: config.engineVersion,
        },
        jars: path.resolve(pulumi.runtime.getRootDirectory(), config.jarsFolder),
        tables: [accounts, trades],
        deletionProtection: config.deletionProtection,
        adopt: config.adopt,
    },
    { providers: { aws: provider } },
);

if (config.sampleRows) {
    new SampleWriters(
        "fluss-quickstart-writers",
        {
            connection,
            deploymentTarget: desk.workspace.deploymentTarget,
            engineVersion: config.engineVersion,
            additionalDependencies: desk.workspace.clientJarUris,
            catalog: "fluss_quickstart",
            generator: "faker",
            rowsPerSecond: config.sampleRowsPerSecond,
            adopt: config.adopt,
        },
        { dependsOn: [desk.tables] },
    );
}

/** What other stacks build on: `await outputsOf(…)`, as `stacks/analytics` does. */
export const lakehouse = desk.outputs;
export const remoteBucket = desk.buckets.remoteBucket;
export const lakeBucket = desk.buckets.lakeBucket;
export const catalogUri = desk.catalog.catalogUri;
export const warehouse = desk.catalog.warehouse;
export const bootstrapServers = desk.cluster.bootstrapServers;

/** All keys at once through the one schema, so that every fault is told before any call is made. */
function readConfig() {
    const config = new pulumi.Config();
    const given = Object.keys(stackConfig.shape).map((key) => [key, config.get(key)] as const);
    // Pulumi.yaml cannot leave a key without a value: an empty one stands for "not set".
    return parseStackConfig(Object.fromEntries(given.filter(([, value]) => value)));
}
