import { createHash } from "node:crypto";
import fs from "node:fs";
import https from "node:https";
import path from "node:path";
import { BedProcess } from "./kubernetes/bed-process.ts";
import { Watchdog } from "./kubernetes/watchdog.ts";

/** A real registry of images on loopback, with TLS and a password. */
export interface OciRegistry {
    /** `127.0.0.1:<port>` */
    host: string;
    username: string;
    password: string;
    /** Uploads an image, as `docker push` does. */
    push(
        repository: string,
        tag: string,
        image: { blobs: Map<string, Buffer>; manifest: Buffer },
    ): Promise<void>;
    stop(): Promise<void>;
}

const user = { username: "puller", password: "only-for-tests" };
/** The password, by bcrypt: the registry takes no other form. */
const HTPASSWD = "puller:$2b$04$KoOy91PYdo5xJZC4erDv8ujHu7.yG4W9P4W2p0lTwxAqUe51T7Zca\n";

/**
 * Starts the registry on a free port.
 * @param program as `ensureOciRegistry` finds it
 * @param folder an empty one, for data, configuration and log; removed by `stop`
 */
export async function startOciRegistry(
    program: string,
    folder: string,
    tls: { cert: string; key: string },
): Promise<OciRegistry> {
    const at = (name: string) => path.join(folder, name);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    fs.writeFileSync(at("htpasswd"), HTPASSWD);
    // JSON is YAML.
    const config = {
        version: "0.1",
        storage: { filesystem: { rootdirectory: at("data") } },
        http: { addr: "127.0.0.1:0", tls: { certificate: tls.cert, key: tls.key } },
        auth: { htpasswd: { realm: "fluss", path: at("htpasswd") } },
        log: { accesslog: { disabled: true } },
    };
    fs.writeFileSync(at("config.yml"), JSON.stringify(config));
    const watchdog = new Watchdog(folder);
    const log = at("registry.log");
    const registry = new BedProcess("registry", program, ["serve", at("config.yml")], log, watchdog);
    const stop = async () => {
        await registry.stop();
        watchdog.dismiss();
        fs.rmSync(folder, { recursive: true, force: true });
    };
    const address = () => /listening on (127\.0\.0\.1:\d+)/.exec(fs.readFileSync(log, "utf8"))?.[1];
    try {
        await registry.until("its address", () => address() !== undefined);
    } catch (error) {
        await stop();
        throw error;
    }
    const host = address()!;
    const call = caller(host, fs.readFileSync(tls.cert, "utf8"));
    return {
        host,
        ...user,
        async push(repository, tag, { blobs, manifest }) {
            for (const blob of blobs.values()) {
                const started = await call("POST", `/v2/${repository}/blobs/uploads/`);
                const digest = `sha256:${createHash("sha256").update(blob).digest("hex")}`;
                const upload = new URL(started.location ?? "");
                upload.searchParams.set("digest", digest);
                await call("PUT", upload.pathname + upload.search, blob, "application/octet-stream");
            }
            const { mediaType } = JSON.parse(manifest.toString()) as { mediaType: string };
            await call("PUT", `/v2/${repository}/manifests/${tag}`, manifest, mediaType);
        },
        stop,
    };
}

function caller(host: string, ca: string) {
    const headers = {
        authorization: `Basic ${Buffer.from(`${user.username}:${user.password}`).toString("base64")}`,
    };
    return (
        method: string,
        where: string,
        body: Buffer = Buffer.alloc(0),
        type = "application/octet-stream",
    ) =>
        new Promise<{ location: string | undefined }>((done, fail) => {
            const request = https.request(
                `https://${host}${where}`,
                {
                    method,
                    ca,
                    headers: { ...headers, "content-type": type, "content-length": body.length },
                },
                (response) => {
                    response.resume();
                    const status = response.statusCode ?? 0;
                    if (status >= 200 && status < 300) done({ location: response.headers.location });
                    else fail(new Error(`${method} ${where}: ${status}`));
                },
            );
            request.on("error", fail);
            request.end(body);
        });
}
