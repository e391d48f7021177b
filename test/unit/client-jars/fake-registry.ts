import http from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { digestOf, type Image, indexType, manifestType } from "./image.ts";

export const login = { username: "puller", password: "pässword-of-the-puller" };

/** How the registry behaves. */
export interface Behaviour {
    /** How it asks for a login; default not at all. */
    auth?: "basic" | "bearer";
    /** Says that the token service lies elsewhere than it does. */
    realm?: string;
    /** Answers in the place of the registry; `undefined` lets the registry answer. */
    instead?(request: http.IncomingMessage, response: http.ServerResponse): boolean | undefined;
}

/** A registry without TLS on this machine, and what it was asked. */
export interface FakeRegistry {
    /** Address of the repository: `http://127.0.0.1:<port>/platform-images/fluss`. */
    repository: string;
    host: string;
    requests: { url: string; authorization: string | undefined }[];
}

/** Starts a registry with images by their tags, until the test ends. */
export async function fakeRegistry(
    images: Record<string, Image>,
    behaviour: Behaviour = {},
): Promise<FakeRegistry> {
    const requests: FakeRegistry["requests"] = [];
    const basic = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString("base64")}`;
    const token = "token-of-the-registry";
    const manifests = new Map<string, Buffer>();
    const blobs = new Map<string, Buffer>();
    for (const [tag, image] of Object.entries(images)) {
        for (const reference of [tag, image.digest]) manifests.set(reference, image.manifest);
        for (const [digest, blob] of image.blobs) blobs.set(digest, blob);
    }
    let host = "";
    const server = http.createServer((request, response) => {
        const url = request.url ?? "";
        const { authorization } = request.headers;
        requests.push({ url, authorization });
        if (behaviour.instead?.(request, response)) return;
        const send = (status: number, body: Buffer | string, headers: Record<string, string> = {}) =>
            response.writeHead(status, headers).end(body);
        const refuse = (challenge: string) => {
            const error = '{"errors":[{"code":"UNAUTHORIZED","message":"authentication required"}]}';
            // What it says comes later than the status.
            response.writeHead(401, { "www-authenticate": challenge }).flushHeaders();
            setTimeout(() => response.end(error), 10);
        };
        if (url.startsWith("/token?")) {
            if (authorization !== basic) return refuse("");
            return send(200, JSON.stringify({ token }), { "content-type": "application/json" });
        }
        if (behaviour.auth === "basic" && authorization !== basic) return refuse('Basic realm="fluss"');
        if (behaviour.auth === "bearer" && authorization !== `Bearer ${token}`) {
            const realm = behaviour.realm ?? `http://${host}/token`;
            return refuse(
                `Bearer realm="${realm}",service="fluss",scope="repository:platform-images/fluss:pull"`,
            );
        }
        const [, kind, reference = ""] =
            /^\/v2\/platform-images\/fluss\/(manifests|blobs)\/(.+)$/.exec(url) ?? [];
        const found = kind === "manifests" ? manifests.get(reference) : blobs.get(reference);
        if (!found) {
            return send(404, '{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}');
        }
        const isIndex = kind === "manifests" && "manifests" in JSON.parse(found.toString());
        const type = kind === "blobs" ? "application/octet-stream" : isIndex ? indexType : manifestType;
        return send(200, found, { "content-type": type, "docker-content-digest": digestOf(found) });
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => {
        server.close();
        server.closeAllConnections();
    });
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { repository: `http://${host}/platform-images/fluss`, host, requests };
}
