/** Changes of a plan that break one rule about what belongs together alone. */
import type { Case } from "./cases-security.ts";
import { handMade } from "./hand-made.ts";
import { add, copy, found, replace, set, without } from "./plans.ts";

const values = (...path: (string | number)[]) => ["values", "fluss", ...path];
const option = (key: string) => values("configurationOverrides", key);

export const stackCases: readonly Case[] = [
    ["one-tiering-job", "quickstart", "second", (plan) => copy(plan, "desk-tiering-deployment")],
    ["one-tiering-job", "byHand", "second", (plan) => copy(plan, "tiering")],
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
    ["warehouse-is-used", "byHand", "second", (plan) => copy(plan, "warehouse", [[["name"], "other"]])],
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
    [
        "tiering-matches-servers",
        "installed",
        "desk-tiering-deployment",
        (plan) =>
            replace(
                plan,
                "desk-tiering-deployment",
                ["mainArgs"],
                "client.region eu-central-1",
                "client.region eu-west-1",
            ),
    ],
    [
        "tiering-matches-servers",
        "byHand",
        "tiering",
        (plan) => set(plan, "fluss", option("datalake.iceberg.header.x"), "y"),
    ],
    [
        "servers-have-lake",
        "byHand",
        "fluss",
        (plan) => set(plan, "fluss", option("datalake.enabled"), "false"),
    ],
    [
        "client-login",
        "installed",
        "desk-tables-catalog",
        (plan) => set(plan, "desk-tables-catalog", ["options", "client.security.sasl.mechanism"], undefined),
    ],
    [
        "client-login",
        "byHand",
        "make-tables",
        (plan) =>
            replace(
                plan,
                "make-tables",
                ["statements", 0],
                /'client\.security\.protocol'[\s\S]*password\}',/,
                "",
            ),
    ],
    [
        "client-port",
        "byHand",
        "make-tables",
        (plan) => replace(plan, "make-tables", ["statements", 0], ":9124", ":9123"),
    ],
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
    [
        "one-catalog-login",
        "quickstart",
        "desk-tiering-deployment",
        (plan) =>
            replace(
                plan,
                "desk-tiering-deployment",
                ["mainArgs"],
                "--datalake.iceberg.token",
                "--datalake.iceberg.credential",
            ),
    ],
    [
        "one-catalog-login",
        "quickstart",
        "desk-tiering-deployment",
        (plan) =>
            replace(
                plan,
                "desk-tiering-deployment",
                ["mainArgs"],
                "--datalake.iceberg.token",
                "--datalake.iceberg.credential ${secret_values.fluss-password} --datalake.iceberg.token",
            ),
    ],
    [
        "catalog-uri",
        "quickstart",
        "desk-tiering-deployment",
        (plan) => replace(plan, "desk-tiering-deployment", ["mainArgs"], ":8181/catalog", ":8181"),
    ],
    [
        "secret-value-exists",
        "byHand",
        "java-job",
        (plan) => replace(plan, "java-job", ["mainArgs"], "fluss-password", "fluss-pasword"),
    ],
];

/** A stack in which the warehouse is named by the servers, so that only the job's own name counts. */
function withoutUse(plan: Parameters<Case[3]>[0]) {
    return add(plan, "kubernetes:helm.sh/v3:Release", "elsewhere", {
        ...found(handMade(), "fluss").props,
        namespace: "elsewhere",
    });
}
