import { isNote, type Properties, sameValue, secret, unknownValue, type Value } from "../../host/values.ts";
import type { Outputs, ResourceType } from "./resource-type.ts";

/** Outputs after a create: the inputs and what the cloud gave. */
export function createdState(inputs: Properties, outputs: Outputs): Outputs {
    return { ...withoutNotes(inputs), ...outputs };
}

/** Outputs after an update: inputs that are no longer given are gone, unless the cloud gives a value then. */
export function updatedState<Context>(
    type: ResourceType<Context>,
    olds: Properties,
    news: Properties,
    outputs: Outputs,
): Outputs {
    const kept = Object.entries(olds).filter(
        ([name]) => type.outputs.includes(name) || !type.inputs.includes(name),
    );
    return { ...Object.fromEntries(kept), ...withoutNotes(news), ...outputs };
}

/** The named outputs as not known yet, for a preview; inputs that are given stay known. */
export function unknownOutputs(names: readonly string[], inputs: Properties): Outputs {
    return Object.fromEntries(
        names.filter((name) => (inputs[name] ?? null) === null).map((name) => [name, unknownValue]),
    );
}

/**
 * Inputs after a read, so that the next update undoes what was changed outside: given ones with their present
 * values, others when they came up outside. On an import (no old inputs) all that differ from the defaults.
 */
export function readInputs<Context>(
    type: ResourceType<Context>,
    old: { inputs: Properties; outputs: Properties },
    state: Outputs,
): Properties {
    const notes = Object.entries(old.inputs).filter(([name]) => isNote(name));
    const present = type.inputs.flatMap((name): [string, Value][] => {
        const value = state[name];
        if (value === undefined || value === null) return [];
        const given = name in old.inputs;
        const cameUp = !sameValue(value, old.outputs[name] ?? type.defaults?.[name]) && !isEmpty(value);
        return given || cameUp ? [[name, value]] : [];
    });
    return Object.fromEntries([...notes, ...present]);
}

/** A pattern for `markLike`: marks of the given properties, and the type's own secret outputs. */
export function secretPattern<Context>(type: ResourceType<Context>, marked: Properties): Properties {
    const own = (type.secretOutputs ?? []).map((name) => [name, secret(null)]);
    return { ...marked, ...Object.fromEntries(own) };
}

/** Leaves out entries that are `undefined`. */
export function definedOnly(outputs: Outputs): Properties {
    return Object.fromEntries(
        Object.entries(outputs).filter((entry): entry is [string, Value] => entry[1] !== undefined),
    );
}

function withoutNotes(properties: Properties): Properties {
    return Object.fromEntries(Object.entries(properties).filter(([name]) => !isNote(name)));
}

function isEmpty(value: Value): boolean {
    return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
