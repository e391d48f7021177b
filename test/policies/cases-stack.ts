/** Changes of a plan that break one rule about what belongs together alone. */
import { type Case, option, whenCopied, whenReplaced, whenSet } from "./cases.ts";
import { handMade } from "./hand-made.ts";
import { add, copy, found, replace, set, without } from "./plans.ts";

export const stackCases: readonly Case[] = [
    whenCopied("one-tiering-job", "quickstart", "desk-tiering-deployment"),
    whenCopied("one-tiering-job", "byHand", "tiering"),
    [
        "one-tiering-job",
        "quickstart",
        "session-tiering",
        (plan) =>
            add(plan, "pulumi-nodejs:dynamic/flink:JarJob", "session-tiering", {
                cluster: { url: "http://localhost:8081" },
                jar: "jars/fluss-flink-tiering-1.0.0-vv-3.jar",
                args: String(found(plan, "desk-tiering-deployment").props["mainArgs"]).split(" "),
                restart: "WITHOUT_STATE",
            }),
    ],
    [
        "lake-table-is-tiered",
        "quickstart",
        "desk-tables-finance-trades",
        (plan) => without(plan, "desk-tiering-deployment", "desk-catalog-warehouse"),
    ],
    whenCopied("warehouse-is-used", "byHand", "warehouse", [[["name"], "other"]]),
    [
        "tiering-warehouse-exists",
        "quickstart",
        "desk-tiering-deployment",
        (plan) =>
            replace(
                withoutUse(plan),
                "desk-tiering-deployment",
                ["mainArgs"],
                "warehouse fluss",
                "warehouse flus",
            ),
    ],
    [
        "one-cluster-per-warehouse",
        "quickstart",
        "second",
        (plan) =>
            copy(plan, "desk-tiering-deployment", [
                [
                    ["mainArgs"],
                    String(found(plan, "desk-tiering-deployment").props["mainArgs"]).replace(
                        "coordinator:9124",
                        "other:9124",
                    ),
                ],
            ]),
    ],
    whenReplaced(
        "tiering-matches-servers",
        "installed",
        "desk-tiering-deployment",
        ["mainArgs"],
        "client.region eu-central-1",
        "client.region eu-west-1",
    ),
    [
        "tiering-matches-servers",
        "byHand",
        "tiering",
        (plan) => set(plan, "fluss", option("datalake.iceberg.header.x"), "y"),
    ],
    whenSet("servers-have-lake", "byHand", "fluss", option("datalake.enabled"), "false"),
    whenSet(
        "client-login",
        "installed",
        "desk-tables-catalog",
        ["options", "client.security.sasl.mechanism"],
        undefined,
    ),
    whenReplaced(
        "client-login",
        "byHand",
        "make-tables",
        ["statements", 0],
        /'client\.security\.protocol'[\s\S]*password\}',/,
        "",
    ),
    whenReplaced("client-port", "byHand", "make-tables", ["statements", 0], ":9124", ":9123"),
    [
        "jdbc-catalog-name",
        "quickstart",
        "desk-tables-catalog",
        (plan) =>
            replace(
                plan,
                "desk-tiering-deployment",
                ["mainArgs"],
                "--datalake.iceberg.uri",
                "--datalake.iceberg.name lake --datalake.iceberg.uri",
            ),
    ],
    [
        "rest-warehouse-name",
        "quickstart",
        "desk-tiering-deployment",
        (plan) =>
            replace(
                without(plan, "desk-catalog-warehouse"),
                "desk-tiering-deployment",
                ["mainArgs"],
                "warehouse fluss",
                "warehouse s3://acme-lake/fluss",
            ),
    ],
    whenReplaced(
        "one-catalog-login",
        "quickstart",
        "desk-tiering-deployment",
        ["mainArgs"],
        "--datalake.iceberg.token",
        "--datalake.iceberg.credential",
    ),
    whenReplaced(
        "one-catalog-login",
        "quickstart",
        "desk-tiering-deployment",
        ["mainArgs"],
        "--datalake.iceberg.token",
        "--datalake.iceberg.credential ${secret_values.fluss-password} --datalake.iceberg.token",
    ),
    whenReplaced(
        "catalog-uri",
        "quickstart",
        "desk-tiering-deployment",
        ["mainArgs"],
        ":8181/catalog",
        ":8181",
    ),
    whenReplaced(
        "secret-value-exists",
        "byHand",
        "java-job",
        ["mainArgs"],
        "fluss-password",
        "fluss-pasword",
    ),
];

/** A stack in which the warehouse is named by the servers, so that only the job's own name counts. */
function withoutUse(plan: Parameters<Case[3]>[0]) {
    return add(plan, "kubernetes:helm.sh/v3:Release", "elsewhere", {
        ...found(handMade(), "fluss").props,
        namespace: "elsewhere",
    });
}
