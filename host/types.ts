import { catalogSchema } from "../dynamic-providers/flink-sql/runner-inputs.ts";
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
    /** Whether `options` of the input `catalog` are secret, and its name is not: a preview needs the name. */
    hasSecretOptions: boolean;
}

/** The types by their tokens. */
export function hostedTypes(): ReadonlyMap<string, HostedType> {
    return new Map(
        resourceTypes().map(({ provider, type, outputs, secretOutputs = [] }) => {
            const token = tokenOf(type);
            const hosted = providers[provider]!;
            const { shape } = hosted.definition.inputs;
            const secrets = [...secretOutputs, ...markedByClasses.filter((name) => name in shape)];
            const hasSecretOptions = shape["catalog"] === catalogSchema;
            return [token, { token, hosted, outputs, secrets, hasSecretOptions }];
        }),
    );
}

/** `lakekeeper:Warehouse`, as the dynamic resource is named, to the type of the provider. */
export function tokenOf(type: string): string {
    return `fluss:${type}`;
}

/** Marked among their arguments by the classes for TypeScript, which other programs do without. */
const markedByClasses = ["access"];
