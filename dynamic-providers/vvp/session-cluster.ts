import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { engineRules } from "../../model/engine-rules.ts";
import { engineFaults } from "../../model/engine-version.ts";
import { faultLine } from "../../model/faults.ts";
import { deploymentTargetName, sessionClusterName } from "../../model/names.ts";
import { PartialCreateError, type ResourceDefinition } from "../resource.ts";
import { connectionEffect, connectionSchema, unlessMoved } from "./connection.ts";
import { withOwnKeys } from "./drift.ts";
import { resourcesSchema } from "./memory.ts";
import { type SessionCluster, SessionClusterCalls } from "./session-cluster-calls.ts";
import { createOnce } from "./settle.ts";

const inputs = z.strictObject({
    connection: connectionSchema,
    name: sessionClusterName,
    deploymentTarget: deploymentTargetName,
    engineVersion: z.string(),
    state: z.enum(["RUNNING", "STOPPED", "ON_DEMAND"]).default("RUNNING"),
    keepRunning: z.boolean().default(false),
    numberOfTaskManagers: z.int().min(1).default(1),
    resources: resourcesSchema.optional(),
    flinkConfiguration: z.record(z.string(), z.string()).default({}),
    timeoutSeconds: z.number().positive().default(600),
    adopt: z.boolean().default(false),
    mark: z.string().optional(),
});

export type SessionClusterInputs = z.output<typeof inputs>;

interface Outputs {
    clusterId?: string;
    /** STOPPED, STARTING, RUNNING, UPDATING, STOPPING or FAILED, as last seen. */
    status: string;
    /** Why it failed, in short. */
    failure?: string;
}

/**
 * A Flink session cluster, which the console's Debug runs on (v1, asynchronous). The platform stops an idle one after
 * 30 minutes (quickstart), so STOPPED is not drift unless it is to be kept running.
 */
export const sessionCluster: ResourceDefinition<SessionClusterInputs, Outputs> = {
    kind: "VVP session cluster",
    inputs,
    deleteBeforeReplace: unlessMoved,
    fields: {
        connection: connectionEffect,
        name: "replace",
        deploymentTarget: "update",
        engineVersion: "update",
        state: "update",
        keepRunning: "update",
        numberOfTaskManagers: "update",
        resources: "update",
        flinkConfiguration: "update",
        timeoutSeconds: "ignore",
        adopt: "ignore",
        mark: "ignore",
    },

    review({ new: wanted, known }) {
        const engine = known("engineVersion") ? engineFaults(wanted.engineVersion, "sessionCluster") : [];
        const { faults, warnings } = engineRules(
            known("flinkConfiguration") ? { sessionOptions: wanted.flinkConfiguration } : {},
        );
        return { faults: [...engine, ...faults].map(faultLine), warnings: warnings.map(faultLine) };
    },

    needsUpdate(state, wanted) {
        if (wanted.state === "STOPPED") return state.status === "RUNNING" || state.status === "STARTING";
        if (wanted.state === "ON_DEMAND") return false;
        return state.status === "FAILED" || (wanted.keepRunning && state.status === "STOPPED");
    },

    async create(wanted, context) {
        const api = new SessionClusterCalls(wanted, context);
        const { object } = await createOnce({
            what: `session cluster '${wanted.name}' in namespace '${api.namespace}'`,
            adopt: wanted.adopt,
            mark: wanted.mark,
            find: () => api.find(),
            create: () => api.create(wanted, wanted.state === "RUNNING" ? "RUNNING" : "STOPPED", wanted.mark),
        });
        return { id: wanted.name, outputs: await bring(api, object, wanted) };
    },

    async read(_id, state, context) {
        const found = await new SessionClusterCalls(state, context).find();
        if (!found) return undefined;
        return { inputs: differences(state, found), outputs: toOutputs(found) };
    },

    async update(_id, _state, wanted, context) {
        const api = new SessionClusterCalls(wanted, context);
        return bring(api, await api.get(), wanted);
    },

    async delete(_id, state, context) {
        const api = new SessionClusterCalls(state, context);
        const found = await api.find();
        if (!found) return;
        if (found.status !== "STOPPED" && found.status !== "FAILED") await api.stop(state.timeoutSeconds);
        await api.delete();
    },
};

/** Makes an existing cluster what is wanted; what is reached when it fails is recorded. */
async function bring(
    api: SessionClusterCalls,
    found: SessionCluster,
    wanted: SessionClusterInputs,
): Promise<Outputs> {
    let seen = found;
    try {
        const changed = Object.keys(differences(wanted, found));
        // While a cluster is not stopped, only its desired state and its size can change.
        const live = changed.every((field) => field === "numberOfTaskManagers");
        const up = found.status !== "STOPPED" && found.status !== "FAILED";
        const run = wanted.state === "RUNNING" || (wanted.state === "ON_DEMAND" && up);
        if (up && (!live || !run)) refuseInUse(wanted, live ? ["state"] : changed, await api.users());
        if (changed.length > 0 && live) await api.scale(wanted.numberOfTaskManagers);
        else if (changed.length > 0) {
            if (up) seen = await api.stop(wanted.timeoutSeconds);
            seen = await api.configure(wanted);
        }
        seen = await (run ? api.start(wanted.timeoutSeconds) : api.stop(wanted.timeoutSeconds));
        return toOutputs(seen);
    } catch (error) {
        seen = (await api.find().catch(() => undefined)) ?? seen;
        const message = error instanceof Error ? error.message : String(error);
        throw new PartialCreateError(wanted.name, toOutputs(seen), message);
    }
}

/** @throws when a cluster that must stop runs jobs: they would be lost, or the platform refuse it half-way */
function refuseInUse({ name }: SessionClusterInputs, changed: string[], users: string[]): void {
    if (users.length === 0) return;
    throw new Error(
        `VVP: session cluster '${name}' must stop for this change (${changed.join(", ")}), and runs jobs of ${users.join(", ")}.\n` +
            'What to do: run once with state: "CANCELLED" for these deployments, then make this change and set them back to RUNNING',
    );
}

/** What the platform has otherwise than the inputs say, as the platform has it. */
function differences(wanted: SessionClusterInputs, found: SessionCluster): Partial<SessionClusterInputs> {
    const theirs = {
        deploymentTarget: found.deploymentTarget,
        engineVersion: found.engineVersion,
        numberOfTaskManagers: found.numberOfTaskManagers,
        flinkConfiguration: found.flinkConfiguration,
        // Resources that nobody asked for are the platform's choice.
        ...(wanted.resources ? { resources: withOwnKeys(wanted.resources, found.resources) } : {}),
    };
    return Object.fromEntries(
        Object.entries(theirs).filter(
            ([field, value]) => !isDeepStrictEqual(value, wanted[field as keyof SessionClusterInputs]),
        ),
    );
}

function toOutputs(found: SessionCluster): Outputs {
    return { clusterId: found.id, status: found.status, failure: found.failure?.slice(0, 300) };
}
