import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import {
    FlussReleaseGuard,
    FlussTieringCheck,
    type KubernetesAccessArgs,
    type Risk,
} from "../dynamic-providers/kubernetes/resources.ts";
import { tieringOptions } from "../dynamic-providers/kubernetes/tiering-check.ts";
import { withNames } from "../model/faults.ts";
import type { FlussHelmExtras } from "../model/fluss-helm-extras.ts";
import { withRollout } from "../model/fluss-helm-values.ts";
import type { Lake } from "../model/lake.ts";
import type { Storage } from "../model/lake-storage.ts";
import { type FlussNetworkPolicyArgs, flussNetworkPolicies } from "../model/network-policies.ts";
import { lakeSecretsOf } from "./fluss-cluster-lake.ts";
import {
    chartUsers,
    type FlussUser,
    rolloutHash,
    type SecretWish,
    secretsOf,
} from "./fluss-cluster-secrets.ts";
import { chartNames, parsedSettings, renderValues, sourceOf } from "./fluss-cluster-values.ts";
import { makeNetworkPolicies } from "./network-policies.ts";

/** Installs the servers on Kubernetes by Helm. */
export interface FlussChartArgs {
    /** Kubernetes namespace; it must exist. One namespace holds one cluster: the chart's names are fixed. */
    namespace: pulumi.Input<string>;
    /** Name of the Helm release. Default `fluss` (quickstart). */
    release?: string;
    /** The chart. Default: the vendor's bundle of the quickstart. */
    chart?: FlussChartSource;
    /** How Pulumi reaches the cluster; it must be the one of the Kubernetes provider. Default: `KUBECONFIG`. */
    access?: pulumi.Input<KubernetesAccessArgs>;
    /** The bucket of the remote storage, or the container on Azure, with its key. */
    remote: RemoteBucket | RemoteContainer;
    /** The lake that tables are tiered to: any but a folder. Its secrets need `env`. Default: none. */
    lake?: pulumi.Input<Lake>;
    /**
     * The Secret that holds the lake's token under the key `token`, for a token without `value`. Default `fluss-lake-client-token`
     * (quickstart).
     */
    lakeTokenSecret?: pulumi.Input<string>;
    /**
     * The token in that Secret (a secret; it is only compared). Servers read the Secret at their start: another token restarts them.
     * Default: what is in the Secret is not known, and the servers are restarted by hand after a change.
     */
    lakeToken?: pulumi.Input<string>;
    /**
     * Makes the Secret `fluss-lake-credentials` with each secret of the lake that has a `value`, under its `env`: an OAuth client, the
     * password of a JDBC catalog, keys of the store. Default false. An error if the lake says otherwise.
     */
    lakeCredentials?: boolean;
    /**
     * Makes the Secret `fluss-core-site` with `core-site.xml`, which the servers find by `HADOOP_CONF_DIR`: where Hadoop touches the
     * lake's files, with a Hadoop catalog or `fileIo: "hadoop"`. Each secret of the store needs a `value`. Default false. An
     * error if the lake says otherwise.
     */
    coreSite?: boolean;
    /** Client users; only ever append, the chart knows them by their position. Default: one, `fluss`. */
    users?: FlussUser[];
    /** ZooKeeper's user. Default: `zookeeper` with a random password. */
    zookeeperUser?: FlussUser;
    /** Needed for Apache's chart, which has no ZooKeeper: `host:port`. */
    zookeeperAddress?: string;
    /** Where the images are pulled from; makes the Secret `registry-credentials`. Default: it exists already. */
    registry?: RegistryLogin;
    /** Storage class of all volumes. */
    storageClass: string;
    /** Number of tablet servers. Default 3. */
    tabletServers?: number;
    /** Volume of each tablet server. Default `20Gi` (quickstart). It can grow later. */
    tabletStorageSize?: string;
    /** Volumes of ZooKeeper: data, and transaction logs. Default `4Gi` (quickstart). */
    zookeeperStorageSize?: string;
    /** Further options of the servers by their real names; checked against the options of the release. */
    overrides?: Record<string, string | number | boolean>;
    /** Resources, spread, disruption budget, metrics, authorizer and more; unknown keys are refused. */
    settings?: FlussHelmExtras;
    /**
     * Limits who may reach the servers, and the bundle's ZooKeeper, to these namespaces and the servers themselves.
     * Default: no NetworkPolicies.
     */
    networkPolicies?: FlussNetworkPolicyArgs;
    /** Refused changes that are wanted all the same. Default: none. */
    allow?: Risk[];
    /** Waits until all pods are ready. Default true. */
    await?: boolean;
}

/** Which chart, and from where. */
export interface FlussChartSource {
    /** `bundle` has ZooKeeper in it (quickstart); `apache` is Apache's own. Default `bundle`. */
    kind?: "bundle" | "apache";
    /**
     * Version of chart and image. Default `1.0.0-vv-3`. Apache's chart of `0.9.1-incubating` works too; what its servers cannot
     * read from the environment is filled in by an init container.
     */
    version?: string;
    /**
     * Address of the chart: `oci://…`, a folder or an archive. Default: the vendor's. A registry with a password is
     * logged in to through the Kubernetes provider's `helmReleaseSettings.registryConfigPath`: Helm inside of Pulumi
     * does not send a release's own user and password to an OCI registry.
     */
    location?: string;
    /** Image without tag. Default: that of the quickstart, and `apache/fluss` for Apache's chart. */
    image?: string;
}

/** A bucket and its key; the key's parts are kept in the Secret `fluss-storage-credentials`. */
export interface RemoteBucket {
    /** As for the model, without key. */
    storage: pulumi.Input<Storage>;
    accessKeyId: pulumi.Input<string>;
    secretAccessKey: pulumi.Input<string>;
}

/** A container of a storage account and its key, which is kept in the Secret `fluss-storage-credentials`. */
export interface RemoteContainer {
    /** Of type `adls`, without key. */
    storage: pulumi.Input<Storage>;
    accountKey: pulumi.Input<string>;
}

/** A login at a registry of images. */
export interface RegistryLogin {
    server: string;
    username: pulumi.Input<string>;
    password: pulumi.Input<string>;
}

/** What the installation gives. */
export interface InstalledFluss {
    bootstrapServers: pulumi.Output<string>;
    clientUsername: pulumi.Output<string>;
    clientPassword: pulumi.Output<string>;
    /**
     * The servers' options about the lake (`datalake.format` and others) as they were read back from the cluster after the
     * installation, without those that hold secrets. Empty without a lake.
     */
    tiering: pulumi.Output<Record<string, string>>;
    guard: FlussReleaseGuard;
    release: k8s.helm.v3.Release;
}

/** Makes Secrets, guard and release below `parent`. The arguments have no fault that was known before, see `flussChartFaults`. */
export function installFluss(parent: pulumi.Resource, name: string, args: FlussChartArgs): InstalledFluss {
    const { kind, version } = sourceOf(args);
    const { location } = args.chart ?? {};
    const settings = parsedSettings(args);
    const releaseName = args.release ?? "fluss";
    const child = { parent };
    const password = (user: string) =>
        // Letters and digits only: JAAS, server.yaml and a shell each give other characters a meaning.
        new random.RandomPassword(`${name}-${user}-password`, { length: 32, special: false }, child).result;
    const users = chartUsers(name, args.users, args.zookeeperUser, password);
    const contents = [...secretsOf(users, args.remote, args.registry), ...lakeSecretsOf(args, version)];
    const secrets = contents.map(
        ({ secret, type, data }) =>
            new k8s.core.v1.Secret(
                `${name}-${secret}`,
                {
                    metadata: { name: secret, namespace: args.namespace },
                    type,
                    stringData: pulumi.secret(data),
                },
                child,
            ),
    );
    const tokenSecret = args.lakeTokenSecret ?? "fluss-lake-client-token";
    const values = pulumi
        .all([args.remote.storage, args.lake, tokenSecret])
        .apply(([storage, lake, tokenSecret]) =>
            withNames(`FlussCluster ${name}`, chartNames(), () =>
                renderValues(args, settings, { storage, lake, tokenSecret }),
            ),
        );
    // Apart from the values: a hash that is not known yet must not keep the guard from seeing the rest.
    const readBy = (reader: SecretWish["readers"][number]) =>
        contents.filter(({ readers }) => readers.includes(reader)).map(({ data }) => data);
    const lakeToken = args.lakeToken === undefined ? [] : [{ token: pulumi.secret(args.lakeToken) }];
    const rollout = rolloutHash([values, ...readBy("servers"), ...lakeToken]);
    // Nothing else of that Secret need be random, and the hash is read by whoever sees the pods.
    const salt = new random.RandomPassword(`${name}-rollout-salt`, { length: 32, special: false }, child)
        .result;
    const zookeeperRollout = rolloutHash([...readBy("zookeeper"), { salt }]);
    const guard = new FlussReleaseGuard(
        `${name}-guard`,
        {
            access: args.access,
            namespace: args.namespace,
            release: releaseName,
            spec: values.apply((rendered) => specOf(args, settings, kind, version, users.clients, rendered)),
            allow: args.allow ?? [],
            values: rollout,
        },
        child,
    );
    if (args.networkPolicies) {
        const policies = flussNetworkPolicies(releaseName, kind === "bundle", args.networkPolicies);
        makeNetworkPolicies(parent, name, args.namespace, policies);
    }
    const release = new k8s.helm.v3.Release(
        `${name}-release`,
        {
            name: releaseName,
            namespace: args.namespace,
            chart:
                location ??
                (kind === "bundle"
                    ? "oci://registry.ververica.cloud/platform-charts/fluss-bundle"
                    : "oci://registry-1.docker.io/apache/fluss"),
            version,
            // A key that no chart reads: it changes nothing but makes Helm write its objects anew.
            values: pulumi
                .all([values, rollout, zookeeperRollout, guard.repairs])
                .apply(([rendered, hash, zookeeperHash, repairs]) => ({
                    ...withRollout(rendered, hash, zookeeperHash),
                    ...(repairs > 0 ? { pulumiFluss: { repairs } } : {}),
                })),
            skipAwait: args.await === false,
            timeout: awaitSeconds(args, settings),
            // Helm installs over the remains of an installation that was cut off; the guard refuses anybody else's.
            replace: true,
        },
        { parent, dependsOn: [guard, ...secrets] },
    );
    const check = new FlussTieringCheck(
        `${name}-tiering-check`,
        {
            access: args.access,
            namespace: args.namespace,
            release: releaseName,
            guard: guard.mark,
            revision: release.status.revision,
            wanted: values.apply((rendered) => tieringOptions(Object.entries(optionsOf(rendered)))),
        },
        { parent, dependsOn: [release] },
    );
    const servers = Array.from({ length: settings.coordinators ?? 1 }, (_, index) => index);
    return {
        bootstrapServers: pulumi
            .all([args.namespace, check.tiering])
            .apply(([namespace]) =>
                servers
                    .map(
                        (i) =>
                            `coordinator-server-${i}.coordinator-server-hs.${namespace}.svc.cluster.local:9124`,
                    )
                    .join(","),
            ),
        tiering: check.tiering,
        clientUsername: pulumi.output(users.clients[0]!.username),
        clientPassword: pulumi.secret(users.clients[0]!.password),
        guard,
        release,
    };
}

function specOf(
    args: FlussChartArgs,
    settings: FlussHelmExtras,
    kind: "bundle" | "apache",
    version: string,
    users: { username: string }[],
    values: Record<string, unknown>,
): object {
    const options = optionsOf(values);
    const { storageClass } = args;
    const { coordinatorStorageSize } = settings;
    return {
        chart: kind,
        version,
        tabletServers: args.tabletServers ?? 3,
        coordinators: settings.coordinators ?? 1,
        replicationFactor: Number(options["default.replication.factor"] ?? 3),
        tabletStorage: { size: args.tabletStorageSize ?? "20Gi", storageClass },
        ...(coordinatorStorageSize
            ? { coordinatorStorage: { size: coordinatorStorageSize, storageClass } }
            : {}),
        ...(kind === "bundle"
            ? { zookeeperStorage: { size: args.zookeeperStorageSize ?? "4Gi", storageClass } }
            : {}),
        users: users.map(({ username }) => username),
        options,
    };
}

/** Options of server.yaml in the values of either chart. */
function optionsOf(values: Record<string, unknown>): Record<string, string> {
    const fluss = (values["fluss"] ?? values) as { configurationOverrides: Record<string, string> };
    return fluss.configurationOverrides;
}

/** After a restart of all servers each may be as late as its health check allows, one after the other. */
function awaitSeconds(args: FlussChartArgs, { healthCheckTimeoutSeconds = 1200 }: FlussHelmExtras): number {
    return (args.tabletServers ?? 3) * healthCheckTimeoutSeconds + 600;
}
