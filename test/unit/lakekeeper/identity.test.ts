import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { server } from "../../../dynamic-providers/lakekeeper/server.ts";
import { type Bag, lead } from "../../lakekeeper/lead.ts";
import { closeLater, startFixture, token } from "./fixture.ts";

const args = (url: string, change: Bag = {}): Bag => ({
    connection: { url, token },
    acceptTermsOfUse: true,
    waitSeconds: 0,
    ...change,
});

async function serve(listener: RequestListener): Promise<string> {
    const started = createServer(listener);
    await new Promise<void>((done) => started.listen(0, "127.0.0.1", done));
    closeLater(async () => {
        started.closeAllConnections();
        started.close();
    });
    return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

const answers = (paths: Record<string, [status: number, body: object | string]>) =>
    serve((request, response) => {
        const [status, body] = paths[request.url ?? ""] ?? [404, ""];
        const isText = typeof body === "string";
        response.writeHead(status, { "content-type": isText ? "text/plain" : "application/json" });
        response.end(isText ? body : JSON.stringify(body));
    });

const info = {
    version: "0.13.3",
    "lakekeeper-version": "0.13.3",
    bootstrapped: true,
    "server-id": "00000000-0000-0000-0000-000000000001",
    "authz-backend": "allow-all",
};

describe("what answers at the address of an existing Lakekeeper is refused in the preview when it is", () => {
    it.each<[string, Record<string, [number, object | string]>, RegExp]>([
        [
            "something without that path",
            {},
            /is no Lakekeeper server: GET \/management\/v1\/info gave 404.*base URL/s,
        ],
        [
            "another API",
            { "/management/v1/info": [200, { name: "polaris" }] },
            /is no Lakekeeper server.*another form than Lakekeeper's/s,
        ],
        [
            "an ingress that does not take its folder away",
            { "/health": [200, { health: "ok" }] },
            /gave 404.*although \/health answers.*the folder that it takes away/s,
        ],
        [
            "too old",
            { "/management/v1/info": [200, { ...info, version: "0.9.5", "lakekeeper-version": undefined }] },
            /is 0\.9\.5, older than 0\.10\.0.*upgrade it/s,
        ],
    ])("%s", async (_, paths, reason) => {
        await expect(lead(server).check(args(await answers(paths)))).rejects.toThrow(reason);
    });

    it("a login page", async () => {
        const url = await serve((_, response) => {
            response.writeHead(200, { "content-type": "text/html" });
            response.end("<html><title>Sign in</title></html>");
        });
        await expect(lead(server).check(args(url))).rejects.toThrow(/is no Lakekeeper server.*Sign in/s);
    });
});

describe("a preview says nothing about", () => {
    it("a server that does not answer yet, or not to this token, since the run may change that", async () => {
        await lead(server).check(args("http://127.0.0.1:1"));
        const { simulator } = await startFixture();
        await lead(server).check({
            ...args(simulator.url),
            connection: { url: simulator.url, token: "wrong" },
        });
    });

    it("a server that it has known before", async () => {
        const { simulator } = await startFixture();
        const made = lead(server);
        await made.create(args(simulator.url));
        await simulator.close();
        await made.check(args(simulator.url));
    });
});

describe("a Lakekeeper", () => {
    it("that is not healthy is told as such, after the time it may take to start", async () => {
        const sick = { health: "error", services: { catalog: [{ name: "write_pool", status: "error" }] } };
        const url = await answers({ "/management/v1/info": [200, info], "/health": [200, sick] });
        await expect(lead(server).create(args(url))).rejects.toThrow(
            /it is Lakekeeper 0\.13\.3, but not healthy: catalog \(write_pool\).*log of its pod/s,
        );
    });

    it("Nexus-Stack#831: is asked for its health over HTTP, since its image has no shell", async () => {
        const { simulator } = await startFixture();
        await lead(server).create(args(simulator.url));
        expect(simulator.requests.map(({ method, path }) => `${method} ${path}`)).toContain("GET /health");
    });

    it("lakekeeper#932: that may not ask Kubernetes about tokens yet is waited for, and told in the end", async () => {
        let settled = false;
        const { simulator } = await startFixture({ bootstrapped: false, accepts: () => settled });
        const connection = { url: simulator.url, token: "of-a-service-account" };
        await expect(lead(server).create({ ...args(simulator.url), connection })).rejects.toThrow(
            /401 AuthenticationFailed.*TokenReview/s,
        );
        setTimeout(() => {
            settled = true;
        }, 200);
        await lead(server).create({ ...args(simulator.url), connection, waitSeconds: 10 });
    });

    it("whose health is kept from outside is taken", async () => {
        const url = await answers({ "/management/v1/info": [200, info] });
        await lead(server).create(args(url));
    });

    it("that others bootstrap is taken, and refused while nobody has", async () => {
        const fresh = await startFixture({ bootstrapped: false });
        await expect(lead(server).create(args(fresh.simulator.url, { bootstrap: false }))).rejects.toThrow(
            /is not bootstrapped, and bootstrap is false/,
        );
        expect(fresh.writes()).toEqual([]);
        const done = await startFixture();
        const made = lead(server);
        await made.create(args(done.simulator.url, { bootstrap: false }));
        expect(made.state).toMatchObject({ adopted: true, version: "0.13.3" });
        expect(done.writes()).toEqual([]);
    });
});
