import { type Fault, joinPath, shownValue, zodFaults } from "./faults.ts";
import { overrideFaults } from "./fluss-config.ts";
import { extraFaults, type FlussHelmExtras } from "./fluss-helm-extras.ts";
import { oldReleaseFaults } from "./fluss-helm-old.ts";
import type { FlussHelmArgs } from "./fluss-helm-values.ts";
import { flussVersionOf } from "./fluss-options.ts";
import { storageSize } from "./quantity.ts";

/** The chart's own: tablet servers, and copies of each bucket. */
const chartDefaults = { tabletServers: 3, replicationFactor: 3 };

/**
 * What is wrong with the arguments of the values of Fluss' chart, but for the stores and what is derived from them: those are not
 * always known while a program runs.
 */
export function flussHelmFaults(
    args: Pick<FlussHelmArgs, "release" | "tablet" | "extras"> & {
        overrides?: FlussHelmArgs["cluster"]["overrides"];
        zookeeper?: { storageSize?: string };
    },
): Fault[] {
    return [...overrideFaults(args.overrides, flussVersionOf(args.release)), ...flussChartFaults(args)];
}

/** The same without the faults that overrides have by themselves. */
export function flussChartFaults(args: Parameters<typeof flussHelmFaults>[0]): Fault[] {
    const { release, tablet, extras = {}, zookeeper } = args;
    const overrides = args.overrides ?? {};
    return [
        ...chartOverrideFaults(overrides, extras),
        ...tabletFaults(tablet?.replicas),
        ...copiesFaults(overrides, tablet?.replicas),
        ...sizeFaults("tablet.storageSize", tablet?.storageSize),
        ...sizeFaults("zookeeper.storageSize", zookeeper?.storageSize),
        ...oldReleaseFaults(release, extras),
    ];
}

/** Overrides that the chart takes from elsewhere in its values, or that the extras stand for. */
export function chartOverrideFaults(overrides: Record<string, unknown>, extras: FlussHelmExtras): Fault[] {
    const written = Object.keys(overrides)
        .filter((key) => chartWrites.test(key))
        .map((key) => ({
            path: joinPath("cluster.overrides", [key]),
            reason: `the chart writes ${key} itself, from other values`,
            fix: "Remove it",
        }));
    return [...written, ...extraFaults(extras, overrides)];
}

/** Copies that cannot be placed. Told of the override only where there is one; the number of servers has its own faults. */
export function copiesFaults(
    overrides: Record<string, unknown>,
    replicas = chartDefaults.tabletServers,
): Fault[] {
    const given = overrides[copiesOption];
    const copies = Number(given ?? chartDefaults.replicationFactor);
    if (tabletFaults(replicas).length > 0 || !(copies > replicas)) return [];
    const servers = replicas === 1 ? "1 tablet server" : `${replicas} tablet servers`;
    const reason = `${copies} copies of each bucket cannot be placed on ${servers}, and no table could be created`;
    if (given === undefined) {
        const fix = `Start at least ${copies}, which is the chart's ${copiesOption}, or override that option with at most ${replicas}`;
        return [{ path: "tablet.replicas", value: String(replicas), reason, fix }];
    }
    const path = joinPath("cluster.overrides", [copiesOption]);
    const fix = `Set it to at most ${replicas}, or start at least ${copies} tablet servers`;
    return [{ path, ...shownValue(path, given), reason, fix }];
}

const copiesOption = "default.replication.factor";

const chartWrites =
    /^(metrics\.reporters$|metrics\.reporter\.\w+\.port$|security\.|internal\.listener\.name$|config\.providers)/;

function tabletFaults(replicas: number | undefined): Fault[] {
    if (replicas === undefined || (Number.isInteger(replicas) && replicas >= 1)) return [];
    const path = "tablet.replicas";
    return [
        {
            path,
            ...shownValue(path, replicas),
            reason: "must be a whole number, at least 1",
            fix: `Give the number of tablet servers; the chart's is ${chartDefaults.tabletServers}`,
        },
    ];
}

function sizeFaults(path: string, size: string | undefined): Fault[] {
    if (size === undefined) return [];
    const { error } = storageSize.safeParse(size);
    return error ? zodFaults(error, size, path) : [];
}
