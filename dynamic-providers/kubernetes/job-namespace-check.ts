import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { platformRules } from "../../model/job-namespace.ts";
import type { ResourceDefinition } from "../resource.ts";
import { accessEffect, kubernetesAccess, openCluster } from "./cluster.ts";
import { findingsIn } from "./job-namespace-look.ts";

const name = z.string().min(1);
const port = z.int().min(1).max(65_535);
const texts = z.array(z.string()).min(1);

const inputs = z.strictObject({
    access: kubernetesAccess,
    namespace: name,
    /** As whom the platform works; without it its rights and its calls are not looked at. */
    platform: z.strictObject({ namespace: name, serviceAccount: name }).optional(),
    rules: z
        .array(z.strictObject({ apiGroups: texts, resources: texts, verbs: texts }))
        .default([...platformRules]),
    reaches: z
        .array(
            z.union([
                z.strictObject({ what: name, namespace: name, service: name, port }),
                z.strictObject({ what: name, host: name, port }),
            ]),
        )
        .default([]),
    required: z.boolean().default(true),
    /** So long findings may take to go away: a grant that was just made is not known everywhere at once. */
    settleSeconds: z.number().nonnegative().default(5),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    ready: boolean;
    /** What keeps jobs from running, one sentence each. */
    findings: string[];
}

/**
 * Looks whether jobs can run in a namespace: it is there, the platform may deploy into it, and the NetworkPolicies let jobs
 * reach what they need. It changes nothing. While something is found, each run looks again.
 */
export const jobNamespaceCheck: ResourceDefinition<Inputs, Outputs> = {
    kind: "job namespace",
    inputs,
    fields: {
        access: accessEffect,
        namespace: "replace",
        platform: "update",
        rules: "update",
        reaches: "update",
        required: "update",
        settleSeconds: "ignore",
    },
    secretInputs: ["access"],

    needsUpdate: ({ findings }) => findings.length > 0,

    async create(wanted) {
        return { id: wanted.namespace, outputs: await judge(wanted) };
    },

    async read(_id, state) {
        const findings = await findingsIn(await openCluster(state.access), state);
        warn(state.namespace, findings);
        return { outputs: { ready: findings.length === 0, findings } };
    },

    async update(_id, _state, wanted) {
        return judge(wanted);
    },

    async delete() {
        // It made nothing.
    },
};

async function judge(wanted: Inputs): Promise<Outputs> {
    const cluster = await openCluster(wanted.access);
    const end = Date.now() + wanted.settleSeconds * 1000;
    let findings = await findingsIn(cluster, wanted);
    while (findings.length > 0 && Date.now() < end) {
        await sleep(1000);
        findings = await findingsIn(cluster, wanted);
    }
    if (findings.length > 0 && wanted.required) {
        throw new Error(
            `Kubernetes: jobs cannot run in namespace ${wanted.namespace}:\n${findings.map((one) => `- ${one}`).join("\n")}`,
        );
    }
    warn(wanted.namespace, findings);
    return { ready: findings.length === 0, findings };
}

function warn(namespace: string, findings: readonly string[]): void {
    for (const one of findings) console.warn(`warning: job namespace ${namespace}: ${one}`);
}
