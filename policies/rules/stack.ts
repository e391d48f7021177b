import { each, ofType, onePerKey, type PlannedResource, type Rule, textAt, types, valueAt } from "../rule.ts";
import {
    at,
    entries,
    hasUnknownEntry,
    isPartlyUnknown,
    plainEntries,
    text,
    texts,
    unknown,
} from "../values.ts";
import { clientsLogIn, type FlussChart, flussCharts, serverText } from "../views/charts.ts";
import { clusterOf, type Job, jobs, mayTierUnseen, tieringJobs } from "../views/jobs.ts";
import { isReference, isSecretName } from "../views/secrets.ts";
import { sqlCatalogs } from "../views/sql.ts";
import { tables } from "../views/tables.ts";

/** Rules about what belongs together: cluster, warehouse, tiering job, catalogs and tables of one stack. */
export const stackRules: Rule[] = [
    {
        id: "one-tiering-job",
        title: "A Fluss cluster has one tiering job",
        why: "Two jobs tier the same tables at the same time and commit the same rows twice (apache/fluss#2648).",
        fix: "Keep one of them; give it more parallelism instead.",
        level: "mandatory",
        group: "stack",
        check: onePerKey(
            tieringJobs,
            clusterOf,
            (_, first) => `${first.resource.name} tiers the same cluster`,
        ),
    },
    {
        id: "lake-table-is-tiered",
        title: "Tables with a lake have a tiering job in the stack",
        why: 'Without the job nothing ever reaches Iceberg, and nothing says so (Running Lakehouse Jobs, "The Tiering Service").',
        fix: "Add a TieringDeployment, or turn the rule off where another stack has the job.",
        level: "advisory",
        group: "stack",
        check: (plan) =>
            tieringJobs(plan).length > 0 || mayTierUnseen(plan)
                ? []
                : each(tables, ({ spec }) =>
                      isInLake(spec) ? "the lake is on, but no job tiers it" : undefined,
                  )(plan, {}),
    },
    {
        id: "warehouse-is-used",
        title: "A warehouse has a cluster that tiers to it",
        why: 'A warehouse that neither servers nor a tiering job name stays empty (quickstart, "An Apache Fluss Cluster with Tiering").',
        fix: "Name it in datalake.iceberg.warehouse, or turn the rule off where another stack has the cluster.",
        level: "advisory",
        group: "stack",
        check: (plan) => {
            const jobs = tieringJobs(plan);
            const charts = flussCharts(plan);
            const named = [
                ...jobs.map(({ options }) => options.get(warehouseKey)),
                ...charts.map((chart) => serverText(chart, warehouseKey)),
            ].flatMap((name) => name?.split("/").at(-1) ?? []);
            const unsure =
                mayTierUnseen(plan) ||
                jobs.some(({ optionsKnown }) => !optionsKnown) ||
                charts.some(
                    ({ values }) =>
                        isPartlyUnknown(at(values, "configurationOverrides")) || values === unknown,
                );
            if (unsure) return [];
            return ofType(plan, types.warehouse).flatMap((resource) => {
                const name = textAt(resource, "name");
                return name === undefined || named.includes(name)
                    ? []
                    : [{ resource, message: "no cluster tiers to it" }];
            });
        },
    },
    {
        id: "tiering-warehouse-exists",
        title: "The tiering job names a warehouse of the stack's Lakekeeper",
        why: "Unauthorized, or a warehouse that is not found, at the job's first commit: the warehouse name must exist in the catalog (Running Lakehouse Jobs, Troubleshooting).",
        fix: "Take the name from LakekeeperWarehouse.",
        level: "advisory",
        group: "stack",
        check: (plan) => {
            const made = ofType(plan, types.warehouse);
            const names = made.flatMap((one) => textAt(one, "name") ?? []);
            if (made.length === 0 || names.length < made.length) return [];
            return each(tieringJobs, ({ options }) => {
                const name = options.get(warehouseKey)?.split("/").at(-1);
                const rest = options.get("datalake.iceberg.type") === "rest";
                return rest && name !== undefined && !isReference(name) && !names.includes(name)
                    ? `there is no warehouse ${name} in the stack`
                    : undefined;
            })(plan, {});
        },
    },
    {
        id: "one-cluster-per-warehouse",
        title: "A warehouse belongs to one Fluss cluster",
        why: "A database of Fluss is a namespace of Iceberg: two clusters with the same database write into each other's tables (Fluss, Iceberg integration).",
        fix: "Give each cluster a warehouse of its own.",
        level: "mandatory",
        group: "stack",
        check: onePerKey(tieringJobs, placeOf, (job, first) => {
            const [mine, theirs] = [clusterOf(job), clusterOf(first)];
            return mine !== undefined && theirs !== undefined && mine !== theirs
                ? `${first.resource.name} tiers another cluster to the same warehouse`
                : undefined;
        }),
    },
    {
        id: "tiering-matches-servers",
        title: "The tiering job has the lake options of the servers",
        why: 'Its datalake.* arguments repeat the servers\' keys and values, without datalake.enabled; with others it writes where nobody reads (quickstart, "Running the Tiering Service").',
        fix: "Derive both from one lake, as StreamingLakehouse does.",
        level: "mandatory",
        group: "stack",
        check: (plan) => {
            const charts = flussCharts(plan).filter(({ values }) => values !== unknown);
            return each(tieringJobs, (job) => {
                const chart = chartOf(job, charts);
                if (!chart || !job.optionsKnown) return [];
                const theirs = new Map(
                    entries(at(chart.values, "configurationOverrides")).flatMap(
                        ([key, value]): [string, string | undefined][] =>
                            isLakeOption(key) ? [[key, value === unknown ? undefined : String(value)]] : [],
                    ),
                );
                if (theirs.size === 0) return [];
                const mine = new Map([...job.options].filter(([key]) => isLakeOption(key)));
                const keys = new Set([...mine.keys(), ...theirs.keys()]);
                return [...keys]
                    .filter((key) => !isSecretName(key) || !mine.has(key) || !theirs.has(key))
                    .filter((key) => !(theirs.has(key) && theirs.get(key) === undefined))
                    .filter((key) => mine.get(key) !== theirs.get(key))
                    .map((key) => `${key} differs from that of ${chart.resource.name}`);
            })(plan, {});
        },
    },
    {
        id: "servers-have-lake",
        title: "Servers of a stack that tiers have a lake",
        why: "Tables are refused, or nothing is tiered, unless the servers have datalake.format (quickstart, values.yaml; Fluss 1.0).",
        fix: "Give FlussCluster the lake, or set datalake.enabled and datalake.*.",
        level: "mandatory",
        group: "stack",
        check: (plan) => {
            const jobs = tieringJobs(plan);
            const wanted = tables(plan).some(({ spec }) => isInLake(spec));
            return each(flussCharts, (chart) => {
                const overrides = at(chart.values, "configurationOverrides");
                if (chart.values === unknown || overrides === unknown) return undefined;
                const tiered = jobs.some((job) => chartOf(job, [chart]) !== undefined);
                const on =
                    at(overrides, "datalake.format") !== undefined &&
                    serverText(chart, "datalake.enabled") !== "false";
                return (tiered || (wanted && jobs.length === 0)) && !on
                    ? "its servers have no lake"
                    : undefined;
            })(plan, {});
        },
    },
    {
        id: "client-login",
        title: "Clients log in where the servers want it, with all that it takes",
        why: "Authentication fails when the cluster has SASL on its client listener and the client does not send a listed user's credentials (Reading and Writing Fluss, Troubleshooting).",
        fix: "Give all four client.security options: protocol, sasl.mechanism, sasl.username, sasl.password.",
        level: "mandatory",
        group: "stack",
        check: (plan) => {
            const wanted = flussCharts(plan).some((chart) => clientsLogIn(chart) === true);
            return clients(plan).flatMap(({ resource, options, known }) => {
                const missing = loginKeys.filter((key) => !options.has(key));
                const some = missing.length < loginKeys.length;
                const plaintext = /^plaintext$/i.test(options.get("client.security.protocol") ?? "");
                const wrong = plaintext ? wanted : missing.length > 0 && (some || wanted);
                if (!known || !wrong) return [];
                return [
                    {
                        resource,
                        message: plaintext ? "does not log in" : `logs in without ${missing.join(", ")}`,
                    },
                ];
            });
        },
    },
    {
        id: "client-port",
        title: "Clients use the client listener",
        why: "Port 9123 of the chart is for the servers among themselves; clients use 9124 (chart 1.0.0; quickstart).",
        fix: "Write port 9124.",
        level: "mandatory",
        group: "stack",
        check: (plan) =>
            clients(plan).flatMap(({ resource, options }) =>
                /(coordinator|tablet)-server[\w.-]*:9123\b/.test(options.get("bootstrap.servers") ?? "")
                    ? [{ resource, message: "uses the servers' own port 9123" }]
                    : [],
            ),
    },
    {
        id: "jdbc-catalog-name",
        title: "A Fluss catalog bears the name of its JDBC lake catalog",
        why: 'The JDBC catalog files its tables under datalake.iceberg.name, and a Fluss catalog of another name does not find them (Reading and Writing Fluss, "Lake Credentials").',
        fix: "Name the Fluss catalog like datalake.iceberg.name.",
        level: "mandatory",
        group: "stack",
        check: (plan) => {
            const names = [
                ...tieringJobs(plan).map(({ options }) => options.get("datalake.iceberg.name")),
                ...flussCharts(plan).map((chart) => serverText(chart, "datalake.iceberg.name")),
            ].flatMap((name) => name ?? []);
            if (names.length === 0) return [];
            const own = ofType(plan, types.catalog).map((resource) => ({
                resource,
                name: textAt(resource, "name"),
            }));
            return [...own, ...sqlMade(plan)].flatMap(({ resource, name }) =>
                name !== undefined && !names.includes(name)
                    ? [{ resource, message: `is named ${name}, and the lake catalog ${names[0]}` }]
                    : [],
            );
        },
    },
    {
        id: "rest-warehouse-name",
        title: "A REST catalog is told the name of a warehouse",
        why: "A location in the place of the name is a warehouse that does not exist: the warehouse name must exist in the catalog (Running Lakehouse Jobs, Troubleshooting).",
        fix: "Write the name, fluss in the quickstart.",
        level: "mandatory",
        group: "stack",
        check: (plan) =>
            lakes(plan).flatMap(({ resource, options }) =>
                options.get("datalake.iceberg.type") === "rest" &&
                /^[a-z][a-z0-9+.-]*:\/\//i.test(options.get(warehouseKey) ?? "")
                    ? [{ resource, message: "names the location of a warehouse" }]
                    : [],
            ),
    },
    {
        id: "one-catalog-login",
        title: "A REST catalog is given a token or a client, and a client has a scope",
        why: "With both Iceberg logs in as the client and drops the token; the scope must match one that the catalog knows (Running Lakehouse Jobs, Troubleshooting; Iceberg).",
        fix: "Give datalake.iceberg.token, or datalake.iceberg.credential with datalake.iceberg.scope.",
        level: "mandatory",
        group: "stack",
        check: (plan) =>
            lakes(plan).flatMap(({ resource, options, known }) => {
                const has = (key: string) => options.has(`datalake.iceberg.${key}`);
                if (options.get("datalake.iceberg.type") !== "rest" || !known) return [];
                if (has("token") && has("credential"))
                    return [{ resource, message: "has both datalake.iceberg.token and credential" }];
                return has("credential") && !has("scope")
                    ? [{ resource, message: "has datalake.iceberg.credential without scope" }]
                    : [];
            }),
    },
    {
        id: "catalog-uri",
        title: "Lakekeeper's catalog is addressed at /catalog",
        why: 'The catalog is at http://<service>:8181/catalog; without the path every call is refused (quickstart, "A Lakekeeper Catalog").',
        fix: "Take catalogUri of LakekeeperServer.",
        level: "mandatory",
        group: "stack",
        check: (plan) =>
            lakes(plan).flatMap(({ resource, options }) =>
                /^https?:\/\/[^/]*(lakekeeper[^/]*|:8181)\/?$/.test(options.get("datalake.iceberg.uri") ?? "")
                    ? [{ resource, message: "datalake.iceberg.uri lacks /catalog" }]
                    : [],
            ),
    },
    {
        id: "secret-value-exists",
        title: "Secret values that jobs name are in the stack",
        why: 'A job with a name that nobody made gets the marker as its password, and fails to log in (quickstart, "Creating the Secret Values").',
        fix: "Make a VvpSecretValue of that name, or turn the rule off where somebody else makes it.",
        level: "advisory",
        group: "stack",
        check: (plan) => {
            const made = ofType(plan, types.secretValue);
            const names = made.flatMap((one) => textAt(one, "name") ?? []);
            if (made.length === 0 || names.length < made.length) return [];
            return jobs(plan).flatMap(({ resource }) => {
                const named = texts(resource.props)
                    .flatMap(({ text: one }) => [...one.matchAll(/\$\{secret_values\.([\w-]+)\}/g)])
                    .map(([, name = ""]) => name);
                return [...new Set(named)]
                    .filter((name) => !names.includes(name))
                    .map((name) => ({
                        resource,
                        message: `names the secret value ${name}, which is not in the stack`,
                    }));
            });
        },
    },
];

const warehouseKey = "datalake.iceberg.warehouse";
const loginKeys = [
    "client.security.protocol",
    "client.security.sasl.mechanism",
    "client.security.sasl.username",
    "client.security.sasl.password",
];

interface Options {
    resource: PlannedResource;
    options: ReadonlyMap<string, string>;
    known: boolean;
}

/** What connects to Fluss: tiering jobs, and catalogs. */
function clients(plan: readonly PlannedResource[]): Options[] {
    const tiering = tieringJobs(plan).map(({ resource, options, optionsKnown }) => ({
        resource,
        known: optionsKnown,
        options: new Map(
            [...options].flatMap(([key, value]) =>
                key.startsWith("fluss.") ? [[key.slice(6), value] as const] : [],
            ),
        ),
    }));
    const catalogs = ofType(plan, types.catalog).map((resource) => {
        const options = valueAt(resource, "options");
        return { resource, known: !hasUnknownEntry(options), options: new Map(plainEntries(options)) };
    });
    const written = sqlMade(plan).map(({ resource, options }) => ({ resource, known: true, options }));
    return [...tiering, ...catalogs, ...written];
}

function sqlMade(plan: readonly PlannedResource[]) {
    return jobs(plan).flatMap(({ resource, sql }) =>
        sql.flatMap(sqlCatalogs).map(({ name, options }) => ({ resource, name, options: new Map(options) })),
    );
}

/** Who is told of the lake: tiering jobs and servers. */
function lakes(plan: readonly PlannedResource[]): Options[] {
    return [
        ...tieringJobs(plan).map(({ resource, options, optionsKnown: known }) => ({
            resource,
            options,
            known,
        })),
        ...flussCharts(plan).map(({ resource, values }) => {
            const overrides = at(values, "configurationOverrides");
            return {
                resource,
                options: new Map(plainEntries(overrides)),
                known: !hasUnknownEntry(overrides),
            };
        }),
    ];
}

/** The installation whose address the job has. */
function chartOf(job: Job, charts: readonly FlussChart[]): FlussChart | undefined {
    const servers = clusterOf(job) ?? "";
    return charts.find(
        ({ namespace }) => namespace !== undefined && servers.includes(`-server-hs.${namespace}.svc`),
    );
}

function placeOf({ options }: Job): string | undefined {
    const warehouse = options.get(warehouseKey);
    return warehouse === undefined ? undefined : `${options.get("datalake.iceberg.uri") ?? ""} ${warehouse}`;
}

function isLakeOption(key: string): boolean {
    return key.startsWith("datalake.") && key !== "datalake.enabled";
}

function isInLake(spec: unknown): boolean {
    return text(at(spec, "options", "table.datalake.enabled"))?.toLowerCase() === "true";
}
