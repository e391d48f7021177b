import { textFaults } from "../../model/fluss-config.ts";
import { each, onePerKey, type Rule } from "../rule.ts";
import { at, entries, items, plain, text, unknown } from "../values.ts";
import {
    clientsLogIn,
    extraEnv,
    type FlussChart,
    flussCharts,
    lakekeeperCharts,
    serverOption,
    serverText,
} from "../views/charts.ts";

const releaseTypes = ["kubernetes:helm.sh/v3:Release"];

/** Rules about installations of Fluss and Lakekeeper by Helm, of these components or by hand. */
export const serverRules: Rule[] = [
    {
        id: "fluss-replicas",
        title: "Every bucket of a table has copies, on several tablet servers",
        why: "With one copy the loss of one node stops writes and loses what is not in remote storage yet (Fluss, default.replication.factor).",
        fix: "Leave the chart's three tablet servers and three copies, or set at least two of each.",
        level: "advisory",
        group: "reliability",
        settings: { minimum: { default: 2, what: "least number of tablet servers, and of copies" } },
        check: each(knownCharts, (chart, { minimum }) => {
            const least = Number(minimum);
            const [servers, copies] = [tabletServers(chart), replicationFactor(chart)];
            return [
                ...(servers !== undefined && servers < least ? [`has ${servers} tablet server`] : []),
                ...(copies !== undefined && copies < least ? [`keeps ${copies} copy of each bucket`] : []),
            ];
        }),
    },
    {
        id: "fluss-replication-fits",
        title: "There are as many tablet servers as copies",
        why: "With more copies than servers no table can be created; the chart does not check it (chart 1.0.0).",
        fix: "Lower default.replication.factor, or start more tablet servers.",
        level: "mandatory",
        group: "reliability",
        check: each(knownCharts, (chart) => {
            const [servers, copies] = [tabletServers(chart), replicationFactor(chart)];
            return servers !== undefined && copies !== undefined && copies > servers
                ? `${copies} copies cannot be placed on ${servers} tablet servers`
                : undefined;
        }),
    },
    {
        id: "fluss-volumes",
        title: "Tablet servers keep their data on volumes",
        why: "The chart's default is a folder of the pod: each restart loses what is not in remote storage yet (chart 1.0.0; quickstart, values.yaml).",
        fix: "Set tablet.storage.enabled with a storage class, or use FlussCluster.",
        level: "mandatory",
        group: "reliability",
        check: each(knownCharts, ({ values }) => {
            const enabled = at(values, "tablet", "storage", "enabled");
            return enabled === unknown || plain(enabled) === "true"
                ? undefined
                : "tablet servers have no volumes";
        }),
    },
    {
        id: "zookeeper-volume",
        title: "ZooKeeper keeps its data on a volume",
        why: "ZooKeeper's data is the cluster's metadata: without it every table is lost (chart 1.0.0).",
        fix: "Leave zookeeper.persistence.enabled at true.",
        level: "mandatory",
        group: "reliability",
        check: each(knownCharts, ({ zookeeper }) =>
            plain(at(zookeeper, "persistence", "enabled")) === "false"
                ? "ZooKeeper has no volume"
                : undefined,
        ),
    },
    {
        id: "fluss-data-dir",
        title: "Data lies where the volume is",
        why: "The volume is always mounted at /tmp/fluss/data; another data.dir, as in the chart's own documentation, is lost with the pod (chart 1.0.0).",
        fix: "Remove data.dir from configurationOverrides.",
        level: "mandatory",
        group: "reliability",
        check: each(knownCharts, (chart) =>
            ["data.dir", "data.dirs"]
                .filter((key) => !["/tmp/fluss/data", undefined].includes(serverText(chart, key)))
                .map((key) => `${key} is not on the volume`),
        ),
    },
    {
        id: "fluss-remote-storage",
        title: "Remote storage is an object store",
        why: "remote.data.dir is a folder of each pod by default: other servers and readers do not find it (chart 1.0.0; quickstart, values.yaml).",
        fix: "Set remote.data.dir to s3://<bucket>/fluss-remote-storage, or use FlussCluster.",
        level: "mandatory",
        group: "reliability",
        check: each(knownCharts, (chart) => {
            if (at(chart.values, "configurationOverrides") === unknown) return undefined;
            const several = serverOption(chart, "remote.data.dirs");
            const one = serverOption(chart, "remote.data.dir");
            if (several !== undefined || one === unknown) return undefined;
            return /^(?!file:)[a-z][a-z0-9+.-]*:\/\//i.test(plain(one) ?? "")
                ? undefined
                : "remote.data.dir is a folder of the pod";
        }),
    },
    {
        id: "fluss-probe-login",
        title: "The readiness probe logs in where clients must",
        why: "Without healthCheckAuth each tablet server stays unready for 20 minutes (chart 1.0.0; quickstart, values.yaml).",
        fix: "Set tablet.readinessProbe.healthCheckAuth, or use FlussCluster.",
        level: "mandatory",
        group: "reliability",
        check: each(knownCharts, (chart) => {
            const login = at(chart.values, "tablet", "readinessProbe", "healthCheckAuth");
            const missing = login === undefined || login === "";
            return !chart.old && clientsLogIn(chart) === true && missing
                ? "its probe cannot log in"
                : undefined;
        }),
    },
    {
        id: "fluss-probe-patience",
        title: "The readiness probe outlasts the health check",
        why: "failureThreshold times periodSeconds must be more than healthCheckTimeoutSeconds, or the probe fails a server that is still being waited for (chart 1.0.0).",
        fix: "Raise failureThreshold, or lower healthCheckTimeoutSeconds; settings.healthCheckTimeoutSeconds of FlussCluster sets all three.",
        level: "advisory",
        group: "reliability",
        check: each(knownCharts, ({ values, old }) => {
            const probe = at(values, "tablet", "readinessProbe");
            if (old || probe === unknown || probe === undefined) return undefined;
            const number = (key: string, otherwise: number) =>
                at(probe, key) === undefined ? otherwise : Number(plain(at(probe, key)));
            const patience = number("failureThreshold", 360) * number("periodSeconds", 5);
            return patience <= number("healthCheckTimeoutSeconds", 1200)
                ? `the probe gives up after ${patience} s`
                : undefined;
        }),
    },
    {
        id: "fluss-disruption-budget",
        title: "Tablet servers have a disruption budget",
        why: "Draining two nodes at once takes two copies of a bucket away (Kubernetes documentation, PodDisruptionBudget).",
        fix: "Set tablet.podDisruptionBudget; settings.disruptionBudget of FlussCluster does.",
        level: "advisory",
        group: "reliability",
        check: each(knownCharts, ({ values }) => {
            const budget = at(values, "tablet", "podDisruptionBudget");
            const enabled = at(budget, "enabled");
            return enabled === unknown || plain(enabled) === "true"
                ? undefined
                : "nothing limits how many tablet servers are taken away at once";
        }),
    },
    {
        id: "fluss-config-restarts",
        title: "A changed configuration restarts the servers",
        why: "The chart writes no checksum: a changed option or key reaches the servers at their next restart only, whatever the documentation says (chart 1.0.0, rendered).",
        fix: "Put a hash of options and Secrets into podAnnotations of tablet and coordinator; FlussCluster does.",
        level: "advisory",
        group: "reliability",
        check: each(knownCharts, ({ values }) =>
            (["tablet", "coordinator"] as const)
                .filter((part) => {
                    const notes = at(values, part, "podAnnotations");
                    return notes !== unknown && entries(notes).length === 0;
                })
                .map((part) => `the ${part} has no podAnnotations`),
        ),
    },
    {
        id: "one-fluss-per-namespace",
        title: "A namespace holds one Fluss cluster",
        why: "The chart's names are fixed (tablet-server, coordinator-server): a second release fails, or takes over the first one's objects (chart 1.0.0).",
        fix: "Give each cluster a namespace of its own.",
        level: "mandatory",
        group: "reliability",
        check: onePerKey(
            flussCharts,
            ({ namespace }) => namespace,
            (_, first) => `${first.resource.name} is in the namespace already`,
        ),
    },
    {
        id: "fluss-options-survive",
        title: "Options of the servers arrive as they are written",
        why: "Helm writes a number from a million on as 1e+06; Fluss cuts values at # and drops empty ones; the chart takes {{ for a template (chart 1.0.0).",
        fix: "Give texts, without these characters.",
        level: "mandatory",
        group: "reliability",
        check: each(knownCharts, ({ values }) =>
            entries(at(values, "configurationOverrides")).flatMap(([key, value]) => {
                if (typeof value === "number" && Math.abs(value) >= 1e6)
                    return [`${key} is a number that Helm writes as 1e+06`];
                // Its default in the chart is a template.
                if (typeof value !== "string" || key === "zookeeper.address") return [];
                return textFaults(key, value, key).map(({ reason }) => reason);
            }),
        ),
        remedy: {
            what: "writes numbers among configurationOverrides as texts",
            types: releaseTypes,
            apply: (props) => {
                const values = at(props, "values");
                const bundle = at(values, "fluss", "configurationOverrides") !== undefined;
                const holder = bundle ? at(values, "fluss") : values;
                const options = entries(at(holder, "configurationOverrides"));
                if (!options.some(([, value]) => typeof value === "number")) return undefined;
                const configurationOverrides = Object.fromEntries(
                    options.map(([key, value]) => [key, typeof value === "number" ? String(value) : value]),
                );
                const written = { ...(holder as object), configurationOverrides };
                return { ...props, values: bundle ? { ...(values as object), fluss: written } : written };
            },
        },
    },
    {
        id: "fluss-java-options",
        title: "Nobody sets FLUSS_ENV_JAVA_OPTS beside the chart",
        why: "The chart names the login's file there; the second entry wins, and no server can log in (chart 1.0.0).",
        fix: "Use options of server.yaml, or another variable.",
        level: "mandatory",
        group: "reliability",
        check: each(knownCharts, ({ values }) =>
            (["tablet", "coordinator"] as const)
                .filter((part) => extraEnv(values, part).some(({ name }) => name === "FLUSS_ENV_JAVA_OPTS"))
                .map((part) => `the ${part} sets FLUSS_ENV_JAVA_OPTS`),
        ),
    },
    {
        id: "fluss-listeners",
        title: "Nobody sets listeners that the chart overwrites",
        why: "bind.listeners and advertised.listeners are appended by the start command: what stands before has no effect (chart 1.0.0).",
        fix: "Remove them; clients outside of the cluster need another way in.",
        level: "advisory",
        group: "reliability",
        check: each(knownCharts, (chart) =>
            ["bind.listeners", "advertised.listeners", "tablet-server.id"]
                .filter((key) => serverText(chart, key) !== undefined)
                .map((key) => `${key} has no effect`),
        ),
    },
    {
        id: "lakekeeper-wait",
        title: "Lakekeeper's installation does not wait for itself",
        why: "Without helmWait the migration is a hook that runs after the pods are ready, and the pods wait for the migration (lakekeeper-charts#81).",
        fix: "Set helmWait: true, or skipAwait: true; LakekeeperCatalog does the first.",
        level: "mandatory",
        group: "reliability",
        check: each(lakekeeperCharts, ({ resource, values }) => {
            const waits = at(values, "helmWait");
            const skipped = at(resource.props, "skipAwait");
            // Pulumi's own charts know no hooks, and wait for none.
            if (!releaseTypes.includes(resource.type)) return undefined;
            return waits === true || waits === unknown || skipped === true || skipped === unknown
                ? undefined
                : "the installation waits for pods that wait for its hook";
        }),
        remedy: {
            what: "sets helmWait of Lakekeeper's chart to true",
            types: releaseTypes,
            apply: (props) => {
                const chart = text(at(props, "chart"));
                const values = at(props, "values") ?? {};
                if (!/(^|\/)lakekeeper$/.test(chart ?? "") || at(values, "helmWait") === true)
                    return undefined;
                return { ...props, values: { ...(values as object), helmWait: true } };
            },
        },
    },
    {
        id: "lakekeeper-encryption-key",
        title: "Lakekeeper's encryption key is a Secret of your own",
        why: "The chart makes a key by a lookup, which rendering on the client may make anew at each run: all credentials of warehouses are lost then (chart 0.12.0).",
        fix: "Name a Secret in secretBackend.postgres.encryptionKeySecret, or use LakekeeperCatalog.",
        level: "mandatory",
        group: "reliability",
        check: each(lakekeeperCharts, ({ values }) => {
            const backend = at(values, "secretBackend");
            if (values === unknown || backend === unknown) return undefined;
            const inVault =
                plain(at(backend, "type"))?.toLowerCase() === "kv2" ||
                items(at(values, "catalog", "extraEnv")).some((one) => at(one, "value") === "kv2");
            const key = at(backend, "postgres", "encryptionKeySecret");
            return inVault || (key !== undefined && key !== "") ? undefined : "the chart makes the key";
        }),
    },
];

/** Charts whose values a preview knows. */
function knownCharts(plan: Parameters<typeof flussCharts>[0]): FlussChart[] {
    return flussCharts(plan).filter(({ values }) => values !== unknown);
}

/** Undefined when it is not known; the chart's default is 3. */
function tabletServers({ values }: FlussChart): number | undefined {
    return numberOr3(at(values, "tablet", "numberOfReplicas"));
}

function replicationFactor(chart: FlussChart): number | undefined {
    return numberOr3(serverOption(chart, "default.replication.factor"));
}

function numberOr3(value: unknown): number | undefined {
    if (value === undefined) return 3;
    const read = plain(value);
    const number = Number(read);
    return read !== undefined && Number.isInteger(number) ? number : undefined;
}
