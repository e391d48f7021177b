import { afterAll, beforeAll, expect, test } from "vitest";
import type { FlussChartArgs } from "../../components/fluss-cluster-chart.ts";
import { parseServerYaml } from "../../dynamic-providers/kubernetes/release-state.ts";
import { changesOf } from "../engine/engine.ts";
import { type FlussStack, flussStack } from "./fluss-stack.ts";
import { helmRecord } from "./helm-record.ts";
import { sharedBed } from "./shared-bed.ts";

/** Apache's own chart, which has no ZooKeeper: 0.9.1, then an upgrade to 1.0.0. */
const namespace = "apache";
const object = (kind: string, name: string) => `/api/v1/namespaces/${namespace}/${kind}/${name}`;
const set = (name: string) => `/apis/apps/v1/namespaces/${namespace}/statefulsets/${name}`;

const bed = sharedBed();
let made: FlussStack;

beforeAll(async () => {
    made = await flussStack(bed, namespace);
});

afterAll(() => made?.stack.dispose());

function apache(version: string, more: Partial<FlussChartArgs> = {}): Partial<FlussChartArgs> {
    return {
        chart: { kind: "apache", version, location: `oci://${bed.registry.charts}/fluss` },
        zookeeperAddress: "zk.apache.svc.cluster.local:2181",
        ...more,
    };
}

async function options(): Promise<Map<string, string>> {
    const config = await bed.get(object("configmaps", "fluss-conf-file"));
    return parseServerYaml(config?.data["server.yaml"] ?? "");
}

test("0.9.1 needs a ZooKeeper of your own, and there is no bundle of it", async () => {
    made.wish = apache("0.9.1-incubating", { zookeeperAddress: undefined });
    await expect(made.stack.preview()).rejects.toThrow("zookeeperAddress: is missing");
    made.wish = { chart: { version: "0.9.1-incubating" } };
    await expect(made.stack.preview()).rejects.toThrow("there is no bundle of 0.9.1-incubating");
});

test("0.9.1 is installed, and no key stands in its ConfigMap, pods or Helm's record", async () => {
    made.wish = apache("0.9.1-incubating");
    const { outputs } = await made.stack.up();
    expect(outputs["tiering"]?.value).toMatchObject({
        "datalake.format": "iceberg",
        "datalake.iceberg.type": "rest",
    });
    const installed = await options();
    expect(installed.get("zookeeper.address")).toBe("zk.apache.svc.cluster.local:2181");
    expect(installed.get("s3.secret.key")).toBe("${FLUSS_S3_SECRET_KEY}");
    expect(installed.has("config.providers")).toBe(false);
    const pods = JSON.stringify(await bed.get(`/api/v1/namespaces/${namespace}/pods`));
    const record = JSON.stringify(await helmRecord(bed, namespace, "fluss"));
    for (const text of [pods, record, JSON.stringify([...installed])]) {
        expect(text).not.toMatch(/key-in-clear|AKIAEXAMPLE/);
    }
});

test("its pods read a copy of the configuration that an init container fills in", async () => {
    const { template } = (await bed.get(set("tablet-server")))!.spec;
    expect(template.spec.initContainers.map(({ name }) => name)).toEqual(["fill-server-config"]);
    const [server] = template.spec.containers;
    expect(server?.image).toBe("apache/fluss:0.9.1-incubating");
    expect(server?.readinessProbe).toBeUndefined();
    expect(server?.volumeMounts).toContainEqual({
        name: "fluss-filled-conf",
        mountPath: "/opt/conf/server.yaml",
        subPath: "server.yaml",
    });
});

test("a changed Secret restarts its servers; nothing else changes the next time", async () => {
    const rollout = async () =>
        (await bed.get(set("coordinator-server")))?.spec.template.metadata.annotations[
            "pulumi-fluss/rollout"
        ];
    const before = await rollout();
    made.wish = apache("0.9.1-incubating", {
        users: [{ username: "fluss" }, { username: "analyst" }],
    });
    await made.stack.up();
    expect(await rollout()).not.toBe(before);
    expect(changesOf(await made.stack.up())).toEqual([]);
});

test("the upgrade to 1.0.0 keeps the volumes and takes the keys from the environment", async () => {
    const claim = object("persistentvolumeclaims", "data-tablet-server-0");
    const before = await bed.get(claim);
    made.wish = apache("1.0.0", { users: [{ username: "fluss" }, { username: "analyst" }] });
    await made.stack.up();
    expect((await bed.get(claim))?.metadata.uid).toBe(before?.metadata.uid);
    const installed = await options();
    expect(installed.get("s3.secret.key")).toBe("${env:FLUSS_S3_SECRET_KEY}");
    expect(installed.get("config.providers")).toBe("env");
    const { template } = (await bed.get(set("tablet-server")))!.spec;
    expect(template.spec.initContainers ?? []).toEqual([]);
    expect(template.spec.containers[0]?.readinessProbe).toBeDefined();
    expect(changesOf(await made.stack.up())).toEqual([]);
});

test("there is no way back, and none to the bundle's ZooKeeper", async () => {
    const { wish } = made;
    made.wish = { ...wish, ...apache("0.9.1-incubating") };
    await expect(made.stack.preview()).rejects.toThrow("1.0.0 -> 0.9.1-incubating goes back");
    made.wish = { users: wish.users! };
    await expect(made.stack.preview()).rejects.toThrow("all tables would be lost");
    made.wish = { ...wish, zookeeperAddress: "other:2181" };
    await expect(made.stack.preview()).rejects.toThrow("all tables would seem lost");
});
