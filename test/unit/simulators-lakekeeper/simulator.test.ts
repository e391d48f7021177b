import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import {
    type LakekeeperSettings,
    type LakekeeperSimulator,
    startLakekeeperSimulator,
} from "../../../local/simulators/lakekeeper/index.ts";
import { startCatalogStub } from "./stub-catalog.ts";
import { startS3Stub } from "./stub-s3.ts";

const token = "token-of-the-test";
const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
});

async function start(settings: Partial<LakekeeperSettings> = {}): Promise<LakekeeperSimulator> {
    const simulator = await startLakekeeperSimulator({ port: 0, token, ...settings });
    closing.push(() => simulator.close());
    return simulator;
}

interface Reply {
    status: number;
    json: { error?: { type: string; message: string; stack: string[] }; [key: string]: unknown };
    text: string;
}

async function call(
    base: string,
    method: string,
    path: string,
    body?: unknown,
    headers = {},
): Promise<Reply> {
    const answer = await fetch(base + path, {
        method,
        headers: {
            authorization: `Bearer ${token}`,
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, text, json: text.startsWith("{") ? JSON.parse(text) : {} };
}

const credential = {
    type: "s3",
    "credential-type": "access-key",
    "aws-access-key-id": "AKIAEXAMPLE",
    "aws-secret-access-key": "never-shown-again",
};

function warehouse(name: string, profile = {}): Record<string, unknown> {
    const base = {
        type: "s3",
        bucket: "lake",
        "key-prefix": name,
        region: "us-east-1",
        "sts-enabled": false,
    };
    return {
        "warehouse-name": name,
        "storage-profile": { ...base, ...profile },
        "storage-credential": credential,
    };
}

async function withWarehouse(settings: Partial<LakekeeperSettings> = {}, name = "fluss") {
    const simulator = await start(settings);
    await call(simulator.url, "POST", "/management/v1/bootstrap", { "accept-terms-of-use": true });
    const created = await call(simulator.url, "POST", "/management/v1/warehouse", warehouse(name));
    expect(created.status, created.text).toBe(201);
    const id = String(created.json["warehouse-id"]);
    return { simulator, id, path: `/management/v1/warehouse/${id}` };
}

describe("token", () => {
    it("is asked for on management, catalog and unknown paths, not on the health check", async () => {
        const { url } = await start();
        expect((await fetch(`${url}/health`)).status).toBe(200);
        for (const path of ["/management/v1/info", "/management/v1/nope", "/catalog/v1/config?warehouse=x"]) {
            const none = await fetch(url + path);
            expect(none.status).toBe(401);
            expect(await none.json()).toMatchObject({
                error: { type: "MissingAuthorizationHeader", code: 401 },
            });
            const wrong = await call(url, "GET", path, undefined, { authorization: "Bearer wrong" });
            expect(wrong.status).toBe(401);
            expect(wrong.json.error).toMatchObject({
                type: "AuthenticationFailed",
                message: "Authentication failed",
            });
        }
        const basic = await call(url, "GET", "/management/v1/info", undefined, {
            authorization: "Basic YTpi",
        });
        expect([basic.status, basic.text]).toEqual([400, "invalid HTTP header (authorization)"]);
    });

    it("comes before the body", async () => {
        const { url } = await start();
        const answer = await fetch(`${url}/management/v1/warehouse`, { method: "POST", body: "not json" });
        expect(answer.status).toBe(401);
    });
});

describe("stale status after activate and deactivate", () => {
    it("hides a warehouse from delete-profile and config until another call refreshes it", async () => {
        const catalog = await startCatalogStub();
        closing.push(() => catalog.close());
        const { simulator, path } = await withWarehouse({ backendUrl: catalog.url });
        const config = () => call(simulator.url, "GET", "/catalog/v1/config?warehouse=fluss");
        const deleteProfile = () =>
            call(simulator.url, "POST", `${path}/delete-profile`, { "delete-profile": { type: "hard" } });
        await call(simulator.url, "POST", `${path}/deactivate`);
        expect((await config()).status).toBe(200);
        await call(simulator.url, "GET", path);
        expect((await config()).status).toBe(404);
        await call(simulator.url, "POST", `${path}/activate`);
        expect((await deleteProfile()).json.error?.type).toBe("NoSuchWarehouseException");
        expect((await config()).status).toBe(404);
        await call(simulator.url, "GET", path);
        expect((await deleteProfile()).status).toBe(200);
        expect((await config()).status).toBe(200);
    });
});

describe("state", () => {
    it("outlives a restart, in a file for its owner only, without the key", async () => {
        const folder = mkdtempSync(join(tmpdir(), "lakekeeper-"));
        closing.push(() => rmSync(folder, { recursive: true }));
        const stateFile = join(folder, "state.json");
        const first = await withWarehouse({ stateFile });
        const before = await call(first.simulator.url, "GET", first.path);
        await first.simulator.close();
        const second = await start({ stateFile });
        expect((await call(second.url, "GET", first.path)).json).toEqual(before.json);
        expect(statSync(stateFile).mode & 0o777).toBe(0o600);
        expect(readFileSync(stateFile, "utf8")).not.toContain(credential["aws-secret-access-key"]);
    });

    it("that cannot be read is an error which names the file", async () => {
        const folder = mkdtempSync(join(tmpdir(), "lakekeeper-"));
        closing.push(() => rmSync(folder, { recursive: true }));
        const stateFile = join(folder, "state.json");
        writeFileSync(stateFile, "{");
        await expect(start({ stateFile })).rejects.toThrow(stateFile);
    });
});

describe("catalog", () => {
    it("answers 503 with the reason until the Iceberg catalog runs, then hands requests on without the token", async () => {
        const placeholder = await startCatalogStub();
        const port = Number(new URL(placeholder.url).port);
        await placeholder.close();
        const { simulator, id } = await withWarehouse({ backendUrl: placeholder.url });
        const early = await call(simulator.url, "GET", "/catalog/v1/config?warehouse=fluss");
        expect(early.status).toBe(503);
        expect(early.json.error?.message).toContain(placeholder.url);
        const earlyList = await call(simulator.url, "GET", `/catalog/v1/${id}/namespaces/finance`);
        expect(earlyList.status).toBe(503);

        const catalog = await startCatalogStub(port);
        closing.push(() => catalog.close());
        const config = await call(simulator.url, "GET", "/catalog/v1/config?warehouse=fluss");
        expect(config.json).toEqual({
            defaults: { prefix: id },
            overrides: { uri: `${simulator.url}/catalog` },
            endpoints: ["GET /v1/{prefix}/namespaces"],
        });
        await call(simulator.url, "POST", `/catalog/v1/${id}/namespaces`, { namespace: ["finance"] });
        catalog.namespaces.get("finance")?.push("trades");
        const tables = await call(simulator.url, "GET", `/catalog/v1/${id}/namespaces/finance/tables`);
        expect(tables.json).toEqual({ identifiers: [{ namespace: ["finance"], name: "trades" }] });
        expect(catalog.requests.map((request) => request.url)).toContain("/v1/namespaces/finance/tables");
        expect(catalog.requests.every((request) => request.headers.authorization === undefined)).toBe(true);
    });

    it("config follows the forwarded address", async () => {
        const catalog = await startCatalogStub();
        closing.push(() => catalog.close());
        const { simulator } = await withWarehouse({ backendUrl: catalog.url });
        const config = await call(simulator.url, "GET", "/catalog/v1/config?warehouse=fluss", undefined, {
            "x-forwarded-host": "h.example",
            "x-forwarded-proto": "https",
            "x-forwarded-port": "8443",
            "x-forwarded-prefix": "/lk",
        });
        expect(config.json["overrides"]).toEqual({ uri: "https://h.example:8443/lk/catalog" });
    });

    it("keeps the namespaces of two warehouses apart", async () => {
        const catalog = await startCatalogStub();
        closing.push(() => catalog.close());
        const { simulator, id } = await withWarehouse({ backendUrl: catalog.url });
        const other = await call(simulator.url, "POST", "/management/v1/warehouse", warehouse("other"));
        const otherId = String(other.json["warehouse-id"]);
        await call(simulator.url, "POST", `/catalog/v1/${id}/namespaces`, { namespace: ["finance"] });
        const list = (of: string) => call(simulator.url, "GET", `/catalog/v1/${of}/namespaces`);
        expect((await list(id)).json).toEqual({ namespaces: [["finance"]] });
        expect((await list(otherId)).json).toEqual({ namespaces: [] });
        // Made in the catalog itself, as Fluss does.
        catalog.namespaces.set("past", ["trades"]);
        expect((await list(id)).json).toEqual({ namespaces: [["finance"], ["past"]] });
        expect((await list(otherId)).json).toEqual({ namespaces: [] });
        expect((await call(simulator.url, "DELETE", `/management/v1/warehouse/${otherId}`)).status).toBe(204);
    });

    it("keeps a namespace apart that came with a table, and was never created through a warehouse", async () => {
        const catalog = await startCatalogStub();
        closing.push(() => catalog.close());
        const { simulator, id, path } = await withWarehouse({ backendUrl: catalog.url });
        const other = await call(simulator.url, "POST", "/management/v1/warehouse", warehouse("other"));
        const otherId = String(other.json["warehouse-id"]);
        catalog.namespaces.set("finance", []);
        const table = { name: "trades", schema: {} };
        await call(simulator.url, "POST", `/catalog/v1/${id}/namespaces/finance/tables`, table);
        const list = await call(simulator.url, "GET", `/catalog/v1/${otherId}/namespaces`);
        expect(list.json).toEqual({ namespaces: [] });
        expect((await call(simulator.url, "DELETE", `/management/v1/warehouse/${otherId}`)).status).toBe(204);
        expect((await call(simulator.url, "DELETE", path)).json.error?.type).toBe("WarehouseNotEmpty");
    });

    it("refuses to delete a warehouse with namespaces, also with force and while the catalog is down", async () => {
        const catalog = await startCatalogStub();
        const { simulator, id, path } = await withWarehouse({ backendUrl: catalog.url });
        await call(simulator.url, "POST", `/catalog/v1/${id}/namespaces`, { namespace: ["finance"] });
        const remove = () => call(simulator.url, "DELETE", `${path}?force=true`);
        expect((await remove()).json.error?.type).toBe("WarehouseNotEmpty");
        await call(simulator.url, "DELETE", `/catalog/v1/${id}/namespaces/finance`);
        await call(simulator.url, "POST", `/catalog/v1/${id}/namespaces`, { namespace: ["again"] });
        await catalog.close();
        expect((await remove()).json.error?.type).toBe("WarehouseNotEmpty");
        const revived = await startCatalogStub(Number(new URL(catalog.url).port));
        closing.push(() => revived.close());
        expect((await remove()).status).toBe(204);
    });
});

describe("storage check", () => {
    it("writes, reads, deletes and lists with the given key", async () => {
        const s3 = await startS3Stub();
        closing.push(() => s3.close());
        const { simulator, path } = await withWarehouse({ s3: { endpoint: s3.endpoint } });
        const expected = ["PUT", "HEAD", "GET", "DELETE", "LIST", "LIST"];
        expect(s3.calls).toEqual(expected);
        const rotated = { "new-storage-credential": credential };
        const changed = await call(simulator.url, "POST", `${path}/storage-credential`, rotated);
        expect(changed.status, changed.text).toBe(200);
        expect(s3.calls).toEqual([...expected, ...expected]);
    });

    const denied = { status: 403, code: "AccessDenied", message: "Access Denied" };
    it.each([
        [
            "a missing bucket",
            "PUT",
            { status: 404, code: "NoSuchBucket", message: "The specified bucket does not exist" },
            "NotFound",
            "S3 write failed: The specified bucket does not exist",
        ],
        ["a read-only key", "PUT", denied, "PermissionDenied", "S3 write failed: Access Denied"],
        ["no right to delete", "DELETE", denied, "PermissionDenied", "S3 deletion failed: Access Denied"],
        ["no right to list", "LIST", denied, "PermissionDenied", "S3 list failed: Access Denied"],
        [
            "an unknown key",
            "PUT",
            { status: 403, code: "InvalidAccessKeyId", message: "The key does not exist" },
            "ConfigInvalid",
            "S3 write failed: The key does not exist",
        ],
        [
            "a wrong secret",
            "PUT",
            { status: 403, code: "SignatureDoesNotMatch", message: "The signature does not match" },
            "Unexpected",
            "The signature does not match",
        ],
    ])("%s", async (_cause, operation, error, type, message) => {
        const s3 = await startS3Stub();
        closing.push(() => s3.close());
        s3.deny[operation] = error;
        const simulator = await start({ s3: { endpoint: s3.endpoint } });
        await call(simulator.url, "POST", "/management/v1/bootstrap", { "accept-terms-of-use": true });
        const refused = await call(simulator.url, "POST", "/management/v1/warehouse", warehouse("w"));
        expect(refused.status).toBe(400);
        expect(refused.json.error?.type).toBe(type);
        expect(refused.json.error?.message).toContain(message);
        expect(refused.json.error?.stack[0]).toBe("IO Operation Failed during validation.");
        expect((await call(simulator.url, "GET", "/management/v1/warehouse")).json).toEqual({
            warehouses: [],
        });
    });

    it("an endpoint that nobody listens on", async () => {
        const s3 = await startS3Stub();
        await s3.close();
        const simulator = await start({ s3: { endpoint: s3.endpoint } });
        const refused = await call(simulator.url, "POST", "/management/v1/warehouse", warehouse("w"));
        expect(refused.json.error?.message).toContain("Unknown S3 error during write: unhandled error");
    });

    it("comes before the name clash", async () => {
        const s3 = await startS3Stub();
        closing.push(() => s3.close());
        const { simulator } = await withWarehouse({ s3: { endpoint: s3.endpoint } });
        s3.deny["PUT"] = { status: 404, code: "NoSuchBucket", message: "gone" };
        const taken = warehouse("fluss", { bucket: "missing" });
        const refused = await call(simulator.url, "POST", "/management/v1/warehouse", taken);
        expect(refused.json.error?.type).toBe("NotFound");
    });
});

describe("faults", () => {
    it("a lost answer leaves the work done; an ordered failure leaves it undone", async () => {
        const simulator = await start();
        await call(simulator.url, "POST", "/management/v1/bootstrap", { "accept-terms-of-use": true });
        simulator.faults.loseNextAnswer("create_warehouse");
        const lost = call(simulator.url, "POST", "/management/v1/warehouse", warehouse("w"));
        await expect(lost).rejects.toThrow();
        expect(simulator.requests.at(-1)).toMatchObject({ operationId: "create_warehouse", status: 0 });
        const list = await call(simulator.url, "GET", "/management/v1/warehouse");
        expect(list.json["warehouses"]).toHaveLength(1);
        simulator.faults.failNext("create_project", 500, { error: { type: "DatabaseError" } });
        const failed = await call(simulator.url, "POST", "/management/v1/project", { "project-name": "p" });
        expect([failed.status, failed.json.error?.type]).toEqual([500, "DatabaseError"]);
    });
});
