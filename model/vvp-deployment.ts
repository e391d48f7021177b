import * as z from "zod";
import { type Fault, shownValue, throwFaults } from "./faults.ts";
import { deploymentName, deploymentTargetName } from "./names.ts";

/** What the Kubernetes operator of VVP 3 is told of one deployment: the same words as `VvpDeployment` of the API. */
export interface VvpDeploymentSpec {
    /** Name of the Kubernetes object and, on the platform, of the deployment. */
    name: string;
    /** Kubernetes namespace of the object, one that the operator watches (`vvp-k8s-operator.watchedNamespaces`). */
    kubernetesNamespace: string;
    /** VVP namespace. Default `default`. */
    namespace?: string;
    /** Name that the platform's console shows. Default: none. */
    displayName?: string;
    /** `instanceId` of the operator (Helm value `vvp-k8s-operator.instanceId`); the webhook refuses an object without it. */
    owner: string;
    /** Kubernetes Secret in the same namespace that has the API token under `apikey`. */
    apikeySecretName: string;
    /** `PATCH` (default) sends what is given, `PUT` resets what is not. */
    syncingMode?: "PATCH" | "PUT";
    /** Default `RUNNING`. The documentation advises to create it `CANCELLED` and to start it once `Consistent` is true. */
    state?: "RUNNING" | "SUSPENDED" | "CANCELLED";
    deploymentTarget: string;
    engineVersion: string;
    /** Either this with a JAR, or `sqlScript`. */
    jarUri?: string;
    entryClass?: string;
    mainArgs?: string;
    sqlScript?: string;
    /** Runs a SQL script as a batch job, as for reads of the lake ("Running Lakehouse Jobs"). Default: a streaming job. */
    batchMode?: boolean;
    additionalDependencies?: readonly string[];
    flinkConf?: Readonly<Record<string, string>>;
    parallelism?: number;
    numberOfTaskManagers?: number;
    resources?: {
        jobManager?: { cpu: number; memory: string };
        taskManager?: { cpu: number; memory: string };
    };
    logging?: { profile?: string; loggers?: Readonly<Record<string, string>> };
    /** Default `STATEFUL`. */
    upgradeStrategy?: "STATEFUL" | "STATELESS" | "NONE";
    /** Default `LATEST_STATE`; a tiering job takes `NONE`. */
    restoreStrategy?: "LATEST_STATE" | "LATEST_SAVEPOINT" | "NONE";
    /** A new number takes a savepoint. */
    savepointNonce?: number;
    /** A new number restarts the job. */
    restartNonce?: number;
    /** A savepoint that was taken elsewhere, for the first start. Only with `state: "CANCELLED"`: start it afterwards, without this. */
    initialSavepointLocation?: string;
    /** Fields of the deployment that are sent once, when it is made, such as `{ spec: { template: … } }`. Only with `PATCH`. */
    initFields?: Readonly<Record<string, unknown>>;
    /** Merged into the object's annotations, for example `pulumi.com/waitFor: condition=Healthy`. */
    annotations?: Readonly<Record<string, string>>;
}

/** A Kubernetes object, as `kubernetes.apiextensions.CustomResource` takes it. */
export interface VvpDeploymentManifest {
    apiVersion: "ververica.platform/v1";
    kind: "VvpDeployment";
    metadata: {
        name: string;
        namespace: string;
        labels: Record<string, string>;
        annotations: Record<string, string>;
    };
    spec: Record<string, unknown>;
}

/**
 * The custom resource of VVP 3's Kubernetes operator (documentation of VVP 3, custom resource reference; not run against
 * an operator). `VvpOperatorDeployment` makes it. For platforms whose API is not reachable from where Pulumi runs: the platform refuses changes of such
 * a deployment by its API.
 * @throws a `FaultsError` with every fault
 */
export function vvpDeploymentManifest(spec: VvpDeploymentSpec): VvpDeploymentManifest {
    throwFaults("the VvpDeployment", faultsOf(spec));
    const { resources, logging, namespace = "default", syncingMode = "PATCH" } = spec;
    const jar = spec.jarUri !== undefined;
    const template = withoutUndefined({
        artifact: withoutUndefined({
            kind: jar ? "JAR" : "SQLSCRIPT",
            jarUri: spec.jarUri,
            entryClass: spec.entryClass,
            mainArgs: spec.mainArgs,
            sqlScript: spec.sqlScript,
            additionalDependencies: spec.additionalDependencies,
        }),
        engineVersionName: spec.engineVersion,
        batchMode: spec.batchMode,
        parallelism: spec.parallelism,
        numberOfTaskManagers: spec.numberOfTaskManagers,
        flinkConfiguration: spec.flinkConf,
        resources:
            resources &&
            withoutUndefined({ jobmanager: resources.jobManager, taskmanager: resources.taskManager }),
        logging:
            logging && withoutUndefined({ loggingProfile: logging.profile, log4jLoggers: logging.loggers }),
    });
    return {
        apiVersion: "ververica.platform/v1",
        kind: "VvpDeployment",
        metadata: {
            name: spec.name,
            namespace: spec.kubernetesNamespace,
            labels: { "ververica.platform/owner": spec.owner },
            annotations: { ...spec.annotations, apikeySecretName: spec.apikeySecretName },
        },
        spec: withoutUndefined({
            syncingMode,
            savepointNonce: spec.savepointNonce,
            restartNonce: spec.restartNonce,
            initFields: spec.initFields,
            initialSavepointSpec:
                spec.initialSavepointLocation === undefined
                    ? undefined
                    : { savepointLocation: spec.initialSavepointLocation },
            deployment: {
                metadata: withoutUndefined({ name: spec.name, namespace, displayName: spec.displayName }),
                spec: {
                    state: spec.state ?? "RUNNING",
                    deploymentTargetName: spec.deploymentTarget,
                    upgradeStrategy: { kind: spec.upgradeStrategy ?? "STATEFUL" },
                    restoreStrategy: { kind: spec.restoreStrategy ?? "LATEST_STATE" },
                    template: { spec: template },
                },
            },
        }),
    };
}

const nameInKubernetes = z.string().regex(/^(?=.{1,253}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/);

const choices: Record<"syncingMode" | "state" | "upgradeStrategy" | "restoreStrategy", readonly string[]> = {
    syncingMode: ["PATCH", "PUT"],
    state: ["RUNNING", "SUSPENDED", "CANCELLED"],
    upgradeStrategy: ["STATEFUL", "STATELESS", "NONE"],
    restoreStrategy: ["LATEST_STATE", "LATEST_SAVEPOINT", "NONE"],
};

function faultsOf(spec: VvpDeploymentSpec): Fault[] {
    const faults: Fault[] = [];
    const kinds = [spec.jarUri, spec.sqlScript].filter((kind) => kind !== undefined).length;
    if (kinds !== 1) {
        faults.push({
            path: "jarUri, sqlScript",
            reason: "exactly one of them must be given",
            fix: "Give one",
        });
    }
    if (!nameInKubernetes.safeParse(spec.name).success || !deploymentName.safeParse(spec.name).success) {
        faults.push({
            path: "name",
            reason: "names a Kubernetes object and a VVP deployment",
            fix: "Use lower-case letters, digits and inner hyphens, at most 128",
        });
    }
    if (!deploymentTargetName.safeParse(spec.deploymentTarget).success) {
        faults.push({
            path: "deploymentTarget",
            reason: "is no name of one",
            fix: "Use letters, digits, - and _, at most 250",
        });
    }
    for (const path of ["owner", "apikeySecretName", "kubernetesNamespace", "engineVersion"] as const) {
        if (!spec[path])
            faults.push({
                path,
                reason: spec[path] === "" ? "is empty" : "is required and missing",
                fix: "Give it: the operator needs it",
            });
    }
    for (const path of ["apikeySecretName", "kubernetesNamespace"] as const) {
        if (!spec[path] || nameInKubernetes.safeParse(spec[path]).success) continue;
        const fix = "Use lower-case letters, digits, - and ., at most 253";
        faults.push({ path, ...shownValue("", spec[path]), reason: "is no name in Kubernetes", fix });
    }
    for (const [path, known] of Object.entries(choices)) {
        const given = spec[path as keyof typeof choices];
        if (given === undefined || known.includes(given)) continue;
        const reason = "is none of the values that exist here";
        faults.push({ path, ...shownValue(path, given), reason, fix: `Use one of: ${known.join(", ")}` });
    }
    if (spec.parallelism !== undefined && !(Number.isInteger(spec.parallelism) && spec.parallelism >= 1)) {
        const reason = "is no number of parallel tasks";
        faults.push({
            path: "parallelism",
            ...shownValue("", spec.parallelism),
            reason,
            fix: "Give 1 or more",
        });
    }
    if (/[\r\n]/.test(spec.mainArgs ?? "")) {
        faults.push({ path: "mainArgs", reason: "must be one line", fix: "Join the arguments with blanks" });
    }
    if (spec.initFields && spec.syncingMode === "PUT") {
        faults.push({
            path: "initFields",
            reason: "are for PATCH only: PUT always sends the whole deployment",
            fix: 'Leave them out, or use syncingMode "PATCH"',
        });
    }
    if (spec.initialSavepointLocation !== undefined && spec.state !== "CANCELLED") {
        faults.push({
            path: "initialSavepointLocation",
            reason: "is taken up while the deployment is CANCELLED",
            fix: 'Give state "CANCELLED" with it; once status says COMPLETED, "RUNNING" without it',
        });
    }
    return faults;
}

function withoutUndefined(bag: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(bag).filter(([, value]) => value !== undefined));
}
