import type * as z from "zod";
import { type Fault, joinPath, parse, strict, throwFaults } from "./faults.ts";
import {
    type ArgumentSecrets,
    argumentFaults,
    flinkDeploymentSchema,
    podTemplate,
} from "./flink-deployment.ts";
import { type Argument, argumentTokens } from "./tiering.ts";

const { shape } = flinkDeploymentSchema.omit({
    flinkVersion: true,
    jarUri: true,
    upgradeMode: true,
    restartNonce: true,
});

/** Schema of {@link ApplicationClusterSpec}: a FlinkDeployment's, without what only its operator takes. */
export const applicationClusterSchema = strict({
    ...shape,
    /** Name of the Service; the two Deployments have it with `-jobmanager` and `-taskmanager` behind it. */
    name: shape.name,
    /** Kubernetes namespace. */
    namespace: shape.namespace,
    /** ServiceAccount of the pods; Flink needs no rights in Kubernetes here. Default: the namespace's. */
    serviceAccount: shape.serviceAccount.unwrap().optional(),
    /** Image of Flink, with the job's JAR as the only program in `/opt/flink/usrlib` unless `installer` puts it there. Default `flink:1.20`. */
    image: shape.image,
    /** Class to run. Default: the one that the JAR in `usrlib` names. */
    entryClass: shape.entryClass,
});

/** What an application cluster without an operator is made from. */
export type ApplicationClusterSpec = z.input<typeof applicationClusterSchema>;

/** A Kubernetes object. */
export interface ApplicationClusterObject {
    apiVersion: string;
    kind: string;
    metadata: { name: string; namespace: string; labels: Record<string, string> };
    spec: Record<string, unknown>;
}

/**
 * The objects of a Flink application cluster that needs no operator (seed 002, "Application or Session Cluster"; Flink 1.20
 * documentation, "Standalone Kubernetes, Application Mode"): a Service, and one Deployment each for JobManager and
 * TaskManagers. The job's JAR runs in the JobManager and ends with it. Both are Deployments, so that a JobManager that dies
 * comes back and starts the job anew: for jobs whose state is elsewhere, as that of the tiering service.
 *
 * `secrets` says what the arguments hold: see {@link ArgumentSecrets}. Throws a `FaultsError` with every fault.
 */
export function applicationClusterObjects(
    input: ApplicationClusterSpec,
    argumentList: readonly Argument[],
    secrets: ArgumentSecrets = "configProvider",
): Record<"service" | "jobManager" | "taskManager", ApplicationClusterObject> {
    const spec = parse(applicationClusterSchema, input, "the application cluster");
    throwFaults("the application cluster", [
        ...argumentFaults(argumentList, secrets),
        ...optionFaults(spec.flinkConfiguration),
    ]);
    const words = argumentTokens(argumentList);
    const program = [
        "standalone-job",
        ...(spec.entryClass ? ["--job-classname", spec.entryClass] : []),
        ...words,
    ];
    return {
        service: {
            apiVersion: "v1",
            kind: "Service",
            metadata: { ...place(spec), labels: labelsOf(spec) },
            spec: {
                selector: labelsOf(spec, "jobmanager"),
                ports: Object.entries(ports).map(([port, number]) => ({ name: port, port: number })),
            },
        },
        jobManager: deployment(spec, "jobmanager", program, spec.jobManager),
        taskManager: deployment(spec, "taskmanager", ["taskmanager"], spec.taskManager),
    };
}

type Checked = z.output<typeof applicationClusterSchema>;

const ports = { rpc: 6123, blob: 6124, rest: 8081 };

function deployment(
    spec: Checked,
    component: "jobmanager" | "taskmanager",
    args: string[],
    size: { cpu: number; memory: string },
): ApplicationClusterObject {
    const template = podTemplate(spec).spec;
    const [container] = template.containers;
    const memory = size.memory.replace(/m$/, "Mi").replace(/g$/, "Gi");
    const amount = { cpu: String(size.cpu), memory };
    const labels = labelsOf(spec, component);
    const isJobManager = component === "jobmanager";
    return {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { ...place(spec, component), labels },
        spec: {
            replicas: 1,
            // Two JobManagers at once would run the job twice.
            strategy: { type: "Recreate" },
            selector: { matchLabels: labels },
            template: {
                metadata: { labels },
                spec: {
                    ...template,
                    ...(spec.serviceAccount === undefined ? {} : { serviceAccountName: spec.serviceAccount }),
                    containers: [
                        {
                            ...container,
                            image: spec.image,
                            args,
                            env: [
                                ...((container["env"] as object[] | undefined) ?? []),
                                ...environment(spec),
                            ],
                            resources: { requests: amount, limits: amount },
                            ...(isJobManager
                                ? {
                                      ports: Object.entries(ports).map(([port, number]) => ({
                                          name: port,
                                          containerPort: number,
                                      })),
                                      readinessProbe: { tcpSocket: { port: "rest" }, periodSeconds: 5 },
                                  }
                                : {}),
                        },
                    ],
                },
            },
        },
    };
}

/** Read by the entry point of Flink's image, which writes both into Flink's configuration. */
function environment(spec: Checked): { name: string; value: string }[] {
    const options = {
        "jobmanager.memory.process.size": spec.jobManager.memory,
        "taskmanager.memory.process.size": spec.taskManager.memory,
        "taskmanager.numberOfTaskSlots": String(spec.parallelism),
        "parallelism.default": String(spec.parallelism),
        ...spec.flinkConfiguration,
    };
    const lines = Object.entries(options).map(([key, value]) => `${key}: ${value}`);
    return [
        { name: "JOB_MANAGER_RPC_ADDRESS", value: spec.name },
        { name: "FLINK_PROPERTIES", value: lines.join("\n") },
    ];
}

function place({ name: own, namespace: in_ }: Checked, component?: string) {
    return { name: component === undefined ? own : `${own}-${component}`, namespace: in_ };
}

function labelsOf({ name: own }: Checked, component?: string): Record<string, string> {
    return {
        "app.kubernetes.io/name": "flink",
        "app.kubernetes.io/instance": own,
        ...(component === undefined ? {} : { "app.kubernetes.io/component": component }),
    };
}

/** A line break would begin another option, and Kubernetes would fill in `$(NAME)`. */
function optionFaults(options: Record<string, string>): Fault[] {
    return Object.entries(options)
        .filter(([key, value]) => /[\r\n]|\$\(/.test(key + value))
        .map(([key]) => ({
            path: joinPath("flinkConfiguration", [key]),
            reason: "has a line break or $(, which the pod's environment cannot carry",
            fix: "Write it without",
        }));
}
