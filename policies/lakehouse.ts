import { engineFaults } from "../model/engine-version.ts";
import { type Finding, ofType, type PlannedResource, type Rule, textAt, valueAt } from "./rule.ts";

const deployment = "pulumi-nodejs:dynamic/vvp:Deployment";
const sessionCluster = "pulumi-nodejs:dynamic/vvp:SessionCluster";
const table = "pulumi-nodejs:dynamic/fluss:Table";
const warehouse = "pulumi-nodejs:dynamic/lakekeeper:Warehouse";

/** Rules about what is known to go wrong with Fluss, its lake and Ververica Platform. */
export const lakehouseRules: Rule[] = [
    {
        id: "session-cluster-engine",
        title: "A session cluster runs on an engine that starts",
        why: "The session cluster fails to start on the jdk17 engine of this platform release (quickstart, Troubleshooting).",
        fix: "Set engineVersion to vera-4.5-jdk11-flink-1.20.",
        level: "mandatory",
        group: "platform",
        check: (plan) =>
            ofType(plan, sessionCluster).flatMap((resource) => {
                const engine = textAt(resource, "engineVersion");
                if (engine === undefined) return [];
                return engineFaults(engine, "sessionCluster").map(({ reason }) => ({
                    resource,
                    message: reason,
                }));
            }),
    },
    {
        id: "fs-s3-jar",
        title: "No job carries the S3 file system JAR of 1.0.0-vv-3",
        why: "Reads of remote segments fail with NoSuchMethodError: Configuration.getEnumSet (quickstart, Troubleshooting).",
        fix: "Use fluss-fs-s3-0.9.1-vv-1.jar in its place.",
        level: "mandatory",
        group: "platform",
        check: (plan) =>
            plan.flatMap((resource) => {
                const jars = valueAt(resource, "additionalDependencies");
                const bad = Array.isArray(jars)
                    ? jars.filter((jar) => typeof jar === "string" && /fluss-fs-s3-1\.0\.0-vv-3/.test(jar))
                    : [];
                return bad.map((jar) => ({ resource, message: `additionalDependencies holds ${jar}` }));
            }),
    },
    {
        id: "one-tiering-job",
        title: "A Fluss cluster has one tiering job",
        why: "Two jobs tier the same tables at the same time and undo each other's commits (apache/fluss#2648).",
        fix: "Keep one of them; give it more parallelism instead.",
        level: "mandatory",
        group: "reliability",
        check: (plan) => {
            const first = new Map<string, PlannedResource>();
            return tieringJobs(plan).flatMap((resource) => {
                const cluster = clusterOf(resource) ?? resource.urn;
                const other = first.get(cluster);
                if (other) return [{ resource, message: `${other.name} tiers the same cluster` }];
                first.set(cluster, resource);
                return [];
            });
        },
    },
    {
        id: "lake-table-is-tiered",
        title: "Tables with a lake have a tiering job in the stack",
        why: "Without the job nothing ever reaches Iceberg, and nothing says so (seed documents, lake tiering).",
        fix: "Add a TieringDeployment, or turn the rule off where another stack has the job.",
        level: "advisory",
        group: "reliability",
        check: (plan) => {
            if (tieringJobs(plan).length > 0) return [];
            return ofType(plan, table)
                .filter((resource) => String(tableOptions(resource)["table.datalake.enabled"]) === "true")
                .map((resource) => ({ resource, message: "the lake is on, but no job tiers it" }));
        },
    },
    {
        id: "data-is-protected",
        title: "What holds data is protected from deletion",
        why: "A renamed resource or a removed line would delete the bucket, the warehouse or the table.",
        fix: "Leave deletionProtection at its default, or set protect: true on the bucket.",
        level: "advisory",
        group: "reliability",
        check: (plan) => {
            const unprotected = (resource: PlannedResource): Finding => ({
                resource,
                message: "may be deleted or replaced",
            });
            const buckets = ofType(plan, "aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2");
            const others = ofType(plan, table, warehouse);
            return [
                ...buckets.filter(({ protect }) => !protect).map(unprotected),
                ...others
                    .filter(
                        (resource) => !resource.protect && valueAt(resource, "deletionProtection") === false,
                    )
                    .map(unprotected),
            ];
        },
    },
    {
        id: "warehouse-has-prefix",
        title: "A warehouse has a key prefix",
        why: "A warehouse at the root of a bucket leaves no room beside it: another one would overlap and is refused (Lakekeeper 0.13.3, observed).",
        fix: "Set storage.keyPrefix, fluss-lake-storage in the quickstart.",
        level: "advisory",
        group: "reliability",
        check: (plan) =>
            ofType(plan, warehouse)
                .filter(
                    (resource) =>
                        textAt(resource, "storage.type") === "s3" && !textAt(resource, "storage.keyPrefix"),
                )
                .map((resource) => ({ resource, message: "lies at the root of its bucket" })),
    },
    {
        id: "session-cluster-idles",
        title: "No session cluster is kept running",
        why: "The platform stops a session cluster after 30 idle minutes (quickstart); kept running it holds its TaskManagers day and night.",
        fix: "Leave keepRunning out: an idle stop is no drift, and a Debug run starts it again.",
        level: "advisory",
        group: "cost",
        check: (plan) =>
            ofType(plan, sessionCluster)
                .filter((resource) => valueAt(resource, "keepRunning") === true)
                .map((resource) => ({ resource, message: "is kept running" })),
    },
];

function tieringJobs(plan: readonly PlannedResource[]): PlannedResource[] {
    return ofType(plan, deployment).filter((job) =>
        /fluss-flink-tiering|FlussLakeTiering/i.test(`${textAt(job, "jarUri")} ${textAt(job, "entryClass")}`),
    );
}

function clusterOf(job: PlannedResource): string | undefined {
    return /--fluss\.bootstrap\.servers[\s=]+(\S+)/.exec(textAt(job, "mainArgs") ?? "")?.[1];
}

function tableOptions(resource: PlannedResource): Record<string, unknown> {
    return (valueAt(resource, "spec.options") ?? {}) as Record<string, unknown>;
}
