import { afterEach, expect, test } from "vitest";
import * as z from "zod";
import { VvpClient } from "../../../dynamic-providers/vvp/client.ts";
import { contextWith, fakePlatform, type Reply, type Seen } from "./fake-platform.ts";

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

const secrets = "/api/v1/namespaces/ns/secret-values";
const gateway = "/api/v1/workspaces/w/namespaces/ns";
const list = { method: "GET" as const, path: secrets, action: "list secret values" };
const write = { method: "POST" as const, path: secrets, action: "make a secret value" };
const nothing: Reply = { status: 404, json: { message: "no such path" } };

async function platform(answer: (request: Seen) => Reply, config: Record<string, string> = {}) {
    const server = await fakePlatform(answer);
    close = server.close;
    const connection = { url: server.url, workspace: "w", namespace: "ns" };
    const paths = () => server.seen.splice(0).map(({ method, path }) => `${method} ${path}`);
    return { paths, client: () => new VvpClient(connection, contextWith(config)) };
}

test("a platform that answers the first call is not probed", async () => {
    const { client, paths } = await platform(() => ({ json: {} }));
    await client().send(list);
    await client().send(list);
    expect(paths()).toEqual([`GET ${secrets}`, `GET ${secrets}`]);
});

test("one that names the workspace in its paths is found once, and the call is made there", async () => {
    const { client, paths } = await platform(({ path }) =>
        path.startsWith(gateway) ? { json: {} } : nothing,
    );
    await client().send(write);
    expect(paths()).toEqual([
        `POST ${secrets}`,
        "GET /api/v1/namespaces/ns/deployment-targets",
        `GET ${gateway}/deployment-targets`,
        `POST ${gateway}/secret-values`,
    ]);
    await client().send(list);
    expect(paths()).toEqual([`GET ${gateway}/secret-values`]);
});

test("one whose console answers unknown paths with its own page is found too", async () => {
    const { client, paths } = await platform(({ path }) =>
        path.startsWith(gateway) ? { json: {} } : { html: "<title>VVP Console</title>" },
    );
    await client().send(write);
    expect(paths().at(-1)).toBe(`POST ${gateway}/secret-values`);
});

test("an address that answers with a page whatever it is asked is told as such", async () => {
    const { client } = await platform(() => ({ html: "<title>Sign in</title>" }));
    await expect(client().send(list)).rejects.toThrow(
        /a web page \("Sign in"\).*check the URL and the proxy/s,
    );
});

test("an object that is not there is told apart from a path that is not there", async () => {
    const { client, paths } = await platform(({ path }) =>
        path.endsWith("/deployment-targets") ? { json: { items: [] } } : nothing,
    );
    await expect(client().call(list, z.unknown())).rejects.toThrow(/dialect vvp3-backend.*404/);
    expect(paths()).toHaveLength(2);
    await expect(client().call(list, z.unknown())).rejects.toThrow("404");
    expect(paths()).toHaveLength(1);
});

test("a platform that knows no style is told with how to fix it, and asked again by the next run", async () => {
    const { client, paths } = await platform(() => nothing);
    await expect(client().send(list)).rejects.toThrow(/pulumi-fluss:vvpDialect.*pulumi-fluss:vvpPaths/s);
    expect(paths()).toHaveLength(3);
    await expect(client().send(list)).rejects.toThrow("404");
    expect(paths()).toHaveLength(3);
});

test("configuration fixes the style and the paths, and errors show them", async () => {
    const paths = JSON.stringify({ "/api/v1/": "/v1/", "/api/": "/wrong/" });
    const config = { vvpDialect: "vvp3-gateway", vvpPaths: paths };
    const one = await platform(() => nothing, config);
    await expect(one.client().send(list)).rejects.toThrow(
        /dialect vvp3-gateway.*\/v1\/workspaces\/w\/namespaces\/ns\/secret-values/,
    );
    expect(one.paths()).toEqual(["GET /v1/workspaces/w/namespaces/ns/secret-values"]);
});

test.each([
    [{ vvpDialect: "vvp2" }, "the dialects are vvp3-backend and vvp3-gateway"],
    [{ vvpPaths: "{" }, "must be a JSON object of paths"],
    [{ vvpPaths: '{"sql": "/x"}' }, "must be a JSON object of paths"],
])("refuses %o", async (config, reason) => {
    const { client } = await platform(() => nothing, config);
    expect(client).toThrow(reason);
});
