import { describe, expect, it } from "vitest";
import { grants } from "../../../dynamic-providers/lakekeeper/grants.ts";
import { role } from "../../../dynamic-providers/lakekeeper/role.ts";
import { roleMembers } from "../../../dynamic-providers/lakekeeper/role-members.ts";
import { user } from "../../../dynamic-providers/lakekeeper/user.ts";
import { type Bag, lead } from "../../lakekeeper/lead.ts";
import { startFixture } from "./fixture.ts";

const management = "/management/v1";

describe("user", () => {
    const alice = { userId: "oidc~alice", name: "Alice", email: "alice@example.com" };
    const path = `${management}/user/oidc~alice`;

    it("is made, left alone, changed, found changed, and deleted", async () => {
        const fixture = await startFixture();
        const given = { connection: fixture.connection, ...alice };
        const made = lead(user);
        await made.create(given);
        expect(made.id).toBe("oidc~alice");
        expect(await made.up(given)).toBe("same");
        const { email: _, ...withoutEmail } = given;
        expect(await made.up({ ...withoutEmail, name: "Alice B", userType: "application" })).toBe("update");
        expect(await fixture.outside("GET", path)).toMatchObject({
            name: "Alice B",
            email: null,
            "user-type": "application",
        });
        await fixture.outside("PUT", path, { name: "Eve", "user-type": "human" });
        expect(await made.refresh()).toBe("there");
        expect(made.state).toMatchObject({ name: "Eve", userType: "human" });
        expect(await made.up(given)).toBe("update");
        fixture.writes();
        await made.destroy();
        await made.destroy();
        expect(await made.refresh()).toBe("gone");
    });

    it.each<[string, Bag]>([
        ["name", { name: "Alicia" }],
        ["email", { email: "a@example.com" }],
        ["userType", { userType: "application" }],
    ])("takes another %s in place, with one write", async (_field, change) => {
        const fixture = await startFixture();
        const given = { connection: fixture.connection, ...alice };
        const made = lead(user);
        await made.create(given);
        fixture.writes();
        expect(await made.up({ ...given, ...change })).toBe("update");
        expect(fixture.writes()).toEqual(["update_user"]);
        await made.refresh();
        expect(await made.up({ ...given, ...change })).toBe("same");
    });

    it("with another id is another user", async () => {
        const fixture = await startFixture();
        const given = { connection: fixture.connection, ...alice };
        const made = lead(user);
        await made.create(given);
        expect(await made.up({ ...given, userId: "oidc~bob" })).toBe("replace userId");
    });

    it("that exists is an error, or taken over", async () => {
        const fixture = await startFixture();
        await fixture.outside("POST", `${management}/user`, { id: "oidc~alice", name: "theirs" });
        const given = { connection: fixture.connection, ...alice };
        await expect(lead(user).create(given)).rejects.toThrow(/exists already.*adopt: true/s);
        const adopted = lead(user);
        await adopted.create({ ...given, adopt: true });
        expect(adopted.state["adopted"]).toBe(true);
        expect(await fixture.outside("GET", path)).toMatchObject({ name: "Alice" });
    });

    it("survives lost answers, and an id without a provider is refused", async () => {
        const fixture = await startFixture();
        const given = { connection: fixture.connection, ...alice };
        for (const operation of ["create_user", "update_user", "delete_user"]) {
            fixture.simulator.faults.loseNextAnswer(operation);
        }
        const made = lead(user);
        await made.create(given);
        expect(made.state["adopted"]).toBe(false);
        await made.up({ ...given, name: "B" });
        await made.destroy();
        expect(await made.refresh()).toBe("gone");
        await expect(lead(user).create({ ...given, userId: "alice" })).rejects.toThrow(/userId/);
    });
});

describe("role", () => {
    it("is made, renamed and described in place, found changed, and deleted", async () => {
        const fixture = await startFixture();
        const given = { connection: fixture.connection, name: "analysts", description: "They read" };
        const made = lead(role);
        await made.create(given);
        expect(fixture.writes()).toEqual(["create_role"]);
        expect(await made.up(given)).toBe("same");
        expect(await made.up({ connection: fixture.connection, name: "readers" })).toBe("update");
        const path = `${management}/role/${made.id}`;
        expect(await fixture.outside("GET", path)).toMatchObject({ name: "readers", description: null });
        await fixture.outside("POST", path, { name: "theirs" });
        await made.refresh();
        expect(await made.up(given)).toBe("update");
        expect(await fixture.outside("GET", path)).toMatchObject({
            name: "analysts",
            description: "They read",
        });
        await made.destroy();
        await made.destroy();
        expect(await made.refresh()).toBe("gone");
    });

    it("of an identity provider changes where it comes from in place", async () => {
        const fixture = await startFixture();
        const given = { connection: fixture.connection, name: "a", providerId: "oidc", sourceId: "g1" };
        const made = lead(role);
        await made.create(given);
        fixture.writes();
        expect(await made.up({ ...given, sourceId: "g2" })).toBe("update");
        expect(fixture.writes()).toEqual(["update_role_source_system"]);
        await expect(made.up({ connection: fixture.connection, name: "a" })).rejects.toThrow(/taken away/);
        await expect(lead(role).create({ ...given, sourceId: undefined })).rejects.toThrow(/together/);
    });

    it("of an identity provider is refused where the server would drop that", async () => {
        const fixture = await startFixture({ version: "0.11.6" });
        const given = { connection: fixture.connection, name: "a", providerId: "oidc", sourceId: "g1" };
        await expect(lead(role).create(given)).rejects.toThrow(/need Lakekeeper 0\.12\.0.*0\.11\.6/);
        expect(fixture.writes()).toEqual([]);
    });

    it("of the same name is an error, also on a later page of the list, or taken over", async () => {
        const fixture = await startFixture();
        for (let n = 0; n < 101; n++) await fixture.outside("POST", `${management}/role`, { name: `r${n}` });
        const given = { connection: fixture.connection, name: "R100", description: "ours" };
        await expect(lead(role).create(given)).rejects.toThrow(/'r100' exists already.*adopt: true/s);
        const adopted = lead(role);
        await adopted.create({ ...given, adopt: true });
        expect(adopted.state["adopted"]).toBe(true);
        expect(await adopted.up({ ...given, adopt: true })).toBe("same");
    });

    it("survives lost answers", async () => {
        const fixture = await startFixture();
        for (const operation of ["create_role", "update_role", "delete_role"]) {
            fixture.simulator.faults.loseNextAnswer(operation);
        }
        const made = lead(role);
        await made.create({ connection: fixture.connection, name: "a" });
        await made.up({ connection: fixture.connection, name: "b" });
        await made.destroy();
        expect(await made.refresh()).toBe("gone");
    });
});

describe("role members", () => {
    async function withRole() {
        const fixture = await startFixture();
        for (const id of ["oidc~a", "oidc~b", "oidc~c"]) {
            await fixture.outside("POST", `${management}/user`, { id, name: id });
        }
        const made = await fixture.outside("POST", `${management}/role`, { name: "r" });
        fixture.writes();
        const members = async () => {
            const list = await fixture.outside("GET", `${management}/role/${made.id}/members`);
            return list.members.map((one: Bag) => one["id"]).sort();
        };
        const given = (ids: string[], change: Bag = {}) => ({
            connection: fixture.connection,
            roleId: made.id,
            members: ids.map((id) => ({ type: "user", id })),
            ...change,
        });
        return { fixture, members, given, path: `${management}/role/${made.id}` };
    }

    it("are kept by difference, and those of others stay", async () => {
        const { fixture, members, given, path } = await withRole();
        await fixture.outside("POST", `${path}/members`, { members: [{ type: "user", id: "oidc~c" }] });
        fixture.writes();
        const made = lead(roleMembers);
        await made.create(given(["oidc~b", "oidc~a"]));
        expect(await made.up(given(["oidc~a", "oidc~b"]))).toBe("same");
        expect(await made.up(given(["oidc~a"]))).toBe("update");
        expect(fixture.writes()).toEqual(["add_role_members", "remove_role_member"]);
        expect(await members()).toEqual(["oidc~a", "oidc~c"]);
        await fixture.outside("DELETE", `${path}/members/user/oidc~a`);
        await made.refresh();
        expect(await made.up(given(["oidc~a"]))).toBe("update");
        await made.destroy();
        expect(await members()).toEqual(["oidc~c"]);
    });

    it("are exactly these when they are exclusive", async () => {
        const { fixture, members, given, path } = await withRole();
        const made = lead(roleMembers);
        await made.create(given(["oidc~a"], { exclusive: true }));
        await fixture.outside("POST", `${path}/members`, { members: [{ type: "user", id: "oidc~c" }] });
        await made.refresh();
        expect(await made.up(given(["oidc~a"], { exclusive: true }))).toBe("update");
        expect(await members()).toEqual(["oidc~a"]);
    });

    it("are gone with their role, and one that the server does not know is an error", async () => {
        const { fixture, given, path } = await withRole();
        await expect(lead(roleMembers).create(given(["oidc~nobody"]))).rejects.toThrow(
            /404 RoleAssignmentUserNotFound/,
        );
        const made = lead(roleMembers);
        await made.create(given(["oidc~a"]));
        await fixture.outside("DELETE", path);
        await made.destroy();
        expect(await made.refresh()).toBe("gone");
    });

    it("need 0.13", async () => {
        const fixture = await startFixture({ version: "0.12.2" });
        const given = { connection: fixture.connection, roleId: "r", members: [] };
        await expect(lead(roleMembers).create(given)).rejects.toThrow(/need Lakekeeper 0\.13\.0.*0\.12\.2/);
    });
});

describe("grants", () => {
    const on = { type: "warehouse", warehouseId: "01a229e3-0000-7000-8000-000000000001" };
    const path = `${management}/permissions/warehouse/${on.warehouseId}/assignments`;

    async function withOpenFga() {
        const fixture = await startFixture({ authzBackend: "openfga" });
        const given = (list: Bag[], change: Bag = {}) => ({
            connection: fixture.connection,
            on,
            grants: list,
            ...change,
        });
        const now = async () => (await fixture.outside("GET", path)).assignments;
        return { fixture, given, now };
    }
    const select = { relation: "select", user: "oidc~a" };
    const modify = { relation: "modify", role: "01a229e3-0000-7000-8000-000000000002" };

    it("are kept by difference in one call, and those of others stay", async () => {
        const { fixture, given, now } = await withOpenFga();
        await fixture.outside("POST", path, { writes: [{ type: "ownership", user: "oidc~root" }] });
        fixture.writes();
        const made = lead(grants);
        await made.create(given([select, modify]));
        expect(await made.up(given([modify, select]))).toBe("same");
        expect(await made.up(given([modify, { ...select, user: "oidc~b" }]))).toBe("update");
        expect(fixture.writes()).toEqual(Array(2).fill("update_warehouse_assignments"));
        expect(await now()).toEqual([
            { type: "ownership", user: "oidc~root" },
            { type: "modify", role: modify.role },
            { type: "select", user: "oidc~b" },
        ]);
        await fixture.outside("POST", path, { deletes: [{ type: "select", user: "oidc~b" }] });
        await made.refresh();
        expect(await made.up(given([modify, { ...select, user: "oidc~b" }]))).toBe("update");
        await made.destroy();
        expect(await now()).toEqual([{ type: "ownership", user: "oidc~root" }]);
    });

    it("take others away when they are exclusive", async () => {
        const { fixture, given, now } = await withOpenFga();
        await fixture.outside("POST", path, { writes: [{ type: "ownership", user: "oidc~root" }] });
        await lead(grants).create(given([select], { exclusive: true }));
        expect(await now()).toEqual([{ type: "select", user: "oidc~a" }]);
    });

    it("are taken anew when somebody was faster, and survive a lost answer", async () => {
        const { fixture, given, now } = await withOpenFga();
        const error = { error: { message: "m", type: "TupleAlreadyExistsError", code: 409, stack: [] } };
        fixture.simulator.faults.failNext("update_warehouse_assignments", 409, error);
        const made = lead(grants);
        await made.create(given([select]));
        fixture.simulator.faults.loseNextAnswer("update_warehouse_assignments");
        await made.up(given([select, modify]));
        expect(await now()).toHaveLength(2);
    });

    it("are refused in preview where the authorizer has none, with the reason", async () => {
        const fixture = await startFixture();
        const given = { connection: fixture.connection, on: { type: "server" }, grants: [] };
        await expect(lead(grants).create(given)).rejects.toThrow(/OpenFGA.*allow-all.*everybody/);
    });

    it.each<[Bag, Bag, RegExp]>([
        [{ type: "server" }, { relation: "select", user: "u" }, /grants\.0\.relation: must be one of admin/],
        [on, { relation: "select" }, /either a user or a role/],
        [on, { relation: "select", user: "u", role: "r" }, /either a user or a role/],
    ])("on %j refuse %j", async (object, one, message) => {
        const { fixture } = await withOpenFga();
        const given = { connection: fixture.connection, on: object, grants: [one] };
        await expect(lead(grants).create(given)).rejects.toThrow(message);
    });

    it.each<Bag>([
        { type: "server" },
        { type: "project" },
        { type: "project", projectId: "00000000-0000-0000-0000-000000000000" },
        { type: "namespace", namespaceId: "01a229e3-0000-7000-8000-000000000003" },
        { type: "role", roleId: "01a229e3-0000-7000-8000-000000000004" },
    ])("can be given on %j", async (object) => {
        const { fixture } = await withOpenFga();
        const relation = { server: "admin", role: "assignee" }[String(object["type"])] ?? "select";
        const made = lead(grants);
        const given = { connection: fixture.connection, on: object, grants: [{ relation, user: "oidc~a" }] };
        await made.create(given);
        await made.refresh();
        expect(await made.up(given)).toBe("same");
        await made.destroy();
    });
});
