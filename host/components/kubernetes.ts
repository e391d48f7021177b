/** What components make in Kubernetes: charts, and what is around the platform. */

import * as z from "zod";
import type { FlussChartSource, RegistryLogin } from "../../components/fluss-cluster-chart.ts";
import type { FlussUser } from "../../components/fluss-cluster-secrets.ts";
import type { JobNamespaceArgs } from "../../components/job-namespace.ts";
import type { LakekeeperChartArgs } from "../../components/lakekeeper-catalog-chart.ts";
import type { LakehouseFlussChart } from "../../components/streaming-lakehouse.ts";
import type { KubernetesAccessArgs } from "../../dynamic-providers/kubernetes/resources.ts";
import type { LakekeeperPortForwardArgs } from "../../dynamic-providers/lakekeeper/connection-args.ts";
import { flussHelmExtras } from "../../model/fluss-helm-extras.ts";
import { flussNetworkPolicyArgs, jobNetworkPolicyArgs } from "../../model/network-policies.ts";
import { given } from "./given.ts";

const name = z.string().min(1);
const text = given(name);
const port = given(z.int().min(1).max(65_535));
const labels = z.record(z.string(), z.string());

/** How Pulumi reaches a cluster. Default: `KUBECONFIG`. */
const access = given(
    z.strictObject({
        kubeconfig: name.optional(),
        context: name.optional(),
    } satisfies Record<keyof KubernetesAccessArgs, z.ZodType>),
);

/** A port of a pod, reached through the API server. */
export const portForward = z.strictObject({
    access,
    namespace: text,
    service: text,
    port,
} satisfies Record<keyof LakekeeperPortForwardArgs, z.ZodType>);

/** Lakekeeper's chart. */
export const lakekeeperChart = z.strictObject({
    namespace: name,
    release: name.optional(),
    access: access.optional(),
    repository: name.optional(),
    login: z.strictObject({ username: name, password: text }).optional(),
    version: name.optional(),
    storageClass: name.optional(),
    storageSize: name.optional(),
    allow: z.array(name).optional(),
    database: z
        .strictObject({
            host: text,
            readHost: text.optional(),
            port: port.optional(),
            database: text.optional(),
            user: text,
            password: text,
            tls: z.enum(["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]).optional(),
        } satisfies Record<keyof Part<"database">, z.ZodType>)
        .optional(),
    openFga: z
        .union([
            z.literal("internal"),
            z.strictObject({ endpoint: text, store: text.optional(), apiKey: text.optional() }),
        ])
        .optional(),
    secretStore: z
        .strictObject({ url: text, mount: text, user: text, password: text } satisfies Record<
            keyof Part<"secretStore">,
            z.ZodType
        >)
        .optional(),
    ingress: z
        .strictObject({
            host: name,
            path: name.optional(),
            pattern: name.optional(),
            className: name.optional(),
            tlsSecret: name.optional(),
            port: z.int().optional(),
            annotations: labels.optional(),
            reach: z.boolean().optional(),
        } satisfies Record<keyof Part<"ingress">, z.ZodType>)
        .optional(),
    baseUri: text.optional(),
    trustedCertificates: z
        .strictObject({ kind: z.enum(["secret", "configMap"]), name, key: name } satisfies Record<
            keyof Part<"trustedCertificates">,
            z.ZodType
        >)
        .optional(),
} satisfies Record<keyof LakekeeperChartArgs, z.ZodType>);

type Part<Name extends keyof LakekeeperChartArgs> = NonNullable<LakekeeperChartArgs[Name]>;

const user = z.strictObject({
    username: name,
    password: text.optional(),
} satisfies Record<keyof FlussUser, z.ZodType>);

/** The chart of Fluss, in a lakehouse that gives it bucket and lake. */
export const flussChart = z.strictObject({
    namespace: text,
    release: name.optional(),
    chart: z
        .strictObject({
            kind: z.enum(["bundle", "apache"]).optional(),
            version: name.optional(),
            location: name.optional(),
            image: name.optional(),
        } satisfies Record<keyof FlussChartSource, z.ZodType>)
        .optional(),
    access: access.optional(),
    users: z.array(user).optional(),
    zookeeperUser: user.optional(),
    zookeeperAddress: name.optional(),
    registry: z
        .strictObject({ server: name, username: text, password: text } satisfies Record<
            keyof RegistryLogin,
            z.ZodType
        >)
        .optional(),
    storageClass: name,
    tabletServers: z.int().optional(),
    tabletStorageSize: name.optional(),
    zookeeperStorageSize: name.optional(),
    overrides: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    settings: flussHelmExtras.optional(),
    networkPolicies: flussNetworkPolicyArgs.optional(),
    allow: z.array(name).optional(),
    await: z.boolean().optional(),
} satisfies Record<keyof LakehouseFlussChart, z.ZodType>);

const reached = z.union([
    z.strictObject({ what: name, namespace: text, service: text, port }),
    z.strictObject({ what: name, host: text, port }),
]);

/** What is made around the namespace of the jobs, and looked at there. */
export const jobNamespace = z.strictObject({
    access: access.optional(),
    createNamespace: z.union([z.boolean(), z.strictObject({ labels })]).optional(),
    platform: z.strictObject({ namespace: name, serviceAccount: name }).optional(),
    grant: z
        .union([
            z.boolean(),
            z.array(
                z.strictObject({
                    apiGroups: z.array(z.string()),
                    resources: z.array(z.string()),
                    verbs: z.array(z.string()),
                }),
            ),
        ])
        .optional(),
    networkPolicies: jobNetworkPolicyArgs.partial({ platformNamespace: true }).optional(),
    check: z
        .union([
            z.literal(false),
            z.strictObject({ reaches: z.array(reached).optional(), required: z.boolean().optional() }),
        ])
        .optional(),
} satisfies Record<keyof JobNamespaceArgs, z.ZodType>);
