import * as z from "zod";
import type { ResourceDefinition } from "../resource.ts";
import { accessEffect, kubernetesAccess, openCluster } from "./cluster.ts";
import { announceFinished } from "./run-mark.ts";

const inputs = z.strictObject({
    access: kubernetesAccess,
    namespace: z.string().min(1),
    release: z.string().min(1),
    /** `mark` of the guard. */
    guard: z.string().min(1),
});

/**
 * Says, once Pulumi has a record of a release, that its installation is finished. A run that is killed between Helm's
 * success and that record never says so, by which the guard of the next run knows that Helm would refuse the installation.
 */
export const releaseRecord: ResourceDefinition<z.output<typeof inputs>, object> = {
    kind: "record of a Helm release",
    inputs,
    fields: { access: accessEffect, namespace: "replace", release: "replace", guard: "update" },
    secretInputs: ["access"],

    async create(wanted) {
        await announceFinished(await openCluster(wanted.access), wanted, wanted.guard);
        return { id: `${wanted.namespace}/${wanted.release}`, outputs: {} };
    },

    async update(_id, _state, wanted) {
        await announceFinished(await openCluster(wanted.access), wanted, wanted.guard);
        return {};
    },

    async read() {
        return { outputs: {} };
    },

    async delete() {
        // The guard removes the mark.
    },
};
