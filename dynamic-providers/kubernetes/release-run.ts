import { randomBytes } from "node:crypto";
import type { Cluster } from "./cluster.ts";
import { markFailed, type ReleasePlace } from "./helm-records.ts";
import { type Situation, situationOf } from "./interruption.ts";
import { announceRun, readMark } from "./run-mark.ts";

/** What a guard knows once it has made the way free for Helm. */
export interface BegunRun {
    /** Name of the guard for the mark in the cluster; another one when the mark of before is gone. */
    mark: string;
    /** True when Helm had finished an operation of which Pulumi may know nothing: its work is done again. */
    redone: boolean;
}

/**
 * Makes the way free for Helm, and says that a run is at work.
 * @param known the guard's mark of before
 * @throws when somebody else is at work on the release
 */
export async function beginRun(cluster: Cluster, place: ReleasePlace, known?: string): Promise<BegunRun> {
    const { record, cutOff, busy } = await situationOf(cluster, place);
    if (busy !== undefined) throw new Error(busyText(place, busy));
    if (cutOff && record) await markFailed(cluster, place.namespace, record);
    // With the namespace, or by hand, the mark may have gone: what was finished before says nothing about this run.
    const kept = known !== undefined && (await readMark(cluster, place))?.begun === known;
    const mark = kept ? known : randomBytes(8).toString("hex");
    await announceRun(cluster, place, mark);
    return { mark, redone: cutOff && record?.status === "deployed" };
}

/** What a preview says of the situation: faults, warnings, and the records that the update will put right. */
export function reviewSituation(
    place: ReleasePlace,
    { record, cutOff, busy }: Situation,
): { faults: string[]; warnings: string[]; interrupted: string[] } {
    return {
        faults: busy === undefined ? [] : [busyText(place, busy)],
        warnings: cutOff
            ? [`an operation of Helm on ${place.release} was cut off; the work is done again`]
            : [],
        interrupted: cutOff && record ? [record.name] : [],
    };
}

function busyText({ namespace, release }: ReleasePlace, who: string): string {
    return (
        `release ${release} in ${namespace}: ${who} is at work on it.\n` +
        "What to do: wait for its end, then run again"
    );
}
