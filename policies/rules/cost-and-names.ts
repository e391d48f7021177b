import { all, anyOf, each, type PlannedResource, type Rule, textAt, types, valueAt } from "../rule.ts";
import { at, bytes, plain, text } from "../values.ts";
import { bucketTypes } from "../views/buckets.ts";
import { flussCharts, lakekeeperCharts } from "../views/charts.ts";
import { tables } from "../views/tables.ts";

const claim = "kubernetes:core/v1:PersistentVolumeClaim";

/** Rules about what costs money for nothing, and about names. */
export const costAndNameRules: Rule[] = [
    {
        id: "session-cluster-idles",
        title: "No session cluster is kept running",
        why: "The platform stops a session cluster after 30 idle minutes (quickstart, Troubleshooting); kept running it holds its TaskManagers day and night.",
        fix: "Leave keepRunning out: an idle stop is no drift, and a Debug run starts it again.",
        level: "advisory",
        group: "cost",
        check: each(all(types.sessionCluster), ({ resource }) =>
            valueAt(resource, "keepRunning") === true ? "is kept running" : undefined,
        ),
        remedy: {
            what: "sets keepRunning to false",
            types: [types.sessionCluster],
            apply: (props) => (props["keepRunning"] === true ? { ...props, keepRunning: false } : undefined),
        },
    },
    {
        id: "session-cluster-count",
        title: "A session cluster has as many TaskManagers as Debug runs need",
        why: "Debug runs go one at a time (quickstart, Troubleshooting), and one TaskManager with 16 slots is enough; each more is paid for while it is up.",
        fix: "Lower numberOfTaskManagers.",
        level: "advisory",
        group: "cost",
        settings: { maximum: { default: 4, what: "most TaskManagers that are no finding" } },
        check: each(all(types.sessionCluster), ({ resource }, { maximum }) => {
            const count = Number(plain(valueAt(resource, "numberOfTaskManagers")));
            return count > Number(maximum) ? `has ${count} TaskManagers` : undefined;
        }),
    },
    {
        id: "volume-size",
        title: "Volumes are no larger than they must be",
        why: "Local volumes hold what is not in remote storage yet; a volume can grow later and never shrinks (quickstart: 20Gi, an example to adapt).",
        fix: "Start smaller, or raise maximumGi.",
        level: "advisory",
        group: "cost",
        settings: { maximumGi: { default: 500, what: "largest volume that is no finding, in GiB" } },
        check: each(volumes, ({ what, size }, { maximumGi }) => {
            const large = (bytes(size) ?? 0) > Number(maximumGi) * 1024 ** 3;
            return large ? `${what} has ${size}` : undefined;
        }),
    },
    {
        id: "platform-names",
        title: "Names on the platform follow one pattern",
        why: "Jobs, targets, session clusters and secret values of all teams stand in the same lists, and scripts name them.",
        fix: "Rename it, or set pattern to your own.",
        level: "advisory",
        group: "naming",
        settings: {
            pattern: {
                default: "^[a-z0-9]+(-[a-z0-9]+)*$",
                what: "regular expression that names match",
                fault: patternFault,
            },
        },
        check: each(
            all(types.deployment, types.draft, types.target, types.sessionCluster, types.secretValue),
            ({ resource }, { pattern }) => nameFault(textAt(resource, "name"), pattern),
        ),
    },
    {
        id: "table-names",
        title: "Names of databases, tables and columns follow one pattern",
        why: "Fluss cannot rename a table or a column (Fluss 1.0), and names with other characters must be quoted in every query.",
        fix: "Rename it while it is new, or set pattern to your own.",
        level: "advisory",
        group: "naming",
        settings: {
            pattern: {
                default: "^[a-z][a-z0-9_]*$",
                what: "regular expression that names match",
                fault: patternFault,
            },
        },
        check: anyOf(
            each(all(types.database), ({ resource }, { pattern }) =>
                nameFault(textAt(resource, "name"), pattern),
            ),
            each(tables, ({ spec }, { pattern }) => {
                const columns = at(spec, "columns");
                const names = Array.isArray(columns) ? columns.map((column) => at(column, "name")) : [];
                return [at(spec, "database"), at(spec, "name"), ...names].flatMap(
                    (name) => nameFault(text(name), pattern) ?? [],
                );
            }),
        ),
    },
    {
        id: "bucket-name-dots",
        title: "Names of buckets have no dots",
        why: "A dot breaks the certificate of <bucket>.s3.amazonaws.com (AWS, bucket naming rules), and readers fail with a TLS error.",
        fix: "Use hyphens.",
        level: "advisory",
        group: "naming",
        check: each(all(...bucketTypes), ({ resource }) => {
            const name = textAt(resource, "bucket");
            return name?.includes(".") ? `is named ${name}` : undefined;
        }),
    },
];

function nameFault(name: string | undefined, pattern: unknown): string | undefined {
    if (name === undefined || patternFault(String(pattern)) !== undefined) return undefined;
    return new RegExp(String(pattern)).test(name) ? undefined : `is named ${name}`;
}

/** The pack refuses a configuration with such a pattern; who calls a rule alone gets no finding. */
function patternFault(pattern: string): string | undefined {
    try {
        new RegExp(pattern);
        return undefined;
    } catch {
        return "is no regular expression";
    }
}

function volumes(plan: readonly PlannedResource[]) {
    const fluss = flussCharts(plan).flatMap(({ resource, values, zookeeper }) => [
        { resource, what: "each tablet server", size: plain(at(values, "tablet", "storage", "size")) },
        { resource, what: "each coordinator", size: plain(at(values, "coordinator", "storage", "size")) },
        { resource, what: "ZooKeeper", size: plain(at(zookeeper, "persistence", "size")) },
        {
            resource,
            what: "ZooKeeper's log",
            size: plain(at(zookeeper, "persistence", "dataLogDir", "size")),
        },
    ]);
    const lakekeeper = lakekeeperCharts(plan).map(({ resource, values }) => ({
        resource,
        what: "its database",
        size: plain(at(values, "postgresql", "storage", "requestedSize")),
    }));
    const claims = plan
        .filter(({ type }) => type === claim)
        .map((resource) => ({
            resource,
            what: "it",
            size: plain(valueAt(resource, "spec.resources.requests.storage")),
        }));
    return [...fluss, ...lakekeeper, ...claims];
}
