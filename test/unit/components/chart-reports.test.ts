import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { FlussCluster } from "../../../components/fluss-cluster.ts";
import type { FlussChartArgs } from "../../../components/fluss-cluster-chart.ts";
import { type ReleaseSpec, refusedChanges } from "../../../dynamic-providers/kubernetes/release-spec.ts";
import { serverOptions } from "../../../model/fluss-config.ts";
import type { Storage } from "../../../model/lake-storage.ts";
import { lake } from "../model/fixtures/quickstart.ts";
import { build } from "./harness.ts";

/**
 * What people reported about Fluss' charts, its Secrets and Helm, by the numbers of the reports: none of it may happen
 * here. Numbers alone are of apache/fluss. The reports that need an engine or an API server are in `test/kubernetes`.
 *
 * Not about the charts, and tested elsewhere or not ours:
 * - tables (#2449, #2717, #846, #2084, #2908, #2961, #2072, #2422, #3392, #1154, #2410, #2067, #327, #3908, #3351, #309,
 *   #1904, #1903, iceberg #17008): `test/unit/model-table/reports.test.ts`
 * - the tiering job (#3681, #1314, #1576): `test/unit/model/tiering.test.ts` and `jars.test.ts`
 * - inside of the servers, with nothing that a configuration could do: PR #3810, #3921 (a job is stuck; it is restarted by
 *   hand), #2648 (two jobs for one cluster: a stack
 *   knows of another only where it reads its outputs)
 * - other operators: FLINK-27491, flink PR #26927
 */
const storage: Storage = { type: "s3", bucket: "acme-remote", region: "eu-central-1" };
const chart = (changes: Partial<FlussChartArgs> = {}): FlussChartArgs => ({
    namespace: "fluss",
    access: { kubeconfig: "kubeconfig-text" },
    remote: { storage, accessKeyId: "key-id", secretAccessKey: pulumi.secret("the-key") },
    lake,
    storageClass: "gp3",
    ...changes,
});

interface Server {
    podAnnotations: Record<string, string>;
    readinessProbe: Record<string, number | string>;
    extraEnv: { name: string; valueFrom: object }[];
}

/** The values that the release gets, and its other inputs. */
async function released(changes: Partial<FlussChartArgs> = {}) {
    const { made } = await build(false, (opts) => new FlussCluster("desk", { chart: chart(changes) }, opts));
    const inputs = made.get("desk-release")!.inputs;
    const { fluss, zookeeper } = inputs["values"] as { fluss: Record<string, unknown>; zookeeper: Server };
    const servers = fluss as unknown as Record<"tablet" | "coordinator", Server>;
    return { made, inputs, fluss, servers, zookeeper };
}

const refusal = (overrides: Record<string, string>) => {
    const remote: Storage = { ...storage, accessKey: { id: { value: "a" }, secret: { value: "b" } } };
    return () => serverOptions({ version: "1.0", remote, overrides }, "value");
};

test("#3399, PR #3400: a rolling restart waits for healthy servers: the probe logs in, and outlasts the check", async () => {
    const { servers } = await released({ settings: { healthCheckTimeoutSeconds: 300 } });
    const { readinessProbe, extraEnv } = servers.tablet;
    expect(readinessProbe["healthCheckAuth"]).toContain(
        "client.security.sasl.username:${FLUSS_PROBE_USERNAME};client.security.sasl.password:${FLUSS_PROBE_PASSWORD}",
    );
    expect(extraEnv.map(({ name }) => name)).toEqual(["FLUSS_PROBE_USERNAME", "FLUSS_PROBE_PASSWORD"]);
    const lasts = Number(readinessProbe["failureThreshold"]) * Number(readinessProbe["periodSeconds"]);
    expect(lasts).toBeGreaterThan(300);
});

test("#2141, PR #2142, #3066, #2662, PR #4425: S3 without a key, which the servers do not find by themselves, is refused", () => {
    expect(() => serverOptions({ version: "1.0", remote: storage }, "value")).toThrow(
        "finds no keys of the machine or the pod by itself",
    );
});

test("#211, #621, #1246, #2660, PR #2989: a store that is not AWS comes with endpoint, addressing, region and STS", async () => {
    const own: Storage = {
        type: "s3Compatible",
        bucket: "acme-remote",
        region: "us-east-1",
        endpoint: "http://minio:9000",
        stsEndpoint: "http://minio:9000",
        pathStyle: true,
    };
    const { fluss } = await released({ remote: { ...chart().remote, storage: own } });
    expect(fluss["configurationOverrides"]).toMatchObject({
        "s3.endpoint": "http://minio:9000",
        "s3.path.style.access": "true",
        "s3.region": "us-east-1",
        "s3.assumed.role.sts.endpoint": "http://minio:9000",
    });
});

describe("servers restart when what they read at their start changes", () => {
    const rollouts = async (changes: Partial<FlussChartArgs>) => {
        const { servers, zookeeper } = await released(changes);
        return [servers.tablet, servers.coordinator, zookeeper].map(
            ({ podAnnotations }) => podAnnotations["pulumi-fluss/rollout"],
        );
    };
    const zookeeperUser = (text: string) => ({ username: "zookeeper", password: pulumi.secret(text) });
    const registry = (text: string) => ({
        server: "registry.example.com",
        username: "puller",
        password: pulumi.secret(text),
    });

    test("#3493: another S3 key", async () => {
        const [tablet, coordinator, zookeeper] = await rollouts({});
        expect(tablet).toMatch(/^[0-9a-f]{32}$/);
        expect(coordinator).toBe(tablet);
        const rotated = await rollouts({
            remote: { ...chart().remote, secretAccessKey: pulumi.secret("another-key") },
        });
        expect(rotated).not.toContain(tablet);
        expect(rotated[1]).toBe(rotated[0]);
        expect(rotated[2]).toBe(zookeeper);
    });

    test("another token of the lake; ZooKeeper does not read it", async () => {
        const [tablet, coordinator, zookeeper] = await rollouts({ lakeToken: "one" });
        const rotated = await rollouts({ lakeToken: "two" });
        expect(rotated.slice(0, 2)).not.toContain(tablet);
        expect(rotated[1]).not.toBe(coordinator);
        expect(rotated[2]).toBe(zookeeper);
    });

    test("another password of ZooKeeper: all of them", async () => {
        const before = await rollouts({ zookeeperUser: zookeeperUser("one") });
        const after = await rollouts({ zookeeperUser: zookeeperUser("two") });
        for (const [index, hash] of before.entries()) expect(after[index]).not.toBe(hash);
    });

    test("whoever reads ZooKeeper's annotation cannot try passwords on it: a random salt is in it", async () => {
        const { zookeeper } = await released({ zookeeperUser: zookeeperUser("one") });
        const data = { username: "zookeeper", "client-password": "one", "server-password": "one" };
        const hashOf = (contents: unknown[]) =>
            createHash("sha256").update(JSON.stringify(contents)).digest("hex").slice(0, 32);
        const hash = zookeeper.podAnnotations["pulumi-fluss/rollout"];
        expect(hash).not.toBe(hashOf([data]));
        expect(hash).toBe(hashOf([data, { salt: "random-of-desk-rollout-salt" }]));
    });

    test("another password of the registry: none of them, since nodes read it when they pull an image", async () => {
        const before = await rollouts({ registry: registry("one") });
        expect(await rollouts({ registry: registry("two") })).toEqual(before);
    });

    test("#1467: another SASL user, who is appended so that the others keep their places", async () => {
        const [before] = await rollouts({ users: [{ username: "fluss" }] });
        const users = [{ username: "fluss" }, { username: "analyst" }];
        const { made, servers } = await released({ users });
        expect(servers.tablet.podAnnotations["pulumi-fluss/rollout"]).not.toBe(before);
        expect(made.get("desk-fluss-sasl-credentials")?.inputs["stringData"]).toMatchObject({
            "client-0-username": "fluss",
            "client-1-username": "analyst",
        });
    });
});

test("#4092, #2574, #779, PR #1685, PR #4108: advertised.listeners, which the chart overwrites, is refused", () => {
    expect(refusal({ "advertised.listeners": "CLIENT://fluss.example.com:9124" })).toThrow(
        "advertised.listeners differs by process and is set when the process is started",
    );
});

test("#2834, #3044: resources reach both kinds of servers under the chart's names", async () => {
    const resources = {
        coordinatorServer: { requests: { cpu: "500m" } },
        tabletServer: { requests: { memory: "4Gi" } },
    };
    const { fluss } = await released({ settings: { resources } });
    expect(fluss["resources"]).toEqual(resources);
});

test("#1305: an upgrade may take as long as all servers need one after the other", async () => {
    const { inputs } = await released({ tabletServers: 5, settings: { healthCheckTimeoutSeconds: 300 } });
    expect(inputs["timeout"]).toBeGreaterThanOrEqual(5 * 300);
});

test("apache/pinot #16984, #16986, #17946: another ZooKeeper chart, which would lose the metadata, is refused", () => {
    const spec: ReleaseSpec = {
        chart: "bundle",
        version: "1.0.0",
        tabletServers: 3,
        coordinators: 1,
        replicationFactor: 3,
        users: [],
        options: {},
    };
    expect(refusedChanges(spec, { ...spec, chart: "apache" }, [])[0]).toContain("all tables would be lost");
});

describe("regressions that fluss.md 7 asks for beyond the reports", () => {
    test("a number is written out as text", () => {
        const remote: Storage = { ...storage, accessKey: { id: { value: "a" }, secret: { value: "b" } } };
        const overrides = { "log.segment.file-size": 1234567890 };
        expect(serverOptions({ version: "1.0", remote, overrides }, "value")).toMatchObject({
            "log.segment.file-size": "1234567890",
        });
    });

    test.each([
        ["a value with #", { "server.io-pool.size": "5#6" }, "where Fluss cuts the value"],
        ["a template", { "zookeeper.path.root": "/{{ .Release.Name }}" }, "takes for a template"],
        ["data.dir", { "data.dir": "/data/fluss" }, "the data is lost with the pod"],
    ])("%s is refused", (_, overrides, reason) => {
        expect(refusal(overrides as unknown as Record<string, string>)).toThrow(reason);
    });

    test("a name or a password that JAAS would read otherwise is refused", async () => {
        const named = (users: FlussChartArgs["users"]) => () =>
            new FlussCluster("desk", { chart: chart({ users }) });
        expect(named([{ username: "a@b" }])).toThrow("a@b");
    });

    test("a password with $ is not written where a shell or the chart would change it", async () => {
        const { made, fluss } = await released({ users: [{ username: "fluss", password: "pa$$word" }] });
        expect(made.get("desk-fluss-sasl-credentials")?.inputs["stringData"]).toMatchObject({
            "client-0-password": "pa$$word",
        });
        expect(JSON.stringify(fluss)).not.toContain("pa$$word");
    });
});

describe("pulumi.md 5, what is about Helm and Secrets", () => {
    test("no. 23, pulumi-kubernetes#3699, and no. 26, pulumi-kubernetes#3027, #2985, #3247, #1712, #1987: no Chart, which is rendered while the program runs, but a Release", async () => {
        const { made } = await released();
        const types = [...made.values()].map(({ type }) => type).filter((type) => /helm/.test(type));
        expect(types).toEqual(["kubernetes:helm.sh/v3:Release"]);
    });

    test("no. 24, pulumi-kubernetes#2573, #1724: the chart is an address with a version; no path or keyring of a machine", async () => {
        const { inputs } = await released();
        expect(inputs).not.toHaveProperty("keyring");
        expect(inputs).not.toHaveProperty("verify");
        expect(inputs["chart"]).toMatch(/^oci:\/\//);
        expect(inputs["version"]).toBe("1.0.0-vv-3");
    });

    test("no. 27, pulumi-kubernetes#205: passwords are made by Pulumi, none by the chart", async () => {
        const { made, fluss } = await released();
        expect([...made.values()].filter(({ type }) => /RandomPassword/.test(type))).toHaveLength(4);
        expect(JSON.stringify(fluss["security"])).not.toMatch(/"password":/);
    });

    test("no. 27, pulumi-kubernetes#1353, #2300: values name Secrets, and Secrets are secret", async () => {
        const { made, inputs } = await released();
        expect(JSON.stringify(inputs)).not.toMatch(/the-key|random-of/);
        for (const name of ["fluss-sasl", "zookeeper-sasl", "fluss-storage"]) {
            expect(made.get(`desk-${name}-credentials`)?.secrets).toEqual(["stringData"]);
        }
        expect(made.get("desk-guard")?.secrets).toContain("access");
    });
});
