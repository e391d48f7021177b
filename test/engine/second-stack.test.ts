import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { FlussTables } from "../../components/fluss-tables.ts";
import { defineLake } from "../../model/lake.ts";
import type { LakehouseOutputs } from "../../model/lakehouse-outputs.ts";
import { trades } from "../../stacks/quickstart-tables.ts";
import { type TestStack, testStack } from "./engine.ts";
import { engineVersion, token, vvpWorkspace, type Workspace } from "./vvp-platform.ts";

const client = {
    bootstrapServers: "coordinator:9124",
    sasl: { username: "u", password: { secretValue: "fluss-password" } },
};
const told: { lakehouse?: Omit<LakehouseOutputs, "vvp"> & { vvp: unknown } } = {};
let lakehouse: Workspace;
let second: TestStack;

/** The lakehouse's stack: a catalog with the table of trades, and what it tells others. */
beforeAll(async () => {
    lakehouse = await vvpWorkspace((connection) => {
        const runner = { kind: "vvp", connection, engineVersion } as const;
        new FlussTables("desk", {
            runner,
            catalog: "fluss_quickstart",
            client,
            tables: [{ ...trades, options: {} }],
        });
        told.lakehouse = {
            contract: 1,
            flussVersion: "1.0.0-vv-3",
            server: "1.0",
            vvp: { connection, deploymentTarget: "target", engineVersion, clientJarUris: [] },
            catalog: "fluss_quickstart",
            client,
            lake: defineLake({
                catalog: {
                    type: "rest",
                    uri: "http://lakekeeper:8181/catalog",
                    warehouse: "fluss",
                    auth: { type: "token", token: { secretValue: "fluss-iceberg-token" } },
                },
                storage: { type: "s3", bucket: "acme-lake", region: "eu-central-1", prefix: "p" },
            }),
            buckets: { remote: "acme-remote", lake: "acme-lake" },
        };
        return told;
    });
    await lakehouse.outside("POST", "/api/v1/namespaces/default/deployment-targets", {
        metadata: { name: "target" },
        spec: { kubernetes: { namespace: "jobs" } },
    });
    for (const name of ["fluss-password", "fluss-iceberg-token"])
        await lakehouse.outside("POST", "/api/v1/namespaces/default/secret-values", {
            metadata: { name },
            spec: { kind: "PLAIN", value: `content of ${name}` },
        });
    second = await testStack({
        name: "analytics",
        beside: lakehouse.stack,
        config: {
            "analytics:lakehouse": { value: "organization/test/test" },
            "analytics:deletionProtection": { value: "false" },
            "pulumi-fluss:vvpToken": { value: token, secret: true },
        },
        env: { VV_API_TOKEN: "" },
        program: async () => {
            vi.resetModules();
            const { table, jobStatus } = await import("../../stacks/analytics/index.ts");
            return { table, jobStatus };
        },
    });
});
afterAll(async () => {
    await second?.dispose();
    await lakehouse?.dispose();
});

test("before the lakehouse's stack has run, the preview says so", async () => {
    await expect(second.preview()).rejects.toThrow(/organization\/test\/test/);
});

test("the preview of the second stack shows its table and its job, and makes nothing of the lakehouse anew", async () => {
    await lakehouse.stack.up();
    const { steps } = await second.preview();
    const own = steps.filter(({ type }) => !type.startsWith("pulumi:providers:"));
    const made = own.filter(({ op }) => op === "create").map(({ name }) => name);
    expect(made.sort()).toEqual(
        [
            "analytics",
            "analytics-analytics",
            "analytics-analytics-daily_volume",
            "analytics-analytics", // the stack
            "daily-volume",
        ].sort(),
    );
});

test("it adds them, and nothing changes at the next run", async () => {
    const { outputs } = await second.up();
    expect(outputs["table"]?.value).toBe("`fluss_quickstart`.`analytics`.`daily_volume`");
    expect(outputs["jobStatus"]?.value).toBe("RUNNING");
    expect((await second.up()).changes).toEqual({ same: 5 });
    expect((await lakehouse.stack.up()).changes["same"]).toBeGreaterThan(3);
});

test("what the lakehouse tells is checked, all faults at once", async () => {
    const { lakehouse: good } = told;
    const update = { ...good, contract: 2, catalog: "" };
    const broken = await testStack({
        name: "broken",
        beside: lakehouse.stack,
        program: async () => ({ lakehouse: update }),
    });
    try {
        await broken.up();
        const reading = await testStack({
            name: "reading",
            beside: lakehouse.stack,
            config: { "reading:lakehouse": { value: "organization/broken/broken" } },
            program: async () => {
                vi.resetModules();
                await import("../../stacks/analytics/index.ts");
            },
        });
        try {
            await expect(reading.preview()).rejects.toThrow(
                /2 faults in lakehouse of stack organization\/broken\/broken/,
            );
        } finally {
            await reading.dispose();
        }
    } finally {
        await broken.dispose();
    }
});

test("it is destroyed alone: the lakehouse's table stays", async () => {
    await second.destroy();
    const statements = lakehouse.flink.statements.filter((sql) => sql.startsWith("DROP"));
    expect(statements.map((sql) => sql.replace(/;$/, ""))).toEqual([
        expect.stringContaining("`daily_volume`"),
        expect.stringContaining("DROP DATABASE `fluss_quickstart`.`analytics`"),
    ]);
});
