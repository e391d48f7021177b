import * as z from "zod";
import { deploymentName, sessionClusterName } from "../../model/names.ts";
import { PartialCreateError, type ResourceDefinition } from "../resource.ts";
import { connectionEffect, connectionSchema } from "./connection.ts";
import { DeploymentCalls } from "./deployment-calls.ts";
import type { Deployment } from "./domain.ts";
import { DraftCalls } from "./draft-calls.ts";
import { stopAll } from "./job-waits.ts";
import { createOnce } from "./settle.ts";

const inputs = z.strictObject({
    connection: connectionSchema,
    // It becomes the name of the deployment.
    name: deploymentName,
    deploymentTargetId: z.string().min(1),
    sessionCluster: sessionClusterName.optional(),
    sqlScript: z.string().refine((text) => text.trim() !== "", { error: "is empty" }),
    engineVersion: z.string().optional(),
    executionMode: z.enum(["STREAMING", "BATCH"]).default("STREAMING"),
    additionalDependencies: z.array(z.string()).default([]),
    flinkConfiguration: z.record(z.string(), z.string()).default({}),
    validate: z.boolean().default(true),
    deploy: z.boolean().default(false),
    adopt: z.boolean().default(false),
    mark: z.string().optional(),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    draftId: string;
    /** The deployment that was made of it. */
    deploymentId?: string;
}

/** A script in the console's editor, with its JARs (v1). */
export const draft: ResourceDefinition<Inputs, Outputs> = {
    kind: "VVP SQL draft",
    inputs,
    fields: {
        connection: connectionEffect,
        name: "replace",
        deploymentTargetId: "replace",
        sessionCluster: "replace",
        sqlScript: "replace",
        engineVersion: "replace",
        executionMode: "replace",
        additionalDependencies: "replace",
        flinkConfiguration: "replace",
        validate: "ignore",
        // Taking a deployment back again means to delete it: with the draft.
        deploy: ({ new: wanted }) => (wanted === false ? "replace" : "update"),
        adopt: "ignore",
        mark: "ignore",
    },

    needsUpdate: (state, wanted) => wanted.deploy && state.deploymentId === undefined,

    async create(wanted, context) {
        const api = new DraftCalls(wanted.connection, context);
        if (wanted.validate) await api.validate(wanted);
        const parentId = await api.rootFolder();
        const make = () => api.create(parentId, wanted, wanted.mark);
        const { object, adopted } = await createOnce({
            what: `draft '${wanted.name}' in namespace '${api.namespace}'`,
            adopt: wanted.adopt,
            mark: wanted.mark,
            find: () => api.findByName(wanted.name),
            create: make,
        });
        let made = object;
        if (adopted) {
            // What it holds cannot be changed, so that it is made anew, and with it what was deployed of it.
            if (wanted.deploy) {
                const deployments = new DeploymentCalls(wanted.connection, context);
                const deployed = await api.deploymentOf(object, wanted.name);
                if (deployed) await remove(deployments, deployed);
            }
            await api.delete(object.id);
            made = await make();
        }
        const { id } = made;
        if (!wanted.deploy) return { id, outputs: { draftId: id } };
        try {
            const deploymentId = await api.deploy(made, wanted);
            return { id, outputs: { draftId: id, deploymentId } };
        } catch (error) {
            throw new PartialCreateError(id, { draftId: id }, messageOf(error));
        }
    },

    async read(id, state, context) {
        const found = await new DraftCalls(state.connection, context).find(id);
        if (!found) return undefined;
        const { deploymentId } = state;
        const deployed =
            deploymentId !== undefined &&
            (await new DeploymentCalls(state.connection, context).find(deploymentId)) !== undefined;
        return {
            inputs: found.sqlScript === state.sqlScript ? {} : { sqlScript: found.sqlScript },
            outputs: { draftId: id, deploymentId: deployed ? deploymentId : undefined },
        };
    },

    async update(id, state, wanted, context) {
        const api = new DraftCalls(wanted.connection, context);
        const found = await api.find(id);
        if (!found) {
            throw new Error(
                `VVP: draft '${wanted.name}' (${id}) is not there any more. What to do: \`pulumi refresh\``,
            );
        }
        const deploymentId =
            wanted.deploy && state.deploymentId === undefined
                ? await api.deploy(found, wanted)
                : state.deploymentId;
        return { draftId: id, deploymentId };
    },

    async delete(id, state, context) {
        if (state.deploymentId !== undefined) {
            const deployments = new DeploymentCalls(state.connection, context);
            const found = await deployments.find(state.deploymentId);
            if (found) await remove(deployments, found);
        }
        await new DraftCalls(state.connection, context).delete(id);
    },
};

async function remove(deployments: DeploymentCalls, found: Deployment): Promise<void> {
    await stopAll(deployments, found, timeoutSeconds);
    await deployments.delete(found);
    // Deployments of this name are looked for by another kind too.
    deployments.made(found.name);
}

/** Longest wait for the job of a draft's deployment to stop. */
const timeoutSeconds = 900;

function messageOf(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
}
