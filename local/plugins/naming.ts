import { createHash, randomBytes } from "node:crypto";
import { holdsUnknown, isObject, type Properties, unknownValue, type Value } from "../../host/values.ts";
import type { ResourceType } from "./resource-type.ts";

/** What a check got besides the inputs. */
export interface NamingHints {
    /** The resource's name in the program. */
    name: string;
    /** The inputs of the last operation; empty for a new resource and for a replacement. */
    olds: Properties;
    /** The engine's seed, so that a plan and its update agree; may be empty. */
    seed: Uint8Array;
}

/**
 * The inputs with defaults, generated name and JSON texts. The names of filled inputs are noted in `__defaults`,
 * as Pulumi's own plugins do: a generated name stays as long as the program gives none, and a name that the
 * program took back is not kept.
 */
export function completeInputs<Context>(
    type: ResourceType<Context>,
    inputs: Properties,
    hints: NamingHints,
): Properties {
    const given = Object.fromEntries(
        Object.entries(inputs).map(([name, value]) => [name, asText(type, name, value)]),
    );
    const filled: Properties = {};
    for (const [name, value] of Object.entries(type.defaults ?? {})) {
        if ((given[name] ?? null) === null) filled[name] = value;
    }
    const auto = type.autoName;
    if (auto && (given[auto.property] ?? null) === null) {
        filled[auto.property] = isGenerated(hints.olds, auto.property)
            ? (hints.olds[auto.property] ?? null)
            : generatedName(auto, given, hints);
    }
    return { ...given, ...filled, __defaults: Object.keys(filled).sort() };
}

/** True when the input was filled by the plugin, not by the program. */
export function isGenerated(inputs: Properties, property: string): boolean {
    const noted = inputs["__defaults"];
    return Array.isArray(noted) && noted.includes(property);
}

function generatedName(
    auto: { property: string; prefixInput?: string; lowerCase?: boolean },
    inputs: Properties,
    hints: NamingHints,
): string {
    const prefix = auto.prefixInput ? inputs[auto.prefixInput] : undefined;
    if (prefix === unknownValue) return unknownValue;
    if (typeof prefix === "string") return prefix + randomDigits(hints);
    const name = `${hints.name}-${randomDigits(hints)}`;
    return auto.lowerCase ? name.toLowerCase() : name;
}

function randomDigits({ name, seed }: NamingHints): string {
    const bytes = seed.length > 0 ? createHash("sha256").update(seed).update(name).digest() : randomBytes(4);
    return bytes.toString("hex").slice(0, 7);
}

function asText<Context>(type: ResourceType<Context>, name: string, value: Value): Value {
    if (!type.jsonInputs?.includes(name) || !isObject(value)) return value;
    return holdsUnknown(value) ? unknownValue : JSON.stringify(value);
}
