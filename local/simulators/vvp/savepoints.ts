import { randomUUID } from "node:crypto";
import { FlinkError } from "../../flink/index.ts";
import { redact } from "../../services/redact.ts";
import { type Call, type Handler, Refusal } from "../shared/index.ts";
import { type Context, findDeployment } from "./context.ts";
import { enveloped, page } from "./dialect.ts";
import { causeOf } from "./flink-backend.ts";
import type { JobKeeper } from "./jobs.ts";
import type { Job, Savepoint } from "./state.ts";

/**
 * Savepoints (v2): taken of a running job on the real Flink, answered at once with STARTED. Deleting one forgets the
 * record; the file stays where Flink put it.
 */
export function savepointHandlers(context: Context, jobs: JobKeeper): Record<string, Handler> {
    const { store, flink } = context;
    const { savepoints } = store.state;
    const find = (call: Call) => {
        const { namespace, savepointId } = call.params;
        const found = savepoints.find((s) => s.namespace === namespace && s.savepointId === savepointId);
        if (!found) throw new Refusal(404, `savepoint ${savepointId} not found in namespace ${namespace}`);
        return found;
    };
    const take = async (savepoint: Savepoint, flinkJobId: string) => {
        try {
            savepoint.savepointLocation = await flink.savepoint(flinkJobId);
            savepoint.status = { state: "COMPLETED" };
        } catch (error) {
            const message = error instanceof FlinkError ? causeOf(error) : String(error);
            const failure = { reason: "SavepointFailed", message: redact(message, store.secretTexts()) };
            savepoint.status = { state: "FAILED", failure: { ...failure, failedAt: Date.now() } };
        }
        store.save();
    };
    return {
        listSavepoints: (call) => {
            const [deploymentId, jobId] = [call.query.get("deploymentId"), call.query.get("jobId")];
            const wanted = savepoints
                .filter((s) => s.namespace === call.params["namespace"])
                .filter((s) => deploymentId === null || s.deploymentId === deploymentId)
                .filter((s) => jobId === null || s.jobId === jobId);
            const { items, page: position } = page(call, wanted);
            return enveloped(items.map(show), 200, position);
        },
        createSavepoint: async (call) => {
            const body = call.body as { deploymentId: string; description?: string; nativeFormat?: boolean };
            const deployment = findDeployment(context, call.params["namespace"]!, body.deploymentId);
            await jobs.refresh(deployment.deploymentId);
            const job = jobs.of(deployment.deploymentId).find(({ status }) => status === "RUNNING");
            if (job?.flinkJobId === undefined) {
                throw new Refusal(409, `deployment ${deployment.body.name} has no RUNNING job`);
            }
            const savepoint = newSavepoint(job, "USER_REQUEST");
            savepoint.description = body.description;
            savepoint.nativeFormat = body.nativeFormat;
            savepoints.push(savepoint);
            store.save();
            context.inBackground(take(savepoint, job.flinkJobId));
            return enveloped(show(savepoint));
        },
        getSavepoint: (call) => enveloped(show(find(call))),
        deleteSavepoint: (call) => {
            savepoints.splice(savepoints.indexOf(find(call)), 1);
            store.save();
            return enveloped({});
        },
    };
}

/** A savepoint of a job that is not there yet. */
export function newSavepoint(job: Job, origin: Savepoint["savepointOrigin"]): Savepoint {
    return {
        savepointId: randomUUID(),
        namespace: job.namespace,
        deploymentId: job.deploymentId,
        jobId: job.jobId,
        savepointOrigin: origin,
        status: { state: "STARTED" },
    };
}

/**
 * Where the state lies that a job starts from; undefined when it starts afresh, also when there is no savepoint yet.
 * Retained checkpoints are not looked at. Refuses (400) a savepoint by id that is not there.
 */
export function restoreLocation({ store }: Context, job: Job): string | undefined {
    const { kind, savepointId } = job.restoreStrategy;
    if (kind === "NONE") return undefined;
    const complete = store.state.savepoints.filter(
        (s) => s.deploymentId === job.deploymentId && s.status.state === "COMPLETED",
    );
    if (kind !== "FROM_SAVEPOINT") return complete.at(-1)?.savepointLocation;
    const named = complete.find((s) => s.savepointId === savepointId);
    if (named) return named.savepointLocation;
    throw new Refusal(400, `savepoint ${String(savepointId)} of this deployment does not exist`);
}

function show({ namespace: _, ...savepoint }: Savepoint): Omit<Savepoint, "namespace"> {
    return savepoint;
}
