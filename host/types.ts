import { providers } from "../dynamic-providers/index.ts";
import type { Hosted } from "../dynamic-providers/resource.ts";
import { resourceTypes } from "../dynamic-providers/resource-types.ts";

/** A resource type of the provider `fluss`. */
export interface HostedType {
    /** `fluss:lakekeeper:Warehouse`. */
    token: string;
    hosted: Hosted;
    /** What the API adds to the inputs. */
    outputs: readonly string[];
    /** Inputs and outputs that are secret whatever the program says, also when only a part of the value is. */
    secrets: readonly string[];
}

/** The types by their tokens. */
export function hostedTypes(): ReadonlyMap<string, HostedType> {
    return new Map(
        resourceTypes().map(({ provider, type, outputs, secretOutputs = [] }) => {
            const token = tokenOf(type);
            const hosted = providers[provider]!;
            const marked = markedByClasses.filter((name) => name in hosted.definition.inputs.shape);
            return [token, { token, hosted, outputs, secrets: [...secretOutputs, ...marked] }];
        }),
    );
}

/** `lakekeeper:Warehouse`, as the dynamic resource is named, to the type of the provider. */
export function tokenOf(type: string): string {
    return `fluss:${type}`;
}

/** Marked among their arguments by the classes for TypeScript, which other programs do without. */
const markedByClasses = ["access"];
