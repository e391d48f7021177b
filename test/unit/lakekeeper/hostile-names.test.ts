import { describe, expect, it } from "vitest";
import { grants } from "../../../dynamic-providers/lakekeeper/grants.ts";
import { namespace } from "../../../dynamic-providers/lakekeeper/namespace.ts";
import { project } from "../../../dynamic-providers/lakekeeper/project.ts";
import { role } from "../../../dynamic-providers/lakekeeper/role.ts";
import { roleMembers } from "../../../dynamic-providers/lakekeeper/role-members.ts";
import { taskQueue } from "../../../dynamic-providers/lakekeeper/task-queue.ts";
import { user } from "../../../dynamic-providers/lakekeeper/user.ts";
import { warehouse } from "../../../dynamic-providers/lakekeeper/warehouse.ts";
import { startMemoryCatalog } from "../../../local/simulators/lakekeeper/memory-catalog.ts";
import { type Bag, lead } from "../../lakekeeper/lead.ts";
import { closeLater, type Fixture, startFixture } from "./fixture.ts";

/** Names that mean something to URLs, to JSON, to SQL or to a shell. */
const odd = [
    "it's",
    'say "hi"',
    "a%2Fb",
    "%2e%2e",
    "a?b#c&d=e",
    "${HOME}",
    "'; DROP TABLE warehouse; --",
    "zażółć 雪 🏔",
    "x".repeat(120),
    "__proto__",
    "a\\b",
    "<b>",
];
/** Some resources take these, too. */
const withSlashes = ["a/b", "../../x", "..%2F..", "/"];
const never = ["", "a\nb", "a\u0000b", "a\u001fb", "\ud800"];

async function open(): Promise<Fixture & { warehouseId: string }> {
    const catalog = await startMemoryCatalog();
    closeLater(catalog.close);
    const fixture = await startFixture({ backendUrl: catalog.url, authzBackend: "openfga" });
    const made = lead(warehouse);
    await made.create({ ...onS3(fixture, "base"), name: "base" });
    return { ...fixture, warehouseId: made.id };
}

const onS3 = ({ connection }: Pick<Fixture, "connection">, keyPrefix: string): Bag => ({
    connection,
    storage: { type: "s3", bucket: "lake", keyPrefix, region: "us-east-1" },
    deletionProtection: false,
    storageWaitSeconds: 0,
});

interface Named {
    kind: string;
    lead: () => ReturnType<typeof lead<object, object>>;
    of: (fixture: Fixture & { warehouseId: string }, name: string) => Bag;
    names: string[];
}

const kinds: Named[] = [
    {
        kind: "project",
        lead: () => lead(project) as never,
        of: ({ connection }, name) => ({ connection, projectId: "p", name, deletionProtection: false }),
        names: [...odd, ...withSlashes],
    },
    {
        kind: "warehouse",
        lead: () => lead(warehouse) as never,
        // A slash and a blank break what clients take as `warehouse`.
        of: (fixture, name) => ({ ...onS3(fixture, "w"), name }),
        names: odd.filter((name) => !/[\s/]/.test(name)),
    },
    {
        kind: "warehouse, in a folder",
        lead: () => lead(warehouse) as never,
        of: (fixture, name) => ({ ...onS3(fixture, name), name: "w" }),
        names: [...odd, "a/b", "../../x"],
    },
    {
        kind: "namespace",
        lead: () => lead(namespace) as never,
        of: ({ connection, warehouseId }, name) => ({
            connection,
            warehouseId,
            namespace: name,
            properties: { [name]: name },
            deletionProtection: false,
        }),
        names: [...odd, ...withSlashes, "...", "a.b"],
    },
    {
        kind: "namespace inside",
        lead: () => lead(namespace) as never,
        of: ({ connection, warehouseId }, name) => ({
            connection,
            warehouseId,
            namespace: [name, name],
            deletionProtection: false,
        }),
        names: [...odd, ...withSlashes],
    },
    {
        kind: "user",
        lead: () => lead(user) as never,
        of: ({ connection }, name) => ({ connection, userId: `oidc~${name}`, name }),
        names: [...odd, ...withSlashes, "..", "a~b"],
    },
    {
        kind: "role",
        lead: () => lead(role) as never,
        of: ({ connection }, name) => ({
            connection,
            name,
            description: name,
            providerId: "p",
            sourceId: name,
        }),
        names: [...odd, ...withSlashes, ".."],
    },
];

describe.each(kinds)("$kind", (one) => {
    it.each(one.names)("called %j is made, found, left alone and deleted", async (name) => {
        const fixture = await open();
        const made = one.lead();
        const given = one.of(fixture, name);
        await made.create(given);
        expect(await made.refresh()).toBe("there");
        expect(await made.up(given)).toBe("same");
        await made.destroy();
        expect(await made.refresh()).toBe("gone");
    });

    // No folder at all is allowed.
    it.each(never.filter((name) => one.kind !== "warehouse, in a folder" || name !== ""))(
        "called %j is refused in the preview",
        async (name) => {
            const fixture = await open();
            fixture.writes();
            await expect(one.lead().create(one.of(fixture, name))).rejects.toThrow(
                /: must |: a warehouse name/,
            );
            expect(fixture.writes()).toEqual([]);
        },
    );
});

const nowhere = ["", ".", "..", "../x", "a/b", "a b", "a%2Fb", "a\nb", "ü"];

describe.each<[string, () => ReturnType<Named["lead"]>, (id: string) => Bag]>([
    ["projectId of a warehouse", () => lead(warehouse) as never, (id) => ({ projectId: id, name: "w" })],
    ["projectId of a role", () => lead(role) as never, (id) => ({ projectId: id, name: "r" })],
    ["projectId of a project", () => lead(project) as never, (id) => ({ projectId: id, name: "P" })],
    [
        "projectId of a queue",
        () => lead(taskQueue) as never,
        (id) => ({ projectId: id, queue: "task_log_cleanup" }),
    ],
    ["queue", () => lead(taskQueue) as never, (id) => ({ warehouseId: "w", queue: id })],
    [
        "warehouseId of a queue",
        () => lead(taskQueue) as never,
        (id) => ({ warehouseId: id, queue: "tabular_purge" }),
    ],
    ["warehouseId", () => lead(namespace) as never, (id) => ({ warehouseId: id, namespace: "n" })],
    ["roleId of members", () => lead(roleMembers) as never, (id) => ({ roleId: id, members: [] })],
    [
        "projectId of members",
        () => lead(roleMembers) as never,
        (id) => ({ projectId: id, roleId: "r", members: [] }),
    ],
    ...(["warehouse", "namespace", "role", "project"] as const).map(
        (type) =>
            [
                `${type}Id of grants`,
                () => lead(grants) as never,
                (id: string) => ({ on: { type, [`${type}Id`]: id }, grants: [] }),
            ] as [string, () => ReturnType<Named["lead"]>, (id: string) => Bag],
    ),
])("%s", (_title, resource, given) => {
    it.each(nowhere)("%j is refused in the preview, since it would be another path", async (id) => {
        const fixture = await startFixture();
        const before = fixture.simulator.requests.length;
        const work = resource().check({ ...onS3(fixture, "w"), ...given(id) });
        await expect(work).rejects.toThrow(/: must be /);
        expect(fixture.simulator.requests.length).toBe(before);
    });
});

it.each([".", ".."])(
    "a namespace or a member called %j is refused, since no path can name it",
    async (name) => {
        const connection = { url: "http://lakekeeper" };
        const inside = lead(namespace).check({ connection, warehouseId: "w", namespace: name });
        await expect(inside).rejects.toThrow(/must not be a dot or two dots/);
        const members = [{ type: "user", id: name }];
        await expect(lead(roleMembers).check({ connection, roleId: "r", members })).rejects.toThrow(
            /id of a user/,
        );
    },
);

it("a namespace that others called .. is not taken for another path when a warehouse is drained", async () => {
    const fixture = await open();
    const made = lead(warehouse);
    await made.create({ ...onS3(fixture, "w"), name: "w", drain: {} });
    await fixture.outside("POST", `/catalog/v1/${made.id}/namespaces`, { namespace: [".."] });
    await expect(made.destroy()).rejects.toThrow(/could not drop namespace '\.\.'.*no path can name/s);
    expect(await made.refresh()).toBe("there");
});
