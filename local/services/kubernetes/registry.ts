import { createHash } from "node:crypto";
import fs from "node:fs";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { type Chart, packCharts } from "./pack-charts.ts";

/**
 * A registry of charts that can only be read, on TLS with a password: the part of the OCI distribution protocol that a
 * pull of a chart uses, and the index of a classic chart repository under `/charts`.
 */
export interface ChartRegistry {
    /** Address of the charts, without `oci://`: `127.0.0.1:<port>/platform-charts`. */
    charts: string;
    /** Address of the classic repository. */
    repository: string;
    host: string;
    username: string;
    password: string;
    stop(): Promise<void>;
}

/** Starts the registry on a free port of loopback. `charts` are the names and versions it holds. */
export async function startChartRegistry(
    tls: { cert: string; key: string },
    folder: string,
    charts: Chart[],
): Promise<ChartRegistry> {
    const packed = await packCharts(folder, charts);
    const user = { username: "puller", password: "only-for-tests" };
    const blobs = new Map<string, Buffer>();
    const manifests = new Map<string, Buffer>();
    const archives = new Map<string, Buffer>();
    for (const { name, version, archive, metadata } of packed) {
        const config = Buffer.from(JSON.stringify(metadata));
        for (const blob of [archive, config]) blobs.set(digest(blob), blob);
        const manifest = Buffer.from(JSON.stringify(manifestOf(config, archive)));
        for (const tag of [version, digest(manifest)]) manifests.set(`${name}:${tag}`, manifest);
        archives.set(`${name}-${version}.tgz`, archive);
    }
    const basic = `Basic ${Buffer.from(`${user.username}:${user.password}`).toString("base64")}`;
    const server = https.createServer(
        { cert: fs.readFileSync(tls.cert), key: fs.readFileSync(tls.key) },
        (request, response) => {
            const send = (status: number, body: Buffer | string, headers: Record<string, string> = {}) => {
                response.writeHead(status, { "content-length": String(Buffer.byteLength(body)), ...headers });
                response.end(request.method === "HEAD" ? undefined : body);
            };
            if (request.headers.authorization !== basic) {
                const error = JSON.stringify({
                    errors: [{ code: "UNAUTHORIZED", message: "authentication required" }],
                });
                return send(401, error, { "www-authenticate": 'Basic realm="charts"' });
            }
            const path = request.url ?? "";
            if (path === "/v2/") return send(200, "{}");
            const [, name, kind, reference = ""] =
                /^\/v2\/platform-charts\/([^/]+)\/(manifests|blobs)\/(.+)$/.exec(path) ?? [];
            const found = kind === "manifests" ? manifests.get(`${name}:${reference}`) : blobs.get(reference);
            const type = kind === "manifests" ? MANIFEST_TYPE : "application/octet-stream";
            if (kind && found)
                return send(200, found, { "content-type": type, "docker-content-digest": digest(found) });
            if (path === "/charts/index.yaml") return send(200, JSON.stringify(indexOf(packed)));
            const archive = archives.get(path.replace("/charts/", ""));
            return archive ? send(200, archive) : send(404, "{}");
        },
    );
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    return {
        charts: `${host}/platform-charts`,
        repository: `https://${host}/charts`,
        host,
        ...user,
        stop: () =>
            new Promise((done) => {
                server.close(() => done());
                server.closeAllConnections();
            }),
    };
}

const MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json";

function manifestOf(config: Buffer, archive: Buffer): object {
    const blob = (mediaType: string, content: Buffer) => ({
        mediaType,
        digest: digest(content),
        size: content.length,
    });
    return {
        schemaVersion: 2,
        mediaType: MANIFEST_TYPE,
        config: blob("application/vnd.cncf.helm.config.v1+json", config),
        layers: [blob("application/vnd.cncf.helm.chart.content.v1.tar+gzip", archive)],
    };
}

function indexOf(packed: Awaited<ReturnType<typeof packCharts>>): object {
    const entries: Record<string, object[]> = {};
    for (const { name, version, metadata } of packed) {
        entries[name] ??= [];
        entries[name].push({ ...metadata, urls: [`${name}-${version}.tgz`] });
    }
    return { apiVersion: "v1", entries };
}

function digest(content: Buffer): string {
    return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}
