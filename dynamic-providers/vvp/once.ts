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

/**
 * A list that a run reads once, however many resources look into it, and in which it keeps up what it makes, changes and
 * deletes itself. What others do meanwhile is not in it.
 */
export class RunList<T> {
    readonly #context: Context;
    readonly #key: string;
    readonly #read: () => Promise<T[]>;

    constructor(context: Context, key: string, read: () => Promise<T[]>) {
        this.#context = context;
        this.#key = key;
        this.#read = read;
    }

    all(): Promise<readonly T[]> {
        return this.#entries();
    }

    /** Takes an entry up, in the place of the one that it replaces. A list that nobody has read yet will have it anyway. */
    async put(entry: T, replaces: (other: T) => boolean): Promise<void> {
        const known = await this.#known();
        const place = known?.findIndex(replaces) ?? -1;
        if (place >= 0) known?.splice(place, 1, entry);
        else known?.push(entry);
    }

    async drop(gone: (entry: T) => boolean): Promise<void> {
        const known = await this.#known();
        const place = known?.findIndex(gone) ?? -1;
        if (place >= 0) known?.splice(place, 1);
    }

    #entries(): Promise<T[]> {
        return oncePerRun(this.#context, this.#key, this.#read);
    }

    /** Undefined while nobody asked for it; a read that failed is nobody's here. */
    #known(): Promise<T[] | undefined> {
        const read = ofRun.get(this.#context)?.get(this.#key) as Promise<T[]> | undefined;
        return read?.catch(() => undefined) ?? Promise.resolve(undefined);
    }
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
