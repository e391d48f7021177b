import { isDeepStrictEqual } from "node:util";

/** The entries of a list that are not in another one, whatever their order. */
export function without<T>(list: readonly T[], others: readonly T[]): T[] {
    return list.filter((one) => !others.some((other) => isDeepStrictEqual(one, other)));
}

/** The entries that both lists have. */
export function shared<T>(list: readonly T[], others: readonly T[]): T[] {
    return list.filter((one) => others.some((other) => isDeepStrictEqual(one, other)));
}

/**
 * What is to be added and taken away, so that what is there becomes what is wanted. What nobody here has ever asked
 * for stays, unless the list is exclusive.
 * @param now what is there
 * @param owned what the last update asked for
 */
export function changes<T>(
    now: readonly T[],
    owned: readonly T[],
    wanted: readonly T[],
    exclusive: boolean,
): { add: T[]; remove: T[] } {
    return {
        add: without(wanted, now),
        remove: without(exclusive ? now : shared(owned, now), wanted),
    };
}

/** What of a list belongs to the resource: all of it, or that which it asked for and is still there, in its order. */
export function observed<T>(now: readonly T[], owned: readonly T[], exclusive: boolean): T[] {
    return exclusive ? [...shared(owned, now), ...without(now, owned)] : shared(owned, now);
}
