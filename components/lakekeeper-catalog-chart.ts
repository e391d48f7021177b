import { createHash } from "node:crypto";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import {
    KeptSecret,
    type KubernetesAccessArgs,
    LakekeeperReleaseGuard,
    type LakekeeperRisk,
    ReleaseRecord,
} from "../dynamic-providers/kubernetes/resources.ts";
import type { LakekeeperPortForwardArgs } from "../dynamic-providers/lakekeeper/resources.ts";
import { withNames } from "../model/faults.ts";
import { type LakekeeperHelmParts, postgresqlSet } from "../model/lakekeeper-helm-parts.ts";
import { lakekeeperHelmValues } from "../model/lakekeeper-helm-values.ts";
import { lakekeeperChartNames } from "./lakekeeper-catalog-faults.ts";
import { ingressUrl, type LakekeeperPartArgs, makeParts } from "./lakekeeper-catalog-parts.ts";

/** Installs Lakekeeper on Kubernetes by Helm. */
export interface LakekeeperChartArgs extends LakekeeperPartArgs {
    /** Kubernetes namespace; it must exist. */
    namespace: string;
    /** Name of the Helm release and of the Service. Default `fluss-lakekeeper` (quickstart). */
    release?: string;
    /** How Pulumi reaches the cluster; it must be the one of the Kubernetes provider. Default: `KUBECONFIG`. */
    access?: pulumi.Input<KubernetesAccessArgs>;
    /** Chart repository. Default: the vendor's. */
    repository?: string;
    /** Login at that repository. Default: none. */
    login?: { username: string; password: pulumi.Input<string> };
    /**
     * Version of the chart. Default `0.12.0`. Older ones are refused: between 0.11 and 0.12 the chart's PostgreSQL goes
     * from 17 to 18 without moving its data, and the database would not start on the old volume.
     */
    version?: string;
    /** Storage class of the volume of the chart's own PostgreSQL; instead of `database`. */
    storageClass?: string;
    /** Size of that volume. Default `5Gi` (the chart's). It can grow later. */
    storageSize?: string;
    /** Refused changes that are wanted all the same. Default: none. */
    allow?: LakekeeperRisk[];
}

/** What the installation gives. */
export interface InstalledLakekeeper {
    /** Base URL inside of the cluster. */
    internalUrl: string;
    /** Base URL from outside, when there is an ingress. */
    externalUrl: string | undefined;
    /** How Pulumi reaches it: the ingress's URL, or the internal one with a port-forward. */
    connection: { url: string; portForward?: LakekeeperPortForwardArgs };
    /** Token of the ServiceAccount `fluss-lake-client`, which does not expire; a secret. */
    token: pulumi.Output<string>;
    /** The Secret that holds it, under the key `token`. */
    tokenSecret: k8s.core.v1.Secret;
    /** True when Secrets of an earlier installation were taken over, and with them what its database still holds. */
    reinstalled: pulumi.Output<boolean>;
    guard: LakekeeperReleaseGuard;
    release: k8s.helm.v3.Release;
}

const client = "fluss-lake-client";

/**
 * Makes the client's ServiceAccount and token, the Secrets, the guard and the release below `parent`. The arguments have no fault
 * that was known before, see `lakekeeperChartFaults`.
 */
export function installLakekeeper(
    parent: pulumi.Resource,
    name: string,
    args: LakekeeperChartArgs,
): InstalledLakekeeper {
    const {
        namespace,
        access,
        ingress,
        version = "0.12.0",
        release: releaseName = "fluss-lakekeeper",
    } = args;
    const child = { parent };
    const tokenSecret = clientToken(name, namespace, child);
    const { encryption, database } = keptSecrets(name, args, releaseName, child);
    const { parts, secret } = makeParts(name, args, { namespace, release: releaseName }, child);
    const values = pulumi
        .all([parts, encryption.name, database?.name])
        .apply(([made, encryptionSecret, databaseSecret]) =>
            withNames(`LakekeeperCatalog ${name}`, lakekeeperChartNames(), () =>
                lakekeeperHelmValues({
                    storageClass: args.storageClass,
                    storageSize: args.storageSize,
                    fullName: releaseName,
                    awaited: true,
                    encryptionKey: { secretName: encryptionSecret, key: "encryptionKey" },
                    databaseSecret,
                    parts: made,
                }),
            ),
        );
    const guard = new LakekeeperReleaseGuard(
        `${name}-guard`,
        {
            access,
            namespace,
            release: releaseName,
            spec: parts.apply((made) => specOf(args, version, made)),
            allow: args.allow ?? [],
            values: hashOf([values, version]),
        },
        child,
    );
    const release = new k8s.helm.v3.Release(
        `${name}-release`,
        {
            name: releaseName,
            namespace,
            chart: "lakekeeper",
            version,
            repositoryOpts: {
                repo: args.repository ?? "https://lakekeeper.github.io/lakekeeper-charts/",
                ...(args.login && {
                    username: args.login.username,
                    password: pulumi.secret(args.login.password),
                }),
            },
            // A key that the chart does not read: it changes nothing but makes Helm write its objects anew.
            values: pulumi.all([values, guard.repairs]).apply(([rendered, repairs]) => ({
                ...rendered,
                ...(repairs > 0 ? { pulumiFluss: { repairs } } : {}),
            })),
            timeout: 600,
            // Helm installs over the remains of an installation that was cut off; the guard refuses anybody else's.
            replace: true,
        },
        { parent, dependsOn: [guard, ...(secret ? [secret] : [])] },
    );
    new ReleaseRecord(
        `${name}-record`,
        { access, namespace, release: releaseName, guard: guard.mark },
        { parent, dependsOn: [release] },
    );
    const internalUrl = `http://${releaseName}.${namespace}.svc.cluster.local:8181`;
    const externalUrl = ingress && ingressUrl(ingress);
    const portForward = { access: pulumi.secret(access ?? {}), namespace, service: releaseName, port: 8181 };
    return {
        internalUrl,
        externalUrl,
        connection:
            externalUrl && ingress?.reach !== false
                ? { url: externalUrl }
                : { url: internalUrl, portForward },
        token: pulumi.secret(tokenSecret.data.apply((data) => tokenOf(data["token"]))),
        tokenSecret,
        reinstalled: encryption.adopted,
        guard,
        release,
    };
}

/** The ServiceAccount that Fluss and the jobs are known by, and its long-lived token. */
function clientToken(
    name: string,
    namespace: string,
    opts: pulumi.CustomResourceOptions,
): k8s.core.v1.Secret {
    const account = new k8s.core.v1.ServiceAccount(
        `${name}-client`,
        { metadata: { name: client, namespace } },
        opts,
    );
    return new k8s.core.v1.Secret(
        `${name}-client-token`,
        {
            metadata: {
                name: `${client}-token`,
                namespace,
                annotations: { "kubernetes.io/service-account.name": account.metadata.name },
            },
            type: "kubernetes.io/service-account-token",
        },
        // Kubernetes fills it a moment after it was made; the provider waits for that.
        { ...opts, additionalSecretOutputs: ["data"] },
    );
}

/**
 * The key with which Lakekeeper encrypts credentials in its database, and the password of the chart's own database.
 * Both are of no use without the database, and the database is lost without them: so they stay as long as it does.
 */
function keptSecrets(
    name: string,
    { access, namespace, database: external }: LakekeeperChartArgs,
    releaseName: string,
    opts: pulumi.CustomResourceOptions,
): { encryption: KeptSecret; database: KeptSecret | undefined } {
    const opens = external ? "elsewhere" : { volumesOf: postgresqlSet(releaseName) };
    const encryption = new KeptSecret(
        `${name}-encryption`,
        { access, namespace, name: `${releaseName}-encryption`, random: { encryptionKey: 40 }, opens },
        opts,
    );
    if (external) return { encryption, database: undefined };
    const database = new KeptSecret(
        `${name}-database`,
        {
            access,
            namespace,
            name: `${releaseName}-database`,
            fixed: { name: "catalog", user: "catalog" },
            random: { password: 32 },
            opens,
        },
        opts,
    );
    return { encryption, database };
}

/** What the guard keeps of the release. */
function specOf(args: LakekeeperChartArgs, version: string, parts: LakekeeperHelmParts): object {
    const { externalDatabase: external, openFga, kv2 } = parts;
    return {
        version,
        ...(args.storageClass
            ? { storage: { size: args.storageSize ?? "5Gi", storageClass: args.storageClass } }
            : {}),
        ...(external
            ? {
                  database: `${external.host}:${external.port ?? 5432}/${external.database ?? "lakekeeper"}`,
              }
            : {}),
        authorization:
            typeof openFga === "object"
                ? `openfga ${openFga.endpoint} ${openFga.store ?? "lakekeeper"}`
                : openFga
                  ? "openfga of the chart"
                  : "allowall",
        secretStore: kv2 ? `kv2 ${kv2.url} ${kv2.mount}` : "postgres",
    };
}

/** Values name Secrets and hold none. */
function hashOf(parts: pulumi.Input<object | string>[]): pulumi.Output<string> {
    return pulumi
        .all(parts)
        .apply((all) => createHash("sha256").update(JSON.stringify(all)).digest("hex").slice(0, 32));
}

function tokenOf(encoded: string | undefined): string {
    if (encoded) return Buffer.from(encoded, "base64").toString("utf8");
    throw new Error(
        `Kubernetes has put no token into the Secret ${client}-token.\n` +
            "What to do: look whether the controller manager runs and whether the ServiceAccount exists, then run `pulumi refresh` and `pulumi up`",
    );
}
