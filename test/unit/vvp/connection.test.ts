import { afterEach, expect, test, vi } from "vitest";
import { apiToken, connectionEffect, connectionSchema } from "../../../dynamic-providers/vvp/connection.ts";
import { context, token } from "./fake-platform.ts";

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
    [{ url: "http://a", token: "x" }, "Unrecognized key"],
])("refuses %o", (given, reason) => {
    expect(
        connectionSchema
            .safeParse(given)
            .error?.issues.map(({ message }) => message)
            .join(),
    ).toContain(reason);
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
