import { type Clock, realClock, waitFor } from "../vvp/waiting.ts";
import { type FlinkCluster, here, type SeenJob } from "./cluster.ts";

/** How long a started job is watched, and for what. */
export interface Watch {
    name: string;
    /** So long it must run without a new failure. */
    healthySeconds: number;
    timeoutSeconds: number;
    until: "RUNNING" | "FINISHED";
    clock?: Clock;
}

/**
 * Waits until all tasks of a job run and stay up: RUNNING alone is weak, since a job that restarts again and again is
 * RUNNING most of the time (Flink 1.20.3 observed). A job that finished has done its work.
 * @param seen told of each sight of the job, so that what was seen last can be recorded when the wait fails
 * @throws as soon as it failed, with Flink's reason
 */
export async function waitHealthy(
    cluster: FlinkCluster,
    jobId: string,
    watch: Watch,
    seen: (job: SeenJob) => void,
): Promise<void> {
    const { clock = realClock, until, name } = watch;
    let restarts = 0;
    let growths = 0;
    let quietSince: number | undefined;
    await waitFor(
        {
            ...here(cluster.url),
            what: `job '${name}' (${jobId}) to ${until === "FINISHED" ? "finish" : "run"}`,
            deadlineSeconds: watch.timeoutSeconds,
            probe: async () => {
                const job = await cluster.look(jobId);
                if (job) seen(job);
                if (job?.allRunning) quietSince ??= clock.now();
                if (job && job.restarts > restarts) {
                    growths += 1;
                    restarts = job.restarts;
                    quietSince = undefined;
                }
                return job;
            },
            done: (job) =>
                job?.state === "FINISHED" ||
                (until === "RUNNING" &&
                    quietSince !== undefined &&
                    clock.now() - quietSince >= watch.healthySeconds * 1000),
            failed: (job) => endReason(job, growths),
            describe: (job) => (job ? `it is ${job.state}${trouble(job)}` : "the cluster does not know it"),
        },
        clock,
    );
}

/** So many restarts while it is watched make a job sick. */
const mostRestarts = 3;

function endReason(job: SeenJob | undefined, growths: number): string | undefined {
    if (!job) return "the cluster does not know it";
    if (job.state === "FAILED") return `it FAILED${trouble(job) || ": Flink gives no reason"}`;
    if (job.state === "CANCELLED" || job.state === "CANCELLING" || job.state === "GONE") {
        return `it is ${job.state}: somebody else ended it${trouble(job)}`;
    }
    if (growths >= mostRestarts)
        return `it restarts again and again (${job.restarts} failures)${trouble(job)}`;
    return undefined;
}

function trouble({ failure }: SeenJob): string {
    return failure === undefined ? "" : `: ${failure}`;
}
