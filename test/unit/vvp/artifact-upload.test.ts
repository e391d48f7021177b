import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { progress } from "../../../dynamic-providers/vvp/artifact-file.ts";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { type SimulatedPlatform, simulatedPlatform } from "./simulated-platform.ts";

const provider = vvpProviders.vvpArtifact;
let p: SimulatedPlatform;
let folder: string;
let source: string;

beforeEach(async () => {
    p = await simulatedPlatform();
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "vvp-artifact-"));
    source = path.join(folder, "job.jar");
    fs.writeFileSync(source, "x".repeat(3 * 1024 * 1024));
});
afterEach(async () => {
    vi.restoreAllMocks();
    fs.rmSync(folder, { recursive: true, force: true });
    await p.close();
});

describe("an artifact", () => {
    test("that is too large is refused in the preview, before any call", async () => {
        const inputs = { connection: p.connection, source, maximumMiB: 2 };
        const { failures } = await provider.check(undefined, inputs);
        expect(failures[0]?.reason).toMatch(/has 3 MiB, more than maximumMiB \(2\).*raise maximumMiB/);
        expect(p.simulator.requests).toEqual([]);
        expect((await p.up(provider, { source, maximumMiB: 3 })).state["size"]).toBe(3 * 1024 * 1024);
    });

    test("goes to another address when it is given, signed for the platform's", async () => {
        const hosts: (string | undefined)[] = [];
        const gate = http.createServer((request, response) => {
            hosts.push(request.headers.host);
            const forwarded = http.request(
                p.connection.url + (request.url ?? ""),
                { method: request.method ?? "PUT", headers: request.headers },
                (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 500)),
            );
            request.pipe(forwarded);
        });
        await new Promise<void>((resolve) => gate.listen(0, "127.0.0.1", resolve));
        onTestFinished(() => void gate.close());
        const uploadEndpoint = `http://127.0.0.1:${(gate.address() as AddressInfo).port}`;
        const held = await p.up(provider, { source, uploadEndpoint });
        expect(hosts).toEqual([new URL(p.connection.url).host]);
        expect(held.state["size"]).toBe(3 * 1024 * 1024);
    });

    test("of a run that was cut off after the upload: the next run says that, and adopt goes on with it", async () => {
        await p.up(provider, { source });
        await expect(p.up(provider, { source })).rejects.toThrow(
            /exists already.*adopt: true.*has the size of the file: when a run of this stack was cut off/s,
        );
        expect((await p.up(provider, { source, adopt: true })).state["size"]).toBe(3 * 1024 * 1024);
        fs.writeFileSync(source, "another");
        await p.up(provider, { source, fileName: "job.jar" });
        fs.writeFileSync(source, "other");
        const other = p.up(provider, { source, fileName: "job.jar" });
        await expect(other).rejects.toThrow(/exists already, and this stack did not make it/);
        await expect(other).rejects.not.toThrow(/cut off/);
    });

    test.each(["my job.jar", "jöb.jar", "a&b.jar"])(
        "of the file '%s' needs a name of its own",
        async (name) => {
            const hostile = path.join(folder, name);
            fs.writeFileSync(hostile, "x");
            const given = { connection: p.connection, source: hostile };
            const { failures } = await provider.check(undefined, given);
            expect(failures[0]?.reason).toMatch(/is no name that the store takes: give fileName/);
            await p.up(provider, { source: hostile, fileName: "good.jar" });
            for (const fileName of ["..", "a/b.jar", "../x.jar", ""]) {
                const refused = await provider.check(undefined, { ...given, fileName });
                expect(refused.failures, fileName).toHaveLength(1);
            }
        },
    );

    test("for which the platform gives no address is told as an answer of another form", async () => {
        const data = { artifactPath: "s3i://b/x", presignedUrlForPut: "/relative" };
        p.simulator.faults.failNext("getArtifactSignature", 200, { success: true, data });
        await expect(p.up(provider, { source })).rejects.toThrow(/upload artifact .*presignedUrlForPut/);
    });

    test("whose store cannot be reached is told with the address and the argument that changes it", async () => {
        const uploadEndpoint = "http://127.0.0.1:1";
        await expect(p.up(provider, { source, uploadEndpoint, timeoutSeconds: 5 })).rejects.toThrow(
            /address that the platform gives for uploads.*uploadEndpoint.*it says http:\/\/127\.0\.0\.1:1/s,
        );
    });

    test("tells how far a long upload is, every five seconds", () => {
        const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
        let now = 0;
        const report = progress("upload artifact 'a'", () => now);
        const mebibyte = 1024 * 1024;
        for (now of [1000, 5000, 6000, 11_000]) report((now / 1000) * mebibyte, 100 * mebibyte);
        expect(warn.mock.calls.flat()).toEqual([
            "VVP: upload artifact 'a': 5 of 100 MiB",
            "VVP: upload artifact 'a': 11 of 100 MiB",
        ]);
    });
});
