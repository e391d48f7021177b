/** The program of the quickstart stack: `pulumi up -s <stack>` from nothing to rows in the lake. */
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { StreamingLakehouse } from "../components/streaming-lakehouse.ts";
import { type Fault, isSecretPath } from "../model/faults.ts";
import { parseStackConfig, stackConfig } from "../model/stack-config.ts";
import { flussOf, lakekeeperOf, providersOf } from "./quickstart-servers.ts";
import { accounts, trades } from "./quickstart-tables.ts";
import { SampleWriters } from "./sample-writers.ts";

const config = readConfig();
const connection = { url: config.vvpUrl, workspace: config.vvpWorkspace, namespace: config.vvpNamespace };

const desk = new StreamingLakehouse(
    "fluss-quickstart",
    {
        buckets: {
            region: config.awsRegion,
            remoteBucket: config.remoteBucket,
            lakeBucket: config.lakeBucket,
            forceDestroy: config.destroyContents,
            // Without TLS the policy would refuse everybody.
            tlsOnly: !config.s3Endpoint?.startsWith("http:"),
        },
        lakekeeper: lakekeeperOf(config),
        fluss: flussOf(config),
        flussVersion: config.flussVersion,
        vvp: {
            connection,
            jobNamespace: config.jobNamespace,
            deploymentTarget: config.deploymentTarget,
            engineVersion: config.engineVersion,
        },
        jars: path.resolve(pulumi.runtime.getRootDirectory(), config.jarsFolder),
        tables: [accounts, trades],
        tieringArguments: config.tieringArguments,
        s3Endpoint: config.s3Endpoint,
        deletionProtection: config.deletionProtection,
        adopt: config.adopt,
    },
    { providers: providersOf(config) },
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
            generator: config.sampleGenerator,
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
/** The user that clients log in as; the password is a secret, random where none was given. */
export const clientUsername = desk.cluster.clientUsername;
export const clientPassword = desk.cluster.clientPassword;
/** The client token of Lakekeeper; a secret. */
export const lakekeeperToken = desk.catalog.token;
/** The servers' options about the lake as they were read back; only for a cluster that Helm installed. */
export const tiering = desk.cluster.installed?.tiering;

/** All keys at once through the one schema, so that every fault is told before any call is made. */
function readConfig() {
    const config = new pulumi.Config();
    const own = `${config.name}:`;
    // Also keys that the schema does not have: nobody else would tell of a misspelt one.
    const given = Object.entries(pulumi.runtime.allConfig())
        .filter(([key]) => key.startsWith(own))
        .map(([key, value]) => [key.slice(own.length), value] as const)
        // Pulumi.yaml cannot leave a key without a value: an empty one stands for "not set".
        .filter(([key, value]) => value || !(key in stackConfig.shape));
    const keys = given.map(([key]) => key);
    return parseStackConfig(Object.fromEntries(given), clearFaults(keys.filter(isSecretPath), config.name));
}

/** A secret that may be left out cannot be declared as one in Pulumi.yaml; so the engine does not see to it. */
function clearFaults(secrets: string[], project: string): Fault[] {
    const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (key: string) => boolean };
    return secrets
        .filter((key) => isConfigSecret?.(`${project}:${key}`) === false)
        .map((key) => ({
            path: `config.${key}`,
            reason: "stands in clear in the stack's file",
            fix: `Set it by: pulumi config set --secret ${key}`,
        }));
}
