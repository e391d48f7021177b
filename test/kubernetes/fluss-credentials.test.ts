import fs from "node:fs";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { kubeRequest } from "../../local/services/kubernetes/api.ts";
import { changesOf } from "../engine/engine.ts";
import { writeLogin } from "./bed.ts";
import { type FlussStack, flussStack } from "./fluss-stack.ts";
import { accountWith, withToken } from "./service-account.ts";
import { sharedBed } from "./shared-bed.ts";

const namespace = "rotated";
const secretOf = (name: string) => `/api/v1/namespaces/${namespace}/secrets/${name}`;

const bed = sharedBed();
let made: FlussStack;
let first: Credentials;
let second: Credentials;

interface Credentials {
    name: string;
    token: string;
    kubeconfig: string;
}

beforeAll(async () => {
    made = await flussStack(bed, namespace);
    await bed.send("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "deployer" },
    });
    await bed.send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "deployer" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ kind: "ServiceAccount", name: "deployer", namespace }],
    });
    first = await credentials("deployer-a");
    second = await credentials("deployer-b");
    made.kubeconfig = () => first.kubeconfig;
});

afterAll(() => made?.stack.dispose());

test("a user without rights, and a context that is not there, are told in the preview with what to do", async () => {
    onTestFinished(() => {
        made.wish = {};
    });
    made.wish = { access: await accountWith(bed, namespace, "nobody", []) };
    await expect(made.stack.preview()).rejects.toThrow(
        /could not read StatefulSet coordinator-server in rotated: 403 .*User "system:serviceaccount:rotated:nobody" cannot get resource "statefulsets".*\nWhat to do: give the kubeconfig's user this right/,
    );
    made.wish = { access: { ...bed.access, context: "production" } };
    await expect(made.stack.preview()).rejects.toThrow('no usable context "production"; it has bed');
});

test("a wrong password at the registry of charts fails the release, is not told, and is forgotten once it is right", async () => {
    const wrong = path.join(made.stack.folder, "registry.json");
    writeLogin(wrong, bed.registry, "wrong-in-clear");
    made.registryConfig = wrong;
    const failure = (await made.stack.up().catch((error: Error) => error)) as Error;
    expect(failure.message).toMatch(/401|[Uu]nauthorized|authentication required/);
    expect(failure.message).not.toContain("wrong-in-clear");
    delete made.registryConfig;
    await made.stack.up();
});

test("the password of the registry of images is replaced: nodes read it when they pull, and nothing restarts", async () => {
    const registry = (password: string) => ({ server: "registry.example.com", username: "puller", password });
    made.wish = { registry: registry("pull-in-clear") };
    await made.stack.up();
    const before = await rollouts();
    made.wish = { registry: registry("next-pull-in-clear") };
    const changed = changesOf(await made.stack.up());
    expect(new Set(changed.map(({ name }) => name))).toEqual(new Set(["desk-registry-credentials"]));
    expect(await secretText("registry-credentials", ".dockerconfigjson")).toContain("next-pull-in-clear");
    expect(await rollouts()).toEqual(before);
});

test("the passwords of ZooKeeper and of the servers among themselves are replaced: Secrets first, then who reads them", async () => {
    const before = { rollouts: await rollouts(), internal: await internalPassword() };
    const zookeeperUser = { username: "zookeeper", password: pulumi.secret("next-zookeeper-in-clear") };
    made.wish = { ...made.wish, zookeeperUser };
    const { deployment } = await made.stack.export();
    const urns = (deployment.resources as { urn: string }[]).map(({ urn }) => urn);
    const replace = urns.filter((urn) => urn.endsWith("::desk-internal-password"));
    const changed = changesOf(await made.stack.up({ replace }));
    const secrets = ["desk-fluss-sasl-credentials", "desk-zookeeper-sasl-credentials"];
    // Kubernetes' plugin replaces a Secret whose content changes.
    const replaced = changed.filter(({ op }) => op !== "update").map(({ name }) => name);
    expect(new Set(replaced)).toEqual(
        new Set(["desk-internal-password", "desk-zookeeper-password", ...secrets]),
    );
    const release = changed.findIndex(({ name }) => name === "desk-release");
    const written = changed.slice(0, release).filter(({ op }) => op === "create-replacement");
    expect(written.map(({ name }) => name)).toEqual(expect.arrayContaining(secrets));
    for (const key of ["client-password", "server-password"])
        expect(await secretText("zookeeper-sasl-credentials", key)).toBe("next-zookeeper-in-clear");
    expect(await internalPassword()).not.toBe(before.internal);
    const after = await rollouts();
    for (const [index, rollout] of before.rollouts.entries()) expect(after[index]).not.toBe(rollout);
});

test("a kubeconfig whose token was replaced: the next up takes the new one, and so do refresh and destroy (pulumi#4981, pulumi.md 5 no. 22)", async () => {
    await bed.send("DELETE", secretOf(first.name));
    await refused(first);
    await expect(made.stack.refresh()).rejects.toThrow(/401|[Uu]nauthorized/);
    made.kubeconfig = () => second.kubeconfig;
    const changed = changesOf(await made.stack.up());
    expect(changed.filter(({ type }) => type.startsWith("pulumi-nodejs:")).map(({ op }) => op)).toEqual([
        "update",
        "update",
    ]);
    expect(changed.filter(({ op }) => !["update"].includes(op))).toEqual([]);
    expect((await made.stack.refresh()).changes).toEqual({ same: expect.any(Number) });
    expect(changesOf(await made.stack.up())).toEqual([]);
});

test("neither token stands in the state in clear", async () => {
    const state = JSON.stringify(await made.stack.export());
    for (const { token } of [first, second]) expect(state.includes(token)).toBe(false);
});

test("a preview before there is a cluster shows the release (pulumi.md 5 no. 26, pulumi-kubernetes#3027, #2985, #3247, #1712, #1987; no. 23, #3699)", async () => {
    const later = await flussStack(bed, "later");
    onTestFinished(() => later.stack.dispose());
    // As of a cluster that the same run makes: nothing is known of it before.
    later.kubeconfig = () =>
        new random.RandomPassword("cluster", { length: 16 }).result.apply(() => bed.access.kubeconfig);
    const { steps, changes } = await later.stack.preview();
    expect(Object.keys(changes)).toEqual(["create"]);
    expect(steps.map(({ type }) => type)).toContain("kubernetes:helm.sh/v3:Release");
});

/** By which the pods of tablet servers, coordinator and ZooKeeper are restarted. */
function rollouts(): Promise<(string | undefined)[]> {
    const sets = ["tablet-server", "coordinator-server", "fluss-zookeeper"];
    return Promise.all(
        sets.map(async (set) => {
            const found = await bed.get(`/apis/apps/v1/namespaces/${namespace}/statefulsets/${set}`);
            return found?.spec.template.metadata.annotations["pulumi-fluss/rollout"];
        }),
    );
}

async function secretText(name: string, key: string): Promise<string> {
    return Buffer.from((await bed.get(secretOf(name)))?.data[key] ?? "", "base64").toString("utf8");
}

const internalPassword = () => secretText("fluss-sasl-credentials", "internal-password");

/** A token of the ServiceAccount that ends when its Secret goes, in a kubeconfig. */
async function credentials(name: string): Promise<Credentials> {
    await bed.send("POST", `/api/v1/namespaces/${namespace}/secrets`, {
        apiVersion: "v1",
        kind: "Secret",
        type: "kubernetes.io/service-account-token",
        metadata: { name, annotations: { "kubernetes.io/service-account.name": "deployer" } },
    });
    const { data } = await bed.until(secretOf(name), (secret) => secret.data?.["token"] !== undefined);
    const token = Buffer.from(data["token"] ?? "", "base64").toString("utf8");
    return { name, token, kubeconfig: withToken(bed, token) };
}

/** Waits until the API server, which remembers tokens for some seconds, knows that this one has ended. */
async function refused({ kubeconfig }: Credentials): Promise<void> {
    const file = path.join(made.stack.folder, "ended-kubeconfig.json");
    fs.writeFileSync(file, kubeconfig, { mode: 0o600 });
    const statusOf = async () => (await kubeRequest(file, "GET", "/api/v1/namespaces")).status;
    await vi.waitFor(async () => expect(await statusOf()).toBe(401), { timeout: 60_000, interval: 500 });
}
