import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changed, leads, staying } from "./cases/case.ts";
import { adoptions, type Losable, losables } from "./cases/meetings.ts";
import { kept, refusals } from "./cases/refusals.ts";
import type { Bag } from "./lead.ts";
import { contractFaults, hasContract } from "./openapi.ts";
import type { Trouble } from "./proxy.ts";
import { makeWorld, type World } from "./world.ts";

/** What the provider meets on a server: what is there before, answers that get lost, and refusals. */
let world: World;
beforeAll(async () => {
    world = await makeWorld();
});
afterAll(async () => {
    await world?.close();
});

describe("what exists already", () => {
    it.for(adoptions.map((one) => [one.kind, one] as const))(
        "%s: is an error that says how, then taken over and brought to the arguments",
        async ([, { kind, lacks, first, given, refusal, shows }], { skip }) => {
            skip(lacks?.(world) !== undefined, lacks?.(world));
            await first(world);
            const count = world.proxy.writes();
            await expect(leads[kind]().create(given(world))).rejects.toThrow(refusal);
            expect(world.proxy.writes()).toBe(count);
            const made = leads[kind]();
            const wanted = { ...given(world), adopt: true };
            await made.create(wanted);
            try {
                expect(made.state["adopted"]).toBe(true);
                expect(await world.outside("GET", shows.path(world, made.id))).toMatchObject(shows.has);
                expect(await made.up(wanted)).toBe("same");
                expect(await made.refresh()).toBe("there");
                expect(await made.up(wanted)).toBe("same");
            } finally {
                await made.destroy();
            }
        },
    );

    it("server: is taken as it is", async () => {
        const made = leads.server();
        await made.create({ connection: world.connection, acceptTermsOfUse: true });
        expect(made.state).toMatchObject({ adopted: true, version: world.info.version });
        expect(made.id).toBe(world.info["server-id"]);
    });
});

/** What an answer can meet on its way, and whether the work was done. */
const troubles: [title: string, trouble: Omit<Trouble, "method" | "path">][] = [
    ["is lost", { does: "lose answer" }],
    ["is 408 although the work was done", { does: "answer instead", status: 408 }],
    [
        "is 503 with Retry-After, twice",
        { does: "answer", status: 503, headers: { "retry-after": "0" }, body: maintenance(), times: 2 },
    ],
    ["is 429", { does: "answer", status: 429, headers: { "retry-after": "0" }, body: "slow down" }],
    ["is 500 of a blocked database", { does: "answer", status: 500, body: failure("DatabaseError", 500) }],
];

describe.each(troubles)("each answer of a change %s", (title, trouble) => {
    // The database is waited for half a second, call by call: one kind shows it.
    const some = trouble.status === 500 ? losables.filter(({ kind }) => kind === "role") : losables;
    it.for(some.map((one) => [`${one.kind} (${one.slug})`, one] as const))(
        "%s: there is one object, as asked",
        async ([, one], { skip }) => {
            skip(one.lacks?.(world) !== undefined, one.lacks?.(world));
            const order = (step: keyof Losable["calls"]) =>
                world.proxy.order(...one.calls[step].map(([method, path]) => ({ ...trouble, method, path })));
            const met = (step: string) => expect(world.proxy.unmet(), `${title}: ${step}`).toEqual([]);
            const made = leads[one.kind]();
            const given = one.given(world);
            const next = changed(given, one.change(world));
            order("create");
            await made.create(given);
            met("create");
            expect(made.state["adopted"] ?? false, "it is ours").toBe(false);
            order("update");
            expect(await made.up(next)).toBe("update");
            met("update");
            expect(await made.refresh()).toBe("there");
            expect(await made.up(next)).toBe("same");
            order("delete");
            await made.destroy();
            met("delete");
            if (!staying.includes(one.kind)) expect(await made.refresh()).toBe("gone");
        },
    );
});

describe("what cannot be", () => {
    it.for(refusals.map((one) => [`${one.kind}: ${one.title}`, one] as const))(
        "%s",
        async ([, { kind, lacks, first, given, message, early }], { skip }) => {
            skip(lacks?.(world) !== undefined, lacks?.(world));
            await first?.(world);
            const count = world.proxy.writes();
            const work = early ? leads[kind]().check(given(world)) : leads[kind]().create(given(world));
            const said = await work.then(
                () => "nothing was refused",
                (error: Error) => error.message,
            );
            expect(said).toMatch(message);
            expect(said).not.toContain(String(world.credential["secretAccessKey"]));
            if (early) expect(world.proxy.writes()).toBe(count);
        },
    );

    it.for(kept.map((one) => [one.title, one] as const))(
        "%s is not deleted, and is once the way is clear",
        async ([, { kind, lacks, given, first, message, clear }], { skip }) => {
            skip(lacks?.(world) !== undefined, lacks?.(world));
            const made = leads[kind]();
            await made.create(given(world));
            await first?.(world, made.id);
            await expect(made.destroy()).rejects.toThrow(message);
            expect(await made.refresh(), "it is still there").toBe("there");
            await clear(world, made.id);
            await made.destroy();
            expect(await made.refresh()).toBe("gone");
        },
    );

    it.for(["project", "warehouse", "namespace"] as const)(
        "%s: a replacement or deletion while deletion protection is on",
        async (kind, { skip }) => {
            skip(kind !== "project" && world.noWarehouses !== undefined, world.noWarehouses);
            const { given, change } = protectedOnes[kind];
            const made = leads[kind]();
            await made.create(given(world));
            const count = world.proxy.writes();
            await expect(made.destroy()).rejects.toThrow(/deletionProtection is on/);
            await expect(made.check({ ...given(world), ...change(world) })).rejects.toThrow(
                /cannot change.*deletionProtection: false/s,
            );
            expect(world.proxy.writes()).toBe(count);
            await made.up({ ...given(world), deletionProtection: false });
            await made.destroy();
        },
    );

    it("warehouse: a replacement of one that holds something, in the preview, which names it", async ({
        skip,
    }) => {
        skip(world.noWarehouses !== undefined, world.noWarehouses);
        const made = leads.warehouse();
        const given = { ...protectedOnes.warehouse.given(world), deletionProtection: false };
        const next = { ...given, ...protectedOnes.warehouse.change(world) };
        await made.create(given);
        await made.check(next);
        await world.outside("POST", `/catalog/v1/${made.id}/namespaces`, { namespace: ["in_protected"] });
        await expect(made.check(next)).rejects.toThrow(
            /storage cannot change.*not empty: in_protected \(namespace\)/s,
        );
        await made.up({ ...given, drain: {} });
        await made.check({ ...next, drain: {} });
        await made.destroy();
    });
});

const protectedOnes: Record<
    "project" | "warehouse" | "namespace",
    { given: (world: World) => Bag; change: (world: World) => Bag }
> = {
    project: {
        given: ({ connection, run }) => ({ connection, projectId: `${run}-p`, name: "P" }),
        change: ({ run }) => ({ projectId: `${run}-p2` }),
    },
    warehouse: {
        given: (world) => ({
            connection: world.connection,
            projectId: world.project,
            name: "protected",
            storage: world.storage("protected"),
            credential: world.credential,
        }),
        change: (world) => ({ storage: world.storage("protected-2") }),
    },
    namespace: {
        given: ({ connection, warehouse }) => ({ connection, warehouseId: warehouse, namespace: "p" }),
        change: () => ({ namespace: "p2" }),
    },
};

describe("a server that is busy", () => {
    it("is waited for as long as it asks, within the time of the operation, and no longer", async () => {
        const path = /\/user$/;
        const later = (seconds: string, times: number) =>
            world.proxy.order({
                method: "POST",
                path,
                times,
                does: "answer",
                status: 503,
                headers: { "retry-after": seconds },
                body: maintenance(),
            });
        const given = { connection: world.connection, userId: `oidc~${world.run}-busy`, name: "B" };
        later("1", 1);
        const started = Date.now();
        const made = leads.user();
        await made.create(given);
        expect(Date.now() - started).toBeGreaterThanOrEqual(1000);
        await made.destroy();
        later("60", 1);
        const hurried = { ...given, connection: { ...world.connection, timeoutSeconds: 2 } };
        const before = Date.now();
        await expect(leads.user().create(hurried)).rejects.toThrow(
            /503 MaintenanceModeError.*raise connection\.timeoutSeconds/s,
        );
        expect(Date.now() - before).toBeLessThan(2000);
    });

    it("and never answers is told after the time of the operation, and what was lost is looked up", async () => {
        const connection = { ...world.connection, timeoutSeconds: 1 };
        const given = { connection, userId: `oidc~${world.run}-slow`, name: "S" };
        world.proxy.order({ method: "POST", path: /\/user$/, does: "delay", milliseconds: 1500 });
        await expect(leads.user().create(given)).rejects.toThrow(/no answer within 1 s/);
        // It was made all the same, after nobody waited for it any more.
        await new Promise((resolve) => setTimeout(resolve, 800));
        const made = leads.user();
        await made.create({ ...given, adopt: true });
        await made.destroy();
    });
});

it.skipIf(!hasContract)("all calls fit Lakekeeper's OpenAPI document (LAKEKEEPER_OPENAPI)", () => {
    expect(contractFaults()).toEqual([]);
});

function failure(type: string, code: number): Bag {
    return { error: { message: "as ordered by the test", type, code, stack: [] } };
}

function maintenance(): Bag {
    return { error: { message: "read-only", type: "MaintenanceModeError", code: 503 } };
}
