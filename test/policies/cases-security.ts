/** Changes of a plan that break one rule of the group `security` alone. */
import type { PlannedResource } from "../../policies/index.ts";
import { type Case, option, values, whenAdded, whenGone, whenReplaced, whenSet } from "./cases.ts";
import { replace, set } from "./plans.ts";

const allow = (Action: unknown, Resource: unknown, more: object = {}) =>
    JSON.stringify({ Statement: [{ Effect: "Allow", Action, Resource, ...more }] });

const environment = ["spec", "podTemplate", "spec", "containers", 0, "env"] as const;
const lakeArgument = (index: number) => ["spec", "job", "args", index] as const;

export const storageCases: readonly Case[] = [
    whenGone("bucket-public-access", "quickstart", "desk-buckets-lake", "desk-buckets-lake-public-access"),
    [
        "bucket-public-access",
        "quickstart",
        "desk-buckets-lake",
        (plan) => set(plan, "desk-buckets-lake-public-access", ["blockPublicPolicy"], false),
    ],
    [
        "bucket-public-access",
        "byHand",
        "remote",
        (plan) => set(plan, "remote-blocks", ["ignorePublicAcls"], undefined),
    ],
    whenSet("bucket-no-public-acl", "byHand", "lake", ["acl"], "public-read"),
    whenAdded("bucket-policy-not-public", "byHand", "aws:s3/bucketPolicy:BucketPolicy", "more", {
        bucket: "acme-other",
        policy: allow("s3:GetObject", "arn:aws:s3:::acme-other/*", { Principal: { AWS: "*" } }),
    }),
    whenGone("bucket-tls-only", "quickstart", "desk-buckets-remote", "desk-buckets-remote-tls-only"),
    [
        "bucket-tls-only",
        "byHand",
        "lake",
        (plan) => replace(plan, "lake-tls", ["policy"], "Deny", "Allow").map(withoutPrincipal),
    ],
    whenGone("bucket-encryption", "quickstart", "desk-buckets-lake", "desk-buckets-lake-encryption"),
    whenGone("bucket-encryption", "byHand", "remote", "remote-encryption"),
    whenSet(
        "iam-least-privilege",
        "quickstart",
        "desk-buckets-user-policy",
        ["policy"],
        allow("s3:*", "arn:aws:s3:::acme-lake"),
    ),
    whenSet("iam-least-privilege", "byHand", "desk-policy", ["policy"], allow("s3:GetObject", "*")),
    whenSet(
        "iam-managed-policy",
        "byHand",
        "platform-policy",
        ["policyArn"],
        "arn:aws:iam::aws:policy/AmazonS3FullAccess",
    ),
    whenSet("kubernetes-least-privilege", "byHand", "jobs", ["rules", 0, "verbs"], ["*"]),
];

export const secretCases: readonly Case[] = [
    whenReplaced(
        "no-secret-in-job",
        "quickstart",
        "desk-tiering-deployment",
        ["mainArgs"],
        "${secret_values.fluss-iceberg-token}",
        "hush",
    ),
    whenReplaced(
        "no-secret-in-job",
        "byHand",
        "make-tables",
        ["statements", 0],
        "${secret_values.fluss-password}",
        "hush",
    ),
    whenSet("no-secret-in-job", "byHand", "tiering", lakeArgument(9), "hush"),
    whenSet("no-secret-in-job", "byHand", "enrich", ["flinkConf"], { "s3.secret-key": "hush" }),
    whenSet("no-secret-in-job", "byHand", "enrich", ["flinkConf"], { pass: "hush" }),
    whenSet("no-secret-in-job", "byHand", "enrich", ["flinkConf"], {
        "env.java.opts.all": "-Djavax.net.ssl.trustStorePassword=hush",
    }),
    whenReplaced(
        "no-secret-in-job",
        "quickstart",
        "desk-tiering-deployment",
        ["mainArgs"],
        "--fluss.bootstrap.servers",
        "-Dx.password=hush --fluss.bootstrap.servers",
    ),
    whenSet(
        "no-secret-in-session-cluster",
        "byHand",
        "session",
        ["flinkConfiguration", "s3.secret-key"],
        "hush",
    ),
    whenSet(
        "no-secret-in-catalog",
        "quickstart",
        "desk-tables-catalog",
        ["options", "iceberg.token"],
        "hush",
    ),
    whenReplaced(
        "no-secret-in-chart",
        "installed",
        "desk-cluster-release",
        values("tablet", "readinessProbe", "healthCheckAuth"),
        "${FLUSS_PROBE_PASSWORD}",
        "hush",
    ),
    whenSet("no-secret-in-chart", "byHand", "lakekeeper", ["values", "externalDatabase", "password"], "hush"),
    whenSet("no-secret-in-chart", "byHand", "fluss", option("s3.secret.key"), "hush"),
    whenReplaced(
        "no-secret-in-config-map",
        "byHand",
        "core-site",
        ["data", "core-site.xml"],
        "fs.s3a.endpoint.region",
        "fs.s3a.secret.key",
    ),
    whenSet(
        "no-secret-in-pod",
        "byHand",
        "reporter",
        ["spec", "template", "spec", "containers", 0, "env", 0],
        {
            name: "FLUSS_PASSWORD",
            value: "hush",
        },
    ),
    whenSet("no-secret-in-pod", "byHand", "tiering", environment, [
        { name: "HADOOP_CLASSPATH", value: "/opt/flink/hadoop-conf" },
        { name: "ICEBERG_TOKEN", value: "hush" },
    ]),
    whenSet("no-secret-in-headers", "byHand", "enrich", ["connection", "headers"], {
        Authorization: "Bearer hush",
    }),
    whenSet("no-key-in-any-input", "byHand", "target", ["description"], "see AKIAIOSFODNN7EXAMPLE"),
    whenAdded("no-key-in-any-input", "byHand", "aws:lambda/function:Function", "desk-lambda", {
        environment: { variables: { CATALOG: "jdbc://desk:hush-hush@db.acme:5432/lake" } },
    }),
    whenSet("no-default-password", "byHand", "password", ["value"], "changeme"),
    whenAdded("no-default-password", "byHand", "kubernetes:core/v1:Secret", "database-login", {
        stringData: { password: "password" },
    }),
    whenSet("no-placeholder", "byHand", "warehouse", ["storage", "region"], "<AWS_REGION>"),
];

export const accessCases: readonly Case[] = [
    whenSet(
        "connections-use-tls",
        "quickstart",
        "desk-catalog-warehouse",
        ["connection", "url"],
        "http://lakekeeper.acme.example:8181",
    ),
    whenSet("connections-use-tls", "byHand", "enrich", ["connection", "url"], "http://vvp.acme.example"),
    whenSet(
        "connections-use-tls",
        "byHand",
        "session-job",
        ["cluster", "url"],
        "http://flink.acme.example:8081",
    ),
    whenSet("no-open-port", "byHand", "fluss-firewall", ["ingress", 0, "cidrBlocks"], ["0.0.0.0/0"]),
    whenAdded(
        "no-open-port",
        "byHand",
        "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
        "one-rule",
        {
            ipProtocol: "-1",
            cidrIpv6: "::/0",
        },
    ),
    whenSet("service-not-public", "byHand", "gateway", ["metadata"], {}),
    whenSet("ingress-tls", "byHand", "console", ["spec", "tls"], undefined),
    whenSet("ingress-tls", "byHand", "lakekeeper", ["values", "catalog", "ingress", "tls"], undefined),
    whenSet("database-tls", "byHand", "lakekeeper", ["values", "catalog", "extraEnv"], undefined),
    whenSet(
        "fluss-client-login",
        "installed",
        "desk-cluster-release",
        values("security", "client"),
        undefined,
    ),
    whenSet(
        "fluss-internal-login",
        "byHand",
        "fluss",
        values("security", "internal", "sasl", "plain"),
        undefined,
    ),
    whenSet(
        "fluss-internal-login",
        "installed",
        "desk-cluster-release",
        values("security", "internal"),
        undefined,
    ),
    whenSet(
        "zookeeper-login",
        "byHand",
        "fluss",
        ["values", "zookeeper", "auth", "client", "enabled"],
        false,
    ),
    whenSet("fluss-authorizer", "installed", "desk-cluster-release", option("authorizer.enabled"), undefined),
    whenSet("lakekeeper-login", "installed", "desk-catalog-release", ["values", "auth"], undefined),
    whenSet("lakekeeper-authorizer", "installed", "desk-catalog-release", ["values", "authz"], undefined),
    whenSet(
        "lakekeeper-database-password",
        "installed",
        "desk-catalog-release",
        ["values", "postgresql", "userDatabase"],
        undefined,
    ),
    whenSet("api-token-limited", "byHand", "ci-token", ["role"], "owner"),
    whenSet("api-token-limited", "byHand", "ci-token", ["expireTime"], undefined),
];

/** The policy's statement allows then what it refused before, and says of whom. */
function withoutPrincipal(resource: PlannedResource): PlannedResource {
    if (resource.name !== "lake-tls") return resource;
    const policy = String(resource.props["policy"]).replace(
        '"Principal":"*"',
        '"Principal":{"AWS":"arn:aws:iam::1:root"}',
    );
    return { ...resource, props: { ...resource.props, policy } };
}
