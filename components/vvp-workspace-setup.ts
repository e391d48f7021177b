import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { type JarFolder, jarsOf } from "../dynamic-providers/client-jars/jar-list.ts";
import {
    VvpArtifact,
    type VvpConnectionArgs,
    VvpDeploymentTarget,
    VvpSecretValue,
    VvpSessionCluster,
} from "../dynamic-providers/vvp/resources.ts";
import { quickstartEngine } from "../model/engine-version.ts";
import { type JarSetup, selectJars } from "../model/jars.ts";
import { type JobNamespaceArgs, type PreparedJobNamespace, prepareJobNamespace } from "./job-namespace.ts";

/** Arguments of {@link VvpWorkspaceSetup}. */
export interface VvpWorkspaceSetupArgs {
    /** The platform, its workspace and namespace. The API token comes from `VV_API_TOKEN` or `pulumi-fluss:vvpToken`. */
    connection: VvpConnectionArgs;
    /** Kubernetes namespace in which the jobs run (`<JOB_NAMESPACE>`). */
    jobNamespace: pulumi.Input<string>;
    /**
     * What the platform needs in Kubernetes around it: the namespace, its rights, NetworkPolicies, and a check of all that.
     * Default: Kubernetes is not touched, and the platform itself says what it misses.
     */
    kubernetes?: JobNamespaceArgs;
    /** Name of the deployment target. Default `fluss-quickstart-target`. */
    deploymentTarget?: string;
    /** Session cluster for queries in the editor; `false` makes none. Default: as in the quickstart. */
    sessionCluster?: false | SessionClusterArgs;
    /** VERA engine of the session cluster. Default `vera-4.5-jdk11-flink-1.20`. */
    engineVersion?: string;
    /** Secret values by name, for `${secret_values.<name>}` in SQL and arguments. Kept as secrets. */
    secretValues?: Record<string, pulumi.Input<string>>;
    /**
     * Restarts the running jobs that name a secret value when it changes: with a savepoint and from the latest state, or
     * afresh. Default `NEVER`: they go on with the old value until they are started anew.
     */
    restartJobs?: "NEVER" | "WITH_STATE" | "WITHOUT_STATE";
    /** The client JARs. */
    jars: ClientJarsArgs;
    /** Takes over what exists already and is as wanted. Default false. */
    adopt?: boolean;
}

/** Settings of the session cluster. */
export interface SessionClusterArgs {
    /** Default `fluss-quickstart-session`. */
    name?: string;
    /**
     * Flink options. Default: `taskmanager.memory.jvm-metaspace.size` 512m, since each lake query loads the Iceberg JARs
     * anew, and `taskmanager.numberOfTaskSlots` 16, since a lake read runs one task for each split (quickstart).
     */
    flinkConfiguration?: Record<string, string>;
    /** Keeps it running although the platform stops it after 30 idle minutes. Default false. */
    keepRunning?: boolean;
}

/** Where the JARs are, and for which setup they must be complete. */
export interface ClientJarsArgs {
    /**
     * Folder with the JARs as the image's installer leaves them, subfolders included, or as `pulumi-fluss jars` makes it; or
     * the files themselves. Of a folder with a `client-jars.json` that list counts: JARs that it names need not be there
     * until they are uploaded.
     */
    from: string | readonly string[];
    /** What the set is checked against: a missing or wrong JAR is an error that names it. */
    setup: JarSetup;
}

/**
 * A VVP 3 namespace, ready for Fluss jobs: the deployment target, the session cluster, the secret values and the client
 * JARs of the quickstart, "Preparation" and "Creating the Secret Values".
 */
export class VvpWorkspaceSetup extends pulumi.ComponentResource {
    /** Name of the deployment target. */
    readonly deploymentTarget: pulumi.Output<string>;
    /** Name of the session cluster, when there is one. */
    readonly sessionCluster: pulumi.Output<string> | undefined;
    /** URI of the tiering service's JAR. */
    readonly tieringJarUri: pulumi.Output<string>;
    /** URIs of the client JARs, in class path order: the additional dependencies of each job. */
    readonly clientJarUris: pulumi.Output<string[]>;
    /** What jobs must wait for beside the URIs: the secret values. */
    readonly secretValues: VvpSecretValue[];
    /** What keeps jobs from running in the job namespace, as the check of `kubernetes` found it; undefined without it. */
    readonly jobNamespaceFindings: pulumi.Output<string[]> | undefined;

    constructor(name: string, args: VvpWorkspaceSetupArgs, opts?: pulumi.ComponentResourceOptions) {
        super("fluss:index:VvpWorkspaceSetup", name, {}, opts);
        const { connection, adopt } = args;
        const around = this.#kubernetes(name, args, opts?.dependsOn);
        this.jobNamespaceFindings = around?.check?.findings;
        const target = new VvpDeploymentTarget(
            `${name}-target`,
            {
                connection,
                name: args.deploymentTarget ?? "fluss-quickstart-target",
                kubernetesNamespace: around?.name ?? args.jobNamespace,
                adopt,
            },
            { parent: this, dependsOn: around?.resources ?? [] },
        );
        this.deploymentTarget = pulumi.output(target.name);
        this.sessionCluster = this.#sessionCluster(name, args)?.name;
        this.secretValues = Object.entries(args.secretValues ?? {}).map(
            ([secret, value]) =>
                new VvpSecretValue(
                    `${name}-secret-${secret}`,
                    {
                        connection,
                        name: secret,
                        value: pulumi.secret(value),
                        restartJobs: args.restartJobs,
                        adopt,
                    },
                    { parent: this },
                ),
        );
        const { files, list: jarList } = clientJarsOf(args.jars.from);
        const { tieringJar, clientJars } = selectJars(files, args.jars.setup);
        const uriOf = (source: string): pulumi.Output<string> => {
            const fileName = path.basename(source);
            return new VvpArtifact(
                `${name}-jar-${fileName}`,
                { connection, source, fileName, ...(jarList ? { jarList } : {}), adopt },
                { parent: this },
            ).uri;
        };
        this.tieringJarUri = uriOf(tieringJar);
        this.clientJarUris = pulumi.all(clientJars.map(uriOf));
        this.registerOutputs({
            deploymentTarget: this.deploymentTarget,
            sessionCluster: this.sessionCluster,
        });
    }

    #kubernetes(
        name: string,
        { jobNamespace, kubernetes }: VvpWorkspaceSetupArgs,
        after: pulumi.ResourceOptions["dependsOn"],
    ): PreparedJobNamespace | undefined {
        return kubernetes && prepareJobNamespace(this, name, jobNamespace, kubernetes, after);
    }

    #sessionCluster(name: string, args: VvpWorkspaceSetupArgs): VvpSessionCluster | undefined {
        const settings = args.sessionCluster ?? {};
        if (settings === false) return undefined;
        return new VvpSessionCluster(
            `${name}-session`,
            {
                connection: args.connection,
                name: settings.name ?? "fluss-quickstart-session",
                deploymentTarget: this.deploymentTarget,
                engineVersion: args.engineVersion ?? quickstartEngine,
                keepRunning: settings.keepRunning,
                flinkConfiguration: settings.flinkConfiguration ?? {
                    "taskmanager.memory.jvm-metaspace.size": "512m",
                    "taskmanager.numberOfTaskSlots": "16",
                },
                adopt: args.adopt,
            },
            { parent: this },
        );
    }
}

/** @throws when the folder does not exist: the JARs are part of what is deployed, in a preview too */
function clientJarsOf(from: string | readonly string[]): JarFolder {
    return typeof from === "string" ? jarsOf(from) : { files: [...from], list: undefined };
}
