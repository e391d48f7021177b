import { parseDuration } from "../../model/table-options.ts";
import { all, each, ofType, type Rule, textAt, types, valueAt } from "../rule.ts";
import { at, plain, text, unknown } from "../values.ts";
import { buckets } from "../views/buckets.ts";
import { flussCharts, serverText } from "../views/charts.ts";
import { sqlJobs } from "../views/jobs.ts";
import { skeleton } from "../views/sql.ts";
import { tables } from "../views/tables.ts";

/** Rules about data that would be lost, or kept too short. */
export const dataRules: Rule[] = [
    {
        id: "data-is-protected",
        title: "What holds data is protected from deletion",
        why: "A renamed resource or a removed line would delete the bucket, the warehouse or the table.",
        fix: "Leave deletionProtection at its default, or set protect: true.",
        level: "advisory",
        group: "reliability",
        check: (plan) => {
            const own = [types.table, types.database, types.warehouse, types.project];
            const bare = [
                ...buckets(plan),
                ...ofType(plan, "kubernetes:core/v1:PersistentVolumeClaim"),
                ...ofType(plan, ...own).filter((one) => valueAt(one, "deletionProtection") === false),
            ];
            return bare
                .filter(({ protect }) => !protect)
                .map((resource) => ({ resource, message: "may be deleted or replaced" }));
        },
    },
    {
        id: "warehouse-has-prefix",
        title: "A warehouse has a key prefix",
        why: "A warehouse at the root of a bucket leaves no room beside it: another one would overlap and is refused (Lakekeeper 0.13.3, observed).",
        fix: "Set storage.keyPrefix, fluss-lake-storage in the quickstart.",
        level: "advisory",
        group: "reliability",
        check: each(all(types.warehouse), ({ resource }) =>
            textAt(resource, "storage.type") === "s3" &&
            ["", undefined].includes(valueAt(resource, "storage.keyPrefix") as "")
                ? "lies at the root of its bucket"
                : undefined,
        ),
    },
    {
        id: "remote-and-lake-apart",
        title: "Remote storage and lake have a bucket each",
        why: 'The quickstart gives them two: rights, lifecycle and deletion of one must not touch the other (quickstart, "Buckets and an Access Key").',
        fix: "Give remote storage a bucket of its own.",
        level: "advisory",
        group: "reliability",
        check: (plan) => {
            const lakes = ofType(plan, types.warehouse).flatMap((one) => textAt(one, "storage.bucket") ?? []);
            return each(flussCharts, (chart) => {
                const [, bucket] = /^s3a?:\/\/([^/]+)/.exec(serverText(chart, "remote.data.dir") ?? "") ?? [];
                return bucket !== undefined && lakes.includes(bucket)
                    ? `remote storage is in the lake's bucket ${bucket}`
                    : undefined;
            })(plan, {});
        },
    },
    {
        id: "retention-is-chosen",
        title: "A table that is nowhere else says how long it keeps its rows",
        why: "A log table drops rows after 7 days and an auto-partitioned one all but 7 partitions, unless it says otherwise; what the lake has stays (Fluss, table.log.ttl, table.auto-partition.num-retention).",
        fix: "Set table.log.ttl (or table.auto-partition.num-retention), or turn the lake on.",
        level: "advisory",
        group: "reliability",
        check: each(tables, ({ spec }) => {
            const option = (key: string) => at(spec, "options", key);
            if (at(spec, "options") === unknown || at(spec, "primaryKey") === unknown) return undefined;
            if (option("table.datalake.enabled") === unknown) return undefined;
            if (plain(option("table.datalake.enabled"))?.toLowerCase() === "true") return undefined;
            if (plain(option("table.auto-partition.enabled"))?.toLowerCase() === "true")
                return option("table.auto-partition.num-retention") === undefined
                    ? "keeps 7 partitions, without saying so"
                    : undefined;
            const isLog = at(spec, "primaryKey") === undefined;
            return isLog && option("table.log.ttl") === undefined
                ? "keeps its rows for 7 days, without saying so"
                : undefined;
        }),
    },
    {
        id: "no-drop-in-script",
        title: "No script drops a table or a database",
        why: 'A script runs again with each change of it, and DROP DATABASE drops all tables within (Manage Fluss catalog, "Databases").',
        fix: "Let FlussTable own the table: it is dropped when its protection is taken away and it is removed.",
        level: "mandatory",
        group: "reliability",
        check: each(sqlJobs, ({ sql }) => {
            const dropped = sql.flatMap(
                (script) => /\bDROP\s+(DATABASE|TABLE)\b/i.exec(skeleton(script))?.[1] ?? [],
            );
            const partitions = sql.some((script) => /\bDROP\s+PARTITION\b/i.test(skeleton(script)));
            return [
                ...dropped.map((kind) => `drops a ${kind.toLowerCase()}`),
                ...(partitions ? ["drops a partition"] : []),
            ];
        }),
    },
    {
        id: "table-can-be-written",
        title: "Fluss takes the table, and rows of it",
        why: 'Some tables are created and then refuse every row, such as one with a bucket key of two columns on a cluster with an Iceberg lake (apache/fluss#2449; Manage Fluss catalog, "Type Mapping").',
        fix: "Change the table as the message says.",
        level: "mandatory",
        group: "reliability",
        check: each(tables, ({ faults }) =>
            faults.map(({ path, reason, fix }) => `${path}: ${reason} (${fix})`),
        ),
    },
    {
        id: "arrow-log-format",
        title: "Tables keep their log in Arrow",
        why: 'Readers fetch only the columns of a query when the log is in Arrow, the default; otherwise whole rows (Manage Fluss catalog, "Column Pruning").',
        fix: "Leave table.log.format out.",
        level: "advisory",
        group: "cost",
        check: each(tables, ({ spec }) => {
            const format = text(at(spec, "options", "table.log.format"));
            return format !== undefined && format.toLowerCase() !== "arrow"
                ? `keeps its log as ${format}`
                : undefined;
        }),
    },
    {
        id: "lake-freshness",
        title: "The lake is not asked to be fresher than it must be",
        why: 'Lower freshness means more commits and small files, and more cost (Running Lakehouse Jobs, "Configuring Table Datalake Options").',
        fix: "Raise table.datalake.freshness; read the newest rows from Fluss.",
        level: "advisory",
        group: "cost",
        settings: { minimumSeconds: { default: 10, what: "freshest that is no finding, in seconds" } },
        check: each(tables, ({ spec }, { minimumSeconds }) => {
            const given = text(at(spec, "options", "table.datalake.freshness"));
            const milliseconds = parseDuration(given ?? "");
            return milliseconds !== undefined && milliseconds < Number(minimumSeconds) * 1000
                ? `asks for a lake as fresh as ${given}`
                : undefined;
        }),
    },
];
