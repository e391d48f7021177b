import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { LakeProgress } from "../dynamic-providers/lake/resources.ts";
import { throwFaults } from "../model/faults.ts";
import type { ArgumentSecrets } from "../model/flink-deployment.ts";
import type { FlussClient } from "../model/fluss-client.ts";
import type { FlussVersion } from "../model/fluss-options.ts";
import { filesFaults, type Lake } from "../model/lake.ts";
import { wantedCoreSite } from "../model/lake-core-site.ts";
import {
    type Argument,
    tieringArguments,
    tieringEnvironment,
    tieringFlinkConfiguration,
} from "../model/tiering.ts";
import { claimed } from "./tiering-claim.ts";
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
    place: { namespace: pulumi.Input<string>; flinkConfiguration?: Record<string, string> },
): KubernetesTiering {
    const { version = "1.0", extraArguments } = args;
    const known = claimed(parent, name, args).apply(({ lake, client }) => {
        throwFaults(subject, filesFaults(lake));
        if (!args.coreSite) wantedCoreSite(lake, false, subject);
        return { lake, client };
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
    // Fluss 0.9 replaces nothing in the job's arguments, so Kubernetes has to.
    const [form, secrets] =
        version === "0.9" ? (["podEnv", "environment"] as const) : (["env", "configProvider"] as const);
    const job = pulumi.all([known, environment.metadata.name, coreSite?.metadata.name]).apply(
        ([{ lake, client }, environmentSecret, coreSiteSecret]): TieringJob => ({
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
            argumentList: tieringArguments(lake, client, form, { version, extra: extraArguments }),
            secrets,
        }),
    );
    return { environment, coreSite, job };
}

/** In errors. */
const subject = "the tiering job";
