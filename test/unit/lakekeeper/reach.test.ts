import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { project } from "../../../dynamic-providers/lakekeeper/project.ts";
import { lead } from "../../lakekeeper/lead.ts";
import { closeLater, startFixture, token } from "./fixture.ts";

/** What a URL, a token or something in between can do to the first call. */
const up = (connection: object) =>
    lead(project).create({ connection: { token, ...connection }, projectId: "p", name: "P" });
const check = (connection: object) => lead(project).check({ connection, projectId: "p", name: "P" });

async function listening(server: net.Server): Promise<string> {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const sockets = new Set<net.Socket>();
    server.on("connection", (socket) => {
        sockets.add(socket);
        socket.on("error", () => undefined);
    });
    closeLater(async () => {
        for (const socket of sockets) socket.destroy();
        server.close();
    });
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answering(
    status: number,
    type: string,
    body: string,
    headers: Record<string, string> = {},
): Promise<string> {
    const server = http.createServer((_, response) => {
        response.writeHead(status, {
            ...(type ? { "content-type": type } : {}),
            ...headers,
            connection: "close",
        });
        response.end(body);
    });
    return `http://${await listening(server)}`;
}

describe("what answers is no Lakekeeper server", () => {
    it.each<[string, Parameters<typeof answering>, RegExp]>([
        ["nothing at all", [200, "", ""], /200: .*it is empty\s+What to do: .*connection\.url/s],
        ["a text", [200, "text/plain", "OK"], /it is no JSON: OK\s+What to do: .*connection\.url/s],
        ["other JSON", [200, "application/json", "[]"], /expected object.*What to do: .*connection\.url/s],
        [
            "a redirect to a login page",
            [302, "text/html", "<html>", { location: "https://login.example.com/in?state=a-secret-state" }],
            /302: .*What to do: it sends its callers to https:\/\/login\.example\.com\/in, .*check the URL and the proxy/s,
        ],
        [
            "a redirect to TLS",
            [308, "", "", { location: "https://127.0.0.1/management/v1/project" }],
            /308: empty answer\s+What to do: the server is at https:\/\/127\.0\.0\.1: give the URL with that/s,
        ],
        ["a redirect to nowhere", [301, "", ""], /301: .*does not say where/s],
        ["a failure without a word", [500, "", ""], /500: empty answer\s+What to do: .*log of the server/s],
        [
            "a page of a gateway",
            [502, "text/html", "<html>"],
            /502: an HTML page.*check the URL and the proxy/s,
        ],
        [
            "a page of a firewall",
            [403, "text/html", "<html>"],
            /403: an HTML page.*check the URL and the proxy/s,
        ],
        ["a page that is not there", [404, "text/html", "<html>"], /404: an HTML page.*check the URL/s],
        ["a page with status 200", [200, "text/html", "<title>Log in</title>"], /web page \("Log in"\)/],
    ])("%s", async (_title, given, message) => {
        const url = await answering(...given);
        const said = await up({ url }).catch((error: Error) => error.message);
        expect(said).toMatch(message);
        expect(said).not.toContain("a-secret-state");
    });

    it("speaks no TLS", async () => {
        const { connection } = await startFixture();
        await expect(up({ url: connection.url.replace("http:", "https:") })).rejects.toThrow(
            /does not speak TLS: give the URL with http:\/\//,
        );
    });

    it("breaks off, as a port of TLS does when it is spoken to in clear", async () => {
        const url = `http://${await listening(net.createServer((socket) => socket.end()))}`;
        await expect(up({ url })).rejects.toThrow(/broken off.*whether http:\S+ wants https:\/\//s);
    });

    it("speaks something else", async () => {
        const url = `http://${await listening(net.createServer((socket) => socket.end("SSH-2.0-x\r\n")))}`;
        await expect(up({ url })).rejects.toThrow(/does not speak HTTP: check the port/);
    });

    it("is another path of the server", async () => {
        const { connection } = await startFixture();
        await expect(up({ url: `${connection.url}/lakekeeper` })).rejects.toThrow(
            /404: empty answer.*base URL of a Lakekeeper server/s,
        );
    });
});

describe("a URL", () => {
    it.each([
        "http://catalog:8181",
        "http://management.example.com",
        "https://gateway.example.com/catalog-prod/",
        "HTTP://lakekeeper:8181",
        "http://[::1]:8181",
        "http://lakekeeper:8181\n",
    ])("is taken: %j", async (url) => {
        const { connection } = (await check({ url })) as { connection: { url: string } };
        expect(connection.url).toBe(url.trim());
    });

    it.each([
        "",
        "lakekeeper:8181",
        "ftp://lakekeeper",
        "http://lakekeeper:99999",
        "http://[::1",
        "http://lake keeper",
        "http://lakekeeper/management",
        "http://lakekeeper/catalog/",
        "http://lakekeeper/management/v1",
        "http://lakekeeper?x=1",
        "http://lakekeeper#x",
        "http://admin:a-secret-password@lakekeeper",
    ])("is refused in the preview: %j", async (url) => {
        const said = await check({ url }).catch((error: Error) => error.message);
        expect(said).toMatch(/connection\.url: must be the server's base URL/);
        expect(said).not.toContain("a-secret-password");
    });
});

describe("a token", () => {
    it("that was read from a file is taken without its line break, from everywhere", async () => {
        const { connection } = await startFixture();
        await up({ url: connection.url, token: ` ${token}\n` });
        process.env["LAKEKEEPER_TOKEN"] = `${token}\n`;
        try {
            await expect(up({ url: connection.url, token: "another" })).rejects.toThrow(/exists already/);
        } finally {
            delete process.env["LAKEKEEPER_TOKEN"];
        }
    });

    it.each(["Bearer a-token", "a token", "a\u0000token", "tökén", "", "a\ntoken"])(
        "that is none is refused in the preview: %j",
        async (given) => {
            await expect(check({ url: "http://lakekeeper", token: given })).rejects.toThrow(
                /connection\.token: must be the token alone/,
            );
        },
    );

    it("that is none in the environment is told with its place, and not with itself", async () => {
        const { connection } = await startFixture();
        process.env["LAKEKEEPER_TOKEN"] = "Bearer a-secret-token";
        try {
            const said = await up(connection).catch((error: Error) => error.message);
            expect(said).toMatch(/LAKEKEEPER_TOKEN must be the token alone/);
            expect(said).not.toContain("a-secret-token");
        } finally {
            delete process.env["LAKEKEEPER_TOKEN"];
        }
    });

    it("that is larger than the server takes is told", async () => {
        const { connection } = await startFixture();
        await expect(up({ url: connection.url, token: "x".repeat(20_000) })).rejects.toThrow(/431: .*token/s);
    });
});
