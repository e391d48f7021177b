import { isTriggered } from "../../dynamic-providers/vvp/deployment-run.ts";
import { type PreviewStep, readableUrn } from "./preview.ts";
import { type Reasons, reasonsOf } from "./reasons.ts";

/** What an update stops or starts that runs now; undefined when nothing does. */
export function restartOf(step: PreviewStep): string | undefined {
    const { type } = readableUrn(step.urn);
    return kinds[type]?.(step, reasonsOf(step) ?? none);
}

type Rule = (step: PreviewStep, reasons: Reasons) => string | undefined;

const none: Reasons = { seen: new Set(), hidden: new Set(), other: true };

const kinds: Record<string, Rule> = {
    "vvp:Deployment": job,
    "flink:JarJob": job,
    "flink:SqlJob": job,
    "vvp:SessionCluster": sessionCluster,
    "vvp:SecretValue": secretValue,
    "kubernetes:helm.sh/v3:Release": release,
};

/** Inputs that say how to reach the platform and whether the job runs, and not what runs. */
const besides = ["connection", "state"];

function job(step: PreviewStep, reasons: Reasons): string | undefined {
    const { op, new: now } = step;
    const runs = mayRun(step);
    const stays = now?.["state"] === "CANCELLED";
    if (op === "delete") return runs ? "the job is stopped for good" : undefined;
    if (op === "replace") {
        if (stays) return runs ? "the job is stopped, and the new one is not started" : undefined;
        return runs
            ? "the job is stopped, and a new one starts without its state"
            : "the new job starts without the state of the old one";
    }
    if (op !== "update") return undefined;
    if (stays) return runs ? "the job is stopped" : undefined;
    const started = "the job is started when it does not run";
    const definition = whether(reasons, (field) => !besides.includes(field));
    if (!runs) return start(step, definition);
    if (definition === "changes" || isOwed(step)) return restart(step);
    return definition === "stays" ? started : `if a secret of it changes, ${restart(step)}; else ${started}`;
}

/** False for a job that did not run when it was last looked at. */
function mayRun({ state }: PreviewStep): boolean {
    const status = state?.["jobStatus"];
    return (
        status === undefined || ["STARTING", "RUNNING", "RESTARTING", "CANCELLING"].includes(String(status))
    );
}

/** What becomes of a job that does not run. One that came to its end is run once more only with another definition. */
function start(step: PreviewStep, definition: ReturnType<typeof whether>): string | undefined {
    const never = step.new?.["restart"] === "NEVER";
    const begun =
        never || startsAfresh(step)
            ? "is started afresh, without its state"
            : "is started from its last state, if there is one";
    if (step.state?.["jobStatus"] !== "FINISHED") return `the job does not run, and ${begun}`;
    if (never || definition === "stays") return undefined;
    const ended = `the job, which came to its end, ${begun}`;
    return definition === "may" ? `if a secret of it changes, ${ended}` : ended;
}

function restart(step: PreviewStep): string {
    if (step.new?.["restart"] === "NEVER")
        return "the job keeps its old definition until somebody restarts it";
    return startsAfresh(step)
        ? "the job is stopped and starts afresh, without its state"
        : "the job is stopped with a savepoint and goes on from it";
}

/** Flink takes no savepoint of a batch job. */
function startsAfresh({ urn, new: now }: PreviewStep): boolean {
    const batch = readableUrn(urn).type.startsWith("flink:") && now?.["executionMode"] === "BATCH";
    return batch || now?.["restart"] === "WITHOUT_STATE";
}

/** True for a job that runs, and that a run before did not come to restart. */
function isOwed({ state, new: now }: PreviewStep): boolean {
    if (!state) return false;
    const [startedFor, trigger] = [state["startedFor"], now?.["restartTrigger"]].map((one) =>
        typeof one === "string" ? one : undefined,
    );
    return (
        state["restartOwed"] === true || state["restartPending"] === true || isTriggered(startedFor, trigger)
    );
}

/** Inputs of a session cluster that it takes up at a start only. */
const atStart = ["deploymentTarget", "engineVersion", "resources", "flinkConfiguration"];

function sessionCluster({ op, new: now, state }: PreviewStep, reasons: Reasons): string | undefined {
    const status = state?.["status"];
    // As it was last seen: the platform stops one that idles.
    const isDown = status === "STOPPED" || status === "FAILED";
    if (op === "delete")
        return isDown ? undefined : "the session cluster is stopped, with the Debug runs on it";
    if (op === "replace")
        return isDown ? undefined : "the session cluster is made anew; Debug runs on it end";
    if (op !== "update") return undefined;
    if (now?.["state"] === "STOPPED") {
        const isUp = status === undefined ? reasons.seen.has("state") : !isDown;
        return isUp ? "the session cluster is stopped" : undefined;
    }
    if (isDown) {
        return now?.["state"] === "RUNNING" ? "the session cluster does not run, and is started" : undefined;
    }
    const restarted = "the session cluster is restarted; Debug runs on it end";
    const settings = whether(reasons, (field) => atStart.includes(field));
    if (settings === "changes") return restarted;
    return settings === "stays" ? undefined : `if a secret of it changes, ${restarted}`;
}

/** Whether one of these inputs changes. `may`: one of them is secret, and something else can be why there is an update. */
function whether(
    { seen, hidden, other }: Reasons,
    wanted: (field: string) => boolean,
): "changes" | "stays" | "may" {
    if ([...seen].some(wanted)) return "changes";
    if (![...hidden].some(wanted)) return "stays";
    return !other && [...hidden].every(wanted) ? "changes" : "may";
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
