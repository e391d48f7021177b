import * as pulumi from "@pulumi/pulumi";
import * as z from "zod";
import { type Fault, faultsIn, renamed, zodFaults } from "../model/faults.ts";
import { type FlussHelmExtras, flussHelmExtras } from "../model/fluss-helm-extras.ts";
import { flussHelmFaults } from "../model/fluss-helm-faults.ts";
import { isOldRelease } from "../model/fluss-helm-old.ts";
import { flussNetworkPolicies } from "../model/network-policies.ts";
import { knownLake } from "./fluss-cluster-lake.ts";
import { userFaults } from "./fluss-cluster-secrets.ts";
import { type ChartWish, chartNames, chartSettings, renderValues, sourceOf } from "./fluss-cluster-values.ts";

/**
 * Every fault of the chart's arguments that is known while the program runs, by the names that the user wrote. What is an output is
 * looked at when it is known.
 * @param at what the user wrote the arguments below
 */
export function flussChartFaults(args: ChartWish, at = "chart"): Fault[] {
    const { kind, version } = sourceOf(args);
    const settings = flussHelmExtras.safeParse(chartSettings(args));
    const { networkPolicies } = args;
    return renamed(
        [
            ...sourceFaults(args),
            ...(settings.error ? zodFaults(settings.error, args.settings, "settings") : []),
            ...userFaults(args.users, args.zookeeperUser),
            ...(networkPolicies
                ? faultsIn(() => flussNetworkPolicies("fluss", kind === "bundle", networkPolicies))
                : []),
            ...valueFaults(args, version, settings.data ?? {}),
        ],
        chartNames(at),
    );
}

/** The vendor has a bundle of 1.0 only; older servers come with Apache's chart, which has no ZooKeeper. */
function sourceFaults(args: ChartWish): Fault[] {
    const { kind, version } = sourceOf(args);
    const { error } = source.safeParse({ kind, version });
    const faults = error ? zodFaults(error, { kind, version }, "chart") : [];
    if (kind === "bundle" && isOldRelease(version)) {
        const reason = `there is no bundle of ${version}`;
        const fix = 'Use 1.0.0-vv-3, or kind "apache" with a ZooKeeper of your own';
        faults.push({ path: "chart.version", value: JSON.stringify(version), reason, fix });
    }
    if (kind === "apache" && !args.zookeeperAddress) {
        const reason = "is missing. Apache's chart has no ZooKeeper";
        const fix = 'Give host:port of one, or use chart.kind "bundle"';
        faults.push({ path: "zookeeperAddress", reason, fix });
    }
    if (!args.storageClass) {
        const reason = "is missing, and the servers keep their data on volumes";
        faults.push({ path: "storageClass", reason, fix: "Give one of kubectl get storageclass" });
    }
    return faults;
}

const source = z.object({ kind: z.enum(["bundle", "apache"]), version: z.string().min(1) });

/** Faults of the values; without the stores, where these are outputs. */
function valueFaults(args: ChartWish, version: string, settings: FlussHelmExtras): readonly Fault[] {
    const { remote, lake } = args;
    const storage = remote?.storage;
    const early = () =>
        flussHelmFaults({
            release: version,
            overrides: args.overrides,
            tablet: { replicas: args.tabletServers, storageSize: args.tabletStorageSize },
            zookeeper: { storageSize: args.zookeeperStorageSize },
            extras: settings,
        });
    if (storage === undefined || !isPlain(storage) || !isPlain(lake)) return early();
    const lakeFaults = lake ? faultsIn(() => knownLake(args, lake, version)) : [];
    if (lakeFaults.length > 0) return [...lakeFaults, ...early()];
    const whole = { ...args, remote: remote! };
    return faultsIn(() => renderValues(whole, settings, { storage, lake, tokenSecret: "token" }));
}

function isPlain<T>(value: pulumi.Input<T> | undefined): value is T | undefined {
    return !pulumi.Output.isInstance(value) && !(value instanceof Promise);
}
