/** How large the states of resources are. */

import type { Deployment } from "@pulumi/pulumi/automation/index.js";

/** What the state of a dynamic resource may have beyond 2.2 times its inputs, in bytes. */
export const mostBytesGoal = 1.2 * 1024;

/**
 * Of the resources' states: what the largest has beyond 2.2 times its inputs.
 * @param notes with what the engine notes of the program for any resource: from which lines it comes, as long as the paths of the
 * files, and the URNs of all that each of its inputs comes from
 */
export function mostBytes(deployment: Deployment, notes = false): number {
    const noted = ["stackTrace", "sourcePosition", "dependencies", "propertyDependencies"];
    const own = (one: object) =>
        Object.fromEntries(Object.entries(one).filter(([key]) => !noted.includes(key)));
    const beyond = storedIn(deployment)
        .filter(({ type }) => type.startsWith("pulumi-nodejs:"))
        .map((one) => {
            const state = notes ? one : own(one);
            return JSON.stringify(state).length - 2.2 * JSON.stringify(one.inputs ?? {}).length;
        });
    return Math.max(...beyond);
}

/** The resources of a state, but components and Pulumi's own. */
export const storedIn = (deployment: Deployment) =>
    (deployment.deployment as Stored).resources.filter(
        ({ custom, type }) => custom && !type.startsWith("pulumi:"),
    );

interface Stored {
    resources: { urn: string; type: string; custom: boolean; inputs?: object; outputs?: object }[];
}
