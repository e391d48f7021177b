import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import net, { type AddressInfo } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { ApiError } from "../../../dynamic-providers/http/api-error.ts";
import { HttpClient } from "../../../dynamic-providers/http/client.ts";
import { forwardTo } from "../../../dynamic-providers/kubernetes/port-forward.ts";
import { server } from "../../../dynamic-providers/lakekeeper/server.ts";
import { lead } from "../../lakekeeper/lead.ts";

const closing: (() => void)[] = [];
afterEach(() => {
    for (const close of closing.splice(0)) close();
});

const target = { namespace: "lake", service: "fluss-lakekeeper", port: 8181 };

interface ClusterSettings {
    /** Default: one that is ready. */
    pods?: { name: string; ready: boolean }[];
    /** Status with which a call is refused, by a part of its path. */
    refuse?: Record<string, number>;
}

/** The calls of a Kubernetes API server that lead to a pod, as far as a refusal; the way itself is tested on the bed. */
async function startCluster({ pods = [{ name: "pod-0", ready: true }], refuse = {} }: ClusterSettings = {}) {
    const asked: string[] = [];
    const statusOf = (path: string) =>
        Object.entries(refuse).find(([part]) => path.includes(part))?.[1] ?? 200;
    const server: Server = createServer((request, response) => {
        const path = request.url ?? "";
        asked.push(path.split("?")[0]!);
        const status = statusOf(path);
        const body =
            status === 200
                ? path.includes("/services/")
                    ? { kind: "Service", spec: { selector: { app: "lakekeeper" } } }
                    : { kind: "PodList", items: pods.map(podOf) }
                : { kind: "Status", code: status, message: `refused with ${status}` };
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
    });
    server.on("upgrade", (request, socket) => {
        asked.push(request.url?.split("?")[0] ?? "");
        socket.end(`HTTP/1.1 ${statusOf(request.url ?? "")} Refused\r\ncontent-length: 0\r\n\r\n`);
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    closing.push(() => {
        server.closeAllConnections();
        server.close();
    });
    return { asked, access: accessTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) };
}

function podOf({ name, ready }: { name: string; ready: boolean }): object {
    const conditions = [{ type: "Ready", status: ready ? "True" : "False" }];
    return { metadata: { name }, status: { conditions } };
}

function accessTo(server: string): { kubeconfig: string } {
    const config = {
        apiVersion: "v1",
        kind: "Config",
        "current-context": "test",
        clusters: [{ name: "test", cluster: { server, "insecure-skip-tls-verify": true } }],
        users: [{ name: "admin", user: { token: "token-of-the-cluster-admin" } }],
        contexts: [{ name: "test", context: { cluster: "test", user: "admin" } }],
    };
    return { kubeconfig: JSON.stringify(config) };
}

/** How an attempt to connect ends: the code of its error. */
function connectionTo(port: number): Promise<string> {
    return new Promise((done) => {
        const socket = net.connect(port, "127.0.0.1");
        socket.once("error", (error: NodeJS.ErrnoException) => done(error.code ?? ""));
        socket.once("connect", () => {
            socket.destroy();
            done("connected");
        });
    });
}

describe("a way to a Service", () => {
    it("is opened once, however many ask for it at once", async () => {
        const { access, asked } = await startCluster();
        const opened = await Promise.all([1, 2, 3].map(() => forwardTo(access, target)));
        closing.push(() => void opened[0]?.close());
        expect(new Set(opened.map(({ port }) => port)).size).toBe(1);
        expect(asked).toEqual([
            "/api/v1/namespaces/lake/services/fluss-lakekeeper",
            "/api/v1/namespaces/lake/pods",
        ]);
    });

    it("that is closed leaves no port open, and is opened anew", async () => {
        const { access } = await startCluster();
        const first = await forwardTo(access, target);
        await first.close();
        expect(await connectionTo(first.port)).toBe("ECONNREFUSED");
        const second = await forwardTo(access, target);
        expect(second).not.toBe(first);
        await second.close();
    });

    it("does not keep its process alive, and is closed with it", async () => {
        const { access } = await startCluster();
        const program = `
            import { forwardTo } from "./dynamic-providers/kubernetes/port-forward.ts";
            const { port } = await forwardTo(${JSON.stringify(access)}, ${JSON.stringify(target)});
            console.log(port);`;
        const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
            cwd: path.resolve(import.meta.dirname, "../../.."),
            stdio: ["ignore", "pipe", "inherit"],
        });
        const port = Number(await text(child.stdout));
        expect(port).toBeGreaterThan(0);
        expect(child.exitCode ?? (await once(child, "exit"))[0]).toBe(0);
        expect(await connectionTo(port)).toBe("ECONNREFUSED");
    });

    it("whose opening failed is tried again by the next call", async () => {
        const settings: ClusterSettings = { pods: [{ name: "pod-0", ready: false }] };
        const { access } = await startCluster(settings);
        await expect(forwardTo(access, target)).rejects.toThrow("none of its 1 pods is ready");
        settings.pods![0]!.ready = true;
        await (await forwardTo(access, target)).close();
    });
});

describe("a way that cannot be opened is told with what was tried, on what, what came back and what to do", () => {
    it.each<[string, ClusterSettings, RegExp]>([
        [
            "no such Service",
            { refuse: { "/services/": 404 } },
            /^Kubernetes: could not read Service fluss-lakekeeper in lake \(http:\/\/127.*\): 404 NotFound: refused with 404\nWhat to do: .*right cluster/,
        ],
        [
            "not logged in",
            { refuse: { "/services/": 401 } },
            /401 Unauthorized.*\nWhat to do: .*log in again/,
        ],
        [
            "no right to see pods",
            { refuse: { "/pods": 403 } },
            /list the pods.*403 Forbidden.*\n.*pods\/portforward/,
        ],
        [
            "no pod",
            { pods: [] },
            /open a way to Service fluss-lakekeeper in lake .*NoReadyPod: none of its 0 pods is ready\n.*kubectl get pods -n lake/,
        ],
        ["no pod that is ready", { pods: [{ name: "a", ready: false }] }, /none of its 1 pods is ready/],
    ])("%s", async (_, settings, message) => {
        const { access } = await startCluster(settings);
        const error = await forwardTo(access, target).catch((caught: unknown) => caught);
        expect(error).toBeInstanceOf(ApiError);
        expect((error as ApiError).message).toMatch(message);
        expect((error as ApiError).message).not.toContain("token-of-the-cluster-admin");
    });

    it("a cluster that is not there", async () => {
        await expect(forwardTo(accessTo("http://127.0.0.1:1"), target)).rejects.toThrow(
            /could not read Service .*http:\/\/127\.0\.0\.1:1.*must be reachable from here/s,
        );
    });

    it("a context that the kubeconfig does not have", async () => {
        const { access } = await startCluster();
        await expect(forwardTo({ ...access, context: "production" }, target)).rejects.toThrow(
            /no usable context "production"; it has test.*What to do/s,
        );
    });

    it("no right to forward, which only a connection finds out: the call tells it, with the address that was meant", async () => {
        const { access, asked } = await startCluster({ refuse: { "/portforward": 403 } });
        const { port, takeFault, close } = await forwardTo(access, target);
        closing.push(() => void close());
        const client = new HttpClient({
            system: "Lakekeeper",
            baseUrl: "http://fluss-lakekeeper.lake.svc.cluster.local:8181",
            route: async () => ({ origin: `http://127.0.0.1:${port}`, takeFault }),
        });
        const call = client.call({ method: "POST", path: "/management/v1/bootstrap", action: "bootstrap" });
        await expect(call).rejects.toThrow(
            /Lakekeeper: could not bootstrap \(POST http:\/\/fluss-lakekeeper\.lake\.svc.*Kubernetes: could not forward port 8181 of pod pod-0 in lake.*403 Forbidden.*pods\/portforward/s,
        );
        expect(asked.at(-1)).toBe("/api/v1/namespaces/lake/pods/pod-0/portforward");
        await expect(call).rejects.toMatchObject({ type: "Forbidden", ambiguous: false });
    });

    it("no right to forward ends the wait for a server that starts: it would not come", async () => {
        const { access } = await startCluster({ refuse: { "/portforward": 403 } });
        const url = "http://fluss-lakekeeper.lake.svc.cluster.local:8181";
        const connection = { url, token: "client-token", portForward: { access, ...target } };
        const create = lead(server).create({ connection, acceptTermsOfUse: true, waitSeconds: 120 });
        await expect(create).rejects.toThrow(/403 Forbidden.*`get` and `create` on pods\/portforward/s);
    });
});
