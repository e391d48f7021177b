/** Of what the platform has those parts that the inputs speak of, so that defaults of the platform are no difference. */
export function withOwnKeys<T extends object>(wanted: T, theirs: T): T {
    const keys = (Object.keys(wanted) as (keyof T)[]).filter((key) => wanted[key] !== undefined);
    return Object.fromEntries(keys.map((key) => [key, theirs[key]])) as T;
}
