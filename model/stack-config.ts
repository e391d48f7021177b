import * as z from "zod";
import { isAwsRegion } from "./aws-partition.ts";
import { engineFaults, quickstartEngine } from "./engine-version.ts";
import { type Fault, FaultsError, strict, throwFaults, zodFaults } from "./faults.ts";
import { bucketName, deploymentTargetName, saslPassword, saslUsername, warehouseName } from "./names.ts";
import { chartConfig, jsonObject, serverFaults, sourceFaults } from "./stack-config-charts.ts";
import { isServiceUrl } from "./url.ts";

/** `host:port`, several of them with commas between. */
const bootstrapServers = z
    .string()
    .refine((text) => text.split(",").every((server) => /^[^\s:,/]+:\d{1,5}$/.test(server)), {
        error: "a bootstrap address is host:port, several with commas between",
        params: {
            fix: "Give the client listener's address, e.g. coordinator-server-0.coordinator-server-hs.fluss.svc.cluster.local:9124",
        },
    });

const httpUrl = (example: string) =>
    z.string().refine(isServiceUrl, {
        error: "is not an http or https URL without user, password, query and blanks",
        params: { fix: `Give a URL, e.g. ${example}` },
    });

const region = z.string().refine(isAwsRegion, {
    error: "is not the name of an AWS region",
    params: { fix: "Give a region as AWS writes it, e.g. eu-central-1" },
});

const engine = z.string().check((context) => {
    for (const fault of engineFaults(context.value, "sessionCluster")) {
        context.issues.push({
            code: "custom",
            input: context.value,
            message: fault.reason,
            params: { fix: fault.fix },
        });
    }
});

/** Pulumi keeps each value as text, so `true` and `100` come as text too. */
const flag = z.preprocess(
    (value) => (value === "true" || value === "false" ? value === "true" : value),
    z.boolean(),
);
const count = z.preprocess(
    (value) => (typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value),
    z.int().min(1).max(100_000),
);

/**
 * The configuration of the quickstart stack: what `Pulumi.<stack>.yaml` sets, under the same names.
 * Everything that the quickstart asks a person for is here; the rest is derived.
 */
export const stackConfig = strict({
    ...chartConfig,
    /** Region of both buckets (`<AWS_REGION>`). */
    awsRegion: region,
    /** Bucket of the remote storage (`<REMOTE_BUCKET>`). Default: a name with random characters. */
    remoteBucket: bucketName.optional(),
    /** Bucket of the lake (`<LAKE_BUCKET>`). Default: a name with random characters. */
    lakeBucket: bucketName.optional(),
    /** An S3-compatible store instead of AWS: where it answers, and its IAM and STS. */
    s3Endpoint: httpUrl("https://s3.example.com").optional(),
    /** Base URL of the Lakekeeper server as Pulumi reaches it, without `/catalog`. */
    lakekeeperUrl: httpUrl("http://localhost:8181").optional(),
    /** The same server as Fluss and the jobs reach it. Default: `lakekeeperUrl`. */
    lakekeeperInternalUrl: httpUrl("http://fluss-lakekeeper.fluss.svc.cluster.local:8181").optional(),
    /** The client token of Lakekeeper (a secret). */
    lakekeeperToken: z.string().min(1, { error: "is empty" }).optional(),
    /** Name of the warehouse in Lakekeeper. */
    warehouse: warehouseName.default("fluss"),
    /** Client address of the Fluss cluster (`<BOOTSTRAP_ADDRESS>`). */
    flussBootstrapServers: bootstrapServers.optional(),
    /** The Fluss version of the cluster and of the client JARs. */
    flussVersion: z.enum(["1.0.0-vv-3", "0.9.1-incubating"]).default("1.0.0-vv-3"),
    /** The SASL user that the jobs connect as (`<CLIENT_USERNAME>`). Default for servers that Helm installs: `fluss`. */
    clientUsername: saslUsername.optional(),
    /** Its password (`<CLIENT_PASSWORD>`, a secret). Default for servers that Helm installs: a random one. */
    clientPassword: saslPassword.optional(),
    /** Base URL of Ververica Platform (`<VVP_URL>`). Its API token comes from `VV_API_TOKEN` or `pulumi-fluss:vvpToken`. */
    vvpUrl: httpUrl("https://vvp.example.com"),
    /** VVP workspace; an installation has this one. */
    vvpWorkspace: z.string().min(1).default("defaultworkspace"),
    /** VVP namespace (`<VVP_NAMESPACE>`). */
    vvpNamespace: z.string().min(1).default("default"),
    /** Kubernetes namespace in which the jobs run (`<JOB_NAMESPACE>`). */
    jobNamespace: z.string().min(1),
    /** Name of the deployment target. */
    deploymentTarget: deploymentTargetName.default("fluss-quickstart-target"),
    /** VERA engine of the session cluster and the deployments. */
    engineVersion: engine.default(quickstartEngine),
    /** Folder with the client JARs as the image's installer leaves it (`jars/`). */
    jarsFolder: z.string().min(1),
    /** Runs the two writers of the quickstart, which make sample rows. */
    sampleRows: flag.default(true),
    /** Rows a second that each writer makes. */
    sampleRowsPerSecond: count.default(100),
    /** What makes them: `faker` on Ververica Platform; an open Flink has `datagen` only. */
    sampleGenerator: z.enum(["faker", "datagen"]).default("faker"),
    /** Further arguments of the tiering job, by name without `--`. */
    tieringArguments: jsonObject(z.record(z.string(), z.string())).default({}),
    /** Whether Pulumi may delete what holds data: buckets, the warehouse, tables. Set false to tear down. */
    deletionProtection: flag.default(true),
    /** Takes over objects that exist already and equal what the stack wants. */
    adopt: flag.default(false),
    /** When the stack is destroyed, everything in its buckets is deleted, and the tables that are left in the warehouse. */
    destroyContents: flag.default(false),
});

/** See {@link stackConfig}. */
export type StackConfig = z.output<typeof stackConfig>;

/**
 * The configuration with its defaults; throws one error with every fault, before any call is made.
 * @param further faults of the configuration that were found elsewhere
 */
export function parseStackConfig(input: unknown, further: readonly Fault[] = []): StackConfig {
    const parsed = stackConfig.safeParse(input);
    const between = [...sourceFaults(input, "config"), ...serverFaults(input, "config"), ...further];
    if (parsed.success) {
        throwFaults("config", between);
        return parsed.data;
    }
    throw new FaultsError("config", [...zodFaults(parsed.error, input, "config"), ...between]);
}
