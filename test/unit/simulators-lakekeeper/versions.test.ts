import { describe, expect, it } from "vitest";
import { closeLater, type Fixture, startFixture, token } from "../lakekeeper/fixture.ts";
import { startCatalogStub } from "./stub-catalog.ts";

/** What older servers have not, or answer otherwise; after the API's description of 0.10.4 and the release notes. */
const management = "/management/v1";
const profile = { type: "s3", bucket: "lake", "key-prefix": "w", region: "us-east-1", "sts-enabled": false };
const key = (prefix: string) => ({
    type: "s3",
    "credential-type": "access-key",
    [`${prefix}access-key-id`]: "AKIAEXAMPLE",
    [`${prefix}secret-access-key`]: "secret-of-the-test",
});

type Version = "0.10.4" | "0.11.6" | "0.12.2" | "0.13.3" | "0.14.0";
const versions: Version[] = ["0.10.4", "0.11.6", "0.12.2", "0.13.3", "0.14.0"];
const since = (wanted: Version) => versions.map((version) => [version, version >= wanted] as const);

/** Calls of a server of this version, with its warehouse `w`. */
async function serverOf(version: Version) {
    const catalog = await startCatalogStub();
    closeLater(catalog.close);
    const fixture: Fixture = await startFixture({ version, instanceAdmin: true, backendUrl: catalog.url });
    const call = async (method: string, path: string, json?: unknown) => {
        const answer = await fetch(`${fixture.simulator.url}${management}${path}`, {
            method,
            headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
            body: json === undefined ? undefined : JSON.stringify(json),
        });
        const text = await answer.text();
        const isJson = answer.headers.get("content-type")?.startsWith("application/json");
        const body = (isJson ? JSON.parse(text) : {}) as Record<string, unknown> & {
            error?: { type: string };
        };
        return { status: answer.status, text, json: body };
    };
    const create = (name: string, folder = name, more = {}) =>
        call("POST", "/warehouse", {
            "warehouse-name": name,
            "storage-profile": { ...profile, "key-prefix": folder },
            ...more,
        });
    const made = await create("w");
    return { call, create, made, path: `/warehouse/${made.json["warehouse-id"]}` };
}

describe("a new warehouse", () => {
    it.each(since("0.11.6"))("is told whole by %s: %s", async (version, whole) => {
        const { call, made, path } = await serverOf(version);
        expect(made.status).toBe(201);
        expect(Object.keys(made.json).includes("storage-profile")).toBe(whole);
        const { json } = await call("GET", path);
        expect(["warehouse-id", "updated-at"].map((field) => field in json)).toEqual([whole, whole]);
        expect(json["id"]).toBe(made.json["warehouse-id"]);
    });

    it.each(since("0.12.2"))("is told with its credential's type by %s: %s", async (version, told) => {
        const { call, create } = await serverOf(version);
        const { json } = await create("k", "k", { "storage-credential": key("aws-") });
        const found = await call("GET", `/warehouse/${json["warehouse-id"]}`);
        expect("storage-credential-type" in found.json).toBe(told);
    });

    it.each(since("0.12.2"))(
        "may have its key without aws- before the names on %s: %s",
        async (version, may) => {
            const { create } = await serverOf(version);
            const { status, text } = await create("k", "k", { "storage-credential": key("") });
            expect(status, text).toBe(may ? 201 : 422);
            if (!may) expect(text).toContain("missing field `aws-access-key-id`");
        },
    );

    it.each(since("0.13.3"))("is held against deactivated ones by %s: %s", async (version, held) => {
        const { call, create, path } = await serverOf(version);
        await call("POST", `${path}/deactivate`);
        expect((await create("other", "w")).status).toBe(held ? 400 : 201);
    });
});

describe("a name that is taken", () => {
    it.each(since("0.11.6"))("has the newer types on %s: %s", async (version, newer) => {
        const { call, create } = await serverOf(version);
        const again = await create("w", "elsewhere");
        expect([again.status, again.json.error?.type]).toEqual([
            409,
            newer ? "WarehouseAlreadyExists" : "WarehouseNameAlreadyExists",
        ]);
        const { json } = await create("x");
        const renamed = await call("POST", `/warehouse/${json["warehouse-id"]}/rename`, { "new-name": "w" });
        expect([renamed.status, renamed.json.error?.type]).toEqual(
            newer ? [503, "CatalogBackendError"] : [409, "EntityAlreadyExists"],
        );
    });
});

describe("a change", () => {
    it.each(since("0.11.6"))("is answered with the warehouse by %s: %s", async (version, told) => {
        const { call, path } = await serverOf(version);
        for (const [verb, json] of [
            ["rename", { "new-name": "x" }],
            ["storage", { "storage-profile": profile }],
            ["storage-credential", {}],
            ["delete-profile", { "delete-profile": { type: "hard" } }],
        ] as const) {
            const { status, text } = await call("POST", `${path}/${verb}`, json);
            expect([status, text !== ""], verb).toEqual([200, told]);
        }
    });

    it.each(since("0.12.2"))(
        "of the region is taken by %s where there is an endpoint: %s",
        async (version, taken) => {
            const { call, path } = await serverOf(version);
            const moved = { ...profile, region: "eu-west-1", endpoint: "http://s3.example:9000" };
            const { status, json } = await call("POST", `${path}/storage`, { "storage-profile": moved });
            expect([status, json.error?.type]).toEqual(taken ? [200, undefined] : [400, "UpdateError"]);
        },
    );
});

describe("a path", () => {
    it.each(since("0.13.3"))(
        "of format versions, managers and role members is there on %s: %s",
        async (version, there) => {
            const { call, path } = await serverOf(version);
            const { json: role } = await call("POST", "/role", { name: "r" });
            const statuses = [
                (await call("POST", `${path}/format-version-policy`, { "allowed-format-versions": [2] }))
                    .status,
                (await call("POST", `${path}/managed-by`, { "managed-by": "instance-admin" })).status,
                (await call("GET", `/role/${role["id"]}/members`)).status,
            ];
            expect(statuses).toEqual(there ? [200, 200, 200] : [404, 404, 404]);
        },
    );

    it.each(since("0.11.6"))("of a project's queue is there on %s: %s", async (version, there) => {
        const { call } = await serverOf(version);
        const { status } = await call("GET", "/project/task-queue/task_log_cleanup/config");
        expect(status).toBe(there ? 200 : 404);
    });

    it.each(since("0.14.0"))("of a trial is there on %s: %s", async (version, there) => {
        const { call } = await serverOf(version);
        const body = { "warehouse-name": "n", "storage-profile": { ...profile, "key-prefix": "n" } };
        const { status, json } = await call("POST", "/warehouse-creation-validation", body);
        expect([status, json["valid"]]).toEqual(there ? [200, true] : [404, undefined]);
    });
});

describe("a role", () => {
    it.each(since("0.12.2"))("is told with where it comes from by %s: %s", async (version, told) => {
        const { call } = await serverOf(version);
        const { json } = await call("POST", "/role", { name: "r" });
        expect(["ident", "provider-id"].map((field) => field in json)).toEqual([told, told]);
        expect("source-id" in json).toBe(version !== "0.10.4");
    });
});

describe("what the server tells of itself", () => {
    it.each(since("0.12.2"))("is its version under two names on %s: %s", async (version, both) => {
        const { call } = await serverOf(version);
        const { json } = await call("GET", "/info");
        expect("lakekeeper-version" in json).toBe(both);
        // A build of the main branch tells a lower version than the last release, and is known by a queue's name.
        expect(json["version"]).toBe(version === "0.14.0" ? "0.12.9" : version);
        expect((json["queues"] as string[])[0]).toBe(
            version === "0.14.0" ? "soft_deletion" : "tabular_expiration",
        );
    });
});
