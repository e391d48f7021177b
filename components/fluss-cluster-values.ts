import { parse } from "../model/faults.ts";
import { type FlussHelmExtras, flussHelmExtras } from "../model/fluss-helm-extras.ts";
import { flussHelmValues } from "../model/fluss-helm-values.ts";
import type { Lake } from "../model/lake.ts";
import type { Storage } from "../model/lake-storage.ts";
import type { FlussChartArgs } from "./fluss-cluster-chart.ts";
import { knownLake, lakeKeys, lakeSecretNames, remoteKeys, withMarkers } from "./fluss-cluster-lake.ts";
import { zookeeperUser } from "./fluss-cluster-secrets.ts";

/** The arguments of the chart; a lakehouse gives the remote storage by itself. */
export type ChartWish = Omit<FlussChartArgs, "remote"> & Partial<Pick<FlussChartArgs, "remote">>;

/** Which chart and which version, with their defaults. */
export function sourceOf({ chart }: Pick<FlussChartArgs, "chart">): {
    kind: "bundle" | "apache";
    version: string;
} {
    return { kind: chart?.kind ?? "bundle", version: chart?.version ?? "1.0.0-vv-3" };
}

/** The values of the chart. Throws a `FaultsError` with the names of the model. */
export function renderValues(
    args: FlussChartArgs,
    settings: FlussHelmExtras,
    { storage, lake, tokenSecret }: { storage: Storage; lake: Lake | undefined; tokenSecret: string },
): Record<string, unknown> {
    const { kind, version } = sourceOf(args);
    return flussHelmValues({
        release: version,
        imageRepository: args.chart?.image ?? (kind === "apache" ? "apache/fluss" : undefined),
        releaseName: args.release ?? "fluss",
        cluster: { remote: withMarkers(storage), lake, overrides: args.overrides },
        secrets: {
            ...remoteKeys(args.remote),
            ...(lake ? lakeKeys(knownLake(args, lake, version), tokenSecret) : {}),
        },
        coreSiteSecret: args.coreSite ? lakeSecretNames.coreSite : undefined,
        clientUsers: args.users?.length ?? 1,
        storageClass: args.storageClass,
        tablet: { replicas: args.tabletServers, storageSize: args.tabletStorageSize },
        zookeeper: {
            username: zookeeperUser(args.zookeeperUser).username,
            storageSize: args.zookeeperStorageSize,
            address: kind === "apache" ? args.zookeeperAddress : undefined,
            withoutPolicy: args.networkPolicies !== undefined,
        },
        extras: settings,
    });
}

/** The further settings. Throws a `FaultsError` for those that do not exist. */
export function parsedSettings(args: ChartWish): FlussHelmExtras {
    return parse(flussHelmExtras, chartSettings(args), "chart.settings");
}

/** What the parts of the model's input are called in the arguments. */
export function chartNames(at = "chart"): Record<string, string> {
    const same = ["chart", "storageClass", "users", "zookeeperUser", "zookeeperAddress", "settings"];
    const further = ["networkPolicies", "lake", "lakeCredentials", "coreSite"];
    return {
        ...Object.fromEntries([...same, ...further].map((name) => [name, `${at}.${name}`])),
        "cluster.overrides": `${at}.overrides`,
        "cluster.remote": `${at}.remote.storage`,
        "cluster.lake": `${at}.lake`,
        "tablet.replicas": `${at}.tabletServers`,
        "tablet.storageSize": `${at}.tabletStorageSize`,
        "zookeeper.storageSize": `${at}.zookeeperStorageSize`,
    };
}

/** The further settings as given, with the default of Apache's image, which has no installer. */
export function chartSettings(args: ChartWish): unknown {
    const plugins = sourceOf(args).kind === "apache" ? { plugins: "image" } : {};
    return { ...plugins, ...args.settings };
}
