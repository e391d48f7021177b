import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import type { ErrorStyle } from "../../../local/simulators/vvp/index.ts";
import { fakePlatform, type Reply, stackConfig } from "./fake-platform.ts";
import { simulatedPlatform } from "./simulated-platform.ts";

/** What people read when they point a stack at something else than their platform; each time nothing is made. */

const { vvpDeploymentTarget } = vvpProviders;
let close: (() => Promise<void>) | undefined;

beforeEach(() => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
});
afterEach(async () => {
    vi.restoreAllMocks();
    await close?.();
    close = undefined;
});

async function told(connection: object): Promise<string> {
    await vvpDeploymentTarget.configure(stackConfig);
    const wish = { connection, name: "t", kubernetesNamespace: "jobs" };
    const { inputs, failures } = await vvpDeploymentTarget.check(undefined, wish);
    expect(failures).toEqual([]);
    return vvpDeploymentTarget.create(inputs).then(
        () => expect.fail("it went well"),
        (error: Error) => error.message,
    );
}

const answering = async (reply: Reply) => {
    const server = await fakePlatform(() => reply);
    close = server.close;
    return server;
};

test("a port where nothing listens", async () => {
    expect(await told({ url: "http://127.0.0.1:1" })).toMatch(
        /could not read deployment target 't'.*ECONNREFUSED.*check that VVP.* runs and is reachable at http:\/\/127\.0\.0\.1:1/s,
    );
});

test("TLS where there is none", async () => {
    const { url } = await answering({ json: {} });
    expect(await told({ url: url.replace("http:", "https:") })).toMatch(
        /does not speak TLS: give the URL with http:\/\//,
    );
});

test("http:// where https:// is wanted: the redirect is not followed, and neither is the token sent there", async () => {
    const location = "https://vvp.example.com/api/v1/namespaces/default/deployment-targets/t";
    const { url, seen } = await answering({ status: 301, headers: { location } });
    expect(await told({ url })).toMatch(/301.*it sends its callers to https:\/\/vvp\.example\.com/s);
    expect(seen.every(({ method }) => method === "GET")).toBe(true);
});

test.each([
    ["an answer cut in half", { text: '{"metadata": {"id": "7", "na' }],
    ["JSON of something else", { json: { status: "UP" } }],
    ["a number", { json: 42 }],
    ["an empty answer", { text: "" }],
] as [string, Reply][])("%s", async (_, reply) => {
    const { url, seen } = await answering(reply);
    expect(await told({ url })).toMatch(
        /VVP \(API dialect vvp3-backend\): could not read deployment target 't' .*answer of another form.*not as the dialect expects it/s,
    );
    expect(seen.every(({ method }) => method === "GET")).toBe(true);
});

test.each(["http", "envelope"] as ErrorStyle[])(
    "a namespace and a workspace that the platform does not have, told in error style %s",
    async (errorStyle) => {
        const p = await simulatedPlatform({ errorStyle });
        close = p.close;
        expect(await told({ ...p.connection, namespace: "nowhere" })).toMatch(
            /namespace 'nowhere' cannot be listed.*404.*check workspace 'defaultworkspace' and namespace 'nowhere'/s,
        );
        expect(await told({ ...p.connection, workspace: "elsewhere" })).toMatch(/workspace/);
        expect(p.calls("createDeploymentTarget")).toBe(0);
    },
);

test("a token of a lesser role", async () => {
    const p = await simulatedPlatform();
    close = p.close;
    p.simulator.faults.failNext("createDeploymentTarget", 403, { message: "needs owner" });
    expect(await told(p.connection)).toMatch(/403: needs owner.*role does not allow.*role owner/s);
});
