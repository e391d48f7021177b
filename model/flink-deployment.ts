import * as z from "zod";
import { type Fault, parse, strict, throwFaults } from "./faults.ts";
import type { Argument } from "./tiering.ts";

const objectName = z.string().refine((text) => /^[a-z]([a-z0-9-]{0,43}[a-z0-9])?$/.test(text), {
    error: "is not a name that the Flink operator takes: lower-case letters, digits and hyphens, at most 45",
    params: { fix: "Write it like fluss-tiering" },
});
const process = strict({
    /** Cores, `1` or `0.5`. Default 1. */
    cpu: z.number().positive().default(1),
    /** Memory of the whole process, in Flink's notation. Default `2048m`. */
    memory: z
        .string()
        .refine((text) => /^\d+(m|g)$/.test(text), {
            error: "is not an amount of memory",
            params: { fix: "Write it like 2048m or 4g" },
        })
        .default("2048m"),
});
const setup = strict({
    /** Image of the installer: `registry.ververica.cloud/platform-images/fluss:1.0.0-vv-3`. */
    image: z.string().min(1),
    /** Words after `install.sh client`, one list for each setup: `["lake-iceberg", "--fs", "s3", "--catalog", "rest"]`. */
    clients: z.array(z.array(z.string().regex(/^[A-Za-z0-9._=-]+$/)).min(1)).min(1),
});

/** Schema of {@link FlinkDeploymentSpec}. */
export const flinkDeploymentSchema = strict({
    /** Name of the object and of the Flink cluster. */
    name: objectName,
    /** Kubernetes namespace, one that the operator watches. */
    namespace: z.string().min(1),
    /** ServiceAccount of the pods, which must be there; the operator's validation refuses an object without. Default `flink`. */
    serviceAccount: z.string().min(1).default("flink"),
    /** Image of Flink. Default `flink:1.20`. */
    image: z.string().min(1).default("flink:1.20"),
    /** `v1_20`, the release line for which Fluss has a connector. */
    flinkVersion: z.string().default("v1_20"),
    /** Secret for the images' registry. Default: none. */
    imagePullSecret: z.string().optional(),
    /** Puts the client JARs in place before Flink starts. Default: the image has them. */
    installer: setup.optional(),
    /** Where the job's JAR is: `local:///opt/flink/usrlib/fluss-flink-tiering-1.0.0-vv-3.jar`. */
    jarUri: z.string().refine((text) => /^(local|https?):\/\/\S+$/.test(text) && !inLib(text), {
        error: "is not a local or http(s) JAR outside Flink's lib folder, where it would be on the class path",
        params: { fix: "Put it in /opt/flink/usrlib" },
    }),
    /** Class to run. Default: the JAR names it. */
    entryClass: z.string().optional(),
    parallelism: z.int().min(1).default(1),
    /** Flink options besides those that are derived. Values are text: the operator takes no numbers here. */
    flinkConfiguration: z.record(z.string(), z.string()).default({}),
    /** What a new version starts from. Default `stateless`, as tiering keeps its state in Fluss and the lake. */
    upgradeMode: z.enum(["stateless", "savepoint", "last-state"]).default("stateless"),
    /** Secret whose keys are environment variables of the processes. Default: none. */
    environmentSecret: z.string().optional(),
    /** Secret with `core-site.xml`. Default: none. */
    coreSiteSecret: z.string().optional(),
    jobManager: process.prefault({}),
    taskManager: process.prefault({ memory: "4096m" }),
    /** A new number restarts the job. */
    restartNonce: z.int().optional(),
});

/** What a FlinkDeployment of the Apache Flink Kubernetes Operator is made from. */
export type FlinkDeploymentSpec = z.input<typeof flinkDeploymentSchema>;

/** A Kubernetes object, as `kubernetes.apiextensions.CustomResource` takes it. */
export interface FlinkDeploymentManifest {
    apiVersion: "flink.apache.org/v1beta1";
    kind: "FlinkDeployment";
    metadata: { name: string; namespace: string };
    spec: Record<string, unknown>;
}

/** How secrets get into the job's arguments; see {@link flinkDeploymentManifest}. */
export type ArgumentSecrets = "configProvider" | "environment";

/**
 * A FlinkDeployment that starts. It differs from the manifest of seed 002, which does not: there is a ServiceAccount; no
 * volume lies over `/opt/flink/lib`, which would hide Flink itself, but the JARs are below `/opt/flink/lib/fluss`; the job's
 * JAR is in `usrlib`; keys are in Secrets, not in a ConfigMap; the pull Secret is in the pod template alone, because
 * the resource has no such field.
 *
 * `secrets` says what the arguments hold: `configProvider` for `${env:NAME}`, which the tiering job of Fluss 1.0
 * replaces itself; `environment` for `$(NAME)`, which Kubernetes replaces, and only where arguments are those of
 * the container: then the mode is `standalone`. (Reference: FLINK-27491; not run against an operator.)
 *
 * Throws a `FaultsError` with every fault.
 */
export function flinkDeploymentManifest(
    input: FlinkDeploymentSpec,
    argumentList: readonly Argument[],
    secrets: ArgumentSecrets = "configProvider",
): FlinkDeploymentManifest {
    const spec = parse(flinkDeploymentSchema, input, "the FlinkDeployment");
    throwFaults("the FlinkDeployment", argumentFaults(argumentList, secrets));
    return {
        apiVersion: "flink.apache.org/v1beta1",
        kind: "FlinkDeployment",
        metadata: { name: spec.name, namespace: spec.namespace },
        spec: {
            image: spec.image,
            flinkVersion: spec.flinkVersion,
            mode: secrets === "environment" ? "standalone" : "native",
            serviceAccount: spec.serviceAccount,
            flinkConfiguration: spec.flinkConfiguration,
            jobManager: { resource: spec.jobManager },
            taskManager: { resource: spec.taskManager },
            podTemplate: podTemplate(spec),
            job: {
                jarURI: spec.jarUri,
                ...(spec.entryClass === undefined ? {} : { entryClass: spec.entryClass }),
                parallelism: spec.parallelism,
                upgradeMode: spec.upgradeMode,
                state: "running",
                args: argumentList.flatMap(([key, value]) => [`--${key}`, value]),
            },
            ...(spec.restartNonce === undefined ? {} : { restartNonce: spec.restartNonce }),
        },
    };
}

const jars = { volume: "fluss-jars", lib: "/opt/flink/lib/fluss", usrlib: "/opt/flink/usrlib" };
const coreSite = { volume: "core-site", folder: "/opt/flink/hadoop-conf" };

type Checked = z.output<typeof flinkDeploymentSchema>;

/** What pods of Flink need besides Flink: client JARs, the environment and core-site.xml. */
export function podTemplate({
    installer,
    imagePullSecret,
    environmentSecret,
    coreSiteSecret,
}: Pick<Checked, "installer" | "imagePullSecret" | "environmentSecret" | "coreSiteSecret">): PodTemplate {
    const mounts: object[] = [];
    const volumes: object[] = [];
    if (installer) {
        // One volume at two places: the job's JAR must not be on the class path, all others must.
        mounts.push(
            { name: jars.volume, mountPath: jars.lib, subPath: "lib" },
            { name: jars.volume, mountPath: jars.usrlib, subPath: "usrlib" },
        );
        volumes.push({ name: jars.volume, emptyDir: {} });
    }
    if (coreSiteSecret !== undefined) {
        mounts.push({ name: coreSite.volume, mountPath: coreSite.folder, readOnly: true });
        volumes.push({ name: coreSite.volume, secret: { secretName: coreSiteSecret } });
    }
    return {
        spec: {
            ...(imagePullSecret === undefined ? {} : { imagePullSecrets: [{ name: imagePullSecret }] }),
            ...(installer ? { initContainers: [installContainer(installer)] } : {}),
            containers: [
                {
                    name: "flink-main-container",
                    ...(environmentSecret === undefined
                        ? {}
                        : { envFrom: [{ secretRef: { name: environmentSecret } }] }),
                    // On the class path, where Hadoop looks for the file. HADOOP_CONF_DIR instead would make Flink's native mode
                    // mount a ConfigMap in the TaskManagers that nobody made.
                    ...(coreSiteSecret === undefined
                        ? {}
                        : { env: [{ name: "HADOOP_CLASSPATH", value: coreSite.folder }] }),
                    ...(mounts.length > 0 ? { volumeMounts: mounts } : {}),
                },
            ],
            ...(volumes.length > 0 ? { volumes } : {}),
        },
    };
}

function installContainer({ image, clients }: z.output<typeof setup>): object {
    const install = clients.map((words) => {
        const folder = words[0] === "lake-tiering-service" ? "usrlib" : "lib";
        return `/opt/fluss/bin/setup/install.sh client ${words.join(" ")} --output-dir /jars/${folder}`;
    });
    return {
        name: "install-fluss-clients",
        image,
        command: ["/bin/sh", "-c", ["set -e", "mkdir -p /jars/lib /jars/usrlib", ...install].join("\n")],
        volumeMounts: [{ name: jars.volume, mountPath: "/jars" }],
    };
}

/** A pod template as far as it goes here. */
export interface PodTemplate {
    spec: { containers: [Record<string, unknown>] } & Record<string, unknown>;
}

/** Both notations at once, or one that nobody replaces, would reach the job as the secret itself. */
export function argumentFaults(list: readonly Argument[], secrets: ArgumentSecrets): Fault[] {
    return list.flatMap(([key, value]): Fault[] => {
        const marker = /\$\{secret_values\.|\$\{env:|\$\(/.exec(value)?.[0];
        if (!marker) return [];
        const wanted = secrets === "environment" ? "$(" : "${env:";
        if (marker === wanted) return [];
        return [
            {
                path: `args.${key}`,
                reason: `${marker}… is replaced by nobody here`,
                fix: secrets === "environment" ? "Write $(NAME)" : "Write ${env:NAME}",
            },
        ];
    });
}

function inLib(uri: string): boolean {
    return uri.startsWith("local:///opt/flink/lib/");
}
