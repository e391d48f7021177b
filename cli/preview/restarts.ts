import { type PreviewStep, readableUrn } from "./preview.ts";
import { type PropertyChange, propertyChanges } from "./property-changes.ts";

/** What an update stops or starts that runs now; undefined when nothing does. */
export function restartOf(step: PreviewStep): string | undefined {
    const { type } = readableUrn(step.urn);
    return kinds[type]?.(step, propertyChanges(step));
}

type Rule = (step: PreviewStep, changes: PropertyChange[]) => string | undefined;

const kinds: Record<string, Rule> = {
    "vvp:Deployment": deployment,
    "vvp:SessionCluster": sessionCluster,
    "vvp:SecretValue": secretValue,
    "kubernetes:helm.sh/v3:Release": release,
};

/** Inputs that say how to reach the platform or to wait for it, and not what runs. */
const besides = new Set(["connection", "restart", "healthySeconds", "timeoutSeconds", "adopt", "state"]);

function deployment({ op, new: now }: PreviewStep, changes: PropertyChange[]): string | undefined {
    if (op === "delete") return "the job is stopped for good";
    if (op === "replace") return "the job is stopped, and a new one starts without its state";
    if (op !== "update") return undefined;
    if (now?.["state"] === "CANCELLED") return "the job is stopped";
    const definition = changes.filter(({ path }) => !besides.has(path.split(".")[0] ?? ""));
    if (definition.length === 0) return "the job is started when it does not run";
    if (now?.["restart"] === "NEVER") return "the job keeps its old definition until somebody restarts it";
    return now?.["restart"] === "WITHOUT_STATE"
        ? "the job is stopped and starts afresh, without its state"
        : "the job is stopped with a savepoint and goes on from it";
}

function sessionCluster({ op, new: now }: PreviewStep, changes: PropertyChange[]): string | undefined {
    if (op === "delete") return "the session cluster is stopped, with the Debug runs on it";
    if (op === "replace") return "the session cluster is made anew; Debug runs on it end";
    if (op !== "update") return undefined;
    if (now?.["state"] === "STOPPED") {
        return changes.some(({ path }) => path === "state") ? "the session cluster is stopped" : undefined;
    }
    const running = ["deploymentTarget", "engineVersion", "resources", "flinkConfiguration"];
    return changes.some(({ path }) => running.includes(path.split(".")[0] ?? ""))
        ? "the session cluster is restarted; Debug runs on it end"
        : undefined;
}

function secretValue({ op, new: now }: PreviewStep): string | undefined {
    if (op !== "update") return undefined;
    const how = now?.["restartJobs"];
    if (how === "WITH_STATE") return "jobs that use it are restarted from a savepoint";
    if (how === "WITHOUT_STATE") return "jobs that use it are restarted without their state";
    return "jobs that use it keep the old value until they are restarted";
}

function release({ op }: PreviewStep): string | undefined {
    if (op === "delete") return "the pods are removed";
    if (op === "replace") return "the release is removed and installed anew";
    return op === "update" ? "pods whose settings change are restarted one after the other" : undefined;
}
