import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

/** The proxy is read when the process starts to call, so that each case has a process of its own. */

const client = path.resolve(import.meta.dirname, "../../../dynamic-providers/http/client.ts");
const seen: string[] = [];
const target = createServer((_request, response) => response.end('{"from":"target"}'));
const proxy = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end('{"from":"proxy"}');
});
proxy.on("connect", (request, socket) => {
    seen.push(`CONNECT ${request.url}`);
    // Whatever name was asked for, it is the target.
    const there = connect(portOf(target), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        there.pipe(socket).pipe(there);
    });
    there.on("error", () => socket.destroy());
    socket.on("error", () => there.destroy());
});

beforeEach(async () => {
    seen.length = 0;
    for (const server of [target, proxy]) {
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    }
});
afterEach(async () => {
    for (const server of [target, proxy]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
    }
});

test("a platform elsewhere is called through HTTP_PROXY, this machine never is", async () => {
    expect(await call("http://platform.invalid")).toContain('"from"');
    expect(seen.join()).toMatch(/platform\.invalid/);
    seen.length = 0;
    expect(await call(`http://127.0.0.1:${portOf(target)}`)).toContain("target");
    expect(seen).toEqual([]);
});

test("NO_PROXY leaves a name out", async () => {
    expect(await call("http://platform.invalid", { NO_PROXY: "platform.invalid" })).toContain("ENOTFOUND");
    expect(seen).toEqual([]);
});

function call(baseUrl: string, env: Record<string, string> = {}): Promise<string> {
    const code = `
        const { HttpClient } = await import(${JSON.stringify(client)});
        const http = new HttpClient({ system: "test", baseUrl: ${JSON.stringify(baseUrl)} });
        try { console.log(JSON.stringify((await http.call({ method: "POST", path: "/x", action: "look" })).json)); }
        catch (error) { console.log(error.message); }
        process.exit(0);`;
    const options = {
        env: { PATH: process.env["PATH"], HTTP_PROXY: `http://127.0.0.1:${portOf(proxy)}`, ...env },
    };
    return new Promise((done) =>
        execFile(process.execPath, ["--input-type=module", "-e", code], options, (_e, out, err) =>
            done(out + err),
        ),
    );
}

function portOf(server: { address(): unknown }): number {
    return (server.address() as AddressInfo).port;
}
