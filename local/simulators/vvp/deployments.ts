import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Call, type Handler, Refusal } from "../shared/index.ts";
import { type Context, findDeployment } from "./context.ts";
import { enveloped, page } from "./dialect.ts";
import { isActive, type JobKeeper } from "./jobs.ts";
import type { Deployment, DeploymentBody } from "./state.ts";

/**
 * Deployments (v2): created without a job, `artifact.kind` and `executionMode` fixed, sections that an update leaves out
 * keep their value, `deploymentHasChanged` until the next start, no delete while a job is active, names not unique.
 */
export function deploymentHandlers(context: Context, jobs: JobKeeper): Record<string, Handler> {
    const { store } = context;
    const { deployments } = store.state;
    const find = (call: Call) =>
        findDeployment(context, call.params["namespace"]!, call.params["deploymentId"]!);
    const show = (deployment: Deployment) => ({
        ...deployment.body,
        deploymentId: deployment.deploymentId,
        namespace: deployment.namespace,
        workspace: context.workspace,
        referencedDeploymentDraftId: deployment.draftId,
        createdAt: deployment.createdAt,
        modifiedAt: deployment.modifiedAt,
        deploymentHasChanged:
            deployment.startedBody !== undefined &&
            !isDeepStrictEqual(deployment.body, deployment.startedBody),
        jobSummary: jobs.summary(deployment),
    });
    const showFresh = async (list: Deployment[]) => {
        for (const deployment of list) await jobs.refresh(deployment.deploymentId);
        return list.map(show);
    };
    return {
        createDeployment: (call) => {
            const namespace = call.params["namespace"]!;
            const body = call.body as DeploymentBody;
            refuseUnknownPlace(context, namespace, body);
            const now = Date.now();
            const deployment = {
                deploymentId: randomUUID(),
                namespace,
                createdAt: now,
                modifiedAt: now,
                body,
            };
            deployments.push(deployment);
            store.save();
            return enveloped(show(deployment), 201);
        },
        listDeployments: async (call) => {
            const name = call.query.get("name");
            const status = call.query.get("status");
            const mine = deployments.filter(
                (d) => d.namespace === call.params["namespace"] && (name === null || d.body.name === name),
            );
            for (const deployment of mine) await jobs.refresh(deployment.deploymentId);
            const wanted = mine.filter(
                (d) => status === null || jobs.latest(d.deploymentId)?.status === status,
            );
            const { items, page: position } = page(call, wanted);
            return enveloped(items.map(show), 200, position);
        },
        listStreamDeployments: async (call) => {
            const mine = deployments.filter(
                (d) => d.namespace === call.params["namespace"] && d.body.executionMode === "STREAMING",
            );
            const shown = await showFresh(mine);
            return enveloped(
                shown.map((deployment) => {
                    const job = jobs.latest(deployment.deploymentId);
                    return { deployment, latestJob: job ? { id: job.jobId, status: job.status } : null };
                }),
            );
        },
        getDeployment: async (call) => enveloped((await showFresh([find(call)]))[0]),
        updateDeployment: async (call) => {
            const deployment = find(call);
            const update = writable(call.body as Partial<DeploymentBody>);
            const body = { ...deployment.body, ...update };
            if (
                body.artifact.kind !== deployment.body.artifact.kind ||
                body.executionMode !== deployment.body.executionMode
            ) {
                throw new Refusal(400, "artifact.kind and executionMode of a deployment cannot be changed");
            }
            refuseUnknownPlace(context, deployment.namespace, body);
            deployment.body = body;
            deployment.modifiedAt = Date.now();
            store.save();
            return enveloped((await showFresh([deployment]))[0]);
        },
        deleteDeployment: async (call) => {
            const deployment = find(call);
            await jobs.refresh(deployment.deploymentId);
            const active = jobs.of(deployment.deploymentId).find(isActive);
            if (active) {
                throw new Refusal(
                    409,
                    `deployment ${deployment.body.name} has job ${active.jobId} in ${active.status}: stop it first`,
                );
            }
            deployments.splice(deployments.indexOf(deployment), 1);
            jobs.forget(deployment.deploymentId);
            store.save();
            return enveloped(show(deployment));
        },
    };
}

/** Members that the platform writes; a client that sends the whole object back does not change them. */
const READ_ONLY = [
    "deploymentId",
    "namespace",
    "workspace",
    "createdAt",
    "modifiedAt",
    "deploymentHasChanged",
    "jobSummary",
    "creator",
    "creatorName",
    "modifier",
    "modifierName",
    "referencedDeploymentDraftId",
];

function writable(body: Partial<DeploymentBody>): Partial<DeploymentBody> {
    return Object.fromEntries(Object.entries(body).filter(([key]) => !READ_ONLY.includes(key)));
}

function refuseUnknownPlace(
    { store }: Context,
    namespace: string,
    { deploymentTarget }: DeploymentBody,
): void {
    const { mode, name } = deploymentTarget;
    const places = mode === "PER_JOB" ? store.state.targets : store.state.sessionClusters;
    if (places.some((place) => place.namespace === namespace && place.name === name)) return;
    const what = mode === "PER_JOB" ? "deployment target" : "session cluster";
    throw new Refusal(400, `${what} ${name} does not exist in namespace ${namespace}`);
}
