import fs from "node:fs";
import { beforeEach, describe, expect, it, test } from "vitest";
import { StreamingLakehouse } from "../../components/streaming-lakehouse.ts";
import { type PlannedResource, rules } from "../../policies/index.ts";
import { accounts, trades } from "../../stacks/quickstart-tables.ts";
import { build } from "../unit/components/harness.ts";
import { jarsFolder } from "../unit/components/jars.ts";

let quickstart: PlannedResource[];

beforeEach(async () => {
    const { made } = await build(false, (opts) => new StreamingLakehouse("desk", lakehouse(), opts));
    quickstart = [...made.values()].map(({ type, name, inputs, protect }) => ({
        type,
        name,
        urn: `urn:${name}`,
        props: inputs,
        protect: protect ?? false,
        dependencies: [],
    }));
});

const lakehouse = () => ({
    buckets: { region: "eu-central-1", remoteBucket: "acme-remote", lakeBucket: "acme-lake" },
    lakekeeper: { url: "http://localhost:8181", token: "client-token" },
    fluss: {
        existing: { bootstrapServers: "coordinator:9124", clientUsername: "u", clientPassword: "sesame" },
    },
    flussVersion: "1.0.0-vv-3",
    vvp: {
        connection: { url: "https://vvp.example.com", workspace: "defaultworkspace", namespace: "default" },
        jobNamespace: "vvp-jobs",
    },
    jars: jarsFolder(),
    tables: [accounts, trades],
});

/** Ids of the broken rules, each with the names of what breaks it. */
function broken(plan: PlannedResource[]): Record<string, string[]> {
    const findings = rules.map(
        (rule) => [rule.id, rule.check(plan).map(({ resource }) => resource.name)] as const,
    );
    return Object.fromEntries(findings.filter(([, names]) => names.length > 0));
}

/** The quickstart with some arguments of one resource changed. */
function changed(name: string, props: Record<string, unknown>): PlannedResource[] {
    expect(quickstart.map((resource) => resource.name)).toContain(name);
    return quickstart.map((resource) =>
        resource.name === name ? { ...resource, props: { ...resource.props, ...props } } : resource,
    );
}

const without = (name: string) => quickstart.filter((resource) => resource.name !== name);
const found = (name: string) => quickstart.find((resource) => resource.name === name) as PlannedResource;

it("the quickstart keeps every rule", () => {
    expect(quickstart.length).toBeGreaterThan(30);
    expect(broken(quickstart)).toEqual({});
});

describe("a changed quickstart breaks one rule alone", () => {
    const cases: [rule: string, resource: string, plan: () => PlannedResource[]][] = [
        ["bucket-public-access", "desk-buckets-lake", () => without("desk-buckets-lake-public-access")],
        [
            "bucket-public-access",
            "desk-buckets-lake",
            () => changed("desk-buckets-lake-public-access", { blockPublicPolicy: false }),
        ],
        ["bucket-tls-only", "desk-buckets-remote", () => without("desk-buckets-remote-tls-only")],
        [
            "iam-least-privilege",
            "desk-buckets-user-policy",
            () => changed("desk-buckets-user-policy", { policy: allow("s3:*", "arn:aws:s3:::acme-lake") }),
        ],
        [
            "iam-least-privilege",
            "desk-buckets-user-policy",
            () => changed("desk-buckets-user-policy", { policy: allow("s3:GetObject", "*") }),
        ],
        [
            "no-secret-in-job",
            "desk-tiering",
            () =>
                changed("desk-tiering-deployment", {
                    mainArgs: "--fluss.bootstrap.servers c:9124 --datalake.iceberg.token hush",
                }),
        ],
        [
            "session-cluster-engine",
            "desk-workspace-session",
            () => session({ engineVersion: "vera-4.5-jdk17-flink-1.20" }),
        ],
        [
            "fs-s3-jar",
            "desk-tiering-deployment",
            () =>
                changed("desk-tiering-deployment", {
                    additionalDependencies: ["s3i://artifacts/fluss-fs-s3-1.0.0-vv-3.jar"],
                }),
        ],
        [
            "one-tiering-job",
            "second",
            () => [...quickstart, { ...found("desk-tiering-deployment"), name: "second", urn: "urn:second" }],
        ],
        ["lake-table-is-tiered", "desk-tables-finance-trades", () => without("desk-tiering-deployment")],
        [
            "data-is-protected",
            "desk-buckets-lake",
            () =>
                quickstart.map((one) =>
                    one.name === "desk-buckets-lake" ? { ...one, protect: false } : one,
                ),
        ],
        [
            "data-is-protected",
            "desk-catalog-warehouse",
            () => changed("desk-catalog-warehouse", { deletionProtection: false }),
        ],
        [
            "warehouse-has-prefix",
            "desk-catalog-warehouse",
            () => changed("desk-catalog-warehouse", { storage: { type: "s3", bucket: "acme-lake" } }),
        ],
        ["session-cluster-idles", "desk-workspace-session", () => session({ keepRunning: true })],
    ];
    test.each(cases)("%s, by %s", (rule, _, plan) => {
        expect(Object.keys(broken(plan()))).toEqual([rule]);
    });

    it("and every rule has such a change", () => {
        expect(new Set(cases.map(([rule]) => rule))).toEqual(new Set(rules.map(({ id }) => id)));
    });
});

test("every rule stands in the docs with its level and what to do", () => {
    const page = fs.readFileSync("docs/policies.md", "utf8").replaceAll(/ +/g, " ");
    for (const { id, level, group, title, why, fix } of rules) {
        expect(page).toContain(`| \`${id}\` | ${level} | ${group} | ${title}. ${why} | ${fix} |`);
    }
});

test("what a preview does not know breaks no rule and crashes none", () => {
    const unknown = quickstart.map((resource) => ({ ...resource, props: {} }));
    const mandatory = rules.filter(({ level, id }) => level === "mandatory" && id !== "bucket-public-access");
    for (const rule of mandatory) expect(rule.check(unknown)).toEqual([]);
    for (const rule of rules) {
        for (const { props } of quickstart) {
            for (const key of Object.keys(props)) {
                const plan = quickstart.map((one) => ({ ...one, props: { ...one.props, [key]: undefined } }));
                expect(() => rule.check(plan)).not.toThrow();
            }
        }
    }
});

function session(props: Record<string, unknown>): PlannedResource[] {
    const cluster = quickstart.find(({ type }) => type === "pulumi-nodejs:dynamic/vvp:SessionCluster");
    return changed(cluster?.name ?? "there is no session cluster", props);
}

function allow(Action: string, Resource: string): string {
    return JSON.stringify({ Statement: [{ Effect: "Allow", Action, Resource }] });
}
