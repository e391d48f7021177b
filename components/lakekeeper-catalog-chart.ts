import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { KeptSecret, type KubernetesAccessArgs } from "../dynamic-providers/kubernetes/resources.ts";
import type { LakekeeperPortForwardArgs } from "../dynamic-providers/lakekeeper/resources.ts";
import { lakekeeperHelmValues } from "../model/lakekeeper-helm-values.ts";

/** Installs Lakekeeper on Kubernetes by Helm, with the chart's own PostgreSQL. */
export interface LakekeeperChartArgs {
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
    /** Storage class of PostgreSQL's volume. */
    storageClass: string;
}

/** What the installation gives. */
export interface InstalledLakekeeper {
    /** Base URL inside of the cluster. */
    internalUrl: string;
    /** How it is reached from outside. */
    portForward: LakekeeperPortForwardArgs;
    /** Token of the ServiceAccount `fluss-lake-client`, which does not expire; a secret. */
    token: pulumi.Output<string>;
    /** The Secret that holds it, under the key `token`. */
    tokenSecret: k8s.core.v1.Secret;
    release: k8s.helm.v3.Release;
}

const client = "fluss-lake-client";

/** Makes the client's ServiceAccount and token, the kept Secrets and the release below `parent`. */
export function installLakekeeper(
    parent: pulumi.Resource,
    name: string,
    args: LakekeeperChartArgs,
): InstalledLakekeeper {
    const { namespace, access, version = "0.12.0", release: releaseName = "fluss-lakekeeper" } = args;
    refuseOldChart(version);
    const child = { parent };
    const account = new k8s.core.v1.ServiceAccount(
        `${name}-client`,
        { metadata: { name: client, namespace } },
        child,
    );
    const tokenSecret = new k8s.core.v1.Secret(
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
        { parent, additionalSecretOutputs: ["data"] },
    );
    const encryption = new KeptSecret(
        `${name}-encryption`,
        { access, namespace, name: `${releaseName}-encryption`, random: { encryptionKey: 40 } },
        child,
    );
    const database = new KeptSecret(
        `${name}-database`,
        {
            access,
            namespace,
            name: `${releaseName}-database`,
            fixed: { name: "catalog", user: "catalog" },
            random: { password: 32 },
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
            values: pulumi.all([encryption.name, database.name]).apply(([encryptionSecret, databaseSecret]) =>
                lakekeeperHelmValues({
                    storageClass: args.storageClass,
                    fullName: releaseName,
                    awaited: true,
                    encryptionKey: { secretName: encryptionSecret, key: "encryptionKey" },
                    databaseSecret,
                }),
            ),
            timeout: 600,
        },
        child,
    );
    return {
        internalUrl: `http://${releaseName}.${namespace}.svc.cluster.local:8181`,
        portForward: { access: access ?? {}, namespace, service: releaseName, port: 8181 },
        token: pulumi.secret(
            tokenSecret.data.apply((data) => Buffer.from(data["token"] ?? "", "base64").toString("utf8")),
        ),
        tokenSecret,
        release,
    };
}

function refuseOldChart(version: string): void {
    const [major = 0, minor = 0] = version.split(".").map(Number);
    if (major > 0 || minor >= 12) return;
    throw new Error(
        `chart.version: ${version} comes with PostgreSQL 17, and an upgrade to 0.12 (PostgreSQL 18) does not move its data: ` +
            "the database would not start on the old volume.\nWhat to do: use 0.12.0; from an older installation dump and restore the database",
    );
}
