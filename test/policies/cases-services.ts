/** Changes of a plan that break one rule about servers, data, cost or names alone. */
import type { Case } from "./cases-security.ts";
import { copy, replace, set, without } from "./plans.ts";

const values = (...path: (string | number)[]) => ["values", "fluss", ...path];
const option = (key: string) => values("configurationOverrides", key);
const installed = "desk-cluster-release";
const session = "desk-workspace-session";

export const serverCases: readonly Case[] = [
    [
        "fluss-replicas",
        "byHand",
        "fluss",
        (plan) => set(plan, "fluss", option("default.replication.factor"), "1"),
    ],
    [
        "fluss-replication-fits",
        "installed",
        installed,
        (plan) => set(plan, installed, values("tablet", "numberOfReplicas"), 2),
    ],
    [
        "fluss-volumes",
        "byHand",
        "fluss",
        (plan) => set(plan, "fluss", values("tablet", "storage"), undefined),
    ],
    [
        "zookeeper-volume",
        "byHand",
        "fluss",
        (plan) => set(plan, "fluss", ["values", "zookeeper", "persistence", "enabled"], false),
    ],
    ["fluss-data-dir", "byHand", "fluss", (plan) => set(plan, "fluss", option("data.dir"), "/data/fluss")],
    [
        "fluss-remote-storage",
        "byHand",
        "fluss",
        (plan) => set(plan, "fluss", option("remote.data.dir"), undefined),
    ],
    [
        "fluss-remote-storage",
        "installed",
        installed,
        (plan) => set(plan, installed, option("remote.data.dir"), "/mnt/remote"),
    ],
    [
        "fluss-probe-login",
        "installed",
        installed,
        (plan) => set(plan, installed, values("tablet", "readinessProbe"), undefined),
    ],
    [
        "fluss-probe-patience",
        "byHand",
        "fluss",
        (plan) => set(plan, "fluss", values("tablet", "readinessProbe", "failureThreshold"), 20),
    ],
    [
        "fluss-disruption-budget",
        "installed",
        installed,
        (plan) => set(plan, installed, values("tablet", "podDisruptionBudget"), undefined),
    ],
    [
        "fluss-config-restarts",
        "installed",
        installed,
        (plan) => set(plan, installed, values("coordinator", "podAnnotations"), undefined),
    ],
    ["one-fluss-per-namespace", "byHand", "second", (plan) => copy(plan, "fluss")],
    [
        "fluss-options-survive",
        "byHand",
        "fluss",
        (plan) => set(plan, "fluss", option("log.segment.file-size"), 1e9),
    ],
    ["fluss-options-survive", "byHand", "fluss", (plan) => set(plan, "fluss", option("some.text"), "a # b")],
    [
        "fluss-java-options",
        "byHand",
        "fluss",
        (plan) =>
            set(plan, "fluss", values("coordinator", "extraEnv"), [
                { name: "FLUSS_ENV_JAVA_OPTS", value: "-Xmx1g" },
            ]),
    ],
    [
        "fluss-listeners",
        "byHand",
        "fluss",
        (plan) => set(plan, "fluss", option("advertised.listeners"), "CLIENT://fluss.acme:9124"),
    ],
    [
        "lakekeeper-wait",
        "byHand",
        "lakekeeper",
        (plan) => set(plan, "lakekeeper", ["values", "helmWait"], undefined),
    ],
    [
        "lakekeeper-encryption-key",
        "installed",
        "desk-catalog-release",
        (plan) => set(plan, "desk-catalog-release", ["values", "secretBackend"], undefined),
    ],
];

export const dataCases: readonly Case[] = [
    [
        "data-is-protected",
        "quickstart",
        "desk-buckets-lake",
        (plan) => plan.map((one) => (one.name === "desk-buckets-lake" ? { ...one, protect: false } : one)),
    ],
    [
        "data-is-protected",
        "quickstart",
        "desk-catalog-warehouse",
        (plan) => set(plan, "desk-catalog-warehouse", ["deletionProtection"], false),
    ],
    [
        "data-is-protected",
        "byHand",
        "savepoints",
        (plan) => plan.map((one) => (one.name === "savepoints" ? { ...one, protect: false } : one)),
    ],
    [
        "warehouse-has-prefix",
        "quickstart",
        "desk-catalog-warehouse",
        (plan) => set(plan, "desk-catalog-warehouse", ["storage", "keyPrefix"], undefined),
    ],
    [
        "remote-and-lake-apart",
        "byHand",
        "fluss",
        (plan) => set(plan, "fluss", option("remote.data.dir"), "s3://acme-lake/fluss-remote-storage"),
    ],
    [
        "retention-is-chosen",
        "quickstart",
        "desk-tables-finance-trades",
        (plan) => set(plan, "desk-tables-finance-trades", ["spec", "options"], {}),
    ],
    [
        "retention-is-chosen",
        "byHand",
        "make-tables",
        (plan) =>
            replace(
                plan,
                "make-tables",
                ["statements", 2],
                /'table.datalake.enabled' = 'true', .*'30s'/,
                "'table.log.format' = 'ARROW'",
            ),
    ],
    [
        "no-drop-in-script",
        "byHand",
        "make-tables",
        (plan) => set(plan, "make-tables", ["statements", 1], "DROP DATABASE IF EXISTS `desk`.`finance`"),
    ],
    [
        "table-can-be-written",
        "quickstart",
        "desk-tables-finance-accounts",
        (plan) =>
            set(
                plan,
                "desk-tables-finance-accounts",
                ["spec", "primaryKey"],
                ["account_id", "no_such_column"],
            ),
    ],
    [
        "table-can-be-written",
        "byHand",
        "make-tables",
        (plan) =>
            replace(
                plan,
                "make-tables",
                ["statements", 2],
                "`symbol` STRING",
                "`symbol` STRING, `symbol` INT",
            ),
    ],
    [
        "arrow-log-format",
        "byHand",
        "make-tables",
        (plan) =>
            replace(
                plan,
                "make-tables",
                ["statements", 2],
                "'bucket.num' = '3'",
                "'table.log.format' = 'INDEXED'",
            ),
    ],
    [
        "lake-freshness",
        "quickstart",
        "desk-tables-finance-trades",
        (plan) =>
            set(plan, "desk-tables-finance-trades", ["spec", "options", "table.datalake.freshness"], "5s"),
    ],
    ["bucket-not-emptied", "byHand", "lake", (plan) => set(plan, "lake", ["forceDestroy"], true)],
    ["versions-expire", "byHand", "lake", (plan) => without(plan, "lake-lifecycle")],
];

export const costAndNameCases: readonly Case[] = [
    ["session-cluster-idles", "quickstart", session, (plan) => set(plan, session, ["keepRunning"], true)],
    [
        "session-cluster-count",
        "byHand",
        "session",
        (plan) => set(plan, "session", ["numberOfTaskManagers"], 12),
    ],
    [
        "volume-size",
        "byHand",
        "fluss",
        (plan) => set(plan, "fluss", values("tablet", "storage", "size"), "2Ti"),
    ],
    [
        "volume-size",
        "byHand",
        "savepoints",
        (plan) => set(plan, "savepoints", ["spec", "resources", "requests", "storage"], "900Gi"),
    ],
    ["platform-names", "byHand", "java-job", (plan) => set(plan, "java-job", ["name"], "Java_Job")],
    [
        "table-names",
        "quickstart",
        "desk-tables-finance-trades",
        (plan) => set(plan, "desk-tables-finance-trades", ["spec", "name"], "Trades"),
    ],
    [
        "table-names",
        "byHand",
        "make-tables",
        (plan) => replace(plan, "make-tables", ["statements", 2], "`symbol`", "`Symbol`"),
    ],
    [
        "bucket-name-dots",
        "byHand",
        "archive.acme",
        (plan) =>
            plan.flatMap((one) =>
                one.props["bucket"] === "acme-remote"
                    ? [
                          one,
                          {
                              ...one,
                              name: one.name.replace("remote", "archive.acme"),
                              props: { ...one.props, bucket: "archive.acme" },
                          },
                      ]
                    : [one],
            ),
    ],
];
