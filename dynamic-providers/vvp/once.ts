import type { Context } from "../resource.ts";

/**
 * Reads something once a run, however many resources ask for it: the first one asks the platform, the others take its
 * answer. A failed read is not remembered.
 */
export function oncePerRun<T>(context: Context, key: string, read: () => Promise<T>): Promise<T> {
    const known = ofRun.get(context) ?? new Map<string, Promise<unknown>>();
    ofRun.set(context, known);
    const before = known.get(key);
    if (before !== undefined) return before as Promise<T>;
    const reading = read();
    known.set(key, reading);
    reading.catch(() => known.delete(key));
    return reading;
}

/** What was read so far under a key, without reading it. */
export function rememberedOfRun<T>(context: Context, key: string): Promise<T> | undefined {
    return ofRun.get(context)?.get(key) as Promise<T> | undefined;
}

/**
 * Says that something under this key is not any more as it was read. Each kind of resource has a context, and with it a
 * memory, of its own; this reaches all of them, since they share the process.
 * @param by whose own memory knows it already
 */
export function outdate(key: string, by?: Context): void {
    outdated.set(key, (outdated.get(key) ?? new Set()).add(by));
}

/** True when somebody else said it of the key; see {@link outdate}. */
export function isOutdated(context: Context, key: string): boolean {
    return [...(outdated.get(key) ?? [])].some((by) => by !== context);
}

const outdated = new Map<string, Set<Context | undefined>>();

// Ends with the run's context; a preview, an update and a refresh are runs of their own.
const ofRun = new WeakMap<Context, Map<string, Promise<unknown>>>();
