/**
 * What Pulumi puts in the place of a value that is not known in a preview. It reaches `check` and `diff` as this
 * plain string, at any depth.
 */
export const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** True when the value is unknown or holds an unknown anywhere. */
export function hasUnknown(value: unknown): boolean {
    if (value === unknown) return true;
    if (Array.isArray(value)) return value.some(hasUnknown);
    return typeof value === "object" && value !== null && Object.values(value).some(hasUnknown);
}
