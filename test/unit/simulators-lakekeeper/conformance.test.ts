import { beforeEach, describe, expect, it } from "vitest";
import type { LakekeeperSettings } from "../../../local/simulators/lakekeeper/index.ts";
import { closeLater, type Fixture, startFixture, token } from "../lakekeeper/fixture.ts";
import { startCatalogStub } from "./stub-catalog.ts";

/**
 * Behaviour of the real server that the recordings do not hold, or hold only beside something else; where nothing else
 * is said it was read in the server's source. All the rest is in `replay.test.ts`.
 */
const management = "/management/v1";
const defaultProject = "00000000-0000-0000-0000-000000000000";
const profile = { type: "s3", bucket: "lake", "key-prefix": "w", region: "us-east-1", "sts-enabled": false };

let fixture: Fixture;

async function call(method: string, path: string, json?: unknown, headers: Record<string, string> = {}) {
    const answer = await fetch(`${fixture.simulator.url}${path}`, {
        method,
        headers: {
            authorization: `Bearer ${token}`,
            ...(json === undefined ? {} : { "content-type": "application/json" }),
            ...headers,
        },
        body: json === undefined ? undefined : JSON.stringify(json),
    });
    const text = await answer.text();
    const body = (text.startsWith("{") ? JSON.parse(text) : {}) as Record<string, unknown> & {
        error?: { type: string; message: string; code: number; stack: string[] };
    };
    return { status: answer.status, text, json: body };
}

const start = async (settings: Partial<LakekeeperSettings> & { bootstrapped?: boolean } = {}) => {
    fixture = await startFixture(settings);
};

const create = (name: string, headers = {}, more = {}) =>
    call(
        "POST",
        `${management}/warehouse`,
        { "warehouse-name": name, "storage-profile": { ...profile, "key-prefix": name }, ...more },
        headers,
    );

describe("an error", () => {
    beforeEach(() => start());

    it("of the client keeps its stack and ends it with an error id; one of the server has only that", async () => {
        const id = "11111111-1111-1111-1111-111111111111";
        const { json: missing } = await call("GET", `${management}/warehouse/${id}`);
        expect(missing.error).toMatchObject({ type: "NoSuchWarehouseException", code: 404 });
        expect(missing.error!.stack).toEqual([
            "Warehouse not found or access denied",
            expect.stringMatching(/^Error ID: [0-9a-f-]{36}$/),
        ]);
        await create("a");
        const { json: made } = await create("b");
        const taken = await call("POST", `${management}/warehouse/${made["warehouse-id"]}/rename`, {
            "new-name": "a",
        });
        expect(taken.status).toBe(503);
        expect(taken.json.error!.stack).toEqual([expect.stringMatching(/^Error ID: /)]);
    });
});

describe("the project of a call", () => {
    beforeEach(async () => {
        await start();
        for (const id of ["body", "header"])
            await call("POST", `${management}/project`, { "project-id": id, "project-name": id });
    });

    it("is the body's, else the header's, else the header's of the older name, else the default one", async () => {
        const projectOf = async (name: string, headers: object, more: object) =>
            (await create(name, headers, more)).json["project-id"];
        const both = { "x-project-id": "header", "x-project-ident": "body" };
        expect(await projectOf("a", both, { "project-id": "body" })).toBe("body");
        expect(await projectOf("b", both, {})).toBe("header");
        expect(await projectOf("c", { "x-project-ident": "body" }, {})).toBe("body");
        expect(await projectOf("d", {}, {})).toBe(defaultProject);
    });

    it("is not asked for where a warehouse is named by its id", async () => {
        const { json } = await create("a");
        const path = `${management}/warehouse/${json["warehouse-id"]}`;
        expect((await call("GET", path, undefined, { "x-project-id": "nope" })).status).toBe(200);
    });

    it("may stand in the path, as before 0.11", async () => {
        const path = `${management}/project/header`;
        expect((await call("GET", path)).json["project-name"]).toBe("header");
        expect((await call("POST", `${path}/rename`, { "new-name": "other" })).status).toBe(200);
        expect((await call("GET", path)).json["project-name"]).toBe("other");
        expect((await call("DELETE", path)).status).toBe(204);
        expect((await call("GET", path)).json.error!.type).toBe("ProjectNotFound");
    });
});

describe("a server that is bootstrapped without a project", () => {
    it("stays so when it is bootstrapped again, and takes the default project when it is made by its id", async () => {
        await start();
        expect((await call("DELETE", `${management}/project`)).status).toBe(204);
        const again = await call("POST", `${management}/bootstrap`, { "accept-terms-of-use": true });
        expect([again.status, again.json.error!.type]).toEqual([400, "CatalogAlreadyBootstrapped"]);
        expect((await call("GET", `${management}/project`)).json.error!.type).toBe("ProjectNotFound");
        expect((await create("w")).json.error!.type).toBe("ProjectNotFound");
        const made = { "project-id": defaultProject, "project-name": "Default Project" };
        expect((await call("POST", `${management}/project`, made)).status).toBe(201);
        expect((await create("w")).status).toBe(201);
    });
});

describe("bootstrap with OpenFGA", () => {
    const assignments = async (of: string) =>
        (await call("GET", `${management}/permissions/${of}/assignments`)).json["assignments"];

    it.each([
        ["admin", {}],
        ["operator", { "is-operator": true }],
    ])("makes the caller %s of the server, and admin of the project", async (type, how) => {
        await start({ authzBackend: "openfga", bootstrapped: false });
        const body = { "accept-terms-of-use": true, ...how };
        expect((await call("POST", `${management}/bootstrap`, body)).status).toBe(204);
        const user = "kubernetes~simulated-service-account";
        expect(await assignments("server")).toEqual([{ type, user }]);
        expect(await assignments("project")).toEqual([{ type: "project_admin", user }]);
        // What a later call asks for is not looked at.
        const later = await call("POST", `${management}/bootstrap`, { ...body, "is-operator": true });
        expect(later.status).toBe(400);
        expect(await assignments("server")).toEqual([{ type, user }]);
    });

    it("is refused without a caller", async () => {
        await start({ authzBackend: "openfga", bootstrapped: false, token: null });
        const refused = await call("POST", `${management}/bootstrap`, { "accept-terms-of-use": true });
        expect([refused.status, refused.json.error!.type]).toEqual([401, "AnonymousBootstrap"]);
    });
});

describe("assignments of OpenFGA", () => {
    const path = `${management}/permissions/server/assignments`;
    const [alice, bob] = ["alice", "bob"].map((name) => ({ type: "operator", user: `oidc~${name}` }));
    const kept = async () => (await call("GET", path)).json["assignments"];

    it("are added and taken once, and a call is done whole or not at all", async () => {
        await start({ authzBackend: "openfga" });
        const own = (await kept()) as object[];
        expect((await call("POST", path, { writes: [alice] })).status).toBe(204);
        const twice = await call("POST", path, { writes: [bob, alice] });
        expect([twice.status, twice.json.error!.type]).toEqual([409, "TupleAlreadyExistsError"]);
        expect(await kept()).toEqual([...own, alice]);
        const absent = await call("POST", path, { writes: [], deletes: [alice, bob] });
        expect([absent.status, absent.json.error!.type]).toEqual([404, "TupleNotFoundError"]);
        expect(await kept()).toEqual([...own, alice]);
        expect((await call("POST", path, { writes: [bob], deletes: [alice] })).status).toBe(204);
        expect(await kept()).toEqual([...own, bob]);
    });

    it("have no path on a server that allows everything", async () => {
        await start();
        const { status, text } = await call("GET", path);
        expect([status, text]).toEqual([404, ""]);
    });
});

describe("members of a role", () => {
    it("are added and taken as often as one likes; an unknown user is an error, and nothing is done then", async () => {
        await start();
        await call("POST", `${management}/user`, { id: "oidc~alice", name: "Alice" });
        const { json: role } = await call("POST", `${management}/role`, { name: "r" });
        const path = `${management}/role/${role["id"]}/members`;
        const alice = { type: "user", id: "oidc~alice" };
        const ids = async () =>
            ((await call("GET", path)).json["members"] as { id: string }[]).map(({ id }) => id);
        const unknown = await call("POST", path, { members: [alice, { type: "user", id: "oidc~bob" }] });
        expect([unknown.status, unknown.json.error!.type]).toEqual([404, "RoleAssignmentUserNotFound"]);
        expect(await ids()).toEqual([]);
        for (const _ of [1, 2]) expect((await call("POST", path, { members: [alice] })).status).toBe(200);
        expect(await ids()).toEqual(["oidc~alice"]);
        for (const _ of [1, 2]) expect((await call("DELETE", `${path}/user/oidc~alice`)).status).toBe(204);
        expect(await ids()).toEqual([]);
    });

    it("come in pages, of which the last has no token", async () => {
        await start();
        const { json: role } = await call("POST", `${management}/role`, { name: "r" });
        const path = `${management}/role/${role["id"]}/members`;
        const users = ["a", "b", "c"].map((name) => ({ type: "user", id: `oidc~${name}` }));
        for (const { id } of users) await call("POST", `${management}/user`, { id, name: id });
        await call("POST", path, { members: users });
        const first = (await call("GET", `${path}?pageSize=2`)).json;
        expect(first["members"]).toHaveLength(2);
        const last = (await call("GET", `${path}?pageSize=2&pageToken=${first["next-page-token"]}`)).json;
        expect([last["members"], last["next-page-token"]]).toMatchObject([[{ id: "oidc~c" }], null]);
    });
});

describe("a table that is dropped for good with its files", () => {
    it("leaves a task that blocks its warehouse, and the warehouse can be deleted when that is done", async () => {
        const catalog = await startCatalogStub();
        closeLater(catalog.close);
        await start({ backendUrl: catalog.url });
        const { json } = await create("w");
        const id = json["warehouse-id"];
        await call("POST", `/catalog/v1/${id}/namespaces`, { namespace: ["ns"] });
        catalog.namespaces.get("ns")!.push("t");
        const table = `/catalog/v1/${id}/namespaces/ns/tables/t`;
        expect((await call("DELETE", `${table}?purgeRequested=true`)).status).toBe(204);
        expect((await call("DELETE", `/catalog/v1/${id}/namespaces/ns`)).status).toBe(204);
        const path = `${management}/warehouse/${id}`;
        const blocked = await call("DELETE", `${path}?force=true`);
        expect(blocked.json.error!.type).toBe("WarehouseHasUnfinishedTasks");
        expect(blocked.json.error!.stack[0]).toBe("Unfinished tasks: 1 Tasks in queue 'tabular_purge'");
        await expect.poll(async () => (await call("DELETE", path)).status, { timeout: 5000 }).toBe(204);
    });
});

describe("protection of a table", () => {
    it("is told, set and taken away, and is of tables that are there", async () => {
        const catalog = await startCatalogStub();
        closeLater(catalog.close);
        await start({ backendUrl: catalog.url });
        const { json } = await create("w");
        const id = json["warehouse-id"];
        for (const namespace of [["ns"], ["ns", "sub"]])
            await call("POST", `/catalog/v1/${id}/namespaces`, { namespace });
        const sub = `/catalog/v1/${id}/namespaces/ns%1Fsub`;
        const { json: made } = await call("POST", `${sub}/tables`, { name: "t", schema: {} });
        const uuid = (made["metadata"] as Record<string, string>)["table-uuid"];
        const path = `${management}/warehouse/${id}/table/${uuid}/protection`;
        expect((await call("GET", path)).json).toEqual({ protected: false, updated_at: null });
        expect((await call("POST", path, { protected: true })).json["protected"]).toBe(true);
        expect((await call("GET", path)).json["protected"]).toBe(true);
        // Also the drop of a namespace above it.
        const above = `/catalog/v1/${id}/namespaces/ns?recursive=true`;
        expect((await call("DELETE", above)).json.error!.type).toBe("ChildTabularProtected");
        expect((await call("POST", path, { protected: false })).json["protected"]).toBe(false);
        expect((await call("DELETE", above)).status).toBe(204);
        expect((await call("GET", path)).json.error!.code).toBe(404);
    });
});

describe("the answer of a create", () => {
    it("may be 408 although the warehouse was made", async () => {
        await start();
        fixture.simulator.faults.answerInstead("create_warehouse", 408, undefined);
        const late = await create("w");
        expect([late.status, late.text]).toEqual([408, ""]);
        expect((await call("GET", `${management}/warehouse`)).json["warehouses"]).toMatchObject([
            { name: "w" },
        ]);
        expect((await create("w")).json.error!.type).toBe("CreateWarehouseStorageProfileOverlap");
    });
});

describe("the Iceberg side", () => {
    it("has no tokens of its own", async () => {
        await start();
        const { status, text } = await call("POST", "/catalog/v1/oauth/tokens", {});
        expect([status, text]).toEqual([404, ""]);
    });

    it("gives a configuration only for a warehouse that is named", async () => {
        await start();
        const { status, json } = await call("GET", "/catalog/v1/config");
        expect([status, json.error!.type]).toEqual([400, "GetConfigNoWarehouseProvided"]);
    });
});
