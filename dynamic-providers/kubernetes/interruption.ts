import type { Cluster } from "./cluster.ts";
import { type HelmRecord, isPending, newestRecord, type ReleasePlace } from "./helm-records.ts";
import { isUnfinished, livingRun, type RunMark, readMark } from "./run-mark.ts";

/** How a release stands before anything is done to it. */
export interface Situation {
    /** Helm's newest record. */
    record: HelmRecord | undefined;
    mark: RunMark | undefined;
    /** An operation that will never end: the record must be put right before Helm works again. */
    cutOff: boolean;
    /** Who is at work on it right now. */
    busy: string | undefined;
}

/** How old an operation that somebody else began with Helm must be before it is taken for cut off. */
const FOREIGN_MS = 3600_000;

/**
 * Tells an operation that is under way from one that was cut off. Helm's record of both is the same: `pending-…`, and
 * Helm refuses to work until it goes. The runs of this library give signs of life; of an operation that somebody began
 * with Helm itself nothing but the age is known.
 *
 * A record that says `deployed` belongs to a run that was cut off, too, when its run began an installation and never
 * said that it was finished: Helm did its work, and Pulumi may not know of it. While there is no record at all, a run that
 * began may be about to make the first one.
 */
export async function situationOf(
    cluster: Cluster,
    place: ReleasePlace,
    now = Date.now(),
): Promise<Situation> {
    const record = await newestRecord(cluster, place);
    const mark = await readMark(cluster, place);
    const free = { record, mark, cutOff: false, busy: undefined };
    if (!record) return isUnfinished(mark) ? { ...free, busy: await ourRun(cluster, place, mark) } : free;
    const unfinished = record.status === "deployed" && isUnfinished(mark);
    if (!isPending(record) && !(record.ours && unfinished)) return free;
    const known = `${place.namespace}/${record.name}/${record.resourceVersion}`;
    if (cutOffRecords.has(known)) return { ...free, cutOff: true };
    const busy = record.ours ? await ourRun(cluster, place, mark) : foreignOperation(record, now);
    if (busy === undefined) cutOffRecords.add(known);
    return { ...free, cutOff: busy === undefined, busy };
}

/** Found by the check of this run, so that its update need not watch for it again. */
const cutOffRecords = new Set<string>();

async function ourRun(
    cluster: Cluster,
    place: ReleasePlace,
    mark: RunMark | undefined,
): Promise<string | undefined> {
    const holder = await livingRun(cluster, place, mark);
    return holder && `another run of Pulumi (${holder})`;
}

function foreignOperation({ status, begun }: HelmRecord, now: number): string | undefined {
    const minutes = Math.floor((now - begun) / 60_000);
    if (now - begun > FOREIGN_MS) return undefined;
    return `Helm (${status}, begun ${minutes} minutes ago, not by Pulumi)`;
}
