import { setTimeout as sleep } from "node:timers/promises";
import { hasStatus } from "../http/api-error.ts";
import { isAmbiguous } from "./client.ts";

/**
 * Makes what a resource stands for, once. What exists already is taken over when asked, and when it bears this very
 * resource's mark: then a run was cut off between the platform's work and Pulumi's record of it. An answer that got lost
 * is settled by looking.
 */
export async function createOnce<T extends { mark?: string | undefined }>(o: {
    /** What it is, with its name and place: "deployment target 'x' in namespace 'y'". */
    what: string;
    adopt: boolean;
    /** The resource's mark; see `ownerMark`. */
    mark: string | undefined;
    find: () => Promise<T | undefined>;
    /** Finds what was made just now; default `find`. */
    findNew?: () => Promise<T | undefined>;
    create: () => Promise<T>;
}): Promise<{ object: T; adopted: boolean }> {
    const existing = await o.find();
    if (existing !== undefined) return takenOver(existing, o);
    try {
        return { object: await settled(o.create, o.findNew ?? o.find), adopted: false };
    } catch (error) {
        if (!hasStatus(error, 409)) throw error;
        // Made in this moment: by another run, or by the first of two requests that a gateway made of ours.
        const rival = await (o.findNew ?? o.find)();
        if (rival === undefined) throw error;
        return takenOver(rival, o);
    }
}

/**
 * What exists already, when it may be taken over: when that is asked for, or when it bears the mark.
 * @throws when it may not
 */
export function takenOver<T extends { mark?: string | undefined }>(
    object: T,
    { what, adopt, mark }: { what: string; adopt: boolean; mark: string | undefined },
): { object: T; adopted: boolean } {
    if (adopt) return { object, adopted: true };
    if (mark !== undefined && object.mark === mark) {
        console.warn(
            `VVP: ${what} was made by a run of this stack that was cut off; this one goes on with it`,
        );
        return { object, adopted: true };
    }
    throw new Error(
        `VVP: ${what} exists already, and this stack did not make it.\n` +
            "What to do: set adopt: true to take it over, or choose another name",
    );
}

/** Runs a write. When its outcome is not known, takes what `look` finds; the write's error when it finds nothing. */
export async function settled<T>(write: () => Promise<T>, look: () => Promise<T | undefined>): Promise<T> {
    try {
        return await write();
    } catch (error) {
        if (!isAmbiguous(error)) throw error;
        // The platform may still be at it when the connection broke: a second look gives it time.
        for (const milliseconds of [0, 1500]) {
            await sleep(milliseconds);
            const found = await look();
            if (found !== undefined) return found;
        }
        throw error;
    }
}
