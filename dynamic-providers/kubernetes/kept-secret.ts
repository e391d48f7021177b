import { randomInt } from "node:crypto";
import type { V1Secret } from "@kubernetes/client-node";
import * as z from "zod";
import type { ResourceDefinition } from "../resource.ts";
import {
    accessEffect,
    type Cluster,
    kubernetesAccess,
    kubernetesError,
    openCluster,
    orUndefined,
} from "./cluster.ts";

const inputs = z.strictObject({
    access: kubernetesAccess,
    namespace: z.string().min(1),
    name: z.string().min(1),
    /** Keys whose values are not secret, with their values. */
    fixed: z.record(z.string(), z.string()).default({}),
    /** Keys that get a random value, with its length: letters and digits. */
    random: z.record(z.string(), z.int().min(16).max(256)),
    /**
     * Where that lies which only this Secret opens: on the volumes of a StatefulSet, by its name, or in a place that
     * cannot be seen from here. While it is there, another Secret of the name is not made.
     */
    opens: z
        .union([z.strictObject({ volumesOf: z.string().min(1) }), z.literal("elsewhere")])
        .default("elsewhere"),
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
        opens: "ignore",
    },
    secretInputs: ["access"],

    async review({ old, new: wanted, known }) {
        if (!known("access", "namespace", "name", "opens")) return {};
        const cluster = await openCluster(wanted.access);
        const found = await readSecret(cluster, wanted);
        const made = old?.name === wanted.name && old.namespace === wanted.namespace;
        const lost = found ? undefined : await lossOf(cluster, wanted, made);
        return lost ? { faults: [lost] } : {};
    },

    async create(wanted) {
        const { namespace, name } = wanted;
        const id = `${namespace}/${name}`;
        const cluster = await openCluster(wanted.access);
        const found = await readSecret(cluster, wanted);
        if (found) {
            const keys = Object.keys({ ...wanted.fixed, ...wanted.random });
            const missing = keys.filter((key) => !found.data?.[key]);
            if (missing.length === 0) return { id, outputs: { adopted: true } };
            throw new Error(
                `Kubernetes: Secret ${id} exists, but has no ${missing.join(", ")}.\n` +
                    "What to do: it may be in use and is not changed; add the keys, or use another name",
            );
        }
        const lost = await lossOf(cluster, wanted, false);
        if (lost) throw new Error(`Kubernetes: ${lost}`);
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
            await cluster.core.createNamespacedSecret({ namespace, body });
        } catch (error) {
            throw kubernetesError(`make Secret ${id}`, error);
        }
        return { id, outputs: { adopted: false } };
    },

    async read(_id, state) {
        const cluster = await openCluster(state.access);
        const found = await readSecret(cluster, state);
        const lost = found ? undefined : await lossOf(cluster, state, true);
        // Kept in the state: otherwise the next run would make another one without a word.
        if (lost) console.warn(`warning: ${lost}`);
        return found || lost ? { outputs: { adopted: state.adopted } } : undefined;
    },

    async delete(_id, { namespace, name }) {
        console.warn(`Secret ${namespace}/${name} stays, since the volume that needs it stays as well`);
    },
};

function readSecret({ core }: Cluster, { namespace, name }: Inputs): Promise<V1Secret | undefined> {
    return orUndefined(`read Secret ${namespace}/${name}`, core.readNamespacedSecret({ name, namespace }));
}

/**
 * Why a Secret that is gone may not be made anew; undefined when nothing needs it.
 * @param made whether the stack has made or taken over one before
 */
async function lossOf(
    { core }: Cluster,
    { namespace, name, opens, fixed, random }: Inputs,
    made: boolean,
): Promise<string | undefined> {
    const keys = Object.keys({ ...fixed, ...random }).join(", ");
    const fix = `What to do: bring it back from a copy, or make it by hand with the keys ${keys}; it is then taken over`;
    if (opens === "elsewhere") {
        if (!made) return undefined;
        return `Secret ${namespace}/${name} is gone, and what was encrypted or locked with it cannot be opened by another one.\n${fix}`;
    }
    const { volumesOf: set } = opens;
    const claims = await orUndefined(
        `list the claims of ${set} in ${namespace}`,
        core.listNamespacedPersistentVolumeClaim({ namespace }),
    );
    const claim = (claims?.items ?? []).find(({ metadata }) => claimOf(set).test(metadata?.name ?? ""));
    if (!claim) return undefined;
    return (
        `there is no Secret ${namespace}/${name}, but the volume ${claim.metadata?.name} of an earlier installation, which only that Secret opens.\n` +
        `${fix}. If the volume is not needed, delete the claim`
    );
}

function claimOf(set: string): RegExp {
    return new RegExp(`^.+-${set.replaceAll(/[^\w-]/g, "\\$&")}-\\d+$`);
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

function randomText(length: number): string {
    return Array.from({ length }, () => letters[randomInt(letters.length)]).join("");
}
