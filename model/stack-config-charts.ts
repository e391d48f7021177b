import * as z from "zod";
import { type Fault, joinPath, renamed, shownValue } from "./faults.ts";
import type { ClusterInput } from "./fluss-config.ts";
import { flussHelmExtras } from "./fluss-helm-extras.ts";
import { flussHelmFaults } from "./fluss-helm-faults.ts";
import { saslPassword } from "./names.ts";
import { storageSize } from "./quantity.ts";

const text = z.string().min(1, { error: "is empty" });

/** Pulumi keeps each value as text, also an object and a number. */
const fromText = (value: unknown) => {
    if (typeof value !== "string") return value;
    try {
        return JSON.parse(value) as unknown;
    } catch {
        return value;
    }
};

/** A schema that also takes the JSON of what it describes. */
export const jsonObject = <S extends z.ZodType>(schema: S) => z.preprocess(fromText, schema);

const options = jsonObject(
    z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)),
);

/** Where a server comes from: one that runs already, or one that Helm installs. */
const source = z.enum(["existing", "chart"]);

/** The part of the stack's configuration that is about servers which Helm installs. */
export const chartConfig = {
    /** Where Lakekeeper comes from. With `chart`, `lakekeeperUrl` and `lakekeeperToken` are left out. */
    lakekeeperSource: source.default("existing"),
    /** Where Fluss comes from. With `chart`, `flussBootstrapServers` is left out, and `clientPassword` may be. */
    flussSource: source.default("existing"),
    /** Kubernetes namespace for both (`<NAMESPACE>`); it must exist. */
    kubernetesNamespace: text.default("fluss"),
    /** The text of a kubeconfig (a secret). Default: the file that `KUBECONFIG` names, or `~/.kube/config`. */
    kubeconfig: text.optional(),
    /** A context in it. Default: its current one. */
    kubernetesContext: text.optional(),
    /** Storage class of all volumes (`<STORAGE_CLASS>`). */
    storageClass: text.optional(),
    /** File with the login at the OCI registry of charts, as `helm registry login` writes it. Default: Helm's own. */
    helmRegistryConfig: text.optional(),
    /** Registry of images; with its login the Secret `registry-credentials` is made. Default: that Secret exists. */
    imageRegistry: text.optional(),
    /** User at the registry of images. */
    imageRegistryUsername: text.optional(),
    /** Password at the registry of images (a secret). */
    imageRegistryPassword: text.optional(),
    /** Version of Lakekeeper's chart. */
    lakekeeperChartVersion: text.default("0.12.0"),
    /** Repository of Lakekeeper's chart. Default: the vendor's. */
    lakekeeperChartRepository: text.optional(),
    /** User at that repository. Default: no login. */
    lakekeeperChartUsername: text.optional(),
    /** Password at that repository (a secret). */
    lakekeeperChartPassword: text.optional(),
    /** Volume of the database of Lakekeeper's chart. */
    lakekeeperStorageSize: storageSize.default("5Gi"),
    /** `bundle` has ZooKeeper in it (quickstart); `apache` is Apache's own and needs `zookeeperAddress`. */
    flussChart: z.enum(["bundle", "apache"]).default("bundle"),
    /** Address of the Fluss chart. Default: the vendor's, or Apache's. */
    flussChartLocation: text.optional(),
    /** Version of the Fluss chart and its image. Default: `flussVersion`. */
    flussChartVersion: text.optional(),
    /** Image of the Fluss servers without tag. Default: that of the quickstart, or Apache's. */
    flussImage: text.optional(),
    /** A ZooKeeper of your own for Apache's chart, `host:port`. */
    zookeeperAddress: text.optional(),
    /** Password of ZooKeeper's user (a secret). Default: a random one. */
    zookeeperPassword: saslPassword.optional(),
    /** Number of tablet servers. */
    tabletServers: z
        .preprocess(
            fromText,
            z.int().min(1, { error: "must be at least 1" }).max(1000, { error: "must be at most 1000" }),
        )
        .default(3),
    /** Volume of each tablet server. */
    tabletStorageSize: storageSize.default("20Gi"),
    /** Volumes of ZooKeeper: data, and transaction logs. */
    zookeeperStorageSize: storageSize.default("4Gi"),
    /** Further options of the Fluss servers by their real names. */
    flussOverrides: options.default({}),
    /** Resources, spread, disruption budget, metrics, authorizer and more of the Fluss servers: `FlussHelmExtras`. */
    flussSettings: jsonObject(flussHelmExtras).default({}),
};

/**
 * What the options of Fluss' servers say against the release, the chart and the number of servers, where Helm installs them. The
 * input is as given; what has no right form is told by the schema, and takes no part here.
 */
export function serverFaults(input: unknown, subject: string): Fault[] {
    const given = recordOf(input);
    if (given["flussSource"] !== "chart") return [];
    const overrides = recordOf(fromText(given["flussOverrides"])) as ClusterInput["overrides"];
    const release = String(given["flussChartVersion"] ?? given["flussVersion"] ?? "1.0.0-vv-3");
    const servers = chartConfig.tabletServers.safeParse(given["tabletServers"]);
    const faults = flussHelmFaults({
        release,
        overrides,
        tablet: servers.data === undefined ? undefined : { replicas: servers.data },
        extras: chartConfig.flussSettings.safeParse(given["flussSettings"]).data,
    });
    return renamed(faults, {
        "cluster.overrides": `${subject}.flussOverrides`,
        "tablet.replicas": `${subject}.tabletServers`,
        settings: `${subject}.flussSettings`,
    });
}

/** What a value of the configuration demands of the others; the input is as given. */
export function sourceFaults(input: unknown, subject: string): Fault[] {
    const given = recordOf(input);
    const faults: Fault[] = [];
    const has = (key: string) => given[key] !== undefined;
    const missing = (key: string, because: string, fix: string) => {
        if (!has(key))
            faults.push({ path: joinPath(subject, [key]), reason: `is required and missing${because}`, fix });
    };
    const unused = (key: string, because: string) => {
        if (!has(key)) return;
        const path = joinPath(subject, [key]);
        faults.push({
            path,
            ...shownValue(path, given[key]),
            reason: `means nothing ${because}`,
            fix: "Remove it",
        });
    };
    const lakekeeperByHelm = given["lakekeeperSource"] === "chart";
    const flussByHelm = given["flussSource"] === "chart";
    const install = (name: string) => `, or set ${name} to chart to install a server by Helm`;
    if (lakekeeperByHelm) {
        for (const key of ["lakekeeperUrl", "lakekeeperInternalUrl", "lakekeeperToken"])
            unused(key, "when Lakekeeper is installed by Helm (lakekeeperSource)");
    } else {
        missing("lakekeeperUrl", "", `Give the server's URL${install("lakekeeperSource")}`);
        missing("lakekeeperToken", "", `Give the client token${install("lakekeeperSource")}`);
    }
    if (flussByHelm) {
        unused("flussBootstrapServers", "when Fluss is installed by Helm (flussSource)");
    } else {
        missing("flussBootstrapServers", "", `Give the cluster's address${install("flussSource")}`);
        missing("clientUsername", "", `Give the SASL user${install("flussSource")}`);
        missing("clientPassword", "", `Give the user's password${install("flussSource")}`);
    }
    if (lakekeeperByHelm || flussByHelm) {
        missing(
            "storageClass",
            ": the volumes of what Helm installs need one",
            "Give one of kubectl get storageclass",
        );
    }
    const together = [
        ["imageRegistry", "imageRegistryUsername", "imageRegistryPassword"],
        ["lakekeeperChartUsername", "lakekeeperChartPassword"],
    ];
    for (const keys of together) {
        const first = keys.find(has);
        if (!first) continue;
        for (const key of keys) missing(key, `: ${first} is set`, `Set it, or remove ${first}`);
    }
    if (flussByHelm && given["flussChart"] === "apache") {
        missing("zookeeperAddress", ": Apache's chart has no ZooKeeper", "Give host:port of one");
    } else {
        unused("zookeeperAddress", "without Apache's chart (flussChart)");
    }
    return faults;
}

function recordOf(value: unknown): Record<string, unknown> {
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
