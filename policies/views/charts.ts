import type { PlannedResource } from "../rule.ts";
import { at, items, plain, text, unknown } from "../values.ts";

/** A Helm release of the Fluss servers, Apache's chart or the vendor's bundle. */
export interface FlussChart {
    resource: PlannedResource;
    /** What the servers' chart gets: below `fluss` in a bundle. Unknown when the values are. */
    values: unknown;
    /** What the bundle's ZooKeeper gets; undefined for Apache's chart, which has none. */
    zookeeper: unknown;
    bundle: boolean;
    /** Releases before 1.0 have no health check and replace no markers. */
    old: boolean;
    namespace: string | undefined;
}

/** A Helm release of Lakekeeper. */
export interface LakekeeperChart {
    resource: PlannedResource;
    values: unknown;
    namespace: string | undefined;
}

const releases = [
    "kubernetes:helm.sh/v3:Release",
    "kubernetes:helm.sh/v4:Chart",
    "kubernetes:helm.sh/v3:Chart",
];

/** The releases of Fluss in the plan. */
export function flussCharts(plan: readonly PlannedResource[]): FlussChart[] {
    return plan.flatMap((resource) => {
        const name = chartName(resource);
        if (name !== "fluss" && name !== "fluss-bundle") return [];
        const all = at(resource.props, "values");
        const bundle = name === "fluss-bundle";
        return [
            {
                resource,
                bundle,
                values: bundle ? at(all, "fluss") : all,
                zookeeper: bundle ? (at(all, "zookeeper") ?? {}) : undefined,
                old: text(at(resource.props, "version"))?.startsWith("0.") ?? false,
                namespace: text(at(resource.props, "namespace")),
            },
        ];
    });
}

/** The releases of Lakekeeper in the plan. */
export function lakekeeperCharts(plan: readonly PlannedResource[]): LakekeeperChart[] {
    return plan
        .filter((resource) => chartName(resource) === "lakekeeper")
        .map((resource) => ({
            resource,
            values: at(resource.props, "values") ?? {},
            namespace: text(at(resource.props, "namespace")),
        }));
}

/** An option of server.yaml; undefined when it is not set, unknown when a preview cannot tell. */
export function serverOption({ values }: FlussChart, key: string): unknown {
    return at(values, "configurationOverrides", key);
}

/** The same as text. */
export function serverText(chart: FlussChart, key: string): string | undefined {
    return plain(serverOption(chart, key));
}

/** Whether clients must log in: undefined when a preview cannot tell. */
export function clientsLogIn({ values }: FlussChart): boolean | undefined {
    const mechanism = at(values, "security", "client", "sasl", "mechanism");
    return mechanism === unknown ? undefined : text(mechanism)?.toLowerCase() === "plain";
}

/** Variables that the containers of a part get. */
export function extraEnv(
    values: unknown,
    part: "tablet" | "coordinator",
): { name: string; value: unknown }[] {
    return items(at(values, part, "extraEnv")).flatMap((one) => {
        const name = text(at(one, "name"));
        return name === undefined ? [] : [{ name, value: at(one, "value") }];
    });
}

/** The chart's own name, out of a name, an address, a folder or an archive. */
function chartName({ type, props }: PlannedResource): string | undefined {
    if (!releases.includes(type)) return undefined;
    const last = text(at(props, "chart"))?.split(/[/\\]/).filter(Boolean).at(-1);
    return last
        ?.replace(/\.tgz$/, "")
        .replace(/-v?\d.*$/, "")
        .replace(/:.*$/, "");
}
