import { afterEach, expect, test } from "vitest";
import * as z from "zod";
import { isNotFound, VvpClient } from "../../../dynamic-providers/vvp/client.ts";
import { context, fakePlatform, type Reply, type Seen, token } from "./fake-platform.ts";

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

async function platform(answer: (request: Seen) => Reply) {
    const server = await fakePlatform(answer);
    close = server.close;
    const connection = { url: server.url, workspace: "defaultworkspace", namespace: "ns" };
    return { seen: server.seen, client: new VvpClient(connection, context) };
}

const get = { method: "GET" as const, path: "/api/v2/things", action: "read things" };
const anything = z.unknown();

test("sends the token and the workspace as headers", async () => {
    const { client, seen } = await platform(() => ({ json: {} }));
    await client.send(get);
    expect(seen[0]?.headers).toMatchObject({
        authorization: `Bearer ${token}`,
        workspace: "defaultworkspace",
    });
});

test("takes an answer out of its envelope, and one without envelope as it is", async () => {
    const bodies: unknown[] = [{ success: true, data: { a: 1 } }, { a: 2 }];
    const { client } = await platform(() => ({ json: bodies.shift() }));
    expect(await client.call(get, anything)).toEqual({ a: 1 });
    expect(await client.call(get, anything)).toEqual({ a: 2 });
});

test("a failed envelope in a 200 is an error with the platform's words and the dialect's name", async () => {
    const { client } = await platform(() => ({
        json: { success: false, errorCode: "4711", errorMessage: "engine is unknown", requestId: "r-1" },
    }));
    await expect(client.call(get, anything)).rejects.toThrow(
        /vvp3-backend\): could not read things .*4711: engine is unknown \(request r-1\)/,
    );
});

test("a v1 error shows its message", async () => {
    const { client } = await platform(() => ({ status: 409, json: { message: "name is taken" } }));
    await expect(client.call(get, anything)).rejects.toThrow("409: name is taken");
});

test("the token is in no error, and a refused one is told with both ways to give it", async () => {
    const { client } = await platform(() => ({ status: 401, json: { message: `bad token ${token}` } }));
    const error = await client.call(get, anything).catch((caught: Error) => caught);
    expect(String(error)).not.toContain(token);
    expect(String(error)).toMatch(/VV_API_TOKEN.*pulumi-fluss:vvpToken/);
});

test.each([
    ["HTTP 404", { status: 404, json: { message: "nope" } }],
    ["a 200 that says 404", { json: { success: false, httpCode: 404, errorMessage: "nope" } }],
    [
        "a 200 with the code of the sibling API",
        { json: { success: false, errorCode: "990301", errorMessage: "x" } },
    ],
    ["a 200 whose text says so", { json: { success: false, errorMessage: "Deployment was not found" } }],
])("knows an absent object: %s", async (_style, reply) => {
    const { client, seen } = await platform(({ path }) =>
        path === "/list" ? { json: { items: [] } } : reply,
    );
    expect(await client.find(get, "/list", anything)).toBeUndefined();
    expect(seen.map(({ path }) => path)).toEqual(["/api/v2/things", "/list"]);
});

test("an absent object in a namespace that cannot be seen is an error, not an absence", async () => {
    const { client } = await platform(() => ({ status: 404, json: { message: "no such namespace" } }));
    const error = await client.find(get, "/list", anything).catch((caught: unknown) => caught);
    expect(isNotFound(error)).toBe(true);
    expect(String(error)).toContain("its namespace 'ns' cannot be listed");
});

test("any other failed envelope is not an absence", async () => {
    const { client } = await platform(() => ({ json: { success: false, errorMessage: "database is down" } }));
    await expect(client.find(get, "/list", anything)).rejects.toThrow("database is down");
});

test("reads all pages", async () => {
    const all = Array.from({ length: 230 }, (_, n) => n);
    const { client, seen } = await platform(({ query }) => {
        const [page, size] = [Number(query.get("pageIndex")), Number(query.get("pageSize"))];
        const data = all.slice((page - 1) * size, page * size);
        return { json: { success: true, data, totalSize: all.length } };
    });
    expect(await client.list(get, z.number())).toEqual(all);
    expect(seen).toHaveLength(3);
});

test("reads pages without a total, also when the platform knows no pages", async () => {
    const { client, seen } = await platform(() => ({
        json: { items: Array.from({ length: 100 }, (_, n) => n) },
    }));
    expect(await client.list(get, z.number())).toHaveLength(100);
    expect(seen).toHaveLength(2);
});

test("an answer of another form is told with the field", async () => {
    const { client } = await platform(() => ({ json: { success: true, data: { id: 5 } } }));
    await expect(client.call(get, z.object({ id: z.string() }))).rejects.toThrow(/another form.*id: /s);
});

test("an object of another form in a list is told with the field, in words", async () => {
    const { client } = await platform(() => ({ json: { items: [{ id: "a" }, { id: 5 }] } }));
    await expect(client.list(get, z.object({ id: z.string() }))).rejects.toThrow(
        /listed an object that is not as the dialect expects it: id: Invalid input: expected string/,
    );
});

test("a delete whose answer got lost is settled by looking", async () => {
    const { client } = await platform(() => "cut");
    await client.delete({ path: "/x", action: "delete x" }, async () => true);
    await expect(client.delete({ path: "/x", action: "delete x" }, async () => false)).rejects.toThrow(
        "could not delete x",
    );
});
