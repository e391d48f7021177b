import { type Fault, faultsIn, joinPath, throwFaults } from "./faults.ts";
import { type ClusterInput, serverOptions } from "./fluss-config.ts";
import {
    extraOptions,
    type FlussHelmExtras,
    podValues,
    probeValues,
    rootValues,
} from "./fluss-helm-extras.ts";
import { flussChartFaults } from "./fluss-helm-faults.ts";
import { filledConfig, isOldRelease } from "./fluss-helm-old.ts";
import { filesFaults, type Lake } from "./lake.ts";

/** Where the chart finds a secret: a Kubernetes Secret of its namespace and a key in it. */
export interface SecretKey {
    secretName: string;
    key: string;
}

/** Arguments of {@link flussHelmValues}. */
export interface FlussHelmArgs {
    /** Tag of the Fluss image, which is also the chart's version: `1.0.0-vv-3`, `0.9.1-incubating`. */
    release: string;
    /** Image without tag. Default: that of the vendor's registry, as in the quickstart. */
    imageRepository?: string;
    /** Secrets of type dockerconfigjson, by name. Default `["registry-credentials"]`. */
    pullSecrets?: string[];
    /** The cluster, its secrets by `env`. `sasl` stays away: the chart makes its own from `saslSecret`. */
    cluster: Omit<ClusterInput, "version" | "sasl">;
    /** For each environment variable that the cluster's secrets name, the Secret that fills it. */
    secrets: Record<string, SecretKey>;
    /**
     * Secret with `client-<i>-username`, `client-<i>-password` for each client user, `internal-username` and
     * `internal-password`. Default `fluss-sasl-credentials`.
     */
    saslSecret?: string;
    /**
     * Secret with `core-site.xml`, which both kinds of servers find by `HADOOP_CONF_DIR`: where Hadoop touches the lake's files.
     * Default: none.
     */
    coreSiteSecret?: string;
    /** How many client users the Secret holds. They are positional: only ever append. Default 1. */
    clientUsers?: number;
    /** Storage class of all volumes. */
    storageClass: string;
    tablet?: {
        /** Number of tablet servers. Default: the chart's, 3. */
        replicas?: number;
        /** Volume of each tablet server. Default `20Gi`. */
        storageSize?: string;
    };
    /** Further settings; see {@link FlussHelmExtras}. */
    extras?: FlussHelmExtras;
    /** Name of the Helm release, for what selects its pods. Default `fluss`. */
    releaseName?: string;
    zookeeper: {
        /**
         * Where a ZooKeeper of your own answers, `host:port`. With it the values are those of Apache's chart `fluss`,
         * which has none; without it those of `fluss-bundle`.
         */
        address?: string;
        /** SASL user of ZooKeeper, as the Secret below holds it. */
        username: string;
        /** Secret with `username`, `client-password`, `server-password`. Default `zookeeper-sasl-credentials`. */
        secret?: string;
        /** Volume of data and of transaction logs. Default `4Gi` each. */
        storageSize?: string;
        /**
         * Leaves the NetworkPolicy out that the bundle's ZooKeeper chart brings along. Policies add up, and that one lets
         * everybody in (Bitnami's `networkPolicy.allowExternal`, by default). Default false, as in the quickstart.
         */
        withoutPolicy?: boolean;
    };
    /**
     * A text that changes when a Secret changes. The chart does not restart pods for a changed Secret or ConfigMap;
     * as a pod annotation this does. Default: no annotation, as in the quickstart.
     */
    rolloutHash?: string;
}

/**
 * Values of the chart `fluss-bundle` for the quickstart's installation: SASL for clients, servers and ZooKeeper, plugins
 * put in place by an init container, and the server options derived from remote storage and lake.
 *
 * It differs from the quickstart's values.yaml in one thing: the readiness probe takes user and password from the
 * container's environment, filled from the Secret, where the quickstart writes the password in clear into the values
 * (and so into the StatefulSet and Helm's release). The probe's shell expands the two variables.
 *
 * Throws a `FaultsError` with every fault, also those of {@link serverOptions}.
 */
export function flussHelmValues(args: FlussHelmArgs): Record<string, unknown> {
    const { extras = {} } = args;
    const overrides = { ...args.cluster.overrides, ...extraOptions(extras) };
    const old = isOldRelease(args.release);
    let options: Record<string, string> = {};
    const faults = faultsIn(() => {
        options = old
            ? serverOptions({ ...args.cluster, overrides, version: "0.9" }, "shell")
            : serverOptions({ ...args.cluster, overrides, version: "1.0" }, "env");
    });
    throwFaults("the values of the Fluss chart", [
        ...faults,
        // Which secrets are needed, the options tell.
        ...(faults.length === 0 ? secretFaults(options, args.secrets) : []),
        ...filesFaults(args.cluster.lake, "cluster.lake"),
        ...flussChartFaults({ ...args, extras, overrides: args.cluster.overrides }),
    ]);
    if (args.zookeeper.address) options["zookeeper.address"] = args.zookeeper.address;
    const pullSecrets = args.pullSecrets ?? ["registry-credentials"];
    const releaseName = args.releaseName ?? "fluss";
    const { coordinators, coordinatorStorageSize: coordinatorSize } = extras;
    const storage = (size: string) => ({ enabled: true, size, storageClass: args.storageClass });
    const fluss = {
        image: {
            ...(args.imageRepository === undefined
                ? {}
                : { repository: args.imageRepository, tag: args.release }),
            pullSecrets,
        },
        configurationOverrides: options,
        ...(old ? {} : { secrets: { env: environment(options, args.secrets) } }),
        tablet: {
            ...(args.tablet?.replicas === undefined ? {} : { numberOfReplicas: args.tablet.replicas }),
            storage: storage(args.tablet?.storageSize ?? "20Gi"),
            ...pod(args, options),
            ...podValues(extras, "tablet", releaseName),
            ...(old ? {} : { readinessProbe: { ...probeValues(extras), healthCheckAuth: probeAuth } }),
            ...extraEnvironment([...(old ? [] : probeEnvironment(args)), ...hadoopEnvironment(args)]),
        },
        coordinator: {
            ...(coordinators === undefined ? {} : { numberOfReplicas: coordinators }),
            ...(coordinatorSize === undefined ? {} : { storage: storage(coordinatorSize) }),
            ...pod(args, options),
            ...podValues(extras, "coordinator", releaseName),
            ...extraEnvironment(hadoopEnvironment(args)),
        },
        security: security(args),
        ...rootValues(extras),
    };
    if (args.zookeeper.address) return fluss;
    return { fluss, zookeeper: zookeeper(args, pullSecrets) };
}

/**
 * The values with the annotation that restarts the servers when it changes; see {@link FlussHelmArgs.rolloutHash}.
 * @param zookeeperHash the same for the bundle's ZooKeeper, which need not be restarted for what it does not read
 */
export function withRollout(
    values: Record<string, unknown>,
    hash: string,
    zookeeperHash: string,
): Record<string, unknown> {
    type Servers = Record<"tablet" | "coordinator", Record<string, unknown>>;
    const annotate = (fluss: Servers) => ({
        ...fluss,
        tablet: { ...fluss.tablet, ...annotation(hash) },
        coordinator: { ...fluss.coordinator, ...annotation(hash) },
    });
    if (!values["fluss"]) return annotate(values as Servers);
    const zookeeper = { ...(values["zookeeper"] as object), ...annotation(zookeeperHash) };
    return { ...values, fluss: annotate(values["fluss"] as Servers), zookeeper };
}

function annotation(hash: string): Record<string, unknown> {
    return { podAnnotations: { "pulumi-fluss/rollout": hash } };
}

const probeAuth = [
    "client.security.protocol:sasl",
    "client.security.sasl.mechanism:PLAIN",
    "client.security.sasl.username:${FLUSS_PROBE_USERNAME}",
    "client.security.sasl.password:${FLUSS_PROBE_PASSWORD}",
].join(";");

/** User and password of the readiness probe. */
function probeEnvironment(args: FlussHelmArgs): unknown[] {
    const from = (name: string, key: string) => ({
        name,
        valueFrom: { secretKeyRef: { name: saslSecret(args), key } },
    });
    return [
        from("FLUSS_PROBE_USERNAME", "client-0-username"),
        from("FLUSS_PROBE_PASSWORD", "client-0-password"),
    ];
}

/** Fluss reads Hadoop's files from there (observed on 0.9.1). */
function hadoopEnvironment({ coreSiteSecret }: FlussHelmArgs): unknown[] {
    return coreSiteSecret === undefined ? [] : [{ name: "HADOOP_CONF_DIR", value: coreSiteFolder }];
}

function extraEnvironment(extraEnv: unknown[]): Record<string, unknown> {
    return extraEnv.length > 0 ? { extraEnv } : {};
}

const coreSiteFolder = "/opt/hadoop-conf";

function coreSiteFile(secretName: string) {
    const volume = "core-site";
    return {
        volumes: [{ name: volume, secret: { secretName } }],
        mounts: [{ name: volume, mountPath: coreSiteFolder, readOnly: true }],
        initContainers: [],
    };
}

/** What tablet servers and coordinator have in common: plugins, configuration, and the annotation that restarts them. */
function pod(args: FlussHelmArgs, options: Record<string, string>): Record<string, unknown> {
    const { release, imageRepository, rolloutHash, extras, coreSiteSecret } = args;
    const image = `${imageRepository ?? "registry.ververica.cloud/platform-images/fluss"}:${release}`;
    const parts = [
        ...(extras?.plugins === "image" ? [] : [installedPlugins(args.cluster, image)]),
        ...(isOldRelease(release) ? [filledConfig(image, environmentNames(options), args.secrets)] : []),
        ...(coreSiteSecret === undefined ? [] : [coreSiteFile(coreSiteSecret)]),
    ];
    const annotations = rolloutHash === undefined ? {} : annotation(rolloutHash);
    if (parts.length === 0) return annotations;
    return {
        ...annotations,
        extraVolumes: parts.flatMap(({ volumes }): unknown[] => volumes),
        extraVolumeMounts: parts.flatMap(({ mounts }): unknown[] => mounts),
        initContainers: parts.flatMap(({ initContainers }): unknown[] => initContainers),
    };
}

/** Plugins put in place by an init container. */
function installedPlugins(cluster: FlussHelmArgs["cluster"], image: string) {
    const volume = "fluss-plugins";
    const plugins = [storagePlugin(cluster.remote), ...(cluster.lake ? ["iceberg"] : [])];
    return {
        volumes: [{ name: volume, emptyDir: {} }],
        mounts: plugins.map((plugin) => ({
            name: volume,
            mountPath: `/opt/fluss/plugins/${plugin}`,
            subPath: plugin,
        })),
        initContainers: [
            {
                name: "install-plugins",
                image,
                command: ["/bin/sh", "-c", installScript(cluster)],
                volumeMounts: [{ name: volume, mountPath: "/opt/fluss/plugins" }],
            },
        ],
    };
}

/** The installer fetches from the internet at every start of a pod. */
function installScript({ remote, lake }: FlussHelmArgs["cluster"]): string {
    const install = "/opt/fluss/bin/setup/install.sh fluss";
    const commands = [`${install} fs-${storagePlugin(remote)} --force`];
    if (lake) commands.push(`${install} lake-iceberg ${lakeSetupOptions(lake)} --force`);
    return `${["set -e", ...commands].join("\n\n")}\n`;
}

/** What the installer's setup `lake-iceberg` is told: `--fs s3 --catalog rest`. A Hadoop catalog needs no driver. */
export function lakeSetupOptions({ catalog, storage }: LakeKind): string {
    const fs = `--fs ${storage.type === "adls" ? "abs" : "s3"}`;
    if (catalog.type === "hadoop") return fs;
    return `${fs} --catalog ${catalog.type === "jdbc" ? "jdbc-postgres" : "rest"}`;
}

/** A lake as far as it decides what is installed. */
export interface LakeKind {
    catalog: { type: Lake["catalog"]["type"] };
    storage: { type: Lake["storage"]["type"] };
}

/** Also the plugin's folder; for Azure it is that of the open distribution. */
function storagePlugin(remote: ClusterInput["remote"]): "s3" | "azure" {
    return remote.type === "adls" ? "azure" : "s3";
}

function security(args: FlussHelmArgs): Record<string, unknown> {
    const fluss = (usernameKey: string, passwordKey: string) => ({
        existingSecret: { name: saslSecret(args), usernameKey, passwordKey },
    });
    const users = Array.from({ length: args.clientUsers ?? 1 }, (_, index) =>
        fluss(`client-${index}-username`, `client-${index}-password`),
    );
    const zookeeperSecret = {
        name: args.zookeeper.secret ?? "zookeeper-sasl-credentials",
        usernameKey: "username",
        passwordKey: "client-password",
    };
    const sasl = (plain: Record<string, unknown>) => ({ sasl: { mechanism: "plain", plain } });
    return {
        client: sasl({ users }),
        internal: sasl(fluss("internal-username", "internal-password")),
        zookeeper: sasl({ existingSecret: zookeeperSecret }),
    };
}

function zookeeper(
    { storageClass, zookeeper }: FlussHelmArgs,
    pullSecrets: string[],
): Record<string, unknown> {
    const size = zookeeper.storageSize ?? "4Gi";
    const jvmFlags = [
        "-Dzookeeper.extendedTypesEnabled=true",
        "-Dzookeeper.enforce.auth.enabled=true",
        "-Dzookeeper.enforce.auth.schemes=sasl",
        "-Djute.maxbuffer=104857600",
    ].join(" ");
    return {
        image: { pullSecrets },
        persistence: {
            enabled: true,
            storageClass,
            accessModes: ["ReadWriteOnce"],
            size,
            dataLogDir: { size },
        },
        extraEnvVars: [{ name: "JVMFLAGS", value: jvmFlags }],
        auth: {
            client: {
                enabled: true,
                clientUser: zookeeper.username,
                serverUsers: zookeeper.username,
                existingSecret: zookeeper.secret ?? "zookeeper-sasl-credentials",
            },
        },
        ...(zookeeper.withoutPolicy ? { networkPolicy: { enabled: false } } : {}),
    };
}

function environment(options: Record<string, string>, secrets: Record<string, SecretKey>): unknown[] {
    return environmentNames(options).map((name) => ({ name, ...secrets[name] }));
}

/** The variables that the options' markers name, each once, in order. */
function environmentNames(options: Record<string, string>): string[] {
    const names = Object.values(options).flatMap((value) => /^\$\{(?:env:)?(\w+)\}$/.exec(value)?.[1] ?? []);
    return [...new Set(names)];
}

function secretFaults(options: Record<string, string>, secrets: Record<string, SecretKey>): Fault[] {
    const names = environmentNames(options);
    const missing = names.filter((name) => !secrets[name]);
    const unused = Object.keys(secrets).filter((name) => !names.includes(name));
    return [
        ...missing.map((name) => ({
            path: joinPath("secrets", [name]),
            reason: "is missing: an option of the servers is read from this variable",
            fix: "Name the Kubernetes Secret and the key in it",
        })),
        ...unused.map((name) => ({
            path: joinPath("secrets", [name]),
            reason: "no option of the servers is read from this variable",
            fix: "Remove it, or use the name in the cluster",
        })),
    ];
}

function saslSecret(args: FlussHelmArgs): string {
    return args.saslSecret ?? "fluss-sasl-credentials";
}
