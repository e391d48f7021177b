/** Changes of a plan that break one rule about jobs, scripts and manifests alone. */
import { type Case, option, whenChanged, whenCopied, whenReplaced, whenSet } from "./cases.ts";
import { found, set } from "./plans.ts";

const jar = (name: string) => `s3i://artifacts/${name}`;
const withoutJar = (pattern: RegExp) => (jars: string[]) => jars.filter((one) => !pattern.test(one));
const operator = ["spec", "deployment", "spec", "template", "spec"];
const container = ["spec", "podTemplate", "spec", "containers", 0] as const;
const session = "desk-workspace-session";

export const jobCases: readonly Case[] = [
    whenSet("session-cluster-engine", "byHand", "session", ["engineVersion"], "vera-4.5-jdk17-flink-1.20"),
    whenSet(
        "session-cluster-size",
        "quickstart",
        session,
        ["flinkConfiguration", "taskmanager.numberOfTaskSlots"],
        "4",
    ),
    whenSet("session-cluster-size", "byHand", "session", ["flinkConfiguration"], undefined),
    whenSet(
        "session-cluster-size",
        "byHand",
        "session",
        ["flinkConfiguration", "taskmanager.memory.jvm-metaspace.size"],
        "lots",
    ),
    whenSet(
        "fs-s3-jar",
        "quickstart",
        "desk-tiering-deployment",
        ["additionalDependencies", 0],
        jar("fluss-fs-s3-1.0.0-vv-3.jar"),
    ),
    whenSet(
        "fs-s3-jar",
        "byHand",
        "lake-read",
        [...operator, "artifact", "additionalDependencies", 0],
        jar("fluss-fs-s3-1.0.0-vv-3.jar"),
    ),
    whenSet("client-jars", "quickstart", "desk-tables-catalog", ["runner", "additionalDependencies"], []),
    whenSet("client-jars", "byHand", "make-tables", ["additionalDependencies"], []),
    whenChanged(
        "lake-jars",
        "quickstart",
        "desk-tiering-deployment",
        ["additionalDependencies"],
        withoutJar(/fluss-lake/),
    ),
    whenChanged("lake-jars", "byHand", "look", ["additionalDependencies"], withoutJar(/fluss-lake/)),
    whenChanged("file-system-jar", "byHand", "enrich", ["additionalDependencies"], withoutJar(/fluss-fs/)),
    whenSet(
        "restart-strategy",
        "quickstart",
        "desk-tiering-deployment",
        ["jarUri"],
        jar("fluss-flink-tiering-0.9.1-vv-2.jar"),
    ),
    whenSet("jobs-restart", "byHand", "enrich", ["flinkConf"], { "restart-strategy.type": "none" }),
    whenReplaced(
        "no-limit-read",
        "byHand",
        "enrich",
        ["sqlScript"],
        ";\nINSERT INTO trades_print SELECT `trade_id`",
        ";\nINSERT INTO trades_print SELECT `trade_id` FROM `desk`.`finance`.`trades` LIMIT 10;\nINSERT INTO trades_print SELECT `trade_id`",
    ),
    whenCopied("one-reader-per-session-cluster", "byHand", "enrich"),
    whenSet(
        "dml-needs-batch",
        "byHand",
        "enrich",
        ["sqlScript"],
        "DELETE FROM `desk`.`finance`.`accounts` WHERE `account_id` = 7",
    ),
    whenSet("datastream-job-streams", "byHand", "java-job", ["executionMode"], "BATCH"),
    whenSet(
        "catalog-options",
        "quickstart",
        "desk-tables-catalog",
        ["options", "client.fs.s3.endpoint"],
        "http://minio:9000",
    ),
    whenReplaced(
        "catalog-options",
        "byHand",
        "make-tables",
        ["statements", 0],
        "'type' = 'fluss'",
        "'type' = 'fluss', 'cache' = 'on'",
    ),
    whenCopied("jdbc-checksums", "byHand", "java-job", [
        [["jarUri"], jar("desk-tiering.jar")],
        [
            ["mainArgs"],
            "--datalake.iceberg.catalog-impl org.apache.iceberg.jdbc.JdbcCatalog --datalake.iceberg.s3.endpoint http://minio:9000",
        ],
    ]),
    [
        "store-read-hint",
        "byHand",
        "enrich",
        (plan) =>
            hintedElsewhere(
                set(plan, "fluss", option("s3.endpoint"), "http://minio:9000"),
                "client.fs.s3.endpoint",
            ),
    ],
    [
        "store-read-hint",
        "byHand",
        "enrich",
        (plan) =>
            hintedElsewhere(
                set(plan, "fluss", option("fs.azure.account.key"), "${env:AZURE_KEY}"),
                "client.fs.fs.azure.account.key",
            ),
    ],
    whenSet(
        "lake-read-in-draft",
        "byHand",
        "look",
        ["additionalDependencies", 2],
        jar("fluss-lake-iceberg-0.9.1-vv-2.jar"),
    ),
    whenSet("main-args-length", "byHand", "java-job", ["mainArgs"], `--note ${"x".repeat(1100)}`),
];

export const manifestCases: readonly Case[] = [
    whenSet("flink-lib-visible", "byHand", "tiering", [...container, "volumeMounts", 0], {
        name: "lib",
        mountPath: "/opt/flink/lib",
    }),
    whenSet("flink-args-expanded", "byHand", "tiering", ["spec", "job", "args", 9], "$(FLUSS_PASSWORD)"),
    // Without the last four, which are the providers.
    whenChanged("flink-args-expanded", "byHand", "tiering", ["spec", "job", "args"], (args: string[]) =>
        args.slice(0, -4),
    ),
    whenSet(
        "flink-job-jar-apart",
        "byHand",
        "tiering",
        ["spec", "job", "jarURI"],
        "local:///opt/flink/lib/fluss-flink-tiering-1.0.0-vv-3.jar",
    ),
    whenSet("flink-service-account", "byHand", "tiering", ["spec", "serviceAccount"], undefined),
    whenSet(
        "flink-pull-secret",
        "byHand",
        "tiering",
        ["spec", "imagePullSecrets"],
        [{ name: "ververica-registry" }],
    ),
    [
        "hadoop-core-site",
        "byHand",
        "tiering",
        (plan) =>
            set(
                set(
                    set(
                        plan,
                        "tiering",
                        ["spec", "job", "args", 21],
                        "org.apache.iceberg.hadoop.HadoopFileIO",
                    ),
                    "fluss",
                    option("datalake.iceberg.io-impl"),
                    "org.apache.iceberg.hadoop.HadoopFileIO",
                ),
                "tiering",
                [...container, "env"],
                undefined,
            ),
    ],
    whenSet("operator-owner", "byHand", "lake-read", ["metadata", "labels"], {}),
    whenSet("tiering-stateless", "byHand", "tiering", ["spec", "job", "upgradeMode"], "savepoint"),
    whenSet("tiering-stateless", "quickstart", "desk-tiering-deployment", ["restart"], "WITH_STATE"),
    whenSet(
        "network-policy-lets-clients-in",
        "byHand",
        "fluss-policy",
        ["spec", "ingress", 0, "ports", 0, "port"],
        9123,
    ),
];

/** Gives the option to all reads but one. */
function hintedElsewhere(plan: Parameters<Case[3]>[0], key: string) {
    const hint = (sql: string) =>
        `${sql}\n-- \n/*+ OPTIONS('${key}' = '\${secret_values.fluss-password}') */`;
    const draft = set(plan, "look", ["sqlScript"], hint(String(found(plan, "look").props["sqlScript"])));
    const path = [...operator, "artifact", "sqlScript"];
    return set(draft, "lake-read", path, hint("INSERT INTO a SELECT * FROM `desk`.`finance`.`trades$lake`"));
}
