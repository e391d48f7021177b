import type { Handler } from "../shared/index.ts";
import { type Context, findDeployment } from "./context.ts";
import { enveloped } from "./dialect.ts";
import type { JobKeeper } from "./jobs.ts";
import type { Job } from "./state.ts";

/** The log of a deployment's newest start, in the form of Flink's own: written of what is known of the job, no real one. */
export function jobLogHandlers(context: Context, jobs: JobKeeper): Record<string, Handler> {
    return {
        getLatestJobStartLog: (call) => {
            const { namespace, deploymentId } = call.params;
            const deployment = findDeployment(context, namespace!, deploymentId!);
            const job = jobs.latest(deployment.deploymentId);
            return enveloped(job ? logOf(job) : "");
        },
    };
}

function logOf({ body, startTime, failure }: Job): string {
    const entry = "org.apache.flink.runtime.entrypoint.ClusterEntrypoint";
    const line = (at: number, level: string, text: string) =>
        `${new Date(at).toISOString().replace("T", " ").replace("Z", "")} [main] ${level.padEnd(5)} ${entry} [] - ${text}`;
    const lines = [
        line(startTime, "INFO", `Starting ${body.name} on ${body.engineVersion} (simulated)`),
        line(startTime, "INFO", `Program Arguments: ${body.artifact.jarArtifact?.mainArgs ?? "(none)"}`),
    ];
    if (failure) {
        lines.push(line(failure.failedAt, "ERROR", `Could not run ${body.name}.`));
        lines.push(`Caused by: ${failure.reason}: ${failure.message}`);
    }
    return `${lines.join("\n")}\n`;
}
