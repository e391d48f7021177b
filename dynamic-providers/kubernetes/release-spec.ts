import * as z from "zod";
import { bytesOf, storageSize } from "../../model/quantity.ts";

/** The claims of one StatefulSet; undefined where it keeps nothing. */
export const storage = z
    .strictObject({
        size: storageSize,
        storageClass: z.string().min(1),
    })
    .optional();

/** What of a Fluss release cannot be changed without thought, or is compared with what is installed. */
export const releaseSpec = z.strictObject({
    chart: z.enum(["bundle", "apache"]),
    version: z.string().min(1),
    tabletServers: z.int().positive(),
    coordinators: z.int().positive(),
    replicationFactor: z.int().positive(),
    tabletStorage: storage,
    coordinatorStorage: storage,
    zookeeperStorage: storage,
    /** Names of the client users in order. */
    users: z.array(z.string()),
    /** Options of server.yaml as the chart is given them; secrets as markers. */
    options: z.record(z.string(), z.string()),
});

/** See {@link releaseSpec}. */
export type ReleaseSpec = z.output<typeof releaseSpec>;

/** What can be asked for by name although it may lose data or stop the cluster. */
export const riskNames = [
    "storageChange",
    "fewerTabletServers",
    "chartChange",
    "chartDowngrade",
    "dataMove",
    "userChange",
] as const;

export type Risk = (typeof riskNames)[number];

/** Every change of the spec that is refused, each with the name that allows it. */
export function refusedChanges(old: ReleaseSpec, wanted: ReleaseSpec, allowed: readonly Risk[]): string[] {
    const found: [Risk, string][] = [];
    const refuse = (risk: Risk, text: string) => found.push([risk, text]);
    for (const part of ["tabletStorage", "coordinatorStorage", "zookeeperStorage"] as const) {
        const reason = storageReason(old[part], wanted[part]);
        if (reason) refuse("storageChange", `${part}: ${reason}`);
    }
    if (wanted.tabletServers < old.tabletServers) {
        refuse(
            "fewerTabletServers",
            `tabletServers: ${old.tabletServers} -> ${wanted.tabletServers} loses the replicas on the servers that go. Move them away first (rebalance)`,
        );
    }
    if (wanted.chart !== old.chart) {
        refuse(
            "chartChange",
            `chart: ${old.chart} -> ${wanted.chart} takes another ZooKeeper, whose volume holds the cluster's metadata: all tables would be lost`,
        );
    }
    if (compareVersions(wanted.version, old.version) < 0) {
        refuse(
            "chartDowngrade",
            `version: ${old.version} -> ${wanted.version} goes back; no way back is documented, and older servers may not read the data`,
        );
    }
    for (const option of places) {
        const [before, after] = [old.options[option], wanted.options[option]];
        if (before === after) continue;
        refuse(
            "dataMove",
            `options["${option}"]: ${before ?? "not set"} -> ${after ?? "not set"}: the servers look there for what they hold, nothing is copied, and all tables would seem lost`,
        );
    }
    const moved = old.users.findIndex((user, index) => wanted.users[index] !== user);
    if (moved >= 0) {
        refuse(
            "userChange",
            `users: entry ${moved} was "${old.users[moved]}" and is now "${wanted.users[moved] ?? "gone"}". Users are found by their position: only append`,
        );
    }
    return found
        .filter(([risk]) => !allowed.includes(risk))
        .map(([risk, text]) => `${text}. To do it all the same, add "${risk}" to allow`);
}

/** True when the claims have to be made larger. */
export function isLarger(old: ReleaseSpec["tabletStorage"], wanted: ReleaseSpec["tabletStorage"]): boolean {
    return (
        old !== undefined &&
        wanted !== undefined &&
        old.storageClass === wanted.storageClass &&
        bytesOf(wanted.size) > bytesOf(old.size)
    );
}

/** Why a claim cannot become another one; undefined when it can. */
export function storageReason(
    old: ReleaseSpec["tabletStorage"],
    wanted: ReleaseSpec["tabletStorage"],
): string | undefined {
    if (!old && !wanted) return undefined;
    if (!old || !wanted)
        return `${old ? "on -> off" : "off -> on"} starts the servers on an empty volume: what they hold is lost`;
    if (old.storageClass !== wanted.storageClass) {
        return `storage class ${old.storageClass} -> ${wanted.storageClass}: existing volumes keep theirs, and the set cannot be changed`;
    }
    if (bytesOf(wanted.size) < bytesOf(old.size))
        return `size ${old.size} -> ${wanted.size}: a volume cannot be made smaller`;
    return undefined;
}

/** Options of server.yaml that say where the cluster keeps its data and its metadata. */
const places = ["data.dir", "remote.data.dir", "zookeeper.address", "zookeeper.path.root"];

/** Compares versions such as `1.0.0-vv-3` and `0.9.1` by their numbers in order. */
export function compareVersions(a: string, b: string): number {
    const [left, right] = [a, b].map((text) => (text.match(/\d+/g) ?? []).map(Number)) as [
        number[],
        number[],
    ];
    for (let index = 0; index < Math.max(left.length, right.length); index++) {
        const difference = (left[index] ?? 0) - (right[index] ?? 0);
        if (difference !== 0) return difference;
    }
    return 0;
}
