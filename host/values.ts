/**
 * Property values as they travel between the engine and a plugin (`pulumirpc`): JSON values, in which a secret
 * is an object with a signature and a value that is not known yet (in a preview) is a fixed text.
 * Both are part of the wire protocol of the Pulumi engine.
 */

import { isDeepStrictEqual } from "node:util";
import structs from "google-protobuf/google/protobuf/struct_pb.js";

export type Value = null | boolean | number | string | Value[] | { [key: string]: Value };
export type Properties = { [key: string]: Value };

/** Stands for a value that only the coming operation brings. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/** Marks a value as secret. */
export function secret(value: Value): Properties {
    return { [signatureKey]: secretSignature, value };
}

/** Reads a message's properties; an absent message has none. Secrets stay marked. */
export function fromStruct(message: structs.Struct | undefined): Properties {
    return (message?.toJavaScript() ?? {}) as Properties;
}

/** Writes properties into a message; entries that are `undefined` are left out. */
export function toStruct(properties: Record<string, Value | undefined>): structs.Struct {
    // A list or an object may hold `undefined` too, which the message cannot carry: JSON drops it everywhere.
    return structs.Struct.fromJavaScript(JSON.parse(JSON.stringify(properties)));
}

/** True for what {@link secret} made. */
export function isMarked(value: Value | undefined): boolean {
    return isObject(value) && value[signatureKey] === secretSignature;
}

/** The same properties without marks on secrets. */
export function plainProperties(properties: Properties): Properties {
    return plain(properties) as Properties;
}

/** Marks in `properties` what is marked in `pattern` at the same place; at least that, where their forms differ. */
export function markLike(properties: Properties, pattern: Properties): Properties {
    return markValueLike(properties, pattern) as Properties;
}

/** True when the value, or a value inside it, is not known yet. */
export function holdsUnknown(value: Value | undefined): boolean {
    if (isObject(value)) return Object.values(value).some(holdsUnknown);
    return Array.isArray(value) ? value.some(holdsUnknown) : value === unknownValue;
}

/** Compares two values by content; absent and `null` are the same. */
export function sameValue(left: Value | undefined, right: Value | undefined): boolean {
    return isDeepStrictEqual(left ?? null, right ?? null);
}

/** True for a JSON object (no list). */
export function isObject(value: unknown): value is Properties {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Properties whose name starts with `__` are notes of the plugin or the engine, no inputs. */
export function isNote(name: string): boolean {
    return name.startsWith("__");
}

/** Set by the engine on any provider. */
export const engineOptions: ReadonlySet<string> = new Set([
    "version",
    "pluginDownloadURL",
    "pluginChecksums",
]);

function plain(value: Value): Value {
    if (Array.isArray(value)) return value.map(plain);
    if (!isObject(value)) return value;
    if (isMarked(value)) return plain(value["value"] ?? null);
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, plain(entry)]));
}

function markValueLike(value: Value, pattern: Value | undefined): Value {
    if (isMarked(pattern)) return secret(value);
    if (Array.isArray(value) && Array.isArray(pattern)) {
        return value.map((entry, index) => markValueLike(entry, pattern[index]));
    }
    if (isObject(value) && isObject(pattern)) {
        return Object.fromEntries(
            Object.entries(value).map(([key, entry]) => [key, markValueLike(entry, pattern[key])]),
        );
    }
    // An object that was turned into text keeps the secret that one of its members was.
    return holdsSecret(pattern) ? secret(value) : value;
}

function holdsSecret(value: Value | undefined): boolean {
    if (Array.isArray(value)) return value.some(holdsSecret);
    return isObject(value) && (isMarked(value) || Object.values(value).some(holdsSecret));
}
