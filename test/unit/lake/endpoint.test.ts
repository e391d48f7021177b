import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { lakeEndpoint } from "../../../dynamic-providers/lake/endpoint.ts";
import { defineLake, type LakeInput } from "../../../model/lake.ts";
import { startTokenProxy } from "../../fluss/token-proxy.ts";
import { lead } from "../../lakekeeper/lead.ts";

const oauth = { clientId: "fluss", clientSecret: "s3same", scope: "PRINCIPAL_ROLE:ALL" };
const closing: (() => Promise<unknown>)[] = [];
let uri: string;
let asked: string[];

beforeEach(async () => {
    asked = [];
    const backend = await listen((request, answer) => {
        asked.push(`${request.method} ${request.url}`);
        answer.end("{}");
    });
    const proxy = await startTokenProxy({ backend, token: "the-token", warehouse: "fluss", oauth });
    closing.push(() => proxy.close());
    uri = proxy.url;
});
afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    vi.restoreAllMocks();
});

const storage = { type: "s3", bucket: "lake", region: "eu-central-1" } as const;
const token = (value = "the-token") => ({ type: "token", token: { value } }) as const;
const client = (change: Partial<typeof oauth> = {}) => {
    const { clientId, clientSecret, scope } = { ...oauth, ...change };
    return { type: "oauth", clientId, clientSecret: { value: clientSecret }, scope } as const;
};
const args = (part: object, store: LakeInput["storage"] = storage) => ({
    lake: defineLake({
        catalog: { type: "rest", uri, warehouse: "fluss", auth: token(), ...part },
        storage: store,
    }),
    timeoutSeconds: 0.5,
});

describe("a lake's REST catalog", () => {
    it("is good with its token, and with a token that the OAuth client gets", async () => {
        for (const auth of [token(), client()]) {
            const made = lead(lakeEndpoint);
            await made.create(args({ auth }));
            expect(made.state).toMatchObject({ checked: ["catalog"] });
            expect(await made.up(args({ auth }))).toBe("same");
        }
        expect(new Set(asked)).toEqual(new Set(["GET /v1/config?warehouse=fluss"]));
    });

    it.each([
        ["a wrong token", () => ({ auth: token("not-it") }), /does not take the token/],
        ["a wrong scope", () => ({ auth: client({ scope: "catalog" }) }), /does not give .* that scope/],
        ["a wrong client", () => ({ auth: client({ clientId: "other" }) }), /does not know the OAuth client/],
        ["a wrong secret", () => ({ auth: client({ clientSecret: "guessed" }) }), /its secret is another/],
        ["a missing warehouse", () => ({ warehouse: "nowhere" }), /no warehouse of that name/],
    ])("with %s stops the preview, without a secret", async (_, part, reason) => {
        const preview = lead(lakeEndpoint).create(args(part()));
        await expect(preview).rejects.toThrow(reason);
        await expect(preview).rejects.toThrow(/What to do: /);
        await expect(preview).rejects.not.toThrow(/not-it|s3same|guessed/);
        expect(asked).toEqual([]);
    });

    it("that is a web page or another service is not taken for one", async () => {
        uri = await listen((_, answer) => answer.writeHead(404).end("nothing here"));
        await expect(lead(lakeEndpoint).create(args({}))).rejects.toThrow(
            /warehouse of that name|catalog\.uri/,
        );
        uri = await listen((_, answer) =>
            answer.setHeader("content-type", "text/html").end("<html>log in</html>"),
        );
        await expect(lead(lakeEndpoint).create(args({}))).rejects.toThrow(/web page/);
    });

    it("that cannot be reached from here is let through with a warning", async () => {
        const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
        uri = "http://127.0.0.1:1";
        const made = lead(lakeEndpoint);
        await made.create(args({}));
        expect(made.state).toMatchObject({ checked: [] });
        expect(warned.mock.calls.flat().join("\n")).toMatch(
            /cannot be reached from here, so it is not checked/,
        );
    });

    it("is asked again when the lake changes, and told in a refresh", async () => {
        const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
        const made = lead(lakeEndpoint);
        await made.create(args({}));
        await expect(made.up(args({ warehouse: "nowhere" }))).rejects.toThrow(/no warehouse/);
        await closing.pop()?.();
        expect(await made.refresh()).toBe("there");
        expect(warned.mock.calls.flat().join("\n")).toMatch(/cannot be reached/);
    });
});

it("a secret that is only a name is refused", async () => {
    const auth = { type: "token", token: { secretValue: "lake-token" } };
    await expect(lead(lakeEndpoint).create(args({ auth }))).rejects.toThrow(
        /lake\.catalog\.auth\.token: .*"value"/,
    );
});

async function listen(answer: http.RequestListener): Promise<string> {
    const server = http.createServer(answer);
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    closing.push(
        () =>
            new Promise((done) => {
                server.closeAllConnections();
                server.close(done);
            }),
    );
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
