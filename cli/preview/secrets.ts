import { type PreviewStep, readableUrn, SECRET } from "./preview.ts";
import { propertyChanges, secretPaths } from "./property-changes.ts";
import { reasonsOf } from "./reasons.ts";
import type { Named } from "./summary.ts";

/** A secret that gets a new value. Pulumi does not tell it: whether a secret differs is not in its output. */
export interface SecretChange extends Named {
    /** The inputs, one of which gets it. */
    properties: string[];
    /** False when there may be another reason for the update, so that the secret may be as it was. */
    certain: boolean;
}

/** The secrets of a resource that get new values, as far as that can be told. */
export function secretChanges(step: PreviewStep): SecretChange[] {
    if (step.op !== "update" && step.op !== "replace") return [];
    const visible = propertyChanges(step);
    const named = readableUrn(step.urn);
    const marked = visible
        .filter(({ before, after }) => isSecret(before) || isSecret(after))
        // What only gets secret may be the same as before.
        .map(({ path, before, after }) => ({ ...named, properties: [path], certain: before !== after }));
    const reasons = reasonsOf(step);
    const hidden = secretPaths(step).filter(
        (path) => !reasons || reasons.hidden.has(path.split(".")[0] ?? ""),
    );
    const differs = reasons ? reasons.seen.size > 0 : visible.length > 0;
    // The value is nearly always why a secret value is updated: it is named beside another reason, too.
    const suspected = hidden.length > 0 && (!differs || named.type === "vvp:SecretValue");
    // Of a resource of others nobody knows what else its provider may find.
    const certain = reasons ? !reasons.other : hidden.length === 1;
    return [...marked, ...(suspected ? [{ ...named, properties: hidden, certain }] : [])];
}

function isSecret(shown: string | undefined): boolean {
    return shown?.startsWith(SECRET) === true;
}
