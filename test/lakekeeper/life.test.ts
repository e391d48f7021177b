import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Case, changed, leads, staying, titleOf, visible } from "./cases/case.ts";
import { cases } from "./cases/index.ts";
import { contractFaults, hasContract } from "./openapi.ts";
import { servers } from "./server.ts";
import { makeWorld, type World } from "./world.ts";

/** Each case alone, as the engine leads a resource: see `test/engine/lakekeeper-life.test.ts` for the engine itself. */
let world: World;

const kinds = [...new Set(cases.map(({ kind }) => kind))];

describe.each(servers.map((version) => [version ?? "the server", version] as const))(
    "%s",
    (_name, version) => {
        beforeAll(async () => {
            world = await makeWorld(version);
            await world.addRoles(
                cases.filter(({ kind }) => ["roleMembers", "grants"].includes(kind)).map(({ slug }) => slug),
            );
        });

        afterAll(async () => {
            await world?.close();
        });

        describe.each(kinds)("%s", (kind) => {
            const own = cases.filter((one) => one.kind === kind);
            it.for(own.map((one) => [titleOf(one), one] as const))("%s", async ([, one], { skip }) => {
                const reason = one.lacks?.(world);
                skip(reason !== undefined, reason);
                const made = leads[one.kind]();
                try {
                    await live(visible(one, world), made, one.slug);
                } finally {
                    // After a failure something may be left; a second deletion is none.
                    if (made.id !== "") await made.destroy();
                }
                const after = await made.refresh();
                if (!staying.includes(one.kind)) expect(after, "after the deletion").toBe("gone");
                // What was given or added is taken away again.
                if (after === "gone") return;
                for (const list of ["members", "grants"]) expect(made.state[list] ?? []).toEqual([]);
            });
        });
    },
);

it.skipIf(!hasContract)("all calls fit Lakekeeper's OpenAPI document (LAKEKEEPER_OPENAPI)", () => {
    expect(contractFaults()).toEqual([]);
});

async function live(one: Case, made: ReturnType<(typeof leads)["user"]>, slug: string): Promise<void> {
    let given = one.given(world, slug);
    await made.create(given);
    await settled(made, given, "after the create");
    const { change, outside } = one;
    if (change) {
        given = changed(given, change.with(world, slug));
        const before = world.proxy.writes();
        const done = await made.up(given);
        expect(done.split(" ")[0], "what the change is").toBe(change.is === "none" ? "same" : change.is);
        if (change.is === "update") expect(world.proxy.writes() - before).toBe(change.writes ?? 1);
        if (change.is === "replace") await made.replace(given);
        if (change.shows) {
            const { path, has } = change.shows;
            expect(await world.outside("GET", path(world, made.id))).toMatchObject(has);
        }
        await settled(made, given, "after the change");
    }
    if (!outside) return;
    await outside.does(world, { id: made.id, slug, given });
    expect(await made.refresh(), outside.title).toBe(outside.refresh === "gone" ? "gone" : "there");
    if (outside.refresh === "gone") {
        if (outside.again === false) return;
        await made.create(given);
    } else {
        const before = world.proxy.writes();
        expect(await made.up(given), outside.title).toBe(outside.refresh === "none" ? "same" : "update");
        expect(world.proxy.writes() - before).toBe(outside.refresh === "none" ? 0 : (outside.writes ?? 1));
    }
    await settled(made, given, "after what others did");
}

/** A second up does nothing, also after a refresh. */
async function settled(made: ReturnType<(typeof leads)["user"]>, given: object, when: string): Promise<void> {
    expect(await made.up({ ...given }), `a second up ${when}`).toBe("same");
    expect(await made.refresh(), when).toBe("there");
    expect(await made.up({ ...given }), `an up after a refresh ${when}`).toBe("same");
}
