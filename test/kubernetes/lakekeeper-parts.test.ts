import { once } from "node:events";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { flussEndpoint } from "../../dynamic-providers/fluss/endpoint.ts";
import { forwardTo } from "../../dynamic-providers/kubernetes/port-forward.ts";
import { server } from "../../dynamic-providers/lakekeeper/server.ts";
import {
    type LakekeeperSimulator,
    startLakekeeperSimulator,
} from "../../local/simulators/lakekeeper/index.ts";
import { lead } from "../lakekeeper/lead.ts";
import { type StubFluss, startStubFluss } from "../unit/fluss/stub-fluss.ts";
import { expectHidden } from "./hidden.ts";
import {
    countingProxy,
    ingressController,
    type LakekeeperStack,
    lakekeeperStack,
    outputsOf,
} from "./lakekeeper-stack.ts";
import { sharedBed } from "./shared-bed.ts";

/** Lakekeeper with everything beside it: external database, KV2, OpenFGA, an ingress; and servers that exist. */
const namespace = "parts";
const object = (kind: string, name: string, group = "api/v1") =>
    `/${group}/namespaces/${namespace}/${kind}/${name}`;
const deployment = object("deployments", "fluss-lakekeeper", "apis/apps/v1");
const token = "token-in-clear";
/** With what a shell, a template, YAML and JSON each would read as something else. */
const oddPassword = 'database-in-clear"\\{{x}}$é';

const bed = sharedBed();
let lakekeeper: LakekeeperSimulator;
let controller: Awaited<ReturnType<typeof ingressController>>;
let fluss: StubFluss;
let stack: LakekeeperStack;

beforeAll(async () => {
    lakekeeper = await startLakekeeperSimulator({
        port: bed.forwards[8181]!,
        token,
        accepts: () => true,
        authzBackend: "openfga",
    });
    controller = await ingressController("/lakekeeper", lakekeeper.url);
    fluss = await startStubFluss({ port: bed.forwards[9124] });
    stack = await lakekeeperStack(bed, namespace, {
        database: {
            host: "db.example.com",
            user: "lakekeeper",
            password: oddPassword,
            tls: "verify-full",
        },
        secretStore: {
            url: "http://vault:8200",
            mount: "kv/data/iceberg",
            user: "lakekeeper",
            password: "vault-in-clear",
        },
        openFga: { endpoint: "http://openfga:8081", apiKey: "openfga-in-clear" },
        trustedCertificates: { kind: "secret", name: "authorities", key: "all.pem" },
        ingress: { host: "localhost", path: "/lakekeeper", className: "nginx", port: controller.port },
    });
});

afterAll(async () => {
    await stack?.dispose();
    await controller?.close();
    await fluss?.close();
    await lakekeeper?.close();
});

const environment = async () =>
    Object.fromEntries(
        ((await bed.get(deployment))?.spec.template.spec.containers[0]?.env ?? []).map(
            ({ name, value, valueFrom }) => [name, value ?? valueFrom],
        ),
    );

const from = (key: string) => ({ secretKeyRef: { name: "fluss-lakekeeper-credentials", key } });

test("after a wrong password at the repository of charts the server is bootstrapped through the ingress, below its folder; Fluss and the jobs stay inside", async () => {
    const login = { username: bed.registry.username, password: "wrong-in-clear" };
    const wanted = stack.wish;
    stack.wish = { ...wanted, login };
    const failure = (await stack.up().catch((error: Error) => error)) as Error;
    expect(failure.message).toMatch(/401|[Uu]nauthorized/);
    expect(failure.message).not.toContain("wrong-in-clear");
    stack.wish = wanted;
    const { outputs } = await stack.up();
    expect(outputs["uri"]?.value).toBe("http://fluss-lakekeeper.parts.svc.cluster.local:8181/catalog");
    expect(controller.requests).toContain("/lakekeeper/management/v1/bootstrap");
    expect(controller.requests).toContain("/lakekeeper/management/v1/warehouse");
    const ingress = (await bed.get(
        object("ingresses", "fluss-lakekeeper", "apis/networking.k8s.io/v1"),
    )) as unknown as {
        spec: { ingressClassName: string; rules: { host: string; http: { paths: { path: string }[] } }[] };
    };
    expect(ingress.spec.ingressClassName).toBe("nginx");
    expect(ingress.spec.rules[0]?.host).toBe("localhost");
    expect(ingress.spec.rules[0]?.http.paths[0]?.path).toBe("/lakekeeper");
    expect(await outputsOf(stack, "lakekeeper:Server")).toMatchObject({ authzBackend: "openfga" });
});

test("database, KV2 and OpenFGA are read from one Secret, and no PostgreSQL is made", async () => {
    expect(await environment()).toEqual({
        LAKEKEEPER__PG_ENCRYPTION_KEY: {
            secretKeyRef: { name: "fluss-lakekeeper-encryption", key: "encryptionKey" },
        },
        LAKEKEEPER__PG_USER: from("database-user"),
        LAKEKEEPER__PG_PASSWORD: from("database-password"),
        LAKEKEEPER__PG_SSL_MODE: "verify-full",
        LAKEKEEPER__PG_SSL_ROOT_CERT: "/etc/lakekeeper-certificates/ca.crt",
        SSL_CERT_FILE: "/etc/lakekeeper-certificates/ca.crt",
        LAKEKEEPER__KUBERNETES_AUTHENTICATION_SUBJECT_SOURCE: "username",
        LAKEKEEPER__OPENFGA__API_KEY: from("openfga-key"),
        LAKEKEEPER__SECRET_BACKEND: "kv2",
        LAKEKEEPER__KV2__URL: "http://vault:8200",
        LAKEKEEPER__KV2__SECRET_MOUNT: "kv/data/iceberg",
        LAKEKEEPER__KV2__USER: from("kv2-user"),
        LAKEKEEPER__KV2__PASSWORD: from("kv2-password"),
    });
    const credentials = (await bed.get(object("secrets", "fluss-lakekeeper-credentials")))?.data ?? {};
    const password = Buffer.from(credentials["database-password"] ?? "", "base64").toString("utf8");
    expect(password).toBe(oddPassword);
    const config = (await bed.get(object("secrets", "fluss-lakekeeper-config-envs")))?.data ?? {};
    const plain = (key: string) => Buffer.from(config[key] ?? "", "base64").toString("utf8");
    expect([
        plain("LAKEKEEPER__PG_HOST_W"),
        plain("LAKEKEEPER__PG_PORT"),
        plain("LAKEKEEPER__PG_DATABASE"),
    ]).toEqual(["db.example.com", "5432", "lakekeeper"]);
    expect(plain("LAKEKEEPER__AUTHZ_BACKEND")).toBe("openfga");
    expect((await bed.get(`/apis/apps/v1/namespaces/${namespace}/statefulsets`))?.items).toEqual([]);
});

test("no password stands in any object but Secrets, or in clear in the state; a new one restarts the server", async () => {
    const rollout = async () =>
        (await bed.get(deployment))?.spec.template.metadata.annotations["pulumi-fluss/rollout"];
    const before = await rollout();
    const database = { ...stack.wish.database!, password: "new-in-clear" };
    stack.wish = { ...stack.wish, database };
    await stack.up();
    expect(await rollout()).not.toBe(before);
    const hidden = [
        "database-in-clear",
        "new-in-clear",
        "vault-in-clear",
        "openfga-in-clear",
        "store-in-clear",
    ];
    await expectHidden(hidden, { bed, namespace, stack });
});

test("a key that is gone is not made anew for a database that cannot be seen", async () => {
    await bed.send("DELETE", object("secrets", "fluss-lakekeeper-encryption"));
    await expect(stack.preview()).rejects.toThrow(
        "Secret parts/fluss-lakekeeper-encryption is gone, and what was encrypted or locked with it",
    );
});

const portForward = (service: string, port: number) => ({ access: bed.access, namespace, service, port });

test("an existing Lakekeeper is reached and known through a port-forward", async () => {
    const url = "http://fluss-lakekeeper.parts.svc.cluster.local:8181";
    const connection = { url, token, portForward: portForward("fluss-lakekeeper", 8181) };
    const made = lead(server);
    await made.create({ connection, acceptTermsOfUse: true, bootstrap: false, waitSeconds: 5 });
    expect(made.state).toMatchObject({ version: "0.13.3", adopted: true });
});

test("a port on which nothing in the pod listens is told with the pod", async () => {
    const url = "http://fluss-lakekeeper.parts.svc.cluster.local:8181";
    const connection = { url, token, portForward: portForward("fluss-lakekeeper", 9999) };
    const create = lead(server).create({ connection, acceptTermsOfUse: true, waitSeconds: 0 });
    await expect(create).rejects.toThrow(/could not forward port 9999 of pod fluss-lakekeeper-.* in parts/);
});

test("a way that is cut off midway, with the connection to the cluster, is noticed at once, and the next call goes through", async () => {
    const config = JSON.parse(bed.access.kubeconfig);
    const { cluster } = config.clusters[0];
    const api = await countingProxy(Number(new URL(cluster.server).port));
    onTestFinished(() => api.close());
    cluster.server = `https://127.0.0.1:${api.port}`;
    const place = { namespace, service: "fluss-lakekeeper", port: 8181 };
    const way = await forwardTo({ kubeconfig: JSON.stringify(config) }, place);
    onTestFinished(() => way.close());
    const answer = async () => (await fetch(`http://127.0.0.1:${way.port}/health`)).status;
    expect(await answer()).toBe(200);
    const before = api.opened();
    const socket = net.connect(way.port, "127.0.0.1");
    const ended = once(socket, "close");
    // Half a request: its answer does not come before the cut.
    socket.write("GET /health HTTP/1.1\r\n");
    await expect.poll(api.opened).toBeGreaterThan(before);
    await sleep(300);
    api.cut();
    await ended;
    expect(way.takeFault()?.message).toMatch(/could not forward port 8181 of pod fluss-lakekeeper-/);
    expect(await answer()).toBe(200);
});

test("an existing Fluss cluster is reached through a port-forward", async () => {
    const labels = { app: "coordinator-server" };
    await bed.send("POST", `/api/v1/namespaces/${namespace}/pods`, {
        metadata: { name: "coordinator-server-0", labels },
        spec: {
            containers: [{ name: "coordinator", image: "fluss:0.9.1", ports: [{ containerPort: 9124 }] }],
        },
    });
    await bed.send("POST", `/api/v1/namespaces/${namespace}/services`, {
        metadata: { name: "coordinator-server-hs" },
        spec: { clusterIP: "None", selector: labels, ports: [{ port: 9124 }] },
    });
    await bed.until(object("pods", "coordinator-server-0"), ({ status }) => status.phase === "Running");
    const existing = {
        bootstrapServers: "coordinator-server-0.coordinator-server-hs.parts.svc.cluster.local:9124",
        username: "desk",
        password: "sesame",
        portForward: portForward("coordinator-server-hs", 9124),
    };
    const made = lead(flussEndpoint);
    await made.create(existing);
    expect(made.state).toMatchObject({ checked: true, server: "coordinator" });
    await expect(lead(flussEndpoint).check({ ...existing, password: "wrong" })).rejects.toThrow(
        /coordinator-server-hs\.parts.*does not let user "desk" in/,
    );
});
