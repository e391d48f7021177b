import { afterAll, beforeAll, expect, test } from "vitest";
import { changed, staying, titleOf, visible } from "../lakekeeper/cases/case.ts";
import { cases } from "../lakekeeper/cases/index.ts";
import type { Bag } from "../lakekeeper/lead.ts";
import { makeWorld, type World } from "../lakekeeper/world.ts";
import { changesOf, type Outcome, type TestStack, testStack } from "./engine.ts";
import { lakekeeperClasses } from "./lakekeeper-classes.ts";

/**
 * The cases of `test/lakekeeper` on the real engine, all in one stack: each is a resource, and each step is done to all
 * of them by one run of the engine. Like those tests it can be pointed at a real server.
 */
let world: World;
let stack: TestStack;
/** What the program asks for, by the case's slug. */
let program: Record<string, Bag> = {};
let possible = cases;

beforeAll(async () => {
    world = await makeWorld();
    possible = cases
        .filter(({ lacks }) => lacks?.(world) === undefined)
        .map((one) => ({ ...one, ...visible(one, world) }));
    await world.addRoles(
        possible.filter(({ kind }) => ["roleMembers", "grants"].includes(kind)).map(({ slug }) => slug),
    );
    program = Object.fromEntries(possible.map((one) => [one.slug, one.given(world, one.slug)]));
    stack = await testStack({
        program: async () => {
            for (const { slug, kind } of possible) {
                if (program[slug]) new lakekeeperClasses[kind](slug, program[slug] as never);
            }
        },
    });
});

afterAll(async () => {
    await stack?.dispose();
    await world?.close();
});

/** What was done with each case: `warehouse: name` → `update`. A replacement is told as one word. */
function done(outcome: Outcome): Record<string, string> {
    const found = new Map<string, string[]>();
    for (const { name, op } of changesOf(outcome)) found.set(name, [...(found.get(name) ?? []), op]);
    return Object.fromEntries(
        possible
            .filter(({ slug }) => found.has(slug))
            .map((one) => {
                const ops = found.get(one.slug) ?? [];
                return [titleOf(one), ops.includes("replace") ? "replace" : ops.join()];
            }),
    );
}

/** For each case with such a step, what is expected of it. */
function expected(of: (one: (typeof cases)[number]) => string | undefined): Record<string, string> {
    return Object.fromEntries(
        possible.flatMap((one) => {
            const op = of(one);
            return op === undefined || op === "none" ? [] : [[titleOf(one), op]];
        }),
    );
}

/** The ids of the resources, by slug. */
async function ids(): Promise<Record<string, string>> {
    const { deployment } = await stack.export();
    const resources = deployment.resources as { urn: string; id?: string }[];
    return Object.fromEntries(resources.map(({ urn, id }) => [urn.split("::").at(-1), id ?? ""]));
}

async function nothingToDo(): Promise<void> {
    const before = world.proxy.writes();
    expect(done(await stack.up())).toEqual({});
    expect(world.proxy.writes() - before, "calls that change something").toBe(0);
}

test("all are made, and a second up finds nothing to do", async () => {
    expect(done(await stack.up())).toEqual(expected(() => "create"));
    await nothingToDo();
});

test("each single change does what it says, with one call", async () => {
    for (const { slug, change } of possible) {
        if (change) program[slug] = changed(program[slug]!, change.with(world, slug));
    }
    expect(done(await stack.up())).toEqual(expected(({ change }) => change?.is));
    const id = await ids();
    for (const { slug, change, ...one } of possible) {
        if (!change?.shows) continue;
        const found = await world.outside("GET", change.shows.path(world, id[slug] ?? ""));
        expect(found, titleOf(one)).toMatchObject(change.shows.has);
    }
    expect(done(await stack.refresh())).toEqual({});
});

test("each change by others is told by a refresh, and brought back", async () => {
    const id = await ids();
    for (const { slug, outside } of possible) {
        await outside?.does(world, { id: id[slug] ?? "", slug, given: program[slug]! });
    }
    const told = { update: "update", gone: "delete", none: "none" };
    expect(done(await stack.refresh())).toEqual(expected(({ outside }) => outside && told[outside.refresh]));
    for (const { slug, outside } of possible) if (outside?.again === false) delete program[slug];
    const back = { update: "update", gone: "create", none: "none" };
    expect(done(await stack.up())).toEqual(
        expected(({ outside }) => (outside?.again === false ? "none" : outside && back[outside.refresh])),
    );
    await nothingToDo();
});

test("all are deleted, and nothing is left of them on the server", async () => {
    const id = await ids();
    const there = possible.filter(({ slug }) => program[slug]);
    expect(Object.values(done(await stack.destroy())).every((op) => op === "delete")).toBe(true);
    for (const { slug, kind } of there.filter((one) => !staying.includes(one.kind))) {
        const path = {
            warehouse: `/management/v1/warehouse/${id[slug]}`,
            user: `/management/v1/user/${encodeURIComponent(id[slug] ?? "")}`,
            role: `/management/v1/role/${id[slug]}`,
        }[kind as string];
        if (path) await expect(world.outside("GET", path), slug).rejects.toThrow(/404/);
    }
});
