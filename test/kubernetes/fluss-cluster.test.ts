import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FlussCluster } from "../../components/fluss-cluster.ts";
import type { FlussChartArgs } from "../../components/fluss-cluster-chart.ts";
import { changesOf, type TestStack, testStack } from "../engine/engine.ts";
import { lake } from "../unit/model/fixtures/quickstart.ts";
import { startTestBed, type TestBed } from "./bed.ts";

let bed: TestBed;
let stack: TestStack;
/** What the program asks for; tests change it. */
let wish: Partial<FlussChartArgs>;

const namespace = "fluss";
const object = (kind: string, name: string, group = "api/v1") =>
    `/${group}/namespaces/${namespace}/${kind}/${name}`;
const set = (name: string) => object("statefulsets", name, "apis/apps/v1");

beforeAll(async () => {
    bed = await startTestBed();
    await bed.send("POST", "/api/v1/namespaces", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: namespace },
    });
    stack = await testStack({
        standIns: true,
        env: bed.env,
        program: async () => {
            const provider = new k8s.Provider("bed", { kubeconfig: bed.access.kubeconfig });
            const cluster = new FlussCluster(
                "desk",
                { chart: chartArgs() },
                { providers: { kubernetes: provider } },
            );
            return { bootstrap: cluster.bootstrapServers, password: cluster.clientPassword };
        },
    });
});

afterAll(async () => {
    await stack?.dispose();
    await bed?.stop();
});

function chartArgs(): FlussChartArgs {
    return {
        namespace,
        access: bed.access,
        chart: { location: `oci://${bed.registry.charts}/fluss-bundle` },
        remote: {
            storage: {
                type: "s3",
                bucket: "desk-remote",
                region: "eu-central-1",
                prefix: "fluss-remote-storage",
            },
            accessKeyId: "AKIAEXAMPLE",
            secretAccessKey: pulumi.secret("key-in-clear"),
        },
        lake,
        storageClass: "kwok-volume",
        registry: { server: "registry.example.com", username: "puller", password: "pull-in-clear" },
        ...wish,
    };
}

test("the release is installed and its pods are waited for", async () => {
    wish = {};
    const { outputs } = await stack.up();
    expect(outputs["bootstrap"]?.value).toBe(
        "coordinator-server-0.coordinator-server-hs.fluss.svc.cluster.local:9124",
    );
    const tablet = await bed.until(set("tablet-server"), ({ status }) => status.readyReplicas === 3);
    expect(tablet.spec.template.spec.imagePullSecrets).toEqual([{ name: "registry-credentials" }]);
});

test("the next up changes nothing", async () => {
    expect(changesOf(await stack.up())).toEqual([]);
});
