import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { project } from "../../../dynamic-providers/lakekeeper/project.ts";
import { type Bag, lead } from "../../lakekeeper/lead.ts";
import { closeLater, startFixture } from "./fixture.ts";

const adminToken = "token-of-the-cluster-admin";

/**
 * The two calls of a Kubernetes API server that give tokens. `secrets`, what is asked for and `trouble`, statuses with which the next
 * calls are answered, are open to the test.
 */
async function startCluster() {
    const asked: { path: string; body: Bag }[] = [];
    const secrets: Record<string, Record<string, string> | undefined> = {};
    const trouble: number[] = [];
    let given = 0;
    const server = createServer(async (request, response) => {
        const { url = "", method } = request;
        const body = JSON.parse((await text(request)) || "{}") as Bag;
        const answer = (status: number, json: object) => {
            response.writeHead(status, { "content-type": "application/json" });
            response.end(JSON.stringify(json));
        };
        const refuse = (code: number, message: string) =>
            answer(code, { kind: "Status", apiVersion: "v1", status: "Failure", code, message });
        if (request.headers.authorization !== `Bearer ${adminToken}`) return refuse(401, "Unauthorized");
        asked.push({ path: url, body });
        const status = trouble.shift();
        if (status !== undefined) return refuse(status, "not now");
        const secret = /^\/api\/v1\/namespaces\/lk\/secrets\/([^/]+)$/.exec(url)?.[1];
        if (secret) {
            const data = secrets[secret];
            if (!data) return refuse(404, `secrets "${secret}" not found`);
            const encoded = Object.entries(data).map(([key, value]) => [
                key,
                Buffer.from(value).toString("base64"),
            ]);
            return answer(200, { kind: "Secret", apiVersion: "v1", data: Object.fromEntries(encoded) });
        }
        if (method === "POST" && url === "/api/v1/namespaces/lk/serviceaccounts/pulumi/token") {
            const spec = body["spec"] as { expirationSeconds: number };
            const expirationTimestamp = new Date(Date.now() + spec.expirationSeconds * 1000).toISOString();
            const status = { token: `requested-${++given}`, expirationTimestamp };
            return answer(201, {
                kind: "TokenRequest",
                apiVersion: "authentication.k8s.io/v1",
                spec,
                status,
            });
        }
        return refuse(
            403,
            `serviceaccounts "other" is forbidden: cannot create resource "serviceaccounts/token"`,
        );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closeLater(async () => {
        server.closeAllConnections();
        server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { asked, secrets, trouble, kubeconfig: kubeconfig(url) };
}

function kubeconfig(server: string): string {
    return JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        "current-context": "test",
        clusters: [{ name: "test", cluster: { server, "insecure-skip-tls-verify": true } }],
        users: [{ name: "admin", user: { token: adminToken } }],
        contexts: [{ name: "test", context: { cluster: "test", user: "admin" } }],
    });
}

const args = (connection: object): Bag => ({
    connection,
    projectId: "a",
    name: "A",
    deletionProtection: false,
});

afterEach(() => {
    vi.unstubAllEnvs();
});

describe("a token of a Kubernetes Secret", () => {
    it("is read once for many calls, again after a 401, and is not in the state", async () => {
        const cluster = await startCluster();
        cluster.secrets["lakekeeper-token"] = { token: "first-token-of-the-secret", "ca.crt": "x" };
        const accepted = new Set(["first-token-of-the-secret"]);
        const fixture = await startFixture({ accepts: (token) => accepted.has(token) });
        const { kubeconfig } = cluster;
        const kubernetes = { kubeconfig, namespace: "lk", secret: "lakekeeper-token" };
        const made = lead(project);
        await made.create(args({ url: fixture.simulator.url, kubernetes }));
        await made.refresh();
        expect(cluster.asked).toHaveLength(1);
        accepted.clear();
        accepted.add("next-token-of-the-secret");
        cluster.secrets["lakekeeper-token"] = { token: "next-token-of-the-secret\n" };
        await made.refresh();
        expect(cluster.asked).toHaveLength(2);
        expect(JSON.stringify(made.state)).not.toContain("token-of-the-secret");
        await made.destroy();
    });

    it("is waited for while the cluster fills it in", async () => {
        const cluster = await startCluster();
        cluster.secrets["late"] = {};
        const fixture = await startFixture({ accepts: (token) => token === "late-token" });
        setTimeout(() => {
            cluster.secrets["late"] = { token: "late-token" };
        }, 300);
        const kubernetes = { kubeconfig: cluster.kubeconfig, namespace: "lk", secret: "late" };
        await lead(project).create(args({ url: fixture.simulator.url, kubernetes }));
        expect(cluster.asked.length).toBeGreaterThan(1);
    });

    it("is found by the kubeconfig that kubectl would take", async () => {
        const cluster = await startCluster();
        cluster.secrets["s"] = { client: "token-under-another-key" };
        const folder = mkdtempSync(path.join(tmpdir(), "kubeconfig-"));
        closeLater(async () => rmSync(folder, { recursive: true }));
        const file = path.join(folder, "config");
        writeFileSync(file, cluster.kubeconfig, { mode: 0o600 });
        vi.stubEnv("KUBECONFIG", file);
        const fixture = await startFixture({ accepts: (token) => token === "token-under-another-key" });
        const kubernetes = { namespace: "lk", secret: "s", key: "client" };
        await lead(project).create(args({ url: fixture.simulator.url, kubernetes }));
    });
});

describe("a token for a ServiceAccount", () => {
    const of = (kubeconfig: string, more: object = {}) => ({
        kubeconfig,
        namespace: "lk",
        serviceAccount: "pulumi",
        ...more,
    });

    it("is asked for with its audience and lifetime, and again after a 401", async () => {
        const cluster = await startCluster();
        let accepted = "requested-1";
        const fixture = await startFixture({ accepts: (token) => token === accepted });
        const kubernetes = of(cluster.kubeconfig, { audience: "lakekeeper", expirationSeconds: 900 });
        const made = lead(project);
        await made.create(args({ url: fixture.simulator.url, kubernetes }));
        accepted = "requested-2";
        await made.refresh();
        expect(cluster.asked.map(({ body }) => body["spec"])).toEqual([
            { audiences: ["lakekeeper"], expirationSeconds: 900 },
            { audiences: ["lakekeeper"], expirationSeconds: 900 },
        ]);
    });

    it("has the cluster's own audience and an hour when none are given", async () => {
        const cluster = await startCluster();
        const fixture = await startFixture({ accepts: (token) => token === "requested-1" });
        await lead(project).create(args({ url: fixture.simulator.url, kubernetes: of(cluster.kubeconfig) }));
        expect(cluster.asked[0]?.body["spec"]).toEqual({ audiences: [], expirationSeconds: 3600 });
    });
});

it("a cluster that is busy or restarts is asked again", async () => {
    const cluster = await startCluster();
    cluster.trouble.push(429, 503);
    const fixture = await startFixture({ accepts: (token) => token === "requested-1" });
    const kubernetes = { kubeconfig: cluster.kubeconfig, namespace: "lk", serviceAccount: "pulumi" };
    await lead(project).create(args({ url: fixture.simulator.url, kubernetes }));
    expect(cluster.asked).toHaveLength(3);
});

describe("a cluster that gives no token", () => {
    it.each<[string, Bag, RegExp]>([
        [
            "no such Secret",
            { secret: "nope" },
            /Kubernetes: could not read the token of Secret 'nope' in namespace 'lk' \(http.*404: secrets "nope" not found.*check namespace and name/s,
        ],
        [
            "no right to it",
            { serviceAccount: "other" },
            /ask for a token of ServiceAccount 'other'.*403: .*forbidden.*`create` on serviceaccounts\/token/s,
        ],
        [
            "no such key",
            { secret: "filled", key: "jwt" },
            /no key 'jwt', only token.*connection\.kubernetes\.key/s,
        ],
        ["no such context", { secret: "filled", context: "prod" }, /context 'prod'|no cluster|prod/],
    ])("%s: the error says what was tried and what to do", async (_title, from, message) => {
        const cluster = await startCluster();
        cluster.secrets["filled"] = { token: "a-token-that-nobody-sees" };
        const fixture = await startFixture();
        const kubernetes = { kubeconfig: cluster.kubeconfig, namespace: "lk", ...from };
        const said = await lead(project)
            .create(args({ url: fixture.simulator.url, kubernetes }))
            .catch((error: Error) => error.message);
        expect(said).toMatch(message);
        for (const secret of [adminToken, "a-token-that-nobody-sees"]) expect(said).not.toContain(secret);
    });

    it("one that is not there is told with its address", async () => {
        const fixture = await startFixture();
        const kubernetes = { kubeconfig: kubeconfig("http://127.0.0.1:1"), namespace: "lk", secret: "s" };
        await expect(lead(project).create(args({ url: fixture.simulator.url, kubernetes }))).rejects.toThrow(
            /Kubernetes: could not read.*http:\/\/127\.0\.0\.1:1.*reachable from here/s,
        );
    });

    it.each<[Bag, RegExp]>([
        [{}, /either secret or serviceAccount/],
        [{ secret: "s", serviceAccount: "a" }, /either secret or serviceAccount/],
        [{ secret: "s", audience: "x" }, /belong to serviceAccount/],
        [{ serviceAccount: "a", key: "k" }, /key belongs to secret/],
        [{ serviceAccount: "a", expirationSeconds: 60 }, /expirationSeconds/],
    ])("arguments that do not go together: %j", async (from, message) => {
        const given = args({ url: "http://lakekeeper", kubernetes: { namespace: "lk", ...from } });
        await expect(lead(project).check(given)).rejects.toThrow(message);
    });
});

it("a cluster, a token and a client of a provider are only one of them", async () => {
    const kubernetes = { namespace: "lk", secret: "s" };
    const given = args({ url: "http://lakekeeper", token: "t", kubernetes });
    await expect(lead(project).check(given)).rejects.toThrow(/only one of token, oidc, kubernetes/);
});
