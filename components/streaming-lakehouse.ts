import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { LakeProgress } from "../dynamic-providers/lake/resources.ts";
import { type VvpConnectionArgs, VvpFlussConsoleCluster } from "../dynamic-providers/vvp/resources.ts";
import { quickstartEngine } from "../model/engine-version.ts";
import { throwFaults } from "../model/faults.ts";
import type { Lake } from "../model/lake.ts";
import type { Storage } from "../model/lake-storage.ts";
import { type LakehouseOutputs, parseLakehouseOutputs } from "../model/lakehouse-outputs.ts";
import { defineReaders, type Readers } from "../model/readers.ts";
import type { TableSpecArgs } from "../model/table.ts";
import {
    type ExistingFluss,
    FlussCluster,
    type FlussClusterArgs,
    type FlussServersArgs,
} from "./fluss-cluster.ts";
import type { FlussChartArgs } from "./fluss-cluster-chart.ts";
import { FlussTables } from "./fluss-tables.ts";
import type { JobNamespaceArgs } from "./job-namespace.ts";
import { LakeBuckets, type LakeBucketsArgs } from "./lake-buckets.ts";
import { chartOfRelease, lakehouseFaults } from "./lakehouse-faults.ts";
import {
    type ExistingLakekeeper,
    LakekeeperCatalog,
    type LakekeeperCatalogArgs,
    type WarehouseSts,
} from "./lakekeeper-catalog.ts";
import type { LakekeeperChartArgs } from "./lakekeeper-catalog-chart.ts";
import { TieringDeployment } from "./tiering-deployment.ts";
import { type TieringHealth, tieringHealth } from "./tiering-health.ts";
import {
    type ClientJarsArgs,
    type SessionClusterArgs,
    VvpWorkspaceSetup,
    type VvpWorkspaceSetupArgs,
} from "./vvp-workspace-setup.ts";

/** Arguments of {@link StreamingLakehouse}. */
export interface StreamingLakehouseArgs {
    /** The two buckets and the key. */
    buckets: LakeBucketsArgs;
    /**
     * The Lakekeeper server, one that exists or one to install by Helm; the name of the warehouse (default `fluss`); and `drain`,
     * see {@link LakekeeperCatalog}.
     */
    lakekeeper: (ExistingLakekeeper | { chart: LakekeeperChartArgs }) &
        Pick<LakekeeperCatalogArgs, "warehouse" | "drain">;
    /**
     * The Fluss cluster: one that exists, one to install by Helm, or servers that are started from the lakehouse's own
     * outputs.
     */
    fluss: { existing: ExistingFluss } | { chart: LakehouseFlussChart } | { servers: LakehouseServers };
    /** Release of cluster and client JARs: `1.0.0-vv-3`, `0.9.1-incubating`. Also the default of the chart's version. */
    flussVersion: string;
    /** The platform on which the jobs run. */
    vvp: {
        connection: VvpConnectionArgs;
        jobNamespace: string;
        kubernetes?: JobNamespaceArgs;
        deploymentTarget?: string;
        sessionCluster?: false | SessionClusterArgs;
        engineVersion?: string;
        /** Restarts the jobs that use the client's password or the token of Lakekeeper when it changes. Default `NEVER`. */
        restartJobs?: VvpWorkspaceSetupArgs["restartJobs"];
        /**
         * Registers the cluster in the Fluss Console under this name (quickstart: `fluss-quickstart`). Experimental, and it
         * fails nothing: `console` of the component says how it went. Default: it is not registered.
         */
        consoleName?: string;
    };
    /** The client JARs: a folder, also one with a `client-jars.json` of `pulumi-fluss jars`, or the files. */
    jars: ClientJarsArgs["from"];
    /** Name of the Fluss catalog on the platform. Default `fluss_quickstart`. */
    catalog?: string;
    /** The tables; their databases are made too. */
    tables: readonly TableSpecArgs[];
    /** Destructive changes of tables that are wanted, as for {@link FlussTables}. */
    allowDataLoss?: Record<string, string[]>;
    /** Further arguments of the tiering job. */
    tieringArguments?: Record<string, string>;
    /**
     * Waits after each start of the tiering job until rows of this table of `tables` reach the lake, and fails when none do: for a
     * table into which rows are written all the time. See {@link TieringHealth}. Default: not looked for.
     */
    tieringHealth?: Pick<TieringHealth, "withinSeconds"> & {
        /** `database.table` */
        table: string;
    };
    /** An S3-compatible store instead of AWS: where it answers. Its STS must answer there too. */
    s3Endpoint?: string;
    /** Whether what holds data may not be deleted or replaced: buckets, warehouse, tables. Default true. */
    deletionProtection?: boolean;
    /** Takes over what exists already and is as wanted. Default false. */
    adopt?: boolean;
}

const defaultCatalog = "fluss_quickstart";

/** How Fluss is installed by Helm; bucket, lake and the lake's token are the lakehouse's own. */
export type LakehouseFlussChart = Omit<
    FlussChartArgs,
    "remote" | "lake" | "lakeTokenSecret" | "lakeToken" | "lakeCredentials" | "coreSite"
>;

/** Fluss servers that start during `pulumi up`, see {@link FlussServersArgs}. */
export interface LakehouseServers extends Pick<FlussServersArgs, "start" | "overrides" | "clientUsername"> {
    /** Runs once the warehouse exists and before the servers start: what stands behind the catalog. */
    beforeStart?(
        lake: { buckets: LakeBuckets; catalog: LakekeeperCatalog },
        opts: pulumi.CustomResourceOptions,
    ): pulumi.Resource[];
}

/** The names under which jobs find the two secrets (quickstart, "Creating the Secret Values"). */
export const secretNames = { password: "fluss-password", token: "fluss-iceberg-token" } as const;

/**
 * The whole quickstart as one component: buckets and key, catalog, cluster, workspace, tiering job and tables, each
 * configured from the outputs of the others.
 */
export class StreamingLakehouse extends pulumi.ComponentResource {
    readonly buckets: LakeBuckets;
    readonly catalog: LakekeeperCatalog;
    readonly cluster: FlussCluster;
    readonly workspace: VvpWorkspaceSetup;
    readonly tiering: TieringDeployment;
    readonly tables: FlussTables;
    /** That rows reach the lake; undefined without `tieringHealth`. */
    readonly progress: LakeProgress | undefined;
    /**
     * How Flink, Spark, Trino, StarRocks, PyIceberg and the Fluss clients read it: typed and as text to paste. A secret.
     * An engine outside the cluster's network needs addresses that it can reach: see `defineReaders` of the model.
     */
    readonly readers: pulumi.Output<Readers>;
    /** The registration in the Fluss Console; undefined without `vvp.consoleName`. */
    readonly console: VvpFlussConsoleCluster | undefined;
    /** What other stacks build on, without a secret: export it, and read it there with `outputsOf`. */
    readonly outputs: pulumi.Output<LakehouseOutputs>;

    constructor(name: string, args: StreamingLakehouseArgs, opts?: pulumi.ComponentResourceOptions) {
        // Before anything is made, the component itself among it.
        throwFaults(`StreamingLakehouse ${name}`, lakehouseFaults(args));
        super("fluss:index:StreamingLakehouse", name, {}, opts);
        const { deletionProtection = true, adopt, s3Endpoint } = args;
        const version = args.flussVersion.startsWith("0.") ? ("0.9" as const) : ("1.0" as const);
        const child = { parent: this };

        this.buckets = new LakeBuckets(`${name}-buckets`, { deletionProtection, ...args.buckets }, child);
        this.catalog = new LakekeeperCatalog(
            `${name}-catalog`,
            {
                ...("chart" in args.lakekeeper
                    ? { chart: args.lakekeeper.chart }
                    : { existing: args.lakekeeper }),
                warehouse: args.lakekeeper.warehouse,
                drain: args.lakekeeper.drain,
                storage: {
                    bucket: this.buckets.lakeBucket,
                    region: this.buckets.region,
                    key: this.buckets.key,
                    endpoint: s3Endpoint,
                    sts: stsOf(this.buckets, args.buckets),
                },
                deletionProtection,
                adopt,
            },
            child,
        );
        this.cluster = new FlussCluster(`${name}-cluster`, this.#cluster(name, args, version), child);
        const client = pulumi
            .all([this.cluster.bootstrapServers, this.cluster.clientUsername])
            .apply(([bootstrapServers, username]) => ({
                bootstrapServers,
                sasl: { username, password: { secretValue: secretNames.password } },
            }));
        const lake = this.catalog.lake({ secretValue: secretNames.token });
        this.console = this.#console(name, args.vvp);

        this.workspace = new VvpWorkspaceSetup(
            `${name}-workspace`,
            {
                ...args.vvp,
                secretValues: {
                    [secretNames.password]: this.cluster.clientPassword,
                    [secretNames.token]: this.catalog.token,
                },
                jars: {
                    from: args.jars,
                    setup: {
                        release: args.flussVersion,
                        catalog: "rest",
                        storage: s3Endpoint ? "s3Compatible" : "s3",
                    },
                },
                adopt,
            },
            // For the check of the job namespace, which looks whether jobs reach both.
            { ...child, dependsOn: [this.cluster, this.catalog] },
        );
        // A job that names a secret value which is not there yet fails.
        const afterSecrets = { parent: this, dependsOn: this.workspace.secretValues };
        const job = {
            connection: args.vvp.connection,
            deploymentTarget: this.workspace.deploymentTarget,
            engineVersion: args.vvp.engineVersion,
            additionalDependencies: this.workspace.clientJarUris,
            adopt,
        };
        this.tiering = new TieringDeployment(
            `${name}-tiering`,
            {
                ...job,
                jarUri: this.workspace.tieringJarUri,
                lake,
                client,
                version,
                extraArguments: args.tieringArguments,
                clusterRevision: this.cluster.revision,
            },
            afterSecrets,
        );
        this.tables = new FlussTables(
            `${name}-tables`,
            {
                runner: {
                    kind: "vvp",
                    connection: args.vvp.connection,
                    engineVersion: args.vvp.engineVersion ?? quickstartEngine,
                    additionalDependencies: this.workspace.clientJarUris,
                },
                catalog: args.catalog ?? defaultCatalog,
                client,
                lake,
                version,
                tables: args.tables,
                allowDataLoss: args.allowDataLoss,
                deletionProtection,
                adopt,
            },
            afterSecrets,
        );
        this.progress = this.#progress(name, args.tieringHealth, lake);
        this.readers = this.#readers(args);
        const { url, workspace, namespace, caCertificate } = args.vvp.connection;
        this.outputs = pulumi
            .output({
                contract: 1,
                flussVersion: args.flussVersion,
                server: version,
                vvp: {
                    connection: { url, workspace, namespace, caCertificate },
                    deploymentTarget: this.workspace.deploymentTarget,
                    engineVersion: args.vvp.engineVersion ?? quickstartEngine,
                    clientJarUris: this.workspace.clientJarUris,
                },
                catalog: this.tables.catalog,
                client,
                tieredBy: this.tiering.deployment.name,
                lake,
                buckets: { remote: this.buckets.remoteBucket, lake: this.buckets.lakeBucket },
            })
            .apply((outputs) => parseLakehouseOutputs(outputs, `${name}.outputs`));
        this.registerOutputs({});
    }

    #console(name: string, { connection, consoleName }: StreamingLakehouseArgs["vvp"]) {
        if (consoleName === undefined) return undefined;
        const { bootstrapServers, clientUsername, clientPassword } = this.cluster;
        return new VvpFlussConsoleCluster(
            `${name}-console`,
            {
                connection,
                name: consoleName,
                bootstrapServers,
                username: clientUsername,
                password: clientPassword,
            },
            { parent: this },
        );
    }

    #progress(
        name: string,
        health: StreamingLakehouseArgs["tieringHealth"],
        lake: pulumi.Output<Lake>,
    ): LakeProgress | undefined {
        if (health === undefined) return undefined;
        const table = this.tables.tables[health.table];
        if (!table) {
            const names = Object.keys(this.tables.tables).join(", ");
            throw new pulumi.ResourceError(
                `${name}: tieringHealth.table = "${health.table}": is none of the tables (${names}). Give one of them that has table.datalake.enabled`,
                this,
            );
        }
        return tieringHealth(
            this.tiering,
            `${name}-tiering`,
            // The table is there before it is looked for.
            { ...health, ...this.catalog.reach(), table: table.id.apply(() => health.table) },
            lake,
            this.tiering.deployment.jobId,
        );
    }

    #readers(args: StreamingLakehouseArgs): pulumi.Output<Readers> {
        const { bootstrapServers, clientUsername, clientPassword } = this.cluster;
        const lake = this.catalog.lake(this.catalog.token.apply((value) => ({ value })));
        return pulumi.secret(
            pulumi
                .all([bootstrapServers, clientUsername, clientPassword, lake])
                .apply(([servers, username, password, lake]) =>
                    defineReaders({
                        catalog: args.catalog ?? defaultCatalog,
                        client: {
                            bootstrapServers: servers,
                            sasl: { username, password: { value: password } },
                        },
                        lake,
                    }),
                ),
        );
    }

    #cluster(name: string, args: StreamingLakehouseArgs, version: "0.9" | "1.0"): FlussClusterArgs {
        const { fluss } = args;
        if ("existing" in fluss) return { existing: fluss.existing };
        const { accessKeyId, secretAccessKey } = this.buckets.key;
        const place = pulumi
            .output(this.buckets.remoteBucket)
            .apply((bucket) => this.#remoteStorage(bucket, args.s3Endpoint));
        if ("chart" in fluss) {
            return {
                chart: {
                    ...chartOfRelease(args.flussVersion, fluss.chart),
                    remote: { storage: place, accessKeyId, secretAccessKey },
                    lake: this.catalog.lake({ env: "FLUSS_DATALAKE_ICEBERG_TOKEN" }),
                    lakeTokenSecret: this.#tokenSecret(name, args, fluss.chart),
                    lakeToken: this.catalog.token,
                },
            };
        }
        const { servers } = fluss;
        const before =
            servers.beforeStart?.({ buckets: this.buckets, catalog: this.catalog }, { parent: this }) ?? [];
        const remote = pulumi
            .all([place, accessKeyId, secretAccessKey])
            .apply(([storage, id, secret]) => withKey(storage, id, secret));
        return {
            servers: {
                ...servers,
                version,
                remote,
                lake: this.catalog.lake(this.catalog.token.apply((value) => ({ value }))),
                start: (options: pulumi.Output<Record<string, string>>, own: pulumi.CustomResourceOptions) =>
                    servers.start(options, { ...own, dependsOn: before }),
            },
        };
    }

    #remoteStorage(bucket: string, endpoint: string | undefined): Storage {
        const place = { bucket, region: this.buckets.region, prefix: "fluss-remote-storage" };
        return endpoint
            ? { type: "s3Compatible", endpoint, stsEndpoint: endpoint, pathStyle: true, ...place }
            : { type: "s3", ...place };
    }

    /** The Secret with the lake's token in the namespace of the servers: the catalog's own, or a copy. */
    #tokenSecret(
        name: string,
        { lakekeeper }: StreamingLakehouseArgs,
        { namespace }: LakehouseFlussChart,
    ): pulumi.Output<string> {
        const { installed, token } = this.catalog;
        if (installed && "chart" in lakekeeper && lakekeeper.chart.namespace === namespace)
            return installed.tokenSecret.metadata.name;
        const secret = new k8s.core.v1.Secret(
            `${name}-lake-token`,
            {
                metadata: { name: "fluss-lake-client-token", namespace },
                stringData: pulumi.secret({ token }),
            },
            { parent: this },
        );
        return secret.metadata.name;
    }
}

/** Where there is a role for it, Lakekeeper hands out its keys. */
function stsOf({ roles }: LakeBuckets, { roles: wanted, kmsKey }: LakeBucketsArgs): WarehouseSts | undefined {
    if (!roles.lakekeeper) return undefined;
    return { roleArn: roles.lakekeeper, externalId: wanted?.lakekeeper?.externalId, kmsKey };
}

function withKey(storage: Storage, id: string, secret: string): Storage {
    if (storage.type === "adls") return storage;
    return { ...storage, accessKey: { id: { value: id }, secret: { value: secret } } };
}
