/** Changes of a plan that break one rule of the group `security` alone. */
import type { PlannedResource } from "../../policies/index.ts";
import { add, type Plans, replace, set, without } from "./plans.ts";

/** The rule, the plan that is changed, what then breaks the rule, and the change. */
export type Case = readonly [
    rule: string,
    plan: keyof Plans,
    resource: string,
    change: (plan: PlannedResource[]) => PlannedResource[],
];

const allow = (Action: unknown, Resource: unknown, more: object = {}) =>
    JSON.stringify({ Statement: [{ Effect: "Allow", Action, Resource, ...more }] });

const release = (part: string, ...path: string[]) => ["values", part, ...path];
const environment = ["spec", "podTemplate", "spec", "containers", 0, "env"] as const;
const lakeArgument = (index: number) => ["spec", "job", "args", index] as const;

export const storageCases: readonly Case[] = [
    [
        "bucket-public-access",
        "quickstart",
        "desk-buckets-lake",
        (plan) => without(plan, "desk-buckets-lake-public-access"),
    ],
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
    ["bucket-no-public-acl", "byHand", "lake", (plan) => set(plan, "lake", ["acl"], "public-read")],
    [
        "bucket-policy-not-public",
        "byHand",
        "more",
        (plan) =>
            add(plan, "aws:s3/bucketPolicy:BucketPolicy", "more", {
                bucket: "acme-other",
                policy: allow("s3:GetObject", "arn:aws:s3:::acme-other/*", { Principal: { AWS: "*" } }),
            }),
    ],
    [
        "bucket-tls-only",
        "quickstart",
        "desk-buckets-remote",
        (plan) => without(plan, "desk-buckets-remote-tls-only"),
    ],
    [
        "bucket-tls-only",
        "byHand",
        "lake",
        (plan) => replace(plan, "lake-tls", ["policy"], "Deny", "Allow").map(withoutPrincipal),
    ],
    [
        "bucket-encryption",
        "quickstart",
        "desk-buckets-lake",
        (plan) => without(plan, "desk-buckets-lake-encryption"),
    ],
    ["bucket-encryption", "byHand", "remote", (plan) => without(plan, "remote-encryption")],
    [
        "iam-least-privilege",
        "quickstart",
        "desk-buckets-user-policy",
        (plan) => set(plan, "desk-buckets-user-policy", ["policy"], allow("s3:*", "arn:aws:s3:::acme-lake")),
    ],
    [
        "iam-least-privilege",
        "byHand",
        "desk-policy",
        (plan) => set(plan, "desk-policy", ["policy"], allow("s3:GetObject", "*")),
    ],
    [
        "iam-managed-policy",
        "byHand",
        "platform-policy",
        (plan) => set(plan, "platform-policy", ["policyArn"], "arn:aws:iam::aws:policy/AmazonS3FullAccess"),
    ],
    [
        "kubernetes-least-privilege",
        "byHand",
        "jobs",
        (plan) => set(plan, "jobs", ["rules", 0, "verbs"], ["*"]),
    ],
];

export const secretCases: readonly Case[] = [
    [
        "no-secret-in-job",
        "quickstart",
        "desk-tiering-deployment",
        (plan) =>
            replace(
                plan,
                "desk-tiering-deployment",
                ["mainArgs"],
                "${secret_values.fluss-iceberg-token}",
                "hush",
            ),
    ],
    [
        "no-secret-in-job",
        "byHand",
        "make-tables",
        (plan) => replace(plan, "make-tables", ["statements", 0], "${secret_values.fluss-password}", "hush"),
    ],
    ["no-secret-in-job", "byHand", "tiering", (plan) => set(plan, "tiering", lakeArgument(9), "hush")],
    [
        "no-secret-in-job",
        "byHand",
        "enrich",
        (plan) => set(plan, "enrich", ["flinkConf"], { "s3.secret-key": "hush" }),
    ],
    [
        "no-secret-in-catalog",
        "quickstart",
        "desk-tables-catalog",
        (plan) => set(plan, "desk-tables-catalog", ["options", "iceberg.token"], "hush"),
    ],
    [
        "no-secret-in-chart",
        "installed",
        "desk-cluster-release",
        (plan) =>
            replace(
                plan,
                "desk-cluster-release",
                release("fluss", "tablet", "readinessProbe", "healthCheckAuth"),
                "${FLUSS_PROBE_PASSWORD}",
                "hush",
            ),
    ],
    [
        "no-secret-in-chart",
        "byHand",
        "lakekeeper",
        (plan) => set(plan, "lakekeeper", release("externalDatabase", "password"), "hush"),
    ],
    [
        "no-secret-in-chart",
        "byHand",
        "fluss",
        (plan) => set(plan, "fluss", release("fluss", "configurationOverrides", "s3.secret.key"), "hush"),
    ],
    [
        "no-secret-in-config-map",
        "byHand",
        "core-site",
        (plan) =>
            replace(
                plan,
                "core-site",
                ["data", "core-site.xml"],
                "fs.s3a.endpoint.region",
                "fs.s3a.secret.key",
            ),
    ],
    [
        "no-secret-in-pod",
        "byHand",
        "reporter",
        (plan) =>
            set(plan, "reporter", ["spec", "template", "spec", "containers", 0, "env", 0], {
                name: "FLUSS_PASSWORD",
                value: "hush",
            }),
    ],
    [
        "no-secret-in-pod",
        "byHand",
        "tiering",
        (plan) =>
            set(plan, "tiering", environment, [
                { name: "HADOOP_CLASSPATH", value: "/opt/flink/hadoop-conf" },
                { name: "ICEBERG_TOKEN", value: "hush" },
            ]),
    ],
    [
        "no-secret-in-headers",
        "byHand",
        "enrich",
        (plan) => set(plan, "enrich", ["connection", "headers"], { Authorization: "Bearer hush" }),
    ],
    [
        "no-key-in-any-input",
        "byHand",
        "target",
        (plan) => set(plan, "target", ["description"], "see AKIAIOSFODNN7EXAMPLE"),
    ],
    [
        "no-key-in-any-input",
        "byHand",
        "desk-lambda",
        (plan) =>
            add(plan, "aws:lambda/function:Function", "desk-lambda", {
                environment: { variables: { CATALOG: "jdbc://desk:hush-hush@db.acme:5432/lake" } },
            }),
    ],
    ["no-default-password", "byHand", "password", (plan) => set(plan, "password", ["value"], "changeme")],
    [
        "no-default-password",
        "byHand",
        "database-login",
        (plan) =>
            add(plan, "kubernetes:core/v1:Secret", "database-login", {
                stringData: { password: "password" },
            }),
    ],
    [
        "no-placeholder",
        "byHand",
        "warehouse",
        (plan) => set(plan, "warehouse", ["storage", "region"], "<AWS_REGION>"),
    ],
];

export const accessCases: readonly Case[] = [
    [
        "connections-use-tls",
        "quickstart",
        "desk-catalog-warehouse",
        (plan) =>
            set(plan, "desk-catalog-warehouse", ["connection", "url"], "http://lakekeeper.acme.example:8181"),
    ],
    [
        "connections-use-tls",
        "byHand",
        "enrich",
        (plan) => set(plan, "enrich", ["connection", "url"], "http://vvp.acme.example"),
    ],
    [
        "connections-use-tls",
        "byHand",
        "session-job",
        (plan) => set(plan, "session-job", ["cluster", "url"], "http://flink.acme.example:8081"),
    ],
    [
        "no-open-port",
        "byHand",
        "fluss-firewall",
        (plan) => set(plan, "fluss-firewall", ["ingress", 0, "cidrBlocks"], ["0.0.0.0/0"]),
    ],
    [
        "no-open-port",
        "byHand",
        "one-rule",
        (plan) =>
            add(plan, "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", "one-rule", {
                ipProtocol: "-1",
                cidrIpv6: "::/0",
            }),
    ],
    ["service-not-public", "byHand", "gateway", (plan) => set(plan, "gateway", ["metadata"], {})],
    ["ingress-tls", "byHand", "console", (plan) => set(plan, "console", ["spec", "tls"], undefined)],
    [
        "ingress-tls",
        "byHand",
        "lakekeeper",
        (plan) => set(plan, "lakekeeper", release("catalog", "ingress", "tls"), undefined),
    ],
    [
        "database-tls",
        "byHand",
        "lakekeeper",
        (plan) => set(plan, "lakekeeper", release("catalog", "extraEnv"), undefined),
    ],
    [
        "fluss-client-login",
        "installed",
        "desk-cluster-release",
        (plan) => set(plan, "desk-cluster-release", release("fluss", "security", "client"), undefined),
    ],
    [
        "fluss-internal-login",
        "byHand",
        "fluss",
        (plan) => set(plan, "fluss", release("fluss", "security", "internal", "sasl", "plain"), undefined),
    ],
    [
        "fluss-internal-login",
        "installed",
        "desk-cluster-release",
        (plan) => set(plan, "desk-cluster-release", release("fluss", "security", "internal"), undefined),
    ],
    [
        "zookeeper-login",
        "byHand",
        "fluss",
        (plan) => set(plan, "fluss", release("zookeeper", "auth", "client", "enabled"), false),
    ],
    [
        "fluss-authorizer",
        "installed",
        "desk-cluster-release",
        (plan) =>
            set(
                plan,
                "desk-cluster-release",
                release("fluss", "configurationOverrides", "authorizer.enabled"),
                undefined,
            ),
    ],
    [
        "lakekeeper-login",
        "installed",
        "desk-catalog-release",
        (plan) => set(plan, "desk-catalog-release", release("auth"), undefined),
    ],
    [
        "lakekeeper-authorizer",
        "installed",
        "desk-catalog-release",
        (plan) => set(plan, "desk-catalog-release", release("authz"), undefined),
    ],
    [
        "lakekeeper-database-password",
        "installed",
        "desk-catalog-release",
        (plan) => set(plan, "desk-catalog-release", release("postgresql", "userDatabase"), undefined),
    ],
    ["api-token-limited", "byHand", "ci-token", (plan) => set(plan, "ci-token", ["role"], "owner")],
    ["api-token-limited", "byHand", "ci-token", (plan) => set(plan, "ci-token", ["expireTime"], undefined)],
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
