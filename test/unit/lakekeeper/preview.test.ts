import { describe, expect, it, vi } from "vitest";
import { grants } from "../../../dynamic-providers/lakekeeper/grants.ts";
import { namespace } from "../../../dynamic-providers/lakekeeper/namespace.ts";
import { role } from "../../../dynamic-providers/lakekeeper/role.ts";
import { roleMembers } from "../../../dynamic-providers/lakekeeper/role-members.ts";
import { taskQueue } from "../../../dynamic-providers/lakekeeper/task-queue.ts";
import { warehouse } from "../../../dynamic-providers/lakekeeper/warehouse.ts";
import { type Bag, lead } from "../../lakekeeper/lead.ts";
import { startCatalogStub } from "../simulators-lakekeeper/stub-catalog.ts";
import { startS3Stub } from "../simulators-lakekeeper/stub-s3.ts";
import { closeLater, type Fixture, startFixture } from "./fixture.ts";

const storage = { type: "s3", bucket: "lake", keyPrefix: "p", region: "us-east-1" };
const credential = { type: "s3-access-key", accessKeyId: "AKIAEXAMPLE", secretAccessKey: "the-secret-key" };

const args = ({ connection }: Fixture, change: Bag = {}): Bag => ({
    connection,
    name: "w",
    storage,
    credential,
    deletionProtection: false,
    storageWaitSeconds: 0,
    ...change,
});

/** What a check warns of. */
async function warningsOf(work: () => Promise<unknown>): Promise<string> {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    try {
        await work();
        return warn.mock.calls.flat().join("\n");
    } finally {
        warn.mockRestore();
    }
}

describe("a change of a warehouse on a server with trial calls", () => {
    async function withTrials() {
        const store = await startS3Stub();
        closeLater(store.close);
        const fixture = await startFixture({ version: "0.14.0", s3: { endpoint: store.endpoint } });
        const made = lead(warehouse);
        await made.create(args(fixture));
        fixture.writes();
        store.deny["PUT"] = { status: 403, code: "AccessDenied", message: "Access Denied" };
        return { fixture, made };
    }

    it.each<[string, Bag, string, RegExp]>([
        [
            "a new storage",
            { storage: { ...storage, pushS3DeleteDisabled: false } },
            "validate_storage_profile",
            /the new storage of warehouse 'w' would be refused now \(lakekeeper-read-write\): PermissionDenied/,
        ],
        [
            "a new key",
            { credential: { ...credential, accessKeyId: "AKIAOTHER" } },
            "validate_storage_credential",
            /the new credential of warehouse 'w' would be refused now \(lakekeeper-read-write\): PermissionDenied/,
        ],
    ])(
        "%s is tried out, and what would be refused is a warning without the key",
        async (_title, change, operation, message) => {
            const { fixture, made } = await withTrials();
            const said = await warningsOf(() => made.check(args(fixture, change)));
            expect(said).toMatch(message);
            expect(said).not.toContain("the-secret-key");
            expect(fixture.writes()).toEqual([operation]);
        },
    );

    it("is not tried out when nothing of the storage changes, or the warehouse would be another one", async () => {
        const { fixture, made } = await withTrials();
        await made.check(args(fixture, { name: "renamed" }));
        await made.check(args(fixture, { storage: { ...storage, keyPrefix: "q" } }));
        expect(fixture.writes()).toEqual([]);
    });
});

describe("what is seldom meant is a warning", () => {
    it("no folder: the warehouse takes the whole bucket", async () => {
        const fixture = await startFixture();
        const whole = { ...storage, keyPrefix: undefined };
        const made = lead(warehouse);
        expect(await warningsOf(() => made.create(args(fixture, { storage: whole })))).toMatch(
            /without storage\.keyPrefix the warehouse takes s3:\/\/lake .*whole/,
        );
        // It is told once, not by every up.
        expect(await warningsOf(() => made.up(args(fixture, { storage: whole, name: "x" })))).toBe("");
    });

    it.each<[Bag, Bag, RegExp | undefined]>([
        [{}, {}, /without storage\.assumeRoleArn and credential\.externalId/],
        [{ assumeRoleArn: "arn:aws:iam::1:role/r" }, {}, /without credential\.externalId, unless/],
        [{ assumeRoleArn: "arn:aws:iam::1:role/r" }, { externalId: "x" }, undefined],
    ])("a system identity with %j and %j", async (profile, identity, message) => {
        const fixture = await startFixture({ systemIdentities: true });
        const given = args(fixture, {
            storage: { ...storage, ...profile },
            credential: { type: "s3-system-identity", ...identity },
        });
        const said = await warningsOf(() => lead(warehouse).check(given));
        if (message) expect(said).toMatch(message);
        else expect(said).toBe("");
    });
});

describe("what the server cannot do is refused in the preview", () => {
    it.each<[string, () => { check: (given: Bag) => Promise<unknown> }, Bag, RegExp]>([
        [
            "a role of a provider on 0.11",
            () => lead(role),
            { name: "r", providerId: "p", sourceId: "s" },
            /providerId and sourceId need Lakekeeper 0\.12\.0, and the server is 0\.11\.6/,
        ],
        [
            "members of a role on 0.11",
            () => lead(roleMembers),
            { roleId: "r", members: [] },
            /members of a role need Lakekeeper 0\.13\.0/,
        ],
        [
            "a queue that is none",
            () => lead(taskQueue),
            { warehouseId: "w", queue: "nope" },
            /no queue 'nope'/,
        ],
        [
            "grants without OpenFGA",
            () => lead(grants),
            { on: { type: "server" }, grants: [] },
            /grants need a server with OpenFGA/,
        ],
        [
            "session tags, which 0.10 leaves out of its trial",
            () => lead(warehouse),
            { name: "w", storage: { ...storage, stsSessionTags: { a: "b" } } },
            /storage\.stsSessionTags needs Lakekeeper 0\.11\.0, and the server is 0\.10\.4/,
        ],
    ])("%s", async (title, resource, given, message) => {
        const version = title.includes("0.10") ? "0.10.4" : "0.11.6";
        const fixture = await startFixture({ version });
        await expect(resource().check({ connection: fixture.connection, ...given })).rejects.toThrow(message);
    });

    it.each([
        [
            { warehouseId: "w", queue: "task_log_cleanup" },
            /warehouseId must be given, but not for task_log_cleanup/,
        ],
        [{ queue: "tabular_purge" }, /warehouseId must be given/],
        [
            { warehouseId: "w", projectId: "p", queue: "tabular_purge" },
            /projectId belongs to task_log_cleanup/,
        ],
    ])("a queue in the wrong place: %j", async (given, message) => {
        const fixture = await startFixture();
        await expect(lead(taskQueue).check({ connection: fixture.connection, ...given })).rejects.toThrow(
            message,
        );
    });
});

describe("a project that the caller may no longer see", () => {
    it("makes nothing in it gone: each refresh is an error that says what is missing", async () => {
        const catalog = await startCatalogStub();
        closeLater(catalog.close);
        const fixture = await startFixture({ backendUrl: catalog.url, authzBackend: "openfga" });
        const { connection } = fixture;
        const base = lead(warehouse);
        await base.create(args(fixture));
        const [inside, queue, reader, member] = [
            lead(namespace),
            lead(taskQueue),
            lead(role),
            lead(roleMembers),
        ];
        await inside.create({ connection, warehouseId: base.id, namespace: "finance" });
        await queue.create({ connection, warehouseId: base.id, queue: "tabular_purge" });
        await reader.create({ connection, name: "readers" });
        await member.create({ connection, roleId: reader.id, members: [] });
        const project = String(base.state["project"]);
        fixture.simulator.hideProject(project, true);
        for (const made of [base, inside, queue, reader, member]) {
            await expect(made.refresh()).rejects.toThrow(/403 ProjectActionForbidden.*another token/s);
        }
        fixture.simulator.hideProject(project, false);
        for (const made of [base, inside, queue, reader, member]) expect(await made.refresh()).toBe("there");
        await fixture.outside("DELETE", `/catalog/v1/${base.id}/namespaces/finance`);
        await fixture.outside("DELETE", `/management/v1/warehouse/${base.id}`);
        for (const made of [base, inside, queue]) expect(await made.refresh()).toBe("gone");
    });
});

describe("where clients find a warehouse", () => {
    it("is told for any project, and the catalog's configuration agrees", async () => {
        const catalog = await startCatalogStub();
        closeLater(catalog.close);
        const fixture = await startFixture({ backendUrl: catalog.url });
        await fixture.outside("POST", "/management/v1/project", {
            "project-id": "desk",
            "project-name": "D",
        });
        for (const projectId of [undefined, "desk"]) {
            const made = lead(warehouse);
            await made.create(args(fixture, { projectId }));
            const { catalogWarehouse, catalogUri } = made.state as Record<string, string>;
            expect(catalogWarehouse).toBe(`${projectId ?? "00000000-0000-0000-0000-000000000000"}/w`);
            const query = new URLSearchParams({ warehouse: catalogWarehouse! });
            const config = await fixture.outside("GET", `/catalog/v1/config?${query}`);
            expect(config).toMatchObject({ defaults: { prefix: made.id }, overrides: { uri: catalogUri } });
        }
    });
});
