import { type Properties, sameValue } from "../../../host/values.ts";
import type { Failure } from "../resource-type.ts";

/** A policy has to be a JSON object. */
export function policyFailures(inputs: Properties): Failure[] {
    return textFailures("policy", inputs);
}

/** As {@link policyFailures}, for a policy in another input. */
export function textFailures(property: string, inputs: Properties): Failure[] {
    const text = inputs[property];
    if (typeof text !== "string") return [];
    const parsed = parse(text);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return [];
    return [{ property, reason: "must be a JSON object" }];
}

/** The text of the last operation when the present one says the same, so that a new layout is no drift. */
export function presentPolicy(present: string, last: unknown): string {
    const same = typeof last === "string" && sameValue(parse(present), parse(last));
    return same ? last : present;
}

function parse(text: string) {
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
}
