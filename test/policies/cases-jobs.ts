/** Changes of a plan that break one rule about jobs, scripts and manifests alone. */
import type { Case } from "./cases-security.ts";
import { copy, found, replace, set } from "./plans.ts";

const values = (...path: (string | number)[]) => ["values", "fluss", ...path];
const option = (key: string) => values("configurationOverrides", key);
const jar = (name: string) => `s3i://artifacts/${name}`;
const withoutJar = (jars: unknown, pattern: RegExp) => (jars as string[]).filter((one) => !pattern.test(one));
const operator = ["spec", "deployment", "spec", "template", "spec"];
const container = ["spec", "podTemplate", "spec", "containers", 0] as const;
const session = "desk-workspace-session";

export const jobCases: readonly Case[] = [
    [
        "session-cluster-engine",
        "byHand",
        "session",
        (plan) => set(plan, "session", ["engineVersion"], "vera-4.5-jdk17-flink-1.20"),
    ],
    [
        "session-cluster-size",
        "quickstart",
        session,
        (plan) => set(plan, session, ["flinkConfiguration", "taskmanager.numberOfTaskSlots"], "4"),
    ],
    [
        "session-cluster-size",
        "byHand",
        "session",
        (plan) => set(plan, "session", ["flinkConfiguration"], undefined),
    ],
    [
        "fs-s3-jar",
        "quickstart",
        "desk-tiering-deployment",
        (plan) =>
            set(
                plan,
                "desk-tiering-deployment",
                ["additionalDependencies", 0],
                jar("fluss-fs-s3-1.0.0-vv-3.jar"),
            ),
    ],
    [
        "fs-s3-jar",
        "byHand",
        "lake-read",
        (plan) =>
            set(
                plan,
                "lake-read",
                [...operator, "artifact", "additionalDependencies", 0],
                jar("fluss-fs-s3-1.0.0-vv-3.jar"),
            ),
    ],
    [
        "client-jars",
        "quickstart",
        "desk-tables-catalog",
        (plan) => set(plan, "desk-tables-catalog", ["runner", "additionalDependencies"], []),
    ],
    [
        "client-jars",
        "byHand",
        "make-tables",
        (plan) => set(plan, "make-tables", ["additionalDependencies"], []),
    ],
    [
        "lake-jars",
        "quickstart",
        "desk-tiering-deployment",
        (plan) =>
            set(
                plan,
                "desk-tiering-deployment",
                ["additionalDependencies"],
                withoutJar(
                    found(plan, "desk-tiering-deployment").props["additionalDependencies"],
                    /fluss-lake/,
                ),
            ),
    ],
    [
        "lake-jars",
        "byHand",
        "look",
        (plan) =>
            set(
                plan,
                "look",
                ["additionalDependencies"],
                withoutJar(found(plan, "look").props["additionalDependencies"], /fluss-lake/),
            ),
    ],
    [
        "file-system-jar",
        "byHand",
        "enrich",
        (plan) =>
            set(
                plan,
                "enrich",
                ["additionalDependencies"],
                withoutJar(found(plan, "enrich").props["additionalDependencies"], /fluss-fs/),
            ),
    ],
    [
        "restart-strategy",
        "quickstart",
        "desk-tiering-deployment",
        (plan) => set(plan, "desk-tiering-deployment", ["jarUri"], jar("fluss-flink-tiering-0.9.1-vv-2.jar")),
    ],
    [
        "jobs-restart",
        "byHand",
        "enrich",
        (plan) => set(plan, "enrich", ["flinkConf"], { "restart-strategy.type": "none" }),
    ],
    [
        "no-limit-read",
        "byHand",
        "enrich",
        (plan) =>
            replace(
                plan,
                "enrich",
                ["sqlScript"],
                ";\nINSERT INTO trades_print SELECT `trade_id`",
                ";\nINSERT INTO trades_print SELECT `trade_id` FROM `desk`.`finance`.`trades` LIMIT 10;\nINSERT INTO trades_print SELECT `trade_id`",
            ),
    ],
    ["one-reader-per-session-cluster", "byHand", "second", (plan) => copy(plan, "enrich")],
    [
        "dml-needs-batch",
        "byHand",
        "enrich",
        (plan) =>
            set(
                plan,
                "enrich",
                ["sqlScript"],
                "DELETE FROM `desk`.`finance`.`accounts` WHERE `account_id` = 7",
            ),
    ],
    [
        "datastream-job-streams",
        "byHand",
        "java-job",
        (plan) => set(plan, "java-job", ["executionMode"], "BATCH"),
    ],
    [
        "catalog-options",
        "quickstart",
        "desk-tables-catalog",
        (plan) => set(plan, "desk-tables-catalog", ["options", "client.fs.s3.endpoint"], "http://minio:9000"),
    ],
    [
        "catalog-options",
        "byHand",
        "make-tables",
        (plan) =>
            replace(
                plan,
                "make-tables",
                ["statements", 0],
                "'type' = 'fluss'",
                "'type' = 'fluss', 'cache' = 'on'",
            ),
    ],
    [
        "jdbc-checksums",
        "byHand",
        "second",
        (plan) =>
            copy(plan, "java-job", [
                [["jarUri"], jar("desk-tiering.jar")],
                [
                    ["mainArgs"],
                    "--datalake.iceberg.catalog-impl org.apache.iceberg.jdbc.JdbcCatalog --datalake.iceberg.s3.endpoint http://minio:9000",
                ],
            ]),
    ],
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
    [
        "lake-read-in-draft",
        "byHand",
        "look",
        (plan) => set(plan, "look", ["additionalDependencies", 2], jar("fluss-lake-iceberg-0.9.1-vv-2.jar")),
    ],
    [
        "main-args-length",
        "byHand",
        "java-job",
        (plan) => set(plan, "java-job", ["mainArgs"], `--note ${"x".repeat(1100)}`),
    ],
];

export const manifestCases: readonly Case[] = [
    [
        "flink-lib-visible",
        "byHand",
        "tiering",
        (plan) =>
            set(plan, "tiering", [...container, "volumeMounts", 0], {
                name: "lib",
                mountPath: "/opt/flink/lib",
            }),
    ],
    [
        "flink-args-expanded",
        "byHand",
        "tiering",
        (plan) => set(plan, "tiering", ["spec", "job", "args", 9], "$(FLUSS_PASSWORD)"),
    ],
    [
        "flink-args-expanded",
        "byHand",
        "tiering",
        (plan) =>
            set(plan, "tiering", ["spec", "job", "args"], withoutProviders(found(plan, "tiering").props)),
    ],
    [
        "flink-job-jar-apart",
        "byHand",
        "tiering",
        (plan) =>
            set(
                plan,
                "tiering",
                ["spec", "job", "jarURI"],
                "local:///opt/flink/lib/fluss-flink-tiering-1.0.0-vv-3.jar",
            ),
    ],
    [
        "flink-service-account",
        "byHand",
        "tiering",
        (plan) => set(plan, "tiering", ["spec", "serviceAccount"], undefined),
    ],
    [
        "flink-pull-secret",
        "byHand",
        "tiering",
        (plan) => set(plan, "tiering", ["spec", "imagePullSecrets"], [{ name: "ververica-registry" }]),
    ],
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
    ["operator-owner", "byHand", "lake-read", (plan) => set(plan, "lake-read", ["metadata", "labels"], {})],
    [
        "tiering-stateless",
        "byHand",
        "tiering",
        (plan) => set(plan, "tiering", ["spec", "job", "upgradeMode"], "savepoint"),
    ],
    [
        "tiering-stateless",
        "quickstart",
        "desk-tiering-deployment",
        (plan) => set(plan, "desk-tiering-deployment", ["restart"], "WITH_STATE"),
    ],
    [
        "network-policy-lets-clients-in",
        "byHand",
        "fluss-policy",
        (plan) => set(plan, "fluss-policy", ["spec", "ingress", 0, "ports", 0, "port"], 9123),
    ],
];

/** Gives the option to all reads but one. */
function hintedElsewhere(plan: Parameters<Case[3]>[0], key: string) {
    const hint = (sql: string) =>
        `${sql}\n-- \n/*+ OPTIONS('${key}' = '\${secret_values.fluss-password}') */`;
    const draft = set(plan, "look", ["sqlScript"], hint(String(found(plan, "look").props["sqlScript"])));
    const path = [...operator, "artifact", "sqlScript"];
    return set(draft, "lake-read", path, hint("INSERT INTO a SELECT * FROM `desk`.`finance`.`trades$lake`"));
}

function withoutProviders(props: Record<string, unknown>): unknown {
    const { spec } = props as { spec: { job: { args: string[] } } };
    return spec.job.args.slice(0, -4);
}
