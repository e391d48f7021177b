import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Context } from "../../../dynamic-providers/resource.ts";
import { VvpClient } from "../../../dynamic-providers/vvp/client.ts";
import {
    apiToken,
    connectionEffect,
    connectionSchema,
    secretHeaders,
} from "../../../dynamic-providers/vvp/connection.ts";
import { context, fakePlatform, token } from "./fake-platform.ts";

// The one of this machine must not matter.
beforeEach(() => void vi.stubEnv("VV_CONFIG", "/nowhere/config.yml"));

afterEach(() => vi.unstubAllEnvs());

test("the defaults are those of a self-managed platform", () => {
    expect(connectionSchema.parse({ url: "https://vvp.example.com" })).toEqual({
        url: "https://vvp.example.com",
        workspace: "defaultworkspace",
        namespace: "default",
    });
});

test("vvctl's variables fill what is left out, and nothing else", () => {
    vi.stubEnv("VV_API_HOST", "https://env.example.com");
    vi.stubEnv("VV_WORKSPACE", "w");
    vi.stubEnv("VV_NAMESPACE", "n");
    expect(connectionSchema.parse(undefined)).toEqual({
        url: "https://env.example.com",
        workspace: "w",
        namespace: "n",
    });
    expect(connectionSchema.parse({ url: "http://a", namespace: "mine" })).toEqual({
        url: "http://a",
        workspace: "w",
        namespace: "mine",
    });
});

test.each([
    [{}, "VV_API_HOST"],
    [{ url: "vvp.example.com" }, "base URL"],
    [{ url: "ftp://vvp.example.com" }, "base URL"],
    [{ url: "https://vvp.example.com/#/namespaces/default/deployments" }, "what stands after #"],
    [{ url: "https://vvp.example.com/?workspace=w" }, "a query"],
    [{ url: "https://me:hush@vvp.example.com" }, "without a user"],
    [{ url: "https://vvp example.com" }, "base URL"],
    [{ url: "http://a", namespace: "" }, "letters, digits"],
    [{ url: "http://a", namespace: ".." }, "letters, digits"],
    [{ url: "http://a", namespace: "a/../b" }, "letters, digits"],
    [{ url: "http://a", workspace: "my space\r\nx-evil: 1" }, "letters, digits"],
    [{ url: "http://a", headers: { "x-a": "1\r\nx-evil: 1" } }, "no header can hold"],
    [{ url: "http://a", headers: { Authorization: "x" } }, "places of their own"],
    [{ url: "http://a", caCertificate: "/etc/ca.pem" }, "PEM"],
    [{ url: "http://a", token: "x" }, "Unrecognized key"],
])("refuses %o", (given, reason) => {
    expect(
        connectionSchema
            .safeParse(given)
            .error?.issues.map(({ message }) => message)
            .join(),
    ).toContain(reason);
});

test("a line break at the end of the URL, as a file has one, is no part of it", () => {
    vi.stubEnv("VV_API_HOST", "https://vvp.example.com/vvp/\n");
    expect(connectionSchema.parse({}).url).toBe("https://vvp.example.com/vvp/");
});

describe("an API token", () => {
    test("may have a line break at its end, and one that is blank is none", () => {
        vi.stubEnv("VV_API_TOKEN", "from-env\n");
        expect(apiToken(context)).toBe("from-env");
        vi.stubEnv("VV_API_TOKEN", " \n");
        expect(apiToken(context)).toBe(token);
        expect(() => apiToken({ config: () => " " })).toThrow("there is no API token");
    });

    test.each(["Bearer hush-1", "hush-1\nhush-2", "hush-…"])(
        "that cannot be one is told without showing it: %j",
        (given) => {
            vi.stubEnv("VV_API_TOKEN", given);
            expect(() => apiToken(context)).toThrow(/blanks, line breaks.*copy it anew.*VV_API_TOKEN/s);
            expect(() => apiToken(context)).not.toThrow(/hush/);
        },
    );
});

test("a moved URL is the same object, another namespace is another one", () => {
    const old = { url: "http://a", workspace: "w", namespace: "n" };
    expect(connectionEffect({ old, new: { ...old, url: "http://b" } })).toBe("update");
    expect(connectionEffect({ old, new: { ...old, namespace: "m" } })).toBe("replace");
    expect(connectionEffect({ old, new: { ...old, workspace: "v" } })).toBe("replace");
});

test("the environment's token wins over the stack's, and a missing one is told with both ways", () => {
    expect(apiToken(context)).toBe(token);
    vi.stubEnv("VV_API_TOKEN", "from-env");
    expect(apiToken(context)).toBe("from-env");
    vi.stubEnv("VV_API_TOKEN", "");
    expect(() => apiToken({ config: () => undefined })).toThrow(/VV_API_TOKEN.*pulumi-fluss:vvpToken/);
});

describe("vvctl's configuration", () => {
    const written = (content: string) => {
        const folder = fs.mkdtempSync(path.join(os.tmpdir(), "vvctl-"));
        onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
        const file = path.join(folder, "config.yml");
        fs.writeFileSync(file, content);
        vi.stubEnv("VV_CONFIG", file);
    };
    const config = `
current-context: mine
contexts:
  - { name: other, context: { user: other, server: other } }
  - { name: mine, context: { user: me, server: vvp } }
users:
  - { name: me, user: { token: file-token-1, namespace: lake } }
  - { name: other, user: { token: other-token-2, namespace: default, workspace: w2 } }
servers:
  - { name: vvp, server: { host: "https://vvp.example.com" } }
  - { name: other, server: { host: "https://other.example.com/" } }
`;
    const none: Context = { config: () => undefined };

    test("fills what neither the program nor the environment gives", () => {
        written(config);
        expect(connectionSchema.parse(undefined)).toEqual({
            url: "https://vvp.example.com",
            workspace: "defaultworkspace",
            namespace: "lake",
        });
        vi.stubEnv("VV_NAMESPACE", "env");
        expect(connectionSchema.parse({}).namespace).toBe("env");
    });

    test("says nothing of a platform that was chosen otherwise", () => {
        written(config);
        expect(connectionSchema.parse({ url: "http://a" }).namespace).toBe("default");
        vi.stubEnv("VV_API_HOST", "http://b");
        expect(connectionSchema.parse({}).namespace).toBe("default");
    });

    test("gives its token to the platform and namespace that it is for, and to no other", () => {
        written(config);
        const token = (url: string, namespace: string) => apiToken(none, { url, namespace });
        expect(token("https://vvp.example.com/", "lake")).toBe("file-token-1");
        expect(token("https://other.example.com", "default")).toBe("other-token-2");
        expect(() => token("https://vvp.example.com", "default")).toThrow("there is no API token");
        expect(() => token("https://vvp.example.org", "lake")).toThrow("there is no API token");
        expect(apiToken(context, { url: "https://vvp.example.com", namespace: "lake" })).not.toContain(
            "file",
        );
    });

    test.each(["a: [", "users: 7", "users: [{ name: a, user: { token: [hush-token] } }]"])(
        "of another form is told without what it holds: %s",
        (content) => {
            written(content);
            const error = () => connectionSchema.parse({});
            expect(error).toThrow(/vvctl's configuration .*config\.yml .*VV_CONFIG/s);
            expect(error).not.toThrow(/hush/);
        },
    );
});

test("headers of the connection and of the configuration go along, and cannot take the token's place", async () => {
    const platform = await fakePlatform(() => ({ json: {} }));
    onTestFinished(() => platform.close());
    const given = { url: platform.url, headers: { "x-team": "lake" } };
    const secret: Context = {
        config: (key) =>
            key === "pulumi-fluss:vvpHeaders" ? '{"x-gate":"hush-gate-1"}' : context.config(key),
    };
    const client = new VvpClient(connectionSchema.parse(given), secret);
    await client.send({ method: "GET", path: "/x", action: "try" });
    expect(platform.seen[0]?.headers).toMatchObject({
        "x-team": "lake",
        "x-gate": "hush-gate-1",
        authorization: `Bearer ${token}`,
    });
    expect(
        client.refusal({ method: "GET", path: "/", action: "a" }, "t", "hush-gate-1").message,
    ).not.toContain("hush-gate-1");
    for (const headers of [{ Authorization: "Basic x" }, { "bad name": "x" }]) {
        expect(connectionSchema.safeParse({ url: "http://a", headers }).success).toBe(false);
    }
    const wrong: Context = { config: (key) => (key === "pulumi-fluss:vvpHeaders" ? "hush" : undefined) };
    expect(() => secretHeaders(wrong)).toThrow(/vvpHeaders must be a JSON object/);
    expect(() => secretHeaders(wrong)).not.toThrow(/hush/);
});
