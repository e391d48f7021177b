import path from "node:path";
import type { OutputMap } from "@pulumi/pulumi/automation/index.js";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { FlinkRest, SqlGateway } from "../../local/flink/index.ts";
import { Phases } from "../../local/phases.ts";
import { proveRows } from "../../local/proof.ts";
import { flinkUrl, sqlGatewayUrl } from "../../local/services/index.ts";
import { catalogOptions } from "../../model/catalog-options.ts";
import { createCatalog } from "../../model/ddl.ts";
import { defineLake } from "../../model/lake.ts";
import { database } from "../../stacks/quickstart-tables.ts";
import { changesOf, type TestStack, testStack, testTools } from "../engine/engine.ts";
import { helmRecord } from "../kubernetes/helm-record.ts";
import { type BedLakehouse, lakeBucket, namespace, startBedLakehouse } from "./lakehouse.ts";
import { catalog, configOf, jarsFolderOf, program } from "./program.ts";

/**
 * The whole quickstart stack by its own program, `stacks/quickstart.ts`, and a stack's configuration; installed on Kubernetes: objects, Helm, Pulumi's plugin, Fluss, Flink, the lake and every
 * row are real; pods are stood in for by services of this machine, Lakekeeper and the platform are simulated.
 */
const vvpToken = "only-for-tests";
let lakehouse: BedLakehouse;
let stack: TestStack;
let outputs: OutputMap;

beforeAll(async () => {
    const tools = await testTools();
    const root = path.resolve(import.meta.dirname, "../../.local/e2e-kubernetes");
    lakehouse = await startBedLakehouse(root, tools, vvpToken);
    // The provider of the program takes its credentials from the environment, as on a real machine.
    vi.stubEnv("AWS_ACCESS_KEY_ID", lakehouse.s3.accessKeyId);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", lakehouse.s3.secretAccessKey);
    stack = await testStack({
        name: "fluss-quickstart",
        standIns: true,
        env: { ...lakehouse.bed.env, VV_API_TOKEN: vvpToken },
        config: configOf(lakehouse, jarsFolderOf(tools, root)),
        program,
    });
});

afterAll(async () => {
    await stack?.dispose();
    await lakehouse?.stop();
    vi.unstubAllEnvs();
});

test("comes up from nothing, both servers installed by Helm", async () => {
    const started = Date.now();
    const up = await stack.up();
    console.log(`up: ${Math.round((Date.now() - started) / 1000)} s, ${JSON.stringify(up.changes)}`);
    outputs = up.outputs;
    expect(outputs["bootstrapServers"]?.value).toBe(
        "coordinator-server-0.coordinator-server-hs.fluss.svc.cluster.local:9124",
    );
    expect(outputs["catalogUri"]?.value).toBe("http://fluss-lakekeeper.fluss.svc.cluster.local:8181/catalog");
    for (const release of ["fluss", "fluss-lakekeeper"]) {
        expect(await helmRecord(lakehouse.bed, namespace, release)).toMatchObject({
            info: { status: "deployed" },
        });
    }
});

test("tiering is configured, read back without its secrets", () => {
    expect(outputs["tiering"]?.value).toMatchObject({
        "datalake.format": "iceberg",
        "datalake.iceberg.type": "rest",
        "datalake.iceberg.warehouse": "fluss",
    });
    expect(Object.keys(outputs["tiering"]?.value).filter((key) => /token|key|secret/.test(key))).toEqual([]);
});

test("rows are read from the lake, at the addresses that the jobs were given", async () => {
    const text = (name: string) => String(outputs[name]?.value);
    const { ports, s3 } = lakehouse;
    const lake = defineLake({
        catalog: {
            type: "rest",
            uri: text("catalogUri"),
            warehouse: text("warehouse"),
            auth: { type: "token", token: { value: text("lakekeeperToken") } },
        },
        storage: { type: "s3Compatible", endpoint: s3.endpoint, bucket: lakeBucket, region: s3.region },
    });
    const client = {
        bootstrapServers: text("bootstrapServers"),
        sasl: { username: text("clientUsername"), password: { value: text("clientPassword") } },
    };
    const flink = new FlinkRest(flinkUrl(ports));
    const rows = await proveRows(new Phases(), {
        gateway: new SqlGateway(sqlGatewayUrl(ports), flink),
        createCatalog: createCatalog({
            name: catalog,
            options: catalogOptions(catalog, client, lake, "value"),
        }),
        database: `\`${catalog}\`.\`${database}\``,
        wantedLakeRows: 100,
        brief: false,
        deadlineSeconds: 150,
        explain: async () => JSON.stringify(await flink.jobs()),
    });
    expect(rows).toBeGreaterThanOrEqual(100);
});

test("the next up changes nothing", async () => {
    expect(changesOf(await stack.up())).toEqual([]);
});

test("no secret stands in any object but Secrets, or in clear in the state", async () => {
    const { bed } = lakehouse;
    const hidden = ["clientPassword", "lakekeeperToken"].map((name) => String(outputs[name]?.value));
    const key = await bed.get(`/api/v1/namespaces/${namespace}/secrets/fluss-storage-credentials`);
    hidden.push(Buffer.from(key?.data["s3-secret-key"] ?? "", "base64").toString("utf8"));
    const kinds = [
        ...["configmaps", "pods", "services", "events"].map(
            (kind) => `/api/v1/namespaces/${namespace}/${kind}`,
        ),
        ...["statefulsets", "deployments"].map((kind) => `/apis/apps/v1/namespaces/${namespace}/${kind}`),
    ];
    const seen = [
        ...(await Promise.all(kinds.map(async (list) => JSON.stringify(await bed.get(list))))),
        JSON.stringify(await helmRecord(bed, namespace, "fluss")),
        JSON.stringify(await stack.export()),
    ];
    for (const secret of hidden) expect(secret.length).toBeGreaterThan(15);
    for (const text of seen) for (const secret of hidden) expect(text.includes(secret)).toBe(false);
});

test("is torn down as a whole, tables before the servers (#1486, #2941); volumes and the kept Secrets stay", async () => {
    const { changes, steps } = await stack.destroy();
    expect(Object.keys(changes)).toEqual(["delete"]);
    const at = (name: string) => steps.findIndex((step) => step.name === name);
    expect(at("fluss-quickstart-tables-finance-trades")).toBeGreaterThanOrEqual(0);
    expect(at("fluss-quickstart-tables-finance-trades")).toBeLessThan(at("fluss-quickstart-cluster-release"));
    const names = async (list: string) =>
        ((await lakehouse.bed.get(list))?.items ?? []).map(({ metadata }) => metadata.name).sort();
    expect(await names(`/apis/apps/v1/namespaces/${namespace}/statefulsets`)).toEqual([]);
    expect(await names(`/api/v1/namespaces/${namespace}/persistentvolumeclaims`)).toContain(
        "data-tablet-server-0",
    );
    expect(await names(`/api/v1/namespaces/${namespace}/secrets`)).toEqual(
        expect.not.arrayContaining(["fluss-sasl-credentials"]),
    );
});
