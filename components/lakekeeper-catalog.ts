import * as pulumi from "@pulumi/pulumi";
import {
    type LakekeeperDrainArgs,
    type LakekeeperPortForwardArgs,
    LakekeeperServer,
    LakekeeperWarehouse,
} from "../dynamic-providers/lakekeeper/resources.ts";
import { throwFaults } from "../model/faults.ts";
import { defineLake, type Lake } from "../model/lake.ts";
import type { Catalog } from "../model/lake-catalog.ts";
import type { SecretRef } from "../model/secret-ref.ts";
import type { AccessKeyPair } from "./lake-buckets.ts";
import {
    type InstalledLakekeeper,
    installLakekeeper,
    type LakekeeperChartArgs,
} from "./lakekeeper-catalog-chart.ts";
import { lakekeeperChartFaults } from "./lakekeeper-catalog-faults.ts";

/** Arguments of {@link LakekeeperCatalog}. */
export interface LakekeeperCatalogArgs {
    /** A Lakekeeper server that runs already. */
    existing?: ExistingLakekeeper;
    /** Installs a server on Kubernetes by Helm, instead of `existing`. */
    chart?: LakekeeperChartArgs;
    /** Name of the warehouse. Default `fluss`. */
    warehouse?: string;
    /** Where the warehouse keeps its tables. */
    storage: WarehouseStorage;
    /** Bootstraps the server when nobody has yet. Default true; false refuses a server that nobody has bootstrapped. */
    bootstrap?: boolean;
    /** Refuses to delete the warehouse, or to replace it, while this is true. Default true. */
    deletionProtection?: boolean;
    /**
     * Drops what is in the warehouse before it is deleted: the Iceberg tables stay when the tables of Fluss are dropped, and a
     * warehouse that holds any is not deleted. Default: none is dropped.
     */
    drain?: pulumi.Input<LakekeeperDrainArgs>;
    /**
     * Takes over a warehouse of that name and place. Default false; with `chart` true when the installation takes over
     * the database of an earlier one.
     */
    adopt?: boolean;
}

/** How a Lakekeeper server is reached. */
export interface ExistingLakekeeper {
    /** Base URL as Pulumi reaches it, without `/management` or `/catalog`. */
    url: string;
    /** Base URL as Fluss and the jobs reach it. Default: `url`. */
    internalUrl?: string;
    /** The client token; kept as a secret. It must not expire, since long-running jobs use it. */
    token: pulumi.Input<string>;
    /** The way to a server whose URL is known inside of a Kubernetes cluster only: through the API server, to a pod. */
    portForward?: LakekeeperPortForwardArgs;
}

/** The bucket of the lake, and the key with which Lakekeeper works on it. */
export interface WarehouseStorage {
    bucket: pulumi.Input<string>;
    region: string;
    /** Folder in the bucket. Default `fluss-lake-storage` (quickstart). */
    keyPrefix?: string;
    key: AccessKeyPair;
    /** Only for stores other than AWS: where they answer. They are reached with the bucket in the path. */
    endpoint?: string;
    /**
     * Lets Lakekeeper hand out short-lived keys for each table. Default: it hands out none (quickstart, `sts-enabled: false`).
     */
    sts?: WarehouseSts;
}

/** How Lakekeeper gets the short-lived keys that it hands out. */
export interface WarehouseSts {
    /** ARN of the role that it assumes, such as `LakeBuckets.roles.lakekeeper`. */
    roleArn: pulumi.Input<string>;
    /** The external id that the role's trust asks for. Default: none. */
    externalId?: pulumi.Input<string>;
    /**
     * How long a key lives, in seconds; no longer than the role's sessions. Default 3600. A job that runs longer has to fetch
     * new ones (apache/polaris#1569 for one that did not).
     */
    validitySeconds?: number;
    /** ARN of the KMS key that encrypts the bucket. Needed where there is one: the keys get the right to use it. */
    kmsKey?: pulumi.Input<string>;
}

/**
 * The Iceberg catalog: bootstraps Lakekeeper and makes the warehouse on the lake's bucket (quickstart, "A Lakekeeper
 * Catalog").
 */
export class LakekeeperCatalog extends pulumi.ComponentResource {
    /** URI of the Iceberg REST catalog, as Fluss and the jobs reach it. */
    readonly catalogUri: string;
    /** Name of the warehouse, once it exists. */
    readonly warehouse: pulumi.Output<string>;
    /** The client token; a secret. */
    readonly token: pulumi.Output<string>;
    /** What was installed by Helm; undefined otherwise. */
    readonly installed: InstalledLakekeeper | undefined;
    readonly nodes: { server: LakekeeperServer; warehouse: LakekeeperWarehouse };
    readonly #storage: WarehouseStorage;
    readonly #reach: { url: string; portForward?: LakekeeperPortForwardArgs };

    constructor(name: string, args: LakekeeperCatalogArgs, opts?: pulumi.ComponentResourceOptions) {
        const { existing, chart, storage } = args;
        // Before anything is made, the component itself among it.
        if (chart) throwFaults(`LakekeeperCatalog ${name}`, lakekeeperChartFaults(chart));
        super("fluss:index:LakekeeperCatalog", name, {}, opts);
        if ((existing === undefined) === (chart === undefined)) {
            throw new pulumi.ResourceError(`${name}: give exactly one of "existing" and "chart"`, this);
        }
        this.#storage = storage;
        this.installed = chart && installLakekeeper(this, name, chart);
        this.token = pulumi.secret(this.installed?.token ?? existing!.token);
        this.#reach = this.installed?.connection ?? reachOf(existing!);
        const connection = { ...this.#reach, token: this.token };
        const server = new LakekeeperServer(
            `${name}-server`,
            {
                connection,
                acceptTermsOfUse: true,
                ...(args.bootstrap === false ? { bootstrap: false } : {}),
                // With OpenFGA an admin may manage, but neither read nor write: Fluss and the jobs do both.
                ...(chart?.openFga ? { isOperator: true } : {}),
            },
            { parent: this, dependsOn: this.installed ? [this.installed.release] : [] },
        );
        const warehouse = new LakekeeperWarehouse(
            `${name}-warehouse`,
            {
                connection,
                name: args.warehouse ?? "fluss",
                storage: {
                    type: "s3",
                    bucket: storage.bucket,
                    keyPrefix: storage.keyPrefix ?? defaultPrefix,
                    region: storage.region,
                    ...(storage.endpoint
                        ? { flavor: "s3-compat", endpoint: storage.endpoint, pathStyleAccess: true }
                        : { flavor: "aws" }),
                    ...(storage.sts ? stsSettings(storage.sts) : {}),
                },
                credential: {
                    type: "s3-access-key",
                    accessKeyId: storage.key.accessKeyId,
                    secretAccessKey: storage.key.secretAccessKey,
                    ...(storage.sts?.externalId === undefined ? {} : { externalId: storage.sts.externalId }),
                },
                deletionProtection: args.deletionProtection ?? true,
                drain: args.drain,
                adopt: args.adopt ?? this.installed?.reinstalled,
            },
            { parent: this, dependsOn: [server] },
        );
        this.catalogUri = catalogUriOf(
            this.installed?.internalUrl ?? existing?.internalUrl ?? connection.url,
        );
        this.warehouse = pulumi.output(warehouse.name);
        this.nodes = { server, warehouse };
        this.registerOutputs({ catalogUri: this.catalogUri, warehouse: this.warehouse });
    }

    /**
     * The catalog as whoever runs Pulumi reaches it, with its token: what `health` of a tiering component and `LakeProgress` ask.
     * A secret.
     */
    reach(): { catalog: pulumi.Output<Catalog>; portForward?: LakekeeperPortForwardArgs } {
        const { url, portForward } = this.#reach;
        const catalog = this.lake(this.token.apply((value) => ({ value }))).apply((lake): Catalog => {
            return lake.catalog.type === "rest" ? { ...lake.catalog, uri: catalogUriOf(url) } : lake.catalog;
        });
        return { catalog, ...(portForward ? { portForward } : {}) };
    }

    /**
     * The lake for the model: what servers, jobs and SQL catalogs are configured with.
     * @param token the client token in the forms that its readers need
     */
    lake(token: pulumi.Input<SecretRef>): pulumi.Output<Lake> {
        const { region, endpoint, keyPrefix = defaultPrefix, sts } = this.#storage;
        return pulumi.all([this.warehouse, this.#storage.bucket, token]).apply(([warehouse, bucket, ref]) =>
            defineLake({
                catalog: {
                    type: "rest",
                    uri: this.catalogUri,
                    warehouse,
                    auth: { type: "token", token: ref },
                    vendedCredentials: sts !== undefined,
                },
                storage: endpoint
                    ? {
                          type: "s3Compatible",
                          endpoint,
                          stsEndpoint: endpoint,
                          bucket,
                          region,
                          prefix: keyPrefix,
                      }
                    : { type: "s3", bucket, region, prefix: keyPrefix },
            }),
        );
    }
}

function catalogUriOf(url: string): string {
    return `${url.replace(/\/+$/, "")}/catalog`;
}

function reachOf({ url, portForward }: ExistingLakekeeper): {
    url: string;
    portForward?: LakekeeperPortForwardArgs;
} {
    return { url, ...(portForward ? { portForward } : {}) };
}

function stsSettings({ roleArn, validitySeconds, kmsKey }: WarehouseSts) {
    return {
        stsEnabled: true,
        stsRoleArn: roleArn,
        ...(validitySeconds === undefined ? {} : { stsTokenValiditySeconds: validitySeconds }),
        ...(kmsKey === undefined ? {} : { awsKmsKeyArn: kmsKey }),
    };
}

const defaultPrefix = "fluss-lake-storage";
