import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import https from "node:https";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { HttpClient } from "../../../dynamic-providers/http/client.ts";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** A server with a certificate that it signed itself. */
async function selfSigned(): Promise<{ baseUrl: string; caCertificate: string }> {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "certificate-"));
    onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
    const [key, cert] = ["key.pem", "cert.pem"].map((name) => path.join(folder, name)) as [string, string];
    const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
    const files = ["-keyout", key, "-out", cert];
    execFileSync(
        "openssl",
        ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", ...files, ...subject],
        {
            stdio: "ignore",
        },
    );
    const caCertificate = fs.readFileSync(cert, "utf8");
    const server = https.createServer({ key: fs.readFileSync(key), cert: caCertificate }, (_, response) =>
        response.end("{}"),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    return { baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, caCertificate };
}

const call = { method: "POST", path: "/", action: "try" } as const;

test.skipIf(!hasOpenssl)("a certificate of one's own authority is trusted when it is given", async () => {
    const { baseUrl, caCertificate } = await selfSigned();
    const trusting = new HttpClient({ system: "Test", baseUrl, caCertificate });
    expect((await trusting.call(call)).status).toBe(200);
    await expect(new HttpClient({ system: "Test", baseUrl }).call(call)).rejects.toThrow("self-signed");
});

test.skipIf(!hasOpenssl)(
    "it is trusted beside the authorities that this Node trusts by default",
    async () => {
        const [one, other] = [await selfSigned(), await selfSigned()];
        const before = getCACertificates("default");
        onTestFinished(() => setDefaultCACertificates(before));
        // As NODE_EXTRA_CA_CERTS does when Node starts.
        setDefaultCACertificates([...before, one.caCertificate]);
        const client = new HttpClient({
            system: "Test",
            baseUrl: one.baseUrl,
            caCertificate: other.caCertificate,
        });
        expect((await client.call(call)).status).toBe(200);
    },
);
