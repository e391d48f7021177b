import { engineRules } from "../../model/engine-rules.ts";
import { all, anyOf, each, type PlannedResource, type Rule, types, valueAt } from "../rule.ts";
import { at, entries, isPartlyUnknown, items, text } from "../values.ts";
import { connector, hasJar, jobs, reads, sqlJobs } from "../views/jobs.ts";
import { sqlCatalogs } from "../views/sql.ts";

const fileSystem = /^fluss-fs-/;

/** Rules about the JARs that jobs, scripts and catalogs bring. */
export const jarRules: Rule[] = [
    {
        id: "fs-s3-jar",
        title: "No job carries the S3 file system JAR of 1.0.0-vv-3",
        why: "Reads of remote segments fail with NoSuchMethodError: Configuration.getEnumSet on vera-4.5-jdk11-flink-1.20 (quickstart, Troubleshooting).",
        fix: "Use fluss-fs-s3-0.9.1-vv-1.jar in its place.",
        level: "mandatory",
        group: "platform",
        check: each(carriers, ({ resource, jars }) =>
            jars
                .filter((jar) => /(^|\/)fluss-fs-s3-1\.0\.0-vv-3\b/.test(jar))
                .map((jar) => `additionalDependencies of ${resource.name} holds ${jar}`),
        ),
    },
    {
        id: "client-jars",
        title: "A catalog with lake credentials brings the connector of its release",
        why: 'The engine\'s own connector rejects lake credentials such as iceberg.token, and the jobs on the catalog then find no lake (Reading and Writing Fluss, "Dependencies"; quickstart, "Creating the Catalog and the Tables").',
        fix: "Add all client JARs: clientJarUris of VvpWorkspaceSetup.",
        level: "mandatory",
        group: "platform",
        check: anyOf(
            each(sqlJobs, (job) =>
                job.sql
                    .flatMap(sqlCatalogs)
                    .some(({ options }) => hasLakeLogin(options.map(([key]) => key))) &&
                hasJar(job, connector) === false
                    ? "has no connector of Fluss"
                    : undefined,
            ),
            each(all(types.catalog), ({ resource }) => {
                const jars = valueAt(resource, "runner.additionalDependencies");
                const options = entries(valueAt(resource, "options"));
                if (valueAt(resource, "runner.kind") !== "vvp" || isPartlyUnknown(jars)) return undefined;
                const found = hasJar({ jars: items(jars).flatMap((jar) => text(jar) ?? []) }, connector);
                return found || !hasLakeLogin(options.map(([key]) => key))
                    ? undefined
                    : "its statements run without the connector of Fluss";
            }),
        ),
    },
    {
        id: "lake-jars",
        title: "What touches the lake has the lake's JARs",
        why: "Planning fails with No LakeStoragePlugin available (quickstart, Troubleshooting).",
        fix: "Add all client JARs of the setup: clientJarUris of VvpWorkspaceSetup.",
        level: "mandatory",
        group: "platform",
        check: each(jobs, ({ jars, jarUri, sql }) => {
            if (jars === undefined) return [];
            const setup = {
                dependencies: jars,
                ...(jarUri !== undefined && { jarUri }),
                sqlScript: sql.join(";\n"),
            };
            return engineRules(setup)
                .warnings.filter(({ path }) => path === "additionalDependencies")
                .map(({ reason }) => reason);
        }),
    },
    {
        id: "file-system-jar",
        title: "A job that reads Fluss has the file system of its remote storage",
        why: "A reader fetches remote segments itself: ClassNotFoundException for filesystem classes (Reading and Writing Fluss, Troubleshooting).",
        fix: "Add fluss-fs-s3 or fluss-fs-azure: the setup fs-s3, fs-azure or lake-iceberg.",
        level: "advisory",
        group: "platform",
        check: each(sqlJobs, (job) =>
            hasJar(job, connector) && hasJar(job, fileSystem) === false && reads(job)
                ? "reads, and has no file system JAR of Fluss"
                : undefined,
        ),
    },
];

/** What has JARs on its class path: jobs, scripts, and what makes tables. */
function carriers(plan: readonly PlannedResource[]): { resource: PlannedResource; jars: string[] }[] {
    const runners = plan.map((resource) => ({
        resource,
        jars: items(at(resource.props, "runner", "additionalDependencies")).flatMap((jar) => text(jar) ?? []),
    }));
    return [...jobs(plan).map(({ resource, jars = [] }) => ({ resource, jars })), ...runners].filter(
        ({ jars }) => jars.length > 0,
    );
}

/** `iceberg.token` and its like. */
function hasLakeLogin(keys: readonly string[]): boolean {
    return keys.some((key) => /^(iceberg|paimon|lance|hudi)\./.test(key));
}
