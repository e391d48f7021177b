import * as z from "zod";
import type { LakeBucketsArgs } from "../../components/lake-buckets.ts";
import type { LakeRolesArgs } from "../../components/lake-roles.ts";
import type { StreamingLakehouseArgs } from "../../components/streaming-lakehouse.ts";
import { given } from "./given.ts";
import type { HostedComponent } from "./index.ts";
import { flussChart, jobNamespace, lakekeeperChart, portForward } from "./kubernetes.ts";
import { drain, lakekeeperServer, options, tables, text, vvpConnection } from "./parts.ts";

const bucket = z.union([z.string(), z.strictObject({ existing: text })]).optional();

const roles = z.strictObject({
    lakekeeper: z
        .strictObject({
            trusted: z.array(text).optional(),
            externalId: text.optional(),
            maxSessionSeconds: z.number().optional(),
        })
        .optional(),
    tiering: z
        .strictObject({
            oidcProvider: text,
            serviceAccounts: z.array(z.strictObject({ namespace: z.string(), name: z.string() })),
            audience: z.string().optional(),
            access: z.enum(["read", "readWrite"]).optional(),
        })
        .optional(),
} satisfies Record<keyof Omit<Required<LakeRolesArgs>, "servers">, z.ZodType>);

const buckets = {
    region: z.string().min(1),
    remoteBucket: bucket,
    lakeBucket: bucket,
    keys: z.array(z.string()).min(1).max(2).optional(),
    platformPrincipal: z.union([z.strictObject({ role: text }), z.strictObject({ user: text })]).optional(),
    platformAccess: z.enum(["read", "readWrite"]).optional(),
    roles: roles.optional(),
    s3Compatible: z
        .strictObject({ key: z.strictObject({ accessKeyId: text, secretAccessKey: text }) })
        .optional(),
    forceDestroy: z.boolean().optional(),
    deletionProtection: z.boolean().optional(),
    tlsOnly: z.boolean().optional(),
    kmsKey: text.optional(),
    versioning: z.boolean().optional(),
    expireNoncurrentAfterDays: z.number().optional(),
    abortUploadsAfterDays: z.number().optional(),
    tags: z.record(z.string(), text).optional(),
} satisfies Record<keyof Required<LakeBucketsArgs>, z.ZodType>;

const catalog = { warehouse: z.string().min(1).optional(), drain: drain.optional() };

const vvp = {
    connection: vvpConnection,
    jobNamespace: z.string().min(1),
    /** What is made in Kubernetes around the platform. Default: nothing. */
    kubernetes: jobNamespace.optional(),
    deploymentTarget: z.string().min(1).optional(),
    /** False makes none. Default: as in the quickstart. */
    sessionCluster: z
        .union([
            z.boolean(),
            z.strictObject({
                name: z.string().min(1).optional(),
                flinkConfiguration: options.optional(),
                keepRunning: z.boolean().optional(),
            }),
        ])
        .optional(),
    engineVersion: z.string().min(1).optional(),
    restartJobs: z.enum(["NEVER", "WITH_STATE", "WITHOUT_STATE"]).optional(),
    consoleName: z.string().min(1).optional(),
} satisfies Record<keyof Required<StreamingLakehouseArgs["vvp"]>, z.ZodType>;

const shape = {
    /** The two buckets and the key. */
    buckets: z.strictObject(buckets),
    /** The Lakekeeper server: one that exists, or one to install by Helm; and the warehouse. */
    lakekeeper: z.union([
        z.strictObject({ ...lakekeeperServer, ...catalog }),
        z.strictObject({ chart: lakekeeperChart, ...catalog }),
    ]),
    /** The Fluss cluster: one that exists, or one to install by Helm. */
    fluss: z.union([
        z.strictObject({
            existing: z.strictObject({
                bootstrapServers: text,
                clientUsername: text,
                clientPassword: text,
                check: z.boolean().optional(),
                portForward: portForward.optional(),
                revision: text.optional(),
            }),
        }),
        z.strictObject({ chart: flussChart }),
    ]),
    /** Release of cluster and client JARs: `1.0.0-vv-3`. */
    flussVersion: z.string().min(1),
    /** The platform on which the jobs run. */
    vvp: z.strictObject(vvp),
    /** The client JARs: a folder or the files. */
    jars: z.union([z.string(), z.array(z.string())]),
    /** Name of the Fluss catalog on the platform. Default `fluss_quickstart`. */
    catalog: z.string().min(1).optional(),
    tables,
    /** Destructive changes of tables that are wanted, by table. */
    allowDataLoss: z.record(z.string(), z.array(z.string())).optional(),
    /** Further arguments of the tiering job. */
    tieringArguments: options.optional(),
    /** Waits after each start of the tiering job until rows of this table of `tables` reach the lake. Default: not looked for. */
    tieringHealth: z
        .strictObject({ table: z.string().min(1), withinSeconds: given(z.number()).optional() })
        .optional(),
    /** An S3-compatible store instead of AWS: where it answers. */
    s3Endpoint: z.string().min(1).optional(),
    /** Whether what holds data may not be deleted or replaced. Default true. */
    deletionProtection: z.boolean().optional(),
    /** Takes over what exists already and is as wanted. Default false. */
    adopt: z.boolean().optional(),
} satisfies Record<keyof Required<StreamingLakehouseArgs>, z.ZodType>;

/** `fluss:index:StreamingLakehouse` for other languages. */
export const streamingLakehouse: HostedComponent = {
    token: "fluss:index:StreamingLakehouse",
    description:
        "The whole quickstart: buckets and key, catalog, cluster, workspace, tiering job and tables.",
    inputs: z.strictObject(shape),
    outputs: {
        outputs: {
            $ref: "pulumi.json#/Any",
            description: "What other stacks build on, without a secret: export it as `lakehouse`.",
        },
        readers: {
            $ref: "pulumi.json#/Any",
            secret: true,
            description: "How Flink, Spark, Trino, StarRocks, PyIceberg and the Fluss clients read it.",
        },
        jobStatus: { type: "string", description: "State of the tiering job." },
    },
    async make(name, inputs, opts) {
        const { StreamingLakehouse } = await import("../../components/streaming-lakehouse.ts");
        const component = new StreamingLakehouse(name, inputs as unknown as StreamingLakehouseArgs, opts);
        const { outputs, readers, tiering } = component;
        return { component, outputs: { outputs, readers, jobStatus: tiering.deployment.jobStatus } };
    },
};
