import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ApiError } from "../../../dynamic-providers/http/api-error.ts";
import { HttpClient } from "../../../dynamic-providers/http/client.ts";
import { findSecrets } from "../../secrets/scan.ts";

const token = "a-very-secret-token";
const odd = "an-odd'\"\\&<secret>";
const long = `a-long-secret-${"x".repeat(200)}`;
let server: http.Server | undefined;

afterEach(() => {
    server?.closeAllConnections();
    server?.close();
});

describe("HttpClient", () => {
    it("repeats a GET after a 503 and returns the good answer", async () => {
        let calls = 0;
        const client = await against((_, response) => {
            calls++;
            response.writeHead(calls < 3 ? 503 : 200, { "content-type": "application/json" });
            response.end('{"ok":true}');
        });
        expect((await client.call({ method: "GET", path: "/x", action: "read x" })).json).toEqual({
            ok: true,
        });
        expect(calls).toBe(3);
    });

    it("never repeats a POST that the server may have seen", async () => {
        let calls = 0;
        const client = await against((request) => {
            calls++;
            request.socket.destroy();
        });
        const error = await failure(
            client.call({ method: "POST", path: "/x", json: {}, action: "create x" }),
        );
        expect(calls).toBe(1);
        expect(error.ambiguous).toBe(true);
    });

    it.each(["GET", "POST"] as const)(
        "takes a web page for no answer to a %s, whatever its status",
        async (method) => {
            const client = await against((_, response) => {
                response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
                response.end("<!DOCTYPE html><html><head><title>Log in</title></head></html>");
            });
            const error = await failure(client.call({ method, path: "/x", action: "create x" }));
            expect(error.message).toMatch(
                /200: a web page \("Log in"\) instead of an answer.*check the URL and the proxy/s,
            );
            expect(error.ambiguous).toBe(true);
        },
    );

    it.each<[string, number, Record<string, string>, string]>([
        ["in the title of a page", 200, { "content-type": "text/html" }, `<title>Unknown: ${token}</title>`],
        ["in a title, cut by a sign", 200, { "content-type": "text/html" }, `<title>${odd}</title>`],
        ["in a title that is long", 200, { "content-type": "text/html" }, `<title>${long}</title>`],
        ["in a redirect that is written anew", 302, { location: `http://login.invalid/${odd}` }, ""],
        ["in the address of a redirect", 302, { location: `http://login.invalid/start/${token}` }, ""],
        ["in the host of a redirect", 302, { location: `http://${token}.invalid/` }, ""],
        ["in the id of the request", 400, { "x-request-id": token }, ""],
        ["in the type of the error", 400, {}, JSON.stringify({ error: { type: token, message: "no" } })],
        ["in a login", 400, {}, `got ${Buffer.from(`somebody:${token}`).toString("base64")}`],
    ])("keeps a secret that a server repeats %s out of the error", async (_, status, headers, text) => {
        const client = await against((__, response) => {
            response.writeHead(status, { "content-type": "application/json", ...headers });
            response.end(text);
        });
        const error = await failure(client.call({ method: "POST", path: "/x", action: "create x" }));
        expect(error.message).toContain("***");
        const shown = [error.message, error.type, error.hint, error.serverMessage].join();
        expect(findSecrets([{ kind: "error", name: "", text: shown }], { token })).toEqual([]);
        expect(shown).not.toMatch(/an-odd|a-long/);
    });

    it("repeats a POST after 429", async () => {
        let calls = 0;
        const client = await against((_, response) => {
            calls++;
            response.writeHead(calls === 1 ? 429 : 201, { "retry-after": "0" });
            response.end();
        });
        expect((await client.call({ method: "POST", path: "/x", json: {}, action: "create x" })).status).toBe(
            201,
        );
        expect(calls).toBe(2);
    });

    it("says what was tried, on what, what came back and what to do", async () => {
        const client = await against((_, response) => {
            response.writeHead(401, { "x-request-id": "r-1" });
            response.end(JSON.stringify({ error: { type: "AuthenticationFailed", message: "bad token" } }));
        });
        const error = await failure(client.call({ method: "GET", path: "/x?y=1", action: "read thing 'x'" }));
        expect(error.message).toMatch(
            /^Test: could not read thing 'x' \(GET http:\/\/127\.0\.0\.1:\d+\/x\): 401 AuthenticationFailed: bad token \(request r-1\)\nWhat to do: check the token for Test/,
        );
        expect(error.ambiguous).toBe(false);
    });

    it("keeps the token out of errors, also when the server echoes it", async () => {
        const client = await against((request, response) => {
            response.writeHead(400);
            response.end(`you sent ${request.headers.authorization}`);
        });
        const error = await failure(client.call({ method: "GET", path: "/x", action: "read x" }));
        expect(error.message).not.toContain(token);
        expect(error.message).toContain("***");
    });

    it("leaves a sentence about the bearer token whole, and no token in it", async () => {
        const client = await against((_, response) => {
            response.writeHead(401);
            response.end("the bearer token is unknown: Bearer token-of-somebody");
        });
        const error = await failure(client.call({ method: "GET", path: "/x", action: "read x" }));
        expect(error.message).toContain("the bearer token is unknown: Bearer ***");
        expect(error.message).not.toContain("somebody");
    });

    it("takes an answer that is not JSON, or empty, as it is", async () => {
        const client = await against((_, response) => {
            response.writeHead(422, { "content-type": "text/plain" });
            response.end("missing field `sts-enabled`");
        });
        const error = await failure(client.call({ method: "GET", path: "/x", action: "read x" }));
        expect(error.serverMessage).toBe("missing field `sts-enabled`");
    });

    it("gives up at the deadline and calls the result ambiguous", async () => {
        const client = await against(() => {});
        const error = await failure(
            client.call({ method: "POST", path: "/x", json: {}, action: "create x", deadlineSeconds: 0.3 }),
        );
        expect(error.message).toContain("no answer within 0.3 s");
        expect(error.ambiguous).toBe(true);
    });

    it("says that nobody listens, which is not ambiguous", async () => {
        const client = new HttpClient({ system: "Test", baseUrl: "http://127.0.0.1:9" });
        const error = await failure(
            client.call({ method: "POST", path: "/x", json: {}, action: "create x", deadlineSeconds: 5 }),
        );
        expect(error.ambiguous).toBe(false);
        expect(error.message).toContain("check that Test runs");
    });

    it("has at most as many calls of a lane under way as the lane allows", async () => {
        let running = 0;
        let most = 0;
        const client = await against((_, response) => {
            running++;
            most = Math.max(most, running);
            setTimeout(() => {
                running--;
                response.end("{}");
            }, 30);
        });
        const lane = { name: "narrow", limit: 2 };
        await Promise.all(
            Array.from({ length: 8 }, () =>
                client.call({ method: "POST", path: "/x", json: {}, action: "create x", lane }),
            ),
        );
        expect(most).toBe(2);
    });
});

async function against(handler: http.RequestListener): Promise<HttpClient> {
    server = http.createServer(handler);
    await new Promise<void>((ready) => server?.listen(0, "127.0.0.1", ready));
    const { port } = server.address() as AddressInfo;
    return new HttpClient({
        system: "Test",
        baseUrl: `http://127.0.0.1:${port}`,
        headers: () => ({ authorization: `Bearer ${token}` }),
        secrets: () => [token, odd, long],
    });
}

async function failure(call: Promise<unknown>): Promise<ApiError> {
    const error = await call.then(
        () => undefined,
        (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ApiError);
    return error as ApiError;
}
