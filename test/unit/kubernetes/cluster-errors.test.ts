import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
    kubernetesError,
    loadKubeConfig,
    openCluster,
    orUndefined,
} from "../../../dynamic-providers/kubernetes/cluster.ts";
import { temporaryRoot } from "../services/fixture.ts";

afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
});

const kubeconfig = (server: string) =>
    JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [
            { name: "c", cluster: { server, "insecure-skip-tls-verify": server.startsWith("http:") } },
        ],
        users: [{ name: "u", user: { token: "in-clear" } }],
        contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
        "current-context": "x",
    });

describe("a kubeconfig that is none", () => {
    it.each([
        ["text", "just: [a, text: with-token-in-clear"],
        ["a word", "token-in-clear"],
        ["another document", "clusters: 7\nusers: token-in-clear"],
        ["nothing", "# token-in-clear"],
    ])("%s is told without its content", async (_, text) => {
        const failure = await loadKubeConfig({ kubeconfig: text }).catch((error: Error) => error);
        expect(failure).toBeInstanceOf(Error);
        expect((failure as Error).message).toMatch(/^Kubernetes: .*\nWhat to do: give /s);
        expect((failure as Error).message).not.toContain("in-clear");
    });

    it("a file that is not there is told by its name", async () => {
        const file = path.join(temporaryRoot(), "none");
        vi.stubEnv("PULUMI_FLUSS_KUBECONFIG", file);
        await expect(loadKubeConfig({})).rejects.toThrow(`the kubeconfig ${file} cannot be read: ENOENT`);
    });

    it("a context that it does not have is told with those that it has", async () => {
        const access = { kubeconfig: kubeconfig("https://127.0.0.1:1"), context: "prod" };
        await expect(loadKubeConfig(access)).rejects.toThrow(
            /no usable context "prod"; it has x\.\nWhat to do: give/,
        );
    });
});

it("a cluster that does not answer is told with the reason", async () => {
    const { core } = await openCluster({ kubeconfig: kubeconfig("https://127.0.0.1:2") });
    await expect(orUndefined("read namespace a", core.readNamespace({ name: "a" }))).rejects.toThrow(
        /^Kubernetes: could not read namespace a: .*ECONNREFUSED.*\nWhat to do: .*reachable from here/,
    );
});

it.each([
    [401, "Unauthorized", "log in again"],
    [
        403,
        'secrets is forbidden: User "u" cannot list resource "secrets"',
        "give the kubeconfig's user this right",
    ],
    [
        403,
        "unable to create new content in namespace a because it is being terminated",
        "wait until the namespace is gone",
    ],
    [404, 'namespaces "a" not found', "check namespace and name"],
    [409, "already exists", "run again"],
])("%i %s: what to do", (code, message, hint) => {
    const error = Object.assign(new Error("HTTP-Code"), { code, body: { message } });
    expect(kubernetesError("do it", error).message).toBe(
        `Kubernetes: could not do it: ${code} ${message}.\nWhat to do: ${kubernetesError("do it", error).message.split("What to do: ")[1]}`,
    );
    expect(kubernetesError("do it", error).message.split("What to do: ")[1]).toContain(hint);
});

/** The API of a cluster that answers so, with its kubeconfig. */
async function startApi(answer: RequestListener): Promise<{ kubeconfig: string }> {
    const server = createServer(answer);
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => {
        server.closeAllConnections();
        server.close();
    });
    return { kubeconfig: kubeconfig(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) };
}

it("a cluster that hangs ends the call after its time, with what to do", async () => {
    const { timeout } = AbortSignal;
    const soon = (milliseconds: number) => timeout.call(AbortSignal, milliseconds / 300);
    vi.spyOn(AbortSignal, "timeout").mockImplementation(soon);
    const { core } = await openCluster(await startApi(() => undefined));
    await expect(orUndefined("read namespace a", core.readNamespace({ name: "a" }))).rejects.toThrow(
        /^Kubernetes: could not read namespace a: no answer within 30 s.\nWhat to do: .*reachable from here/,
    );
});

it("a login page with status 200 is no answer, to a write neither", async () => {
    const access = await startApi((_, response) => {
        response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
        response.end("<html><h1>Log in</h1></html>");
    });
    const { core } = await openCluster(access);
    const make = core.createNamespace({ body: { metadata: { name: "a" } } });
    await expect(orUndefined("make namespace a", make)).rejects.toThrow(
        /^Kubernetes: could not make namespace a: a web page came with 200 instead of an answer of Kubernetes/,
    );
});
