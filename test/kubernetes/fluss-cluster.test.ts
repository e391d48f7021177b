import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FlussCluster } from "../../components/fluss-cluster.ts";
import type { FlussChartArgs } from "../../components/fluss-cluster-chart.ts";
import { parseServerYaml } from "../../dynamic-providers/kubernetes/release-state.ts";
import { changesOf, type TestStack, testStack } from "../engine/engine.ts";
import { catalogUri, lake } from "../unit/model/fixtures/quickstart.ts";
import { remote } from "./fluss-stack.ts";
import { helmRecord } from "./helm-record.ts";
import { expectHidden } from "./hidden.ts";
import { quickstartValues } from "./quickstart-values.ts";
import { accountWith, flussRules } from "./service-account.ts";
import { sharedBed } from "./shared-bed.ts";

const bed = sharedBed();
let stack: TestStack;
/** What the program asks for; tests change it. */
let wish: Partial<FlussChartArgs> = {};
/** What the tests after each other have come to. */
let kept: Partial<FlussChartArgs> = {};
let password: string;

const namespace = "fluss";
/** What a shell, a template, YAML, JSON and JAAS each would read as something else, or stop at. */
const oddPassword = "pä$$ w{{o}}rd#;:`'%";
const oddPullPassword = 'pull-in-clear"\\{{x}}é';
/** Of an account that may do no more than is documented. */
let access: { kubeconfig: string };
const object = (kind: string, name: string, group = "api/v1") =>
    `/${group}/namespaces/${namespace}/${kind}/${name}`;
const set = (name: string) => object("statefulsets", name, "apis/apps/v1");

beforeAll(async () => {
    await bed.makeNamespace(namespace);
    access = await accountWith(bed, namespace, "deployer", flussRules);
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
            return {
                bootstrap: cluster.bootstrapServers,
                password: cluster.clientPassword,
                tiering: cluster.installed?.tiering,
            };
        },
    });
});

afterAll(() => stack?.dispose());

function source() {
    return { location: `oci://${bed.registry.charts}/fluss-bundle` };
}

function chartArgs(): FlussChartArgs {
    return {
        namespace,
        access,
        chart: source(),
        remote,
        lake,
        storageClass: "kwok-volume",
        registry: { server: "registry.example.com", username: "puller", password: oddPullPassword },
        ...wish,
    };
}

test("the release is installed and its pods are waited for", async () => {
    const { outputs } = await stack.up();
    expect(outputs["bootstrap"]?.value).toBe(
        "coordinator-server-0.coordinator-server-hs.fluss.svc.cluster.local:9124",
    );
    const tablet = await bed.get(set("tablet-server"));
    expect(tablet?.status.readyReplicas).toBe(3);
    expect(tablet?.spec.template.spec.imagePullSecrets).toEqual([{ name: "registry-credentials" }]);
    password = outputs["password"]?.value;
    // As "Verify Lake Tiering Is Configured" of the quickstart; the token is left out.
    expect(outputs["tiering"]?.value).toEqual({
        "datalake.enabled": "true",
        "datalake.format": "iceberg",
        "datalake.iceberg.type": "rest",
        "datalake.iceberg.uri": catalogUri,
        "datalake.iceberg.warehouse": "fluss",
        "datalake.iceberg.io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
        "datalake.iceberg.client.region": "eu-central-1",
    });
});

test("Helm was given the quickstart's values, key by key, apart from the probe's password and the rollout", async () => {
    const values = (await helmRecord(bed, namespace, "fluss")).config;
    const expected = quickstartValues();
    const references = ["USERNAME", "PASSWORD"].map((part) => ({
        name: `FLUSS_PROBE_${part}`,
        valueFrom: {
            secretKeyRef: { name: "fluss-sasl-credentials", key: `client-0-${part.toLowerCase()}` },
        },
    }));
    const podAnnotations = { "pulumi-fluss/rollout": expect.stringMatching(/^[0-9a-f]{32}$/) };
    for (const pods of [expected.fluss.tablet, expected.fluss.coordinator, expected.zookeeper]) {
        pods.podAnnotations = podAnnotations;
    }
    expected.fluss.tablet.extraEnv = references;
    expected.fluss.tablet.readinessProbe.healthCheckAuth =
        expected.fluss.tablet.readinessProbe.healthCheckAuth.replace(
            /username:.*$/,
            "username:${FLUSS_PROBE_USERNAME};client.security.sasl.password:${FLUSS_PROBE_PASSWORD}",
        );
    expect(values).toEqual(expected);
});

test("the servers' configuration holds each option of the values", async () => {
    const config = await bed.get(object("configmaps", "fluss-conf-file"));
    const installed = parseServerYaml(config?.data["server.yaml"] ?? "");
    const options = quickstartValues().fluss.configurationOverrides;
    expect(Object.fromEntries([...installed].filter(([key]) => key in options))).toEqual(options);
    expect(installed.get("zookeeper.address")).toBe("fluss-zookeeper.fluss.svc.cluster.local:2181");
});

test("the Secrets have the quickstart's names and keys", async () => {
    const keysOf = async (name: string) =>
        Object.keys((await bed.get(object("secrets", name)))?.data ?? {}).sort();
    expect(await keysOf("fluss-sasl-credentials")).toEqual([
        "client-0-password",
        "client-0-username",
        "internal-password",
        "internal-username",
    ]);
    expect(await keysOf("zookeeper-sasl-credentials")).toEqual([
        "client-password",
        "server-password",
        "username",
    ]);
    expect(await keysOf("fluss-storage-credentials")).toEqual(["s3-access-key", "s3-secret-key"]);
    expect(await keysOf("registry-credentials")).toEqual([".dockerconfigjson"]);
    const login = JSON.parse(await secretText("registry-credentials", ".dockerconfigjson"));
    expect(login.auths["registry.example.com"].password).toBe(oddPullPassword);
});

test("no password stands in any object but Secrets, in Helm's record, or in clear in the state (pulumi.md 5 no. 27, pulumi-kubernetes#1353, #2300)", async () => {
    const sasl = (await bed.get(object("secrets", "fluss-sasl-credentials")))?.data ?? {};
    const zookeeper = (await bed.get(object("secrets", "zookeeper-sasl-credentials")))?.data ?? {};
    const random = [sasl["client-0-password"], sasl["internal-password"], zookeeper["client-password"]].map(
        (text) => Buffer.from(text ?? "", "base64").toString("utf8"),
    );
    expect(random[0]).toBe(password);
    const hidden = [...random, "key-in-clear", "pull-in-clear", "AKIAEXAMPLE"];
    const kinds = ["/api/v1 pods", "/apis/apps/v1 statefulsets"];
    await expectHidden(hidden, { bed, namespace, stack, release: "fluss", kinds });
});

test("the next up changes nothing, nor does a refresh (pulumi.md 5 no. 24, pulumi-kubernetes#2660, #2649)", async () => {
    expect(changesOf(await stack.up())).toEqual([]);
    expect((await stack.refresh()).changes).toEqual({ same: expect.any(Number) });
    expect(changesOf(await stack.up())).toEqual([]);
});

const refused: [what: string, wish: Partial<FlussChartArgs>, reason: string][] = [
    ["smaller storage", { tabletStorageSize: "10Gi" }, "size 20Gi -> 10Gi: a volume cannot be made smaller"],
    ["other storage", { storageClass: "fast" }, "storage class kwok-volume -> fast"],
    [
        "storage toggled",
        { settings: { coordinatorStorageSize: "5Gi" } },
        "off -> on starts the servers on an empty volume",
    ],
    [
        "fewer tablet servers",
        { tabletServers: 2, overrides: { "default.replication.factor": 2 } },
        "3 -> 2 loses",
    ],
    [
        "too many copies",
        { overrides: { "default.replication.factor": 4 } },
        "4 copies of each bucket cannot be placed",
    ],
    ["users in another order", { users: [{ username: "desk" }, { username: "fluss" }] }, "only append"],
    [
        "another ZooKeeper",
        { chart: { kind: "apache", version: "1.0.0" }, zookeeperAddress: "zk:2181" },
        "all tables would be lost",
    ],
    ["data.dir moved", { overrides: { "data.dir": "/data/fluss" } }, "the data is lost with the pod"],
    [
        "an option the chart overrides",
        { overrides: { "metrics.reporters": "jmx" } },
        "the chart writes metrics.reporters itself",
    ],
    ["a name that breaks JAAS", { users: [{ username: "fluss" }, { username: "a@b" }] }, "a@b"],
    [
        "a password that breaks JAAS",
        { users: [{ username: "fluss", password: 'a"b' }] },
        "JAAS would read another one",
    ],
    [
        "a value that breaks the file",
        { overrides: { "server.io-pool.size": "5#6" } },
        "where Fluss cuts the value",
    ],
    ["a template", { overrides: { "zookeeper.path.root": "/{{ .Release.Name }}" } }, "contains {{"],
    ["a second cluster", { release: "another" }, 'already has the Fluss cluster of release "fluss"'],
    [
        "a bundle before 1.0",
        { chart: { version: "0.9.1-incubating" } },
        "there is no bundle of 0.9.1-incubating",
    ],
    [
        "a setting that does not exist",
        { settings: { metric: ["jmx"] } as FlussChartArgs["settings"] },
        'there is no setting "metric" here',
    ],
];

test.each(refused)("%s is refused in the preview", async (_, wanted, reason) => {
    wish = { ...wanted, ...(wanted.chart ? { chart: { ...source(), ...wanted.chart } } : {}) };
    try {
        await expect(stack.preview()).rejects.toThrow(reason);
    } finally {
        wish = {};
    }
});

test("what is asked for by name is not refused", async () => {
    wish = { tabletStorageSize: "10Gi", allow: ["storageChange"] };
    await stack.preview();
    wish = {};
});

const rolloutOf = async (name: string) =>
    (await bed.get(set(name)))?.spec.template.metadata.annotations["pulumi-fluss/rollout"];

test("a changed key, a user's password and a changed option restart the servers (#3493), and not ZooKeeper", async () => {
    const [first, zookeeper] = [await rolloutOf("tablet-server"), await rolloutOf("fluss-zookeeper")];
    const users = [{ username: "fluss", password: pulumi.secret(oddPassword) }];
    wish = { remote: { ...remote, secretAccessKey: pulumi.secret("another-key") }, users };
    await stack.up();
    const second = await rolloutOf("tablet-server");
    expect(second).not.toBe(first);
    expect(await secretText("fluss-sasl-credentials", "client-0-password")).toBe(oddPassword);
    expect(JSON.stringify(await stack.export())).not.toContain(oddPassword.slice(0, 6));
    kept = { remote: wish.remote, users, overrides: { "default.bucket.number": 5 } };
    wish = kept;
    await stack.up();
    expect(await rolloutOf("tablet-server")).not.toBe(second);
    expect(await rolloutOf("fluss-zookeeper")).toBe(zookeeper);
    const config = await bed.get(object("configmaps", "fluss-conf-file"));
    expect(config?.data["server.yaml"]).toContain("default.bucket.number: 5");
});

test("larger storage: claims first, then the set without its pods", async () => {
    const pod = object("pods", "tablet-server-0");
    const claim = object("persistentvolumeclaims", "data-tablet-server-0");
    const before = { set: await bed.get(set("tablet-server")), claim: await bed.get(claim) };
    kept = { ...kept, tabletStorageSize: "30Gi" };
    wish = kept;
    await stack.up();
    const after = { set: await bed.get(set("tablet-server")), claim: await bed.get(claim) };
    expect(after.claim?.spec.resources.requests.storage).toBe("30Gi");
    expect(after.claim?.metadata.uid).toBe(before.claim?.metadata.uid);
    expect(after.set?.spec.volumeClaimTemplates[0]?.spec.resources.requests.storage).toBe("30Gi");
    expect(after.set?.metadata.uid).not.toBe(before.set?.metadata.uid);
    expect((await bed.get(pod))?.status.phase).toBe("Running");
    expect(changesOf(await stack.up())).toEqual([]);
});

test("larger storage of ZooKeeper, both its claims", async () => {
    const claim = (kind: string) => object("persistentvolumeclaims", `${kind}-fluss-zookeeper-0`);
    kept = { ...kept, zookeeperStorageSize: "8Gi" };
    wish = kept;
    await stack.up();
    for (const kind of ["data", "data-log"]) {
        expect((await bed.get(claim(kind)))?.spec.resources.requests.storage).toBe("8Gi");
    }
});

test("what was patched inside of the release is found by a refresh and put right by the next up", async () => {
    const map = object("configmaps", "fluss-conf-file");
    const yaml = (await bed.get(map))?.data["server.yaml"] ?? "";
    await bed.send("PATCH", map, {
        data: { "server.yaml": yaml.replace("default.bucket.number: 5", "default.bucket.number: 7") },
    });
    await bed.send("PATCH", set("tablet-server"), { spec: { replicas: 4 } });
    const service = object("services", "tablet-server-hs");
    await bed.send("PATCH", service, { spec: { publishNotReadyAddresses: false } });
    const { changes } = await stack.refresh();
    expect(changes["update"]).toBe(1);
    const guard = await guardOutputs();
    expect(guard["drift"]).toEqual([
        "StatefulSet tablet-server has 4 replicas, not 3",
        "server.yaml has another value of default.bucket.number: 7, not 5",
        "Service tablet-server-hs has no spec.publishNotReadyAddresses",
    ]);
    await stack.up();
    expect((await bed.get(map))?.data["server.yaml"]).toContain("default.bucket.number: 5");
    expect((await bed.get(set("tablet-server")))?.spec.replicas).toBe(3);
    expect((await bed.get(service))?.spec).toMatchObject({ publishNotReadyAddresses: true });
    expect((await guardOutputs())["drift"]).toEqual([]);
});

test("a newer chart is an upgrade, which takes further settings to the servers; an older one is refused", async () => {
    const settings: FlussChartArgs["settings"] = {
        coordinators: 2,
        spread: "host",
        resources: { tabletServer: { requests: { cpu: "250m" } } },
        disruptionBudget: { tablet: { maxUnavailable: 1 } },
        metrics: ["prometheus"],
        authorizer: { superUsers: ["fluss"] },
        healthCheckTimeoutSeconds: 300,
    };
    kept = { ...kept, settings, chart: { ...source(), version: "1.0.0-vv-4" } };
    wish = kept;
    const { outputs } = await stack.up();
    const address = (index: number) =>
        `coordinator-server-${index}.coordinator-server-hs.fluss.svc.cluster.local:9124`;
    expect(outputs["bootstrap"]?.value).toBe(`${address(0)},${address(1)}`);
    const tablet = await bed.get(set("tablet-server"));
    expect(tablet?.spec.template.spec).toMatchObject({
        topologySpreadConstraints: [{ topologyKey: "kubernetes.io/hostname" }],
        containers: [
            {
                image: "registry.ververica.cloud/platform-images/fluss:1.0.0-vv-4",
                resources: { requests: { cpu: "250m" } },
                readinessProbe: { failureThreshold: 61 },
            },
        ],
    });
    const budget = await bed.get(object("poddisruptionbudgets", "tablet-server", "apis/policy/v1"));
    expect(budget?.spec).toMatchObject({ maxUnavailable: 1 });
    expect(await bed.get(object("services", "fluss-tablet-server-metrics-hs"))).toBeDefined();
    const config = await bed.get(object("configmaps", "fluss-conf-file"));
    expect(Object.fromEntries(parseServerYaml(config?.data["server.yaml"] ?? ""))).toMatchObject({
        "authorizer.enabled": "true",
        "super.users": "User:fluss",
        "metrics.reporters": "prometheus",
    });
    wish = { ...kept, chart: source() };
    await expect(stack.preview()).rejects.toThrow("1.0.0-vv-4 -> 1.0.0-vv-3 goes back");
    wish = kept;
});

test("destroyed, volumes stay; installed again, they are used again", async () => {
    const claim = object("persistentvolumeclaims", "data-tablet-server-0");
    const before = await bed.get(claim);
    const { stdout } = await stack.destroy();
    expect(stdout).toMatch(/its data is not: the claims .*data-tablet-server-0.* stay in namespace/);
    expect(await bed.get(set("tablet-server"))).toBeUndefined();
    expect((await bed.get(claim))?.metadata.uid).toBe(before?.metadata.uid);
    await stack.up();
    expect((await bed.get(claim))?.metadata.uid).toBe(before?.metadata.uid);
    expect((await bed.get(set("tablet-server")))?.status.readyReplicas).toBe(3);
});

async function secretText(name: string, key: string): Promise<string> {
    const encoded = (await bed.get(object("secrets", name)))?.data[key] ?? "";
    return Buffer.from(encoded, "base64").toString("utf8");
}

/** What the guard keeps in the state. */
async function guardOutputs(): Promise<Record<string, unknown>> {
    const { deployment } = await stack.export();
    const guard = (deployment.resources as { type: string; outputs: Record<string, unknown> }[]).find(
        ({ type }) => type === "pulumi-nodejs:dynamic/kubernetes:FlussReleaseGuard",
    );
    return guard?.outputs ?? {};
}
