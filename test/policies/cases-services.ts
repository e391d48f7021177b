/** Changes of a plan that break one rule about servers, data, cost or names alone. */
import { type Case, option, values, whenCopied, whenGone, whenReplaced, whenSet } from "./cases.ts";

const installed = "desk-cluster-release";
const session = "desk-workspace-session";

export const serverCases: readonly Case[] = [
    whenSet("fluss-replicas", "byHand", "fluss", option("default.replication.factor"), "1"),
    whenSet("fluss-replication-fits", "installed", installed, values("tablet", "numberOfReplicas"), 2),
    whenSet("fluss-volumes", "byHand", "fluss", values("tablet", "storage"), undefined),
    whenSet("zookeeper-volume", "byHand", "fluss", ["values", "zookeeper", "persistence", "enabled"], false),
    whenSet("fluss-data-dir", "byHand", "fluss", option("data.dir"), "/data/fluss"),
    whenSet("fluss-remote-storage", "byHand", "fluss", option("remote.data.dir"), undefined),
    whenSet("fluss-remote-storage", "installed", installed, option("remote.data.dir"), "/mnt/remote"),
    whenSet("fluss-probe-login", "installed", installed, values("tablet", "readinessProbe"), undefined),
    whenSet(
        "fluss-probe-patience",
        "byHand",
        "fluss",
        values("tablet", "readinessProbe", "failureThreshold"),
        20,
    ),
    whenSet(
        "fluss-disruption-budget",
        "installed",
        installed,
        values("tablet", "podDisruptionBudget"),
        undefined,
    ),
    whenSet(
        "fluss-config-restarts",
        "installed",
        installed,
        values("coordinator", "podAnnotations"),
        undefined,
    ),
    whenCopied("one-fluss-per-namespace", "byHand", "fluss"),
    whenSet("fluss-options-survive", "byHand", "fluss", option("log.segment.file-size"), 1e9),
    whenSet("fluss-options-survive", "byHand", "fluss", option("some.text"), "a # b"),
    whenSet("fluss-java-options", "byHand", "fluss", values("coordinator", "extraEnv"), [
        { name: "FLUSS_ENV_JAVA_OPTS", value: "-Xmx1g" },
    ]),
    whenSet("fluss-listeners", "byHand", "fluss", option("advertised.listeners"), "CLIENT://fluss.acme:9124"),
    whenSet("lakekeeper-wait", "byHand", "lakekeeper", ["values", "helmWait"], undefined),
    whenSet(
        "lakekeeper-encryption-key",
        "installed",
        "desk-catalog-release",
        ["values", "secretBackend"],
        undefined,
    ),
];

export const dataCases: readonly Case[] = [
    [
        "data-is-protected",
        "quickstart",
        "desk-buckets-lake",
        (plan) => plan.map((one) => (one.name === "desk-buckets-lake" ? { ...one, protect: false } : one)),
    ],
    whenSet("data-is-protected", "quickstart", "desk-catalog-warehouse", ["deletionProtection"], false),
    [
        "data-is-protected",
        "byHand",
        "savepoints",
        (plan) => plan.map((one) => (one.name === "savepoints" ? { ...one, protect: false } : one)),
    ],
    whenSet(
        "warehouse-has-prefix",
        "quickstart",
        "desk-catalog-warehouse",
        ["storage", "keyPrefix"],
        undefined,
    ),
    whenSet(
        "remote-and-lake-apart",
        "byHand",
        "fluss",
        option("remote.data.dir"),
        "s3://acme-lake/fluss-remote-storage",
    ),
    whenSet("retention-is-chosen", "quickstart", "desk-tables-finance-trades", ["spec", "options"], {}),
    whenReplaced(
        "retention-is-chosen",
        "byHand",
        "make-tables",
        ["statements", 2],
        /'table.datalake.enabled' = 'true', .*'30s'/,
        "'table.log.format' = 'ARROW'",
    ),
    whenSet(
        "no-drop-in-script",
        "byHand",
        "make-tables",
        ["statements", 1],
        "DROP DATABASE IF EXISTS `desk`.`finance`",
    ),
    whenSet(
        "table-can-be-written",
        "quickstart",
        "desk-tables-finance-accounts",
        ["spec", "primaryKey"],
        ["account_id", "no_such_column"],
    ),
    whenReplaced(
        "table-can-be-written",
        "byHand",
        "make-tables",
        ["statements", 2],
        "`symbol` STRING",
        "`symbol` STRING, `symbol` INT",
    ),
    whenReplaced(
        "arrow-log-format",
        "byHand",
        "make-tables",
        ["statements", 2],
        "'bucket.num' = '3'",
        "'table.log.format' = 'INDEXED'",
    ),
    whenSet(
        "lake-freshness",
        "quickstart",
        "desk-tables-finance-trades",
        ["spec", "options", "table.datalake.freshness"],
        "5s",
    ),
    whenSet("bucket-not-emptied", "byHand", "lake", ["forceDestroy"], true),
    whenGone("versions-expire", "byHand", "lake", "lake-lifecycle"),
];

export const costAndNameCases: readonly Case[] = [
    whenSet("session-cluster-idles", "quickstart", session, ["keepRunning"], true),
    whenSet("session-cluster-count", "byHand", "session", ["numberOfTaskManagers"], 12),
    whenSet("volume-size", "byHand", "fluss", values("tablet", "storage", "size"), "2Ti"),
    whenSet("volume-size", "byHand", "savepoints", ["spec", "resources", "requests", "storage"], "900Gi"),
    whenSet("platform-names", "byHand", "java-job", ["name"], "Java_Job"),
    whenSet("table-names", "quickstart", "desk-tables-finance-trades", ["spec", "name"], "Trades"),
    whenReplaced("table-names", "byHand", "make-tables", ["statements", 2], "`symbol`", "`Symbol`"),
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
