import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { FlussEndpoint } from "../dynamic-providers/fluss/resources.ts";
import type { LakekeeperPortForwardArgs } from "../dynamic-providers/lakekeeper/resources.ts";
import { throwFaults, withNames } from "../model/faults.ts";
import { type ClusterInput, serverOptions } from "../model/fluss-config.ts";
import type { Lake } from "../model/lake.ts";
import type { Storage } from "../model/lake-storage.ts";
import { type FlussChartArgs, type InstalledFluss, installFluss } from "./fluss-cluster-chart.ts";
import { flussChartFaults } from "./fluss-cluster-faults.ts";

/** Arguments of {@link FlussCluster}: exactly one of `existing`, `chart` and `servers`. */
export interface FlussClusterArgs {
    /** A cluster that runs already. Its tiering must be configured for the lake (quickstart, "An Apache Fluss Cluster with Tiering"). */
    existing?: ExistingFluss;
    /** Installs the servers on Kubernetes by Helm. */
    chart?: FlussChartArgs;
    /**
     * Starts the servers by means of your own from the derived options, and returns where clients reach them.
     * The users' passwords are made at random.
     */
    servers?: FlussServersArgs;
}

/** Where a running cluster is and how clients log in. */
export interface ExistingFluss {
    /** Client address, `host:port`, several with commas between (`<BOOTSTRAP_ADDRESS>`). */
    bootstrapServers: pulumi.Input<string>;
    /** SASL PLAIN user of the jobs (`<CLIENT_USERNAME>`). */
    clientUsername: pulumi.Input<string>;
    /** Its password (`<CLIENT_PASSWORD>`); kept as a secret. */
    clientPassword: pulumi.Input<string>;
    /**
     * Checks that Fluss answers at the address and lets the user in; see `FlussEndpoint`. What cannot be reached from
     * here is let through with a warning. Default true.
     */
    check?: boolean;
    /** The way to a server whose address is known inside of a Kubernetes cluster only; for the check alone. */
    portForward?: LakekeeperPortForwardArgs;
    /**
     * A text that changes whenever the servers may have been started anew, such as `FlussStandalone.revision`: it becomes that of the
     * component, and so restarts the tiering job of a `StreamingLakehouse`. Default: none.
     */
    revision?: pulumi.Input<string | undefined>;
}

/** What servers that are started by other means than Helm are configured with. */
export interface FlussServersArgs {
    /** Release line: `0.9` or `1.0`. */
    version: "0.9" | "1.0";
    /** The bucket of the remote storage, with its key. */
    remote: pulumi.Input<Storage>;
    /** The lake that tables are tiered to; its secrets must carry a `value`. */
    lake: pulumi.Input<Lake>;
    /** Further server options by their real names; checked against the options of the release. */
    overrides?: Record<string, string>;
    /** SASL user of the jobs. Default `fluss`. */
    clientUsername?: string;
    /**
     * Starts the servers. `options` is server.yaml without what differs by process; it is a secret.
     * Called once, while the program runs, with outputs.
     */
    start(options: pulumi.Output<Record<string, string>>, opts: pulumi.CustomResourceOptions): StartedServers;
}

/** What {@link FlussServersArgs.start} returns. */
export interface StartedServers {
    bootstrapServers: pulumi.Output<string>;
}

/**
 * The Apache Fluss cluster of the lakehouse.
 *
 * It takes a cluster that exists, installs one by Helm, or lets `servers.start` bring one up.
 */
export class FlussCluster extends pulumi.ComponentResource {
    /** Client address, `host:port`. */
    readonly bootstrapServers: pulumi.Output<string>;
    /** SASL PLAIN user of the jobs. */
    readonly clientUsername: pulumi.Output<string>;
    /** Its password; a secret. */
    readonly clientPassword: pulumi.Output<string>;
    /**
     * Changes whenever the servers may have been replaced: a tiering job has to start anew then. The revision of the Helm release, or
     * `existing.revision`; undefined for other servers.
     */
    readonly revision: pulumi.Output<string | undefined>;
    /** What was installed by Helm; undefined otherwise. */
    readonly installed: InstalledFluss | undefined;

    constructor(name: string, args: FlussClusterArgs, opts?: pulumi.ComponentResourceOptions) {
        const { existing, chart, servers } = args;
        // Before anything is made, the component itself among it.
        if (chart) throwFaults(`FlussCluster ${name}`, flussChartFaults(chart));
        super("fluss:index:FlussCluster", name, {}, opts);
        if ([existing, chart, servers].filter((given) => given !== undefined).length !== 1) {
            throw new pulumi.ResourceError(
                `${name}: give exactly one of "existing", "chart" and "servers"`,
                this,
            );
        }
        this.installed = chart ? installFluss(this, name, chart) : undefined;
        this.revision = this.installed
            ? this.installed.release.status.revision.apply(String)
            : pulumi.output(existing?.revision);
        if (this.installed) {
            this.bootstrapServers = this.installed.bootstrapServers;
            this.clientUsername = this.installed.clientUsername;
            this.clientPassword = this.installed.clientPassword;
        } else if (existing) {
            this.bootstrapServers = pulumi.output(existing.bootstrapServers);
            this.clientUsername = pulumi.output(existing.clientUsername);
            this.clientPassword = pulumi.secret(existing.clientPassword);
            if (existing.check !== false) {
                new FlussEndpoint(
                    `${name}-endpoint`,
                    {
                        bootstrapServers: existing.bootstrapServers,
                        username: existing.clientUsername,
                        password: existing.clientPassword,
                        ...(existing.portForward ? { portForward: existing.portForward } : {}),
                    },
                    { parent: this },
                );
            }
        } else {
            const started = this.#startServers(name, servers!);
            this.bootstrapServers = started.bootstrapServers;
            this.clientUsername = pulumi.output(servers!.clientUsername ?? "fluss");
            this.clientPassword = started.clientPassword;
        }
        this.registerOutputs({ bootstrapServers: this.bootstrapServers });
    }

    #startServers(
        name: string,
        args: FlussServersArgs,
    ): StartedServers & { clientPassword: pulumi.Output<string> } {
        // Letters and digits only: JAAS, server.yaml and a shell each give other characters a meaning.
        const password = (user: string) =>
            new random.RandomPassword(
                `${name}-${user}-password`,
                { length: 32, special: false },
                { parent: this },
            ).result;
        const clientPassword = password("client");
        const options = pulumi
            .all([args.remote, args.lake, clientPassword, password("internal")])
            .apply(([remote, lake, client, internal]) =>
                withNames(`FlussCluster ${name}`, serverNames, () =>
                    serverOptions(clusterOf(args, remote, lake, client, internal), "value"),
                ),
            );
        const { bootstrapServers } = args.start(pulumi.secret(options), { parent: this });
        return { bootstrapServers, clientPassword };
    }
}

/** What the parts of the model's input are called in the arguments. */
const serverNames = {
    "cluster.overrides": "servers.overrides",
    "cluster.remote": "servers.remote",
    "cluster.lake": "servers.lake",
    "cluster.sasl.users[0].username": "servers.clientUsername",
};

function clusterOf(
    args: FlussServersArgs,
    remote: Storage,
    lake: Lake,
    client: string,
    internal: string,
): ClusterInput {
    return {
        version: args.version,
        remote,
        lake,
        sasl: {
            users: [{ username: args.clientUsername ?? "fluss", password: { value: client } }],
            internal: { username: "fluss-internal", password: { value: internal } },
        },
        overrides: args.overrides,
    };
}
