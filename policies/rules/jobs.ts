import { engineRules } from "../../model/engine-rules.ts";
import { engineFaults } from "../../model/engine-version.ts";
import {
    all,
    anyOf,
    each,
    onePerKey,
    type PlannedResource,
    type Rule,
    textAt,
    types,
    valueAt,
} from "../rule.ts";
import { at, bytes, entries, hasUnknownEntry, plain, plainEntries, text } from "../values.ts";
import { flussCharts, serverText } from "../views/charts.ts";
import {
    connector,
    deployedJobs,
    hasJar,
    type Job,
    jobs,
    reads,
    sqlJobs,
    tieringJobs,
} from "../views/jobs.ts";
import { skeleton, sqlCatalogs, sqlPairs } from "../views/sql.ts";

const metaspace = "taskmanager.memory.jvm-metaspace.size";
const slots = "taskmanager.numberOfTaskSlots";
const checksums = ["aws.requestChecksumCalculation", "aws.responseChecksumValidation"];

/** Rules about jobs, scripts and session clusters: what the manuals list as known issues and under troubleshooting. */
export const jobRules: Rule[] = [
    {
        id: "session-cluster-engine",
        title: "A session cluster runs on an engine that starts",
        why: "The session cluster fails to start on the jdk17 engine of this platform release (quickstart, Troubleshooting).",
        fix: "Set engineVersion to vera-4.5-jdk11-flink-1.20.",
        level: "mandatory",
        group: "platform",
        check: each(all(types.sessionCluster), ({ resource }) => {
            const engine = textAt(resource, "engineVersion");
            return engine === undefined
                ? []
                : engineFaults(engine, "sessionCluster").map(({ reason }) => reason);
        }),
    },
    {
        id: "session-cluster-size",
        title: "A session cluster has metaspace and slots for reads of the lake",
        why: 'Each Debug run of a lake query loads the Iceberg JARs anew until the metaspace is full, and a lake read wants a slot for each split: OutOfMemoryError: Metaspace, "no started flag file" (quickstart, Troubleshooting).',
        fix: `Set ${metaspace} to 512m and ${slots} to 16.`,
        level: "advisory",
        group: "platform",
        check: each(all(types.sessionCluster), ({ resource }) => {
            const options = valueAt(resource, "flinkConfiguration");
            if (hasUnknownEntry(options)) return [];
            const sessionOptions = Object.fromEntries(plainEntries(options));
            const { faults, warnings } = engineRules({ sessionOptions });
            return [
                ...faults.map(({ path, value, reason }) => `${path} = ${value} ${reason}`),
                ...warnings.map(({ reason }) => reason),
            ];
        }),
        remedy: {
            what: `sets ${metaspace} to 512m and ${slots} to 16 where they are less`,
            types: [types.sessionCluster],
            apply: (props) => {
                const options = Object.fromEntries(plainEntries(at(props, "flinkConfiguration")));
                const small = (bytes(options[metaspace] ?? "256m") ?? 0) < 512 * 1024 ** 2;
                const few = Number(options[slots] ?? 1) < 16;
                if (!small && !few) return undefined;
                const more = { ...(small && { [metaspace]: "512m" }), ...(few && { [slots]: "16" }) };
                return { ...props, flinkConfiguration: { ...options, ...more } };
            },
        },
    },
    {
        id: "restart-strategy",
        title: "The tiering job of Fluss 0.9 restarts after a failure",
        why: "It sets no restart strategy itself: its first passing error ends it for good (apache/fluss#3681).",
        fix: "Set restart-strategy.type to exponential-delay in the Flink options.",
        level: "mandatory",
        group: "reliability",
        check: each(tieringJobs, ({ resource, jarUri, conf }) =>
            isOldTiering(jarUri) && confKnown(resource) && !restarts(conf)
                ? "its first failure ends it for good"
                : undefined,
        ),
        remedy: {
            what: "sets restart-strategy.type to exponential-delay for a tiering job of 0.9",
            types: [types.deployment],
            apply: (props) => {
                const conf = Object.fromEntries(plainEntries(at(props, "flinkConf")));
                if (!isOldTiering(text(at(props, "jarUri"))) || restarts(new Map(Object.entries(conf))))
                    return undefined;
                return { ...props, flinkConf: { ...conf, "restart-strategy.type": "exponential-delay" } };
            },
        },
    },
    {
        id: "jobs-restart",
        title: "No streaming job is told never to restart",
        why: "Every restart of a server or a node then ends it (Flink documentation, restart strategies); Running Lakehouse Jobs sets none for a batch job only.",
        fix: "Remove restart-strategy.type, or set exponential-delay.",
        level: "advisory",
        group: "reliability",
        check: each(deployedJobs, ({ conf, batch }) =>
            /^(none|off|disable)$/i.test(conf.get("restart-strategy.type") ?? "") && batch === false
                ? "never restarts after a failure"
                : undefined,
        ),
    },
    {
        id: "no-limit-read",
        title: "No read of Fluss has a LIMIT",
        why: "A row-limited read fails once the table's segments leave the tablet servers, and LIMIT is for log tables only (quickstart, Troubleshooting; Manage Fluss catalog).",
        fix: "Drop the LIMIT.",
        level: "advisory",
        group: "platform",
        check: each(flussSql, ({ sql }) =>
            sql.some((script) => /\bLIMIT\s+\d/i.test(skeleton(script))) ? "reads with a LIMIT" : undefined,
        ),
    },
    {
        id: "one-reader-per-session-cluster",
        title: "A session cluster runs one job that reads Fluss",
        why: "Two reads at once fail their remote log downloads with ClassCastException (quickstart, Troubleshooting).",
        fix: "Give the jobs a deploymentTarget, a cluster each.",
        level: "advisory",
        group: "platform",
        check: onePerKey(
            deployedJobs,
            ({ resource }) => textAt(resource, "sessionCluster"),
            ({ resource }, first) =>
                `${first.resource.name} runs on session cluster ${textAt(resource, "sessionCluster")}, too`,
        ),
    },
    {
        id: "dml-needs-batch",
        title: "DELETE and UPDATE run as batch jobs",
        why: 'Fluss takes both in batch mode only (Manage Fluss catalog, "Feature Support").',
        fix: 'Set executionMode: "BATCH" (batchMode of the operator), or SET execution.runtime-mode.',
        level: "mandatory",
        group: "platform",
        check: each(sqlJobs, ({ sql, batch, runner, conf }) => {
            const set = sql.some((script) => sqlPairs(script.replaceAll(/\bSET\b/gi, "")).some(isBatchMode));
            if (
                runner === "script" ||
                batch !== false ||
                set ||
                isBatchMode(["execution.runtime-mode", conf.get("execution.runtime-mode") ?? ""])
            )
                return undefined;
            const words = sql.flatMap(
                (script) => /(?:^|;)\s*(DELETE\s+FROM|UPDATE)\s/i.exec(skeleton(script))?.[1] ?? [],
            );
            return words.length > 0 ? `has ${words[0]!.toUpperCase()} in a streaming job` : undefined;
        }),
    },
    {
        id: "datastream-job-streams",
        title: "A program with the DataStream connector is a streaming job",
        why: 'The connector does not support bounded jobs (Fluss DataStream connector, "Limitations").',
        fix: "Leave executionMode at STREAMING, or write the job in SQL.",
        level: "advisory",
        group: "platform",
        check: each(deployedJobs, (job) =>
            job.batch === true && job.jarUri !== undefined && hasJar(job, connector)
                ? "is a batch job of a JAR with the connector of Fluss"
                : undefined,
        ),
    },
    {
        id: "catalog-options",
        title: "A Fluss catalog has only options that it takes",
        why: "Beyond the address, the login and the lake's credentials it rejects any option; the object store's go into a hint of each query (Reading and Writing Fluss, \"Connecting\").",
        fix: "Move client.fs.* into OPTIONS(…) of the query; remove the rest.",
        level: "mandatory",
        group: "platform",
        check: anyOf(
            each(all(types.catalog), ({ resource }) => {
                const options = entries(valueAt(resource, "options"));
                return refused(options.map(([key]) => key));
            }),
            each(sqlJobs, ({ sql }) =>
                sql.flatMap(sqlCatalogs).flatMap(({ options }) => refused(options.map(([key]) => key))),
            ),
        ),
    },
    {
        id: "jdbc-checksums",
        title: "A job on a JDBC catalog and an S3-compatible store has the AWS SDK's checksums off",
        why: 'Such stores refuse the newer checksums of the SDK (Reading and Writing Fluss, "Lake Credentials").',
        fix: "Set env.java.opts.all to -Daws.requestChecksumCalculation=when_required -Daws.responseChecksumValidation=when_required.",
        level: "mandatory",
        group: "platform",
        check: each(deployedJobs, ({ resource, options, conf }) =>
            needsChecksumsOff(options) && confKnown(resource) && !checksumsOff(conf)
                ? "the store refuses its checksums"
                : undefined,
        ),
        remedy: {
            what: "adds the two system properties to env.java.opts.all of such a job",
            types: [types.deployment],
            apply: (props) => {
                const [job] = jobs([
                    { type: types.deployment, name: "", urn: "", props, protect: false, dependencies: [] },
                ]);
                if (!job || !needsChecksumsOff(job.options) || checksumsOff(job.conf)) return undefined;
                const given = job.conf.get("env.java.opts.all");
                const all = [...(given ? [given] : []), ...checksums.map((key) => `-D${key}=when_required`)];
                return {
                    ...props,
                    flinkConf: { ...Object.fromEntries(job.conf), "env.java.opts.all": all.join(" ") },
                };
            },
        },
    },
    {
        id: "store-read-hint",
        title: "Reads carry the store's options where the servers hand out none",
        why: "On an S3-compatible store without STS reads fail or return no rows, and on Azure with an account key only they end with Dynamic session credentials (Reading and Writing Fluss, Troubleshooting).",
        fix: "Add OPTIONS('client.fs.s3.endpoint' = …, keys as secret values) or 'client.fs.fs.azure.account.key' to each read; readHints of the model has them.",
        level: "advisory",
        group: "platform",
        check: (plan) => {
            const wanted = flussCharts(plan).flatMap((chart) => {
                if (
                    serverText(chart, "fs.azure.account.key") &&
                    !serverText(chart, "fs.azure.account.oauth2.client.id")
                )
                    return ["client.fs.fs.azure.account.key"];
                if (serverText(chart, "s3.endpoint") && !serverText(chart, "s3.assumed.role.sts.endpoint"))
                    return ["client.fs.s3.endpoint"];
                return [];
            });
            return each(flussSql, (job) => {
                const hints = job.sql.flatMap((script) => sqlPairs(script).map(([key]) => key));
                return reads(job)
                    ? wanted.filter((key) => !hints.includes(key)).map((key) => `reads without ${key}`)
                    : [];
            })(plan, {});
        },
    },
    {
        id: "lake-read-in-draft",
        title: "Drafts of 0.9 do not read the lake",
        why: 'With the 0.9.1 JARs the console\'s editor cannot run queries on $lake (Running Lakehouse Jobs, "Reading Lake-Tiered Tables on VVP3"); with 1.0.0-vv-3 it can (quickstart).',
        fix: "Submit the read as a VvpDeployment of the operator, or use the JARs of 1.0.0-vv-3.",
        level: "advisory",
        group: "platform",
        check: each(jobs, (job) =>
            job.runner === "draft" &&
            hasJar(job, /^fluss-(flink-1\.\d+|lake-iceberg)-0\./) &&
            job.sql.some((script) => /\$lake\b/.test(skeleton(script)))
                ? "reads the lake with the JARs of 0.9"
                : undefined,
        ),
    },
    {
        id: "main-args-length",
        title: "Arguments fit into the platform's field",
        why: "The platform's documentation allows 1,024 characters (VVP documentation).",
        fix: "Shorten host names, or move options into flinkConf.",
        level: "advisory",
        group: "platform",
        check: each(jobs, ({ runner, line }) =>
            line !== undefined && line.length > 1024 && runner.startsWith("vvp")
                ? `has ${line.length} characters of arguments`
                : undefined,
        ),
    },
];

/** Scripts that are about Fluss: they make a catalog, carry the connector, or name the lake. */
function flussSql(plan: readonly PlannedResource[]): Job[] {
    return sqlJobs(plan).filter(
        (job) =>
            makesCatalog(job) ||
            hasJar(job, connector) === true ||
            job.sql.some((script) => /\$(lake|changelog|binlog)\b/.test(script)),
    );
}

function makesCatalog({ sql }: Job): boolean {
    return sql.some((script) => sqlCatalogs(script).length > 0);
}

function refused(keys: readonly string[]): string[] {
    const known =
        /^(type|bootstrap\.servers|default-database|client\.security\..+|(iceberg|paimon|lance|hudi)\..+)$/;
    return keys.filter((key) => !known.test(key)).map((key) => `the catalog rejects ${key}`);
}

function isOldTiering(jarUri: string | undefined): boolean {
    return /fluss-flink-tiering-0\./.test(jarUri ?? "");
}

function restarts(conf: ReadonlyMap<string, string>): boolean {
    return conf.has("restart-strategy.type") || conf.has("execution.checkpointing.interval");
}

function confKnown({ props }: PlannedResource): boolean {
    return ![
        at(props, "flinkConf"),
        at(props, "flinkConfiguration"),
        at(props, "spec", "flinkConfiguration"),
        at(props, "spec", "deployment", "spec", "template", "spec", "flinkConfiguration"),
    ].some(hasUnknownEntry);
}

function needsChecksumsOff(options: ReadonlyMap<string, string>): boolean {
    const catalog = `${options.get("datalake.iceberg.catalog-impl")} ${options.get("datalake.iceberg.type")}`;
    return /jdbc/i.test(catalog) && options.has("datalake.iceberg.s3.endpoint");
}

function checksumsOff(conf: ReadonlyMap<string, string>): boolean {
    const given = ["env.java.opts.all", "env.java.opts.taskmanager"]
        .map((key) => conf.get(key) ?? "")
        .join(" ");
    return checksums.every((key) => given.includes(`${key}=when_required`));
}

function isBatchMode([key, value]: [string, string]): boolean {
    return key === "execution.runtime-mode" && plain(value)?.toLowerCase() === "batch";
}
