import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { VvpClient } from "../../../dynamic-providers/vvp/client.ts";
import { fakePlatform } from "./fake-platform.ts";

/** A token that is renewed while a run goes on: only vvctl's configuration file can change under a running process. */

let folder: string;
let file: string;

beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "vvctl-renewal-"));
    file = path.join(folder, "config.yml");
    vi.stubEnv("VV_CONFIG", file);
    vi.stubEnv("VV_API_TOKEN", "");
});
afterEach(() => {
    vi.unstubAllEnvs();
    fs.rmSync(folder, { recursive: true });
});

const write = (url: string, token: string) =>
    fs.writeFileSync(
        file,
        `contexts: [{ name: c, context: { user: u, server: s } }]
users: [{ name: u, user: { token: ${token}, namespace: default } }]
servers: [{ name: s, server: { host: "${url}" } }]
current-context: c
`,
    );

describe("a token of vvctl's file", () => {
    test("is read anew for each call, and kept while the file is being written", async () => {
        let good = "first-hush-token";
        const platform = await fakePlatform(({ headers }) =>
            headers.authorization === `Bearer ${good}`
                ? { json: { message: `hello ${good}` } }
                : { status: 401, json: { message: `${String(headers.authorization)} is expired` } },
        );
        write(platform.url, good);
        const connection = { url: platform.url, workspace: "defaultworkspace", namespace: "default" };
        const client = new VvpClient(connection, { config: () => undefined });
        const call = () =>
            client.call({ method: "GET", path: "/api/v1/namespaces/default/x", action: "look" }, z.unknown());
        await call();
        good = "second-hush-token";
        const error = await call().catch((caught: unknown) => caught);
        expect(String(error)).toMatch(/401.*expired, revoked.*vvctl's configuration/s);
        expect(String(error)).not.toContain("hush-token");
        write(platform.url, good);
        await call();
        fs.writeFileSync(file, "contexts: [");
        await call();
        expect(client.clean("first-hush-token second-hush-token")).not.toContain("hush");
        await platform.close();
    });

    test.each([true, false])(
        "that is renewed while a call is on its way: it is made again with the new one, once (%s)",
        async (isGood) => {
            const told: unknown[] = [];
            const platform = await fakePlatform(({ headers }) => {
                told.push(headers.authorization);
                // The platform learns of it before the call arrives, and the file before its answer does.
                write(platform.url, `token-${told.length + 1}`);
                return isGood && told.length === 2 ? { json: {} } : { status: 401, json: {} };
            });
            write(platform.url, "token-1");
            const connection = { url: platform.url, workspace: "defaultworkspace", namespace: "default" };
            const client = new VvpClient(connection, { config: () => undefined });
            const call = client.call(
                { method: "POST", path: "/api/v1/namespaces/default/x", action: "make", json: {} },
                z.unknown(),
            );
            if (isGood) await call;
            else await expect(call).rejects.toThrow(/401/);
            expect(told).toEqual(["Bearer token-1", "Bearer token-2"]);
            await platform.close();
        },
    );
});
