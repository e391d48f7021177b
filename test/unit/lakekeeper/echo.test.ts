import http from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, vi } from "vitest";
import { project } from "../../../dynamic-providers/lakekeeper/project.ts";
import { warehouse } from "../../../dynamic-providers/lakekeeper/warehouse.ts";
import { lead } from "../../lakekeeper/lead.ts";
import { secretive } from "./credentials.ts";
import { closeLater, startFixture, token } from "./fixture.ts";

/**
 * A server, or something in between, that shows in its errors what it was sent.
 * @param shown what it says, of the request
 */
async function startEcho(shown: (request: http.IncomingMessage, body: string) => string): Promise<string> {
    const fixture = await startFixture({ version: "0.14.0" });
    const server = http.createServer(async (request, response) => {
        const body = await text(request);
        if (request.method === "GET") {
            const answer = await fetch(`${fixture.connection.url}${request.url}`, {
                headers: {
                    authorization: `Bearer ${token}`,
                    "x-project-id": String(request.headers["x-project-id"] ?? ""),
                },
            });
            response.writeHead(answer.status, { "content-type": "application/json" });
            return response.end(await answer.text());
        }
        const message = shown(request, body);
        const trial = { checks: [{ name: "echo", status: "failed", error: { message, type: "T" } }] };
        const isTrial = request.url?.includes("validat");
        response.writeHead(isTrial ? 200 : 400, { "content-type": "application/json" });
        return response.end(
            JSON.stringify(isTrial ? trial : { error: { message, type: "T", code: 400, stack: [] } }),
        );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closeLater(async () => {
        server.closeAllConnections();
        server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const echoes: [string, (body: string) => string][] = [
    ["as it came", (body) => body],
    ["as a Rust program prints it", (body) => JSON.stringify(body)],
    ["as the values alone", (body) => Object.values(leaves(JSON.parse(body))).join(" ")],
    ["as a form", (body) => new URLSearchParams(leaves(JSON.parse(body))).toString()],
    // The longest that is shown is 400 characters: the cut must not leave a half.
    ...[330, 360, 390].map((length): [string, (body: string) => string] => [
        `cut after ${length} other characters`,
        (body) => "x".repeat(length) + Object.values(leaves(JSON.parse(body))).join(" "),
    ]),
];

function leaves(value: unknown, at = ""): Record<string, string> {
    if (typeof value === "string") return { [at]: value };
    if (typeof value !== "object" || value === null) return {};
    return Object.assign({}, ...Object.entries(value).map(([key, inner]) => leaves(inner, `${at}.${key}`)));
}

describe.each(echoes)("a server that shows what it was sent, %s", (_title, shown) => {
    it.each(secretive)("does not get a key into an error or a warning: $title", async (one) => {
        const url = await startEcho((_request, body) => shown(body));
        const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
        const { storage, credential } = one;
        const given = { connection: { url, token }, name: "w", storage, credential, storageWaitSeconds: 0 };
        const said = await lead(warehouse)
            .create(given)
            .catch((error: Error) => error.message);
        const warned = warn.mock.calls.flat().join("\n");
        warn.mockRestore();
        expect(said).toContain("400 T");
        expect(warned).toContain("would be refused now");
        for (const text of [said, warned]) expect(text).not.toMatch(/MARK/);
    });
});

it.each([0, 100, 380, 395])(
    "a token that is shown after %i other characters is not in the error",
    async (length) => {
        const url = await startEcho(({ headers }) => "x".repeat(length) + headers.authorization?.slice(7));
        const long = `MARK${"t".repeat(900)}`;
        const accepting = { url, token: long };
        const said = await lead(project)
            .create({ connection: accepting, projectId: "p", name: "P" })
            .catch((error: Error) => error.message);
        expect(said).toMatch(/could not/);
        expect(said).not.toMatch(/MARK|ttt/);
    },
);
