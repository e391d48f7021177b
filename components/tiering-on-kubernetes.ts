import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type * as z from "zod";
import type { LakeProgress } from "../dynamic-providers/lake/resources.ts";
import { type Fault, faultsIn, parse, throwFaults, together, withNames } from "../model/faults.ts";
import type { ArgumentSecrets } from "../model/flink-deployment.ts";
import type { FlussClient } from "../model/fluss-client.ts";
import type { FlussVersion } from "../model/fluss-options.ts";
import { filesFaults, type Lake } from "../model/lake.ts";
import { wantedCoreSite } from "../model/lake-core-site.ts";
import {
    type Argument,
    environmentFaults,
    tieringArguments,
    tieringEnvironment,
    tieringFlinkConfiguration,
} from "../model/tiering.ts";
import { argumentNames, claimed } from "./tiering-claim.ts";
import { type TieringHealth, tieringHealth } from "./tiering-health.ts";

/** What tiering is derived from, whoever runs its Flink on Kubernetes. */
export interface KubernetesTieringArgs {
    /** The lake, as the servers know it. Each secret needs `env`, a name of your choice, and `value`, its content. */
    lake: pulumi.Input<Lake>;
    /** The cluster. The password needs `env` and `value`, too. */
    client: pulumi.Input<FlussClient>;
    /**
     * Whether Hadoop touches the lake's files, so that the job needs a core-site.xml: with a Hadoop catalog, or a REST catalog
     * with `fileIo: "hadoop"`. `webIdentity`: the file holds no key, and the role of the pods' ServiceAccount serves (IRSA), such as
     * `LakeBuckets.roles.tiering`. Default false. An error if the lake says otherwise.
     */
    coreSite?: boolean | "webIdentity";
    /** Release line of the tiering JAR. Default `1.0`. */
    version?: FlussVersion;
    /** Further arguments, such as `fluss.tiering.poll.table.interval`. */
    extraArguments?: Record<string, string>;
    /**
     * Waits after each change of the job until rows of a table reach the lake, and fails when none do: a job can be RUNNING and
     * useless. Default: not looked for, since a table without new rows gets no snapshot.
     */
    health?: TieringHealth;
}

/** A tiering job on Kubernetes as far as it is the same for every way to run it. */
export interface KubernetesTiering {
    /** Each secret of lake and client under its `env`. */
    environment: k8s.core.v1.Secret;
    /** `core-site.xml`, where Hadoop touches the lake's files. */
    coreSite: k8s.core.v1.Secret | undefined;
    job: pulumi.Output<TieringJob>;
}

interface TieringJob {
    /** For the cluster that runs it. */
    spec: {
        environmentSecret: string;
        coreSiteSecret: string | undefined;
        flinkConfiguration: Record<string, string>;
    };
    argumentList: Argument[];
    /** What the arguments hold in place of secrets. */
    secrets: ArgumentSecrets;
}

/**
 * The check that rows reach the lake, if it is wanted, after each change of the object whose pods run the job: Kubernetes counts them.
 */
export function progressOnKubernetes(
    parent: pulumi.Resource,
    name: string,
    { health, lake }: KubernetesTieringArgs,
    metadata: pulumi.Output<{ uid?: string; generation?: number }>,
): LakeProgress | undefined {
    const job = metadata.apply(({ uid, generation }) => `${uid}/${generation}`);
    return health && tieringHealth(parent, name, health, lake, job);
}

/**
 * Checks lake and client, claims the cluster for this component, and makes the job's Secrets below it, immutable and named by
 * Pulumi: new content makes a new Secret, and so restarts the pods that name it.
 */
export function tieringOnKubernetes(
    parent: pulumi.Resource,
    name: string,
    args: KubernetesTieringArgs,
    place: {
        namespace: pulumi.Input<string>;
        flinkConfiguration?: Record<string, string>;
        /** What is wrong with the rest of the arguments. */
        faults: readonly Fault[];
    },
): KubernetesTiering {
    const { version = "1.0", extraArguments } = args;
    // Fluss 0.9 replaces nothing in the job's arguments, so Kubernetes has to.
    const [form, secrets] =
        version === "0.9" ? (["podEnv", "environment"] as const) : (["env", "configProvider"] as const);
    const known = claimed(parent, name, args).apply(({ lake, client }) => {
        const { argumentList } = together(subject, {
            place: () => throwFaults(subject, place.faults),
            lake: () => throwFaults(subject, filesFaults(lake)),
            coreSite: () => wantedCoreSite(lake, args.coreSite ?? false, subject),
            values: () => throwFaults(subject, environmentFaults(lake, client)),
            environment: () => tieringEnvironment(lake, client),
            argumentList: () =>
                withNames(subject, argumentNames, () =>
                    tieringArguments(lake, client, form, { version, extra: extraArguments }),
                ),
        });
        return { lake, client, argumentList };
    });
    const secret = (suffix: string, stringData: pulumi.Input<Record<string, pulumi.Input<string>>>) =>
        new k8s.core.v1.Secret(
            `${name}-${suffix}`,
            { metadata: { namespace: place.namespace }, immutable: true, stringData },
            { parent, additionalSecretOutputs: ["stringData", "data"] },
        );
    const environment = secret(
        "environment",
        pulumi.secret(known.apply(({ lake, client }) => tieringEnvironment(lake, client))),
    );
    const coreSite = args.coreSite
        ? secret("core-site", {
              "core-site.xml": pulumi.secret(
                  known.apply(({ lake }) => wantedCoreSite(lake, args.coreSite ?? false, subject) ?? ""),
              ),
          })
        : undefined;
    const job = pulumi.all([known, environment.metadata.name, coreSite?.metadata.name]).apply(
        ([{ lake, argumentList }, environmentSecret, coreSiteSecret]): TieringJob => ({
            spec: {
                environmentSecret,
                coreSiteSecret,
                flinkConfiguration: {
                    // Each table of the lake loads Iceberg's classes anew.
                    "taskmanager.memory.jvm-metaspace.size": "512m",
                    ...tieringFlinkConfiguration(lake, version),
                    ...place.flinkConfiguration,
                },
            },
            argumentList,
            secrets,
        }),
    );
    return { environment, coreSite, job };
}

/** From where the pods get their JARs. */
interface ClusterSpec {
    image?: string;
    jarUri?: string;
    installer?: { clients: string[][] };
}

/** What is wrong with the arguments of the cluster itself: by its schema, and that its image lacks the JARs. */
export function clusterFaults(schema: z.ZodType, spec: ClusterSpec & { name: string }): Fault[] {
    const faults = faultsIn(() => parse(schema, spec, "args"));
    const named = faults.map((fault) => ({ ...fault, path: fault.path.replace(/^args\./, "") }));
    return named.length > 0 ? named : jarFaults(spec);
}

/** Flink's own image has no JAR of Fluss. */
function jarFaults({ image = "flink", installer, jarUri = "local://" }: ClusterSpec): Fault[] {
    if (!/^(docker\.io\/)?(library\/)?flink(:|@|$)/.test(image)) return [];
    const fix = "Give an installer, or an image of your own that has the JARs";
    if (!installer)
        return [{ path: "installer", reason: "Flink's own image has no client JARs of Fluss", fix }];
    if (!jarUri.startsWith("local://")) return [];
    if (installer.clients.some(([client]) => client === "lake-tiering-service")) return [];
    const reason = "nobody puts the JAR of the tiering service into /opt/flink/usrlib";
    return [{ path: "installer.clients", reason, fix: 'Add ["lake-tiering-service"]' }];
}

/** In errors. */
const subject = "the tiering job";
