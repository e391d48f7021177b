/** A proxy that speaks TLS, and does to chosen connections what wrong certificates and networks do. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import net, { type AddressInfo, type Socket } from "node:net";
import os from "node:os";
import path from "node:path";
import { ArmedCalls } from "./armed-calls.ts";
import { type FaultProxy, forward } from "./fault-proxy.ts";

/** What happens to the connection of a call. Nothing of it reaches the API. */
export const tlsFaults = [
    "certificate of an unknown authority",
    "certificate for another name",
    "no TLS at all",
    "broken off in the handshake",
] as const;

interface Pair {
    key: string;
    cert: string;
}

/** Certificates of a test. */
export interface Certificates {
    authority: string;
    good: Pair;
    unknown: Pair;
    elsewhere: Pair;
}

/** Makes them with openssl. */
export function makeCertificates(): Certificates {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tls-"));
    const at = (name: string) => path.join(folder, name);
    const read = (name: string) => fs.readFileSync(at(name), "utf8");
    const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "ignore", cwd: folder });
    const signed = (name: string, subject: string): Pair => {
        const request = ["-newkey", "rsa:2048", "-nodes", "-keyout", `${name}.key`, "-subj", "/CN=server"];
        openssl("req", "-new", ...request, "-out", `${name}.csr`);
        fs.writeFileSync(at(`${name}.ext`), `subjectAltName=${subject}\n`);
        const by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", `${name}.ext`];
        openssl("x509", "-req", "-in", `${name}.csr`, ...by, "-days", "1", "-out", `${name}.pem`);
        return { key: read(`${name}.key`), cert: read(`${name}.pem`) };
    };
    const alone = (name: string, subject: string): Pair => {
        const files = ["-keyout", `${name}.key`, "-out", `${name}.pem`];
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", ...files, "-subj", subject);
        return { key: read(`${name}.key`), cert: read(`${name}.pem`) };
    };
    try {
        const authority = alone("ca", "/CN=authority of the test").cert;
        return {
            authority,
            good: signed("good", "IP:127.0.0.1"),
            unknown: alone("unknown", "/CN=127.0.0.1"),
            elsewhere: signed("elsewhere", "DNS:elsewhere.example.com"),
        };
    } finally {
        fs.rmSync(folder, { recursive: true, force: true });
    }
}

/** Starts such a proxy in front of `target`; each call has a connection of its own. */
export function tlsProxy(certificates: Certificates): (target: string) => Promise<FaultProxy> {
    return async (target) => {
        const armed = new ArmedCalls();
        const answering: http.RequestListener = (request, response) => {
            armed.calls.push(`${request.method} ${request.url}`);
            response.shouldKeepAlive = false;
            forward(target, request, response, () => void request.socket.destroy());
        };
        const good = https.createServer(certificates.good, answering);
        const bad: Record<string, (socket: Socket) => void> = {
            "certificate of an unknown authority": connecting(https.createServer(certificates.unknown)),
            "certificate for another name": connecting(https.createServer(certificates.elsewhere)),
            "no TLS at all": connecting(http.createServer()),
            "broken off in the handshake": (socket) => void socket.destroy(),
        };
        const sockets = new Set<Socket>();
        const front = net.createServer((socket) => {
            sockets.add(socket);
            socket.on("close", () => sockets.delete(socket));
            socket.on("error", () => undefined);
            const fault = armed.hit();
            if (fault === undefined) good.emit("connection", socket);
            else bad[fault]?.(socket);
        });
        await new Promise<void>((done) => front.listen(0, "127.0.0.1", done));
        return armed.proxy(
            `https://127.0.0.1:${(front.address() as AddressInfo).port}`,
            () =>
                new Promise((done) => {
                    for (const socket of sockets) socket.destroy();
                    front.close(() => done());
                }),
        );
    };
}

function connecting(server: http.Server | https.Server): (socket: Socket) => void {
    server.on("tlsClientError", () => undefined);
    return (socket) => void server.emit("connection", socket);
}
