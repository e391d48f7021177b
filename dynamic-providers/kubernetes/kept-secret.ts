import { randomInt } from "node:crypto";
import * as z from "zod";
import type { ResourceDefinition } from "../resource.ts";
import { accessEffect, kubernetesAccess, kubernetesError, openCluster, orUndefined } from "./cluster.ts";

const inputs = z.strictObject({
    access: kubernetesAccess,
    namespace: z.string().min(1),
    name: z.string().min(1),
    /** Keys whose values are not secret, with their values. */
    fixed: z.record(z.string(), z.string()).default({}),
    /** Keys that get a random value, with its length: letters and digits. */
    random: z.record(z.string(), z.int().min(16).max(256)),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    /** True when the Secret was there before. */
    adopted: boolean;
}

/**
 * A Kubernetes Secret with random content that outlives the stack, for what must be the same as long as a volume
 * lives: a key that encrypts its content, a password that is stored in it. What is there already is taken over
 * unchanged. Its values are never known to Pulumi.
 */
export const keptSecret: ResourceDefinition<Inputs, Outputs> = {
    kind: "kept Kubernetes Secret",
    inputs,
    fields: {
        access: accessEffect,
        namespace: "replace",
        name: "replace",
        fixed: "ignore",
        random: "ignore",
    },
    secretInputs: ["access"],

    async create(wanted) {
        const { namespace, name } = wanted;
        const id = `${namespace}/${name}`;
        const { core } = await openCluster(wanted.access);
        const found = await orUndefined(`read Secret ${id}`, core.readNamespacedSecret({ name, namespace }));
        if (found) {
            const keys = Object.keys({ ...wanted.fixed, ...wanted.random });
            const missing = keys.filter((key) => !found.data?.[key]);
            if (missing.length === 0) return { id, outputs: { adopted: true } };
            throw new Error(
                `Kubernetes: Secret ${id} exists, but has no ${missing.join(", ")}.\n` +
                    "What to do: it may be in use and is not changed; add the keys, or use another name",
            );
        }
        const random = Object.fromEntries(
            Object.entries(wanted.random).map(([key, length]) => [key, randomText(length)]),
        );
        const body = {
            metadata: { name, namespace, annotations: { "helm.sh/resource-policy": "keep" } },
            type: "Opaque",
            immutable: true,
            stringData: { ...wanted.fixed, ...random },
        };
        try {
            await core.createNamespacedSecret({ namespace, body });
        } catch (error) {
            throw kubernetesError(`make Secret ${id}`, error);
        }
        return { id, outputs: { adopted: false } };
    },

    async read(id, { access, namespace, name, adopted }) {
        const { core } = await openCluster(access);
        const found = await orUndefined(`read Secret ${id}`, core.readNamespacedSecret({ name, namespace }));
        return found && { outputs: { adopted } };
    },

    async delete() {
        // The volume that needs it stays as well.
    },
};

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

function randomText(length: number): string {
    return Array.from({ length }, () => letters[randomInt(letters.length)]).join("");
}
