import * as pulumi from "@pulumi/pulumi";
import { script } from "../../model/ddl.ts";
import { createStatements } from "../../model/plan.ts";
import type { TableCapabilities, TableSpec, TableSpecArgs } from "../../model/table.ts";
import { expandLike } from "../../model/table-like.ts";
import { resourceType } from "../resource-types.ts";
import { ThinResource } from "../thin-resource.ts";
import type { VvpConnectionArgs } from "../vvp/resources.ts";

/** Runs the statements on Ververica Platform's SQL service, which also keeps the catalogs. */
export interface VvpRunnerArgs {
    kind: "vvp";
    /** The platform, its workspace and namespace. */
    connection: pulumi.Input<VvpConnectionArgs>;
    /** VERA engine, `vera-4.5-jdk11-flink-1.20`. Default: the platform's default engine. */
    engineVersion?: pulumi.Input<string>;
    /** URIs of the client JARs: without them the engine's own Fluss catalog refuses lake credentials (quickstart). Default none. */
    additionalDependencies?: pulumi.Input<pulumi.Input<string>[]>;
}

/** Runs the statements on a SQL gateway of open Flink. A catalog lives in its sessions only and is made anew in each. */
export interface GatewayRunnerArgs {
    kind: "gateway";
    /** Base URL of the REST endpoint, `http://localhost:8083`. */
    url: pulumi.Input<string>;
    /** Longest run of one statement, in seconds, a day at most. Default 120. */
    deadlineSeconds?: pulumi.Input<number>;
}

/** Where SQL runs. */
export type SqlRunnerArgs = VvpRunnerArgs | GatewayRunnerArgs;

/** The catalog that a database or a table is reached through. */
export interface CatalogRefArgs {
    /** Name of the catalog. The output `name` of a {@link FlussCatalog} also says that the catalog comes first. */
    name: pulumi.Input<string>;
    /** Options of the catalog; needed with a gateway, left out with VVP. Kept as a secret. */
    options?: pulumi.Input<Record<string, pulumi.Input<string>>>;
}

/** Arguments of {@link FlussCatalog}. */
export interface FlussCatalogArgs {
    /** Where SQL runs. */
    runner: pulumi.Input<SqlRunnerArgs>;
    /** Name of the catalog. A new name is a new catalog. */
    name: pulumi.Input<string>;
    /**
     * Options under their real names: `type`, `bootstrap.servers`, `client.security.*`, lake credentials. With VVP a secret is
     * written `${secret_values.<name>}`. Other options drop the catalog and make it anew; no data is touched.
     */
    options: pulumi.Input<Record<string, pulumi.Input<string>>>;
    /** Take over a catalog with the same options that exists already. Default false. */
    adopt?: pulumi.Input<boolean>;
}

/** A Flink catalog that connects to the Fluss cluster. */
export class FlussCatalog extends ThinResource {
    /** As given. */
    declare readonly name: pulumi.Output<string>;
    /** The statement that makes it, secrets left out. */
    declare readonly plan: pulumi.Output<string>;

    constructor(name: string, args: FlussCatalogArgs, opts?: pulumi.CustomResourceOptions) {
        const secret = { ...args, options: pulumi.secret(args.options) };
        super(resourceType("flussCatalog"), name, secret, opts);
    }
}

/** Arguments of {@link FlussDatabase}. */
export interface FlussDatabaseArgs {
    /** Where SQL runs. */
    runner: pulumi.Input<SqlRunnerArgs>;
    /** The catalog that the cluster is reached through. */
    catalog: pulumi.Input<CatalogRefArgs>;
    /** Letters, digits, `_` and `-`, at most 200. Fluss cannot rename: another name is refused. */
    name: pulumi.Input<string>;
    /** Fluss cannot change it later. Default none. */
    comment?: pulumi.Input<string>;
    /** Use a database that exists already. Default false. */
    adopt?: pulumi.Input<boolean>;
    /** Refuse to drop the database. Default true. It is never dropped while it holds tables. */
    deletionProtection?: pulumi.Input<boolean>;
}

/** A Fluss database. */
export class FlussDatabase extends ThinResource {
    /** As given. */
    declare readonly name: pulumi.Output<string>;
    /** Path for SQL, quoted: `` `catalog`.`database` ``. */
    declare readonly path: pulumi.Output<string>;
    /** The statement that makes it. */
    declare readonly plan: pulumi.Output<string>;

    constructor(name: string, args: FlussDatabaseArgs, opts?: pulumi.CustomResourceOptions) {
        const inputs = { ...args, catalog: withSecretOptions(args.catalog) };
        super(resourceType("flussDatabase"), name, inputs, opts);
    }
}

/** Arguments of {@link FlussTable}. */
export interface FlussTableArgs {
    /** Where SQL runs. */
    runner: pulumi.Input<SqlRunnerArgs>;
    /** The catalog that the cluster is reached through. */
    catalog: pulumi.Input<CatalogRefArgs>;
    /**
     * The table, or what differs from another one (`like`). New nullable columns at the end and options that the server alters are changed in place; the preview shows
     * the statements. Everything else is refused in the preview; a table is never replaced.
     */
    spec: pulumi.Input<TableSpecArgs>;
    /** What the cluster can do: the server's line and its lake. */
    capabilities: pulumi.Input<TableCapabilities>;
    /**
     * Changes that lose data and are wanted all the same, by name: options, and partitions to drop:
     * `["table.log.ttl", "dt=2024-01-01"]`. Default none.
     */
    allowDataLoss?: pulumi.Input<pulumi.Input<string>[]>;
    /** Take over a table that exists already and equals the spec. Default false. */
    adopt?: pulumi.Input<boolean>;
    /** Refuse to drop the table. Default true. A table in the lake is never dropped there. */
    deletionProtection?: pulumi.Input<boolean>;
}

/** A Fluss table. */
export class FlussTable extends ThinResource {
    /** As given, with what `like` named filled in. */
    declare readonly spec: pulumi.Output<TableSpec>;
    /** Path for SQL, quoted: `` `catalog`.`database`.`table` ``. */
    declare readonly path: pulumi.Output<string>;
    /** The statements of the last change, with its number; undefined while the table is as it was made. */
    declare readonly plan: pulumi.Output<string | undefined>;
    readonly #catalog: pulumi.Input<CatalogRefArgs>;

    constructor(name: string, args: FlussTableArgs, opts?: pulumi.CustomResourceOptions) {
        const spec = withoutLike(args.spec);
        const inputs = { ...args, spec, catalog: withSecretOptions(args.catalog) };
        super(resourceType("flussTable"), name, given(inputs), opts);
        this.#catalog = args.catalog;
    }

    /** The statements that would make the table anew, its partitions included. Told from the spec, and not kept as an output. */
    get ddl(): pulumi.Output<string> {
        const catalog = pulumi.output(this.#catalog).apply(({ name }) => name);
        return pulumi
            .all([catalog, this.spec])
            .apply(([known, spec]) => script(createStatements(known, spec)));
    }
}

/** Pulumi's SDK makes four promises, each with a stack trace, of every input, also of one that is undefined. */
function given(inputs: object): object {
    return Object.fromEntries(Object.entries(inputs).filter(([, value]) => value !== undefined));
}

/** A field that takes something away from the other table by being undefined would not reach the provider. */
function withoutLike(spec: pulumi.Input<TableSpecArgs>): pulumi.Input<unknown> {
    return pulumi.Output.isInstance(spec) || spec instanceof Promise
        ? pulumi.output(spec).apply(expandLike)
        : expandLike(spec);
}

/**
 * Only the options are secret: were it the whole catalog, a preview would not know its name while an option is unknown,
 * and could not show the plan. The engine keeps as secret in the state what was one among the inputs.
 */
function withSecretOptions(catalog: pulumi.Input<CatalogRefArgs>): pulumi.Input<CatalogRefArgs> {
    if (pulumi.Output.isInstance(catalog) || catalog instanceof Promise) return pulumi.secret(catalog);
    return catalog.options === undefined ? catalog : { ...catalog, options: pulumi.secret(catalog.options) };
}
