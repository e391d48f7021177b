import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { knownTypes } from "../../dynamic-providers/lakekeeper/hints.ts";
import { changed, type Kind } from "../lakekeeper/cases/case.ts";
import { adoptions, losables } from "../lakekeeper/cases/meetings.ts";
import { kept, refusals } from "../lakekeeper/cases/refusals.ts";
import type { Bag } from "../lakekeeper/lead.ts";
import { makeWorld, type World } from "../lakekeeper/world.ts";
import { changesOf, type Outcome, type TestStack, testStack } from "./engine.ts";
import { lakekeeperClasses } from "./lakekeeper-classes.ts";

/** What `test/lakekeeper/meetings.test.ts` tests one by one, on the real engine and many at a time. */
let world: World;
let stack: TestStack;
let program: { name: string; kind: Kind; args: Bag }[] = [];

beforeAll(async () => {
    world = await makeWorld();
    stack = await testStack({
        program: async () => {
            for (const { name, kind, args } of program) new lakekeeperClasses[kind](name, args as never);
        },
    });
});

afterAll(async () => {
    await stack?.dispose();
    await world?.close();
});

beforeEach(() => {
    program = [];
});

const can = <T extends { lacks?: (world: World) => string | undefined }>(all: T[]) =>
    all.filter(({ lacks }) => lacks?.(world) === undefined);

function operations(outcome: Outcome): Record<string, string> {
    return Object.fromEntries(
        changesOf(outcome)
            .filter(({ type }) => type.includes("lakekeeper:"))
            .map(({ name, op }) => [name, op]),
    );
}

const all = (op: string) => Object.fromEntries(program.map(({ name }) => [name, op]));

async function failureOf(work: Promise<unknown>): Promise<string> {
    return work.then(
        () => "nothing failed",
        (error: Error) => error.message,
    );
}

test("what exists already is an error for each, and taken over when that is asked for", async () => {
    const possible = can(adoptions);
    for (const { first } of possible) await first(world);
    program = possible.map(({ kind, slug, given }) => ({ name: slug, kind, args: given(world) }));
    const said = await failureOf(stack.up({ continueOnError: true }));
    for (const { refusal } of possible) expect(said).toMatch(refusal);
    program = program.map((one) => ({ ...one, args: { ...one.args, adopt: true } }));
    expect(operations(await stack.up())).toEqual(all("create"));
    const { deployment } = await stack.export();
    for (const { kind, slug, shows } of possible) {
        const resource = deployment.resources.find(({ urn }: { urn: string }) => urn.endsWith(`::${slug}`));
        expect(resource.outputs.adopted, kind).toBe(true);
        expect(await world.outside("GET", shows.path(world, resource.id)), kind).toMatchObject(shows.has);
    }
    expect(operations(await stack.up())).toEqual({});
    await stack.destroy();
});

test("lost answers of every create, update and delete leave one object of each, as asked", async () => {
    const possible = can(losables);
    const lose = (step: "create" | "update" | "delete") =>
        world.proxy.order(
            ...possible.flatMap(({ calls }) =>
                calls[step].map(([method, path]) => ({ method, path, does: "lose answer" as const })),
            ),
        );
    program = possible.map(({ kind, slug, given }) => ({ name: slug, kind, args: given(world) }));
    lose("create");
    expect(operations(await stack.up())).toEqual(all("create"));
    expect(world.proxy.unmet()).toEqual([]);
    program = possible.map(({ kind, slug, given, change }) => ({
        name: slug,
        kind,
        args: changed(given(world), change(world)),
    }));
    lose("update");
    expect(operations(await stack.up())).toEqual(all("update"));
    expect(world.proxy.unmet()).toEqual([]);
    expect(operations(await stack.refresh())).toEqual({});
    lose("delete");
    expect(operations(await stack.destroy())).toEqual(all("delete"));
    expect(world.proxy.unmet()).toEqual([]);
});

/** Status of each type whose error is made up here; those with 404 are among the refusals, where servers say them. */
const statuses: Record<string, number> = {
    MissingAuthorizationHeader: 401,
    AnonymousBootstrap: 401,
    AuthenticationFailed: 401,
    ProjectActionForbidden: 403,
    WarehouseActionForbidden: 403,
    WarehouseManaged: 403,
    InstanceAdminRequired: 403,
    ShortTermCredentialError: 412,
    InitializeClientError: 412,
    WarehouseAlreadyExists: 409,
    ProjectNotEmpty: 409,
    WarehouseProtected: 409,
    WarehouseNotEmpty: 409,
    WarehouseHasUnfinishedTasks: 409,
    NamespaceProtected: 409,
    ChildTabularProtected: 409,
    ProtectedTabularDeletionWithoutForce: 409,
    NamespaceNotEmptyException: 409,
    AlreadyExistsException: 409,
    RoleNameAlreadyExists: 409,
    RoleSourceIdConflict: 409,
    SecretCreateError: 500,
    SecretFetchError: 500,
    DatabaseError: 500,
    MaintenanceModeError: 503,
};
const notFound = ["ProjectNotFound", "NoSuchWarehouseException", "RoleAssignmentUserNotFound"];

describe("what cannot be", () => {
    test("is told for each by its own error, and nothing is left of it", async () => {
        const possible = can(refusals).filter(({ early }) => !early);
        for (const { first } of possible) await first?.(world);
        program = possible.map(({ kind, given }, index) => ({ name: `r${index}`, kind, args: given(world) }));
        const said = await failureOf(stack.up({ continueOnError: true }));
        for (const { title, message } of possible) expect(said, title).toMatch(message);
        expect(said).not.toContain(String(world.credential["secretAccessKey"]));
        const { deployment } = await stack.export();
        const left = (deployment.resources as { type: string }[]).filter(({ type }) =>
            type.includes("lakekeeper"),
        );
        expect(left).toEqual([]);
    });

    test("of the server's other errors each has what to do beside it", async () => {
        const types = knownTypes.filter((type) => !notFound.includes(type));
        const connection = { ...world.connection, timeoutSeconds: 3 };
        program = types.map((type) => ({
            name: type,
            kind: "namespace",
            args: { connection, warehouseId: "w", namespace: type },
        }));
        for (const type of types) {
            const code = statuses[type] ?? 400;
            const error = { message: `m of ${type}`, type, code, stack: ["Error ID: 01a2"] };
            const path = new RegExp(`/namespaces/${type}\\?`);
            world.proxy.order({
                method: "GET",
                path,
                times: 9,
                does: "answer",
                status: code,
                body: { error },
            });
        }
        const said = await failureOf(stack.up({ continueOnError: true }));
        for (const type of types) {
            const line = new RegExp(
                `could not read namespace '${type}' \\(GET [^)]*\\): ${statuses[type] ?? 400} ${type}: m of ${type} \\(request 01a2\\)\\s+What to do: \\w`,
            );
            expect(said).toMatch(line);
        }
        world.proxy.forget();
    });

    test("is not deleted either, and says why, until the way is clear", async () => {
        const possible = can(kept);
        program = possible.map(({ kind, slug, given }) => ({ name: slug, kind, args: given(world) }));
        await stack.up();
        const { deployment } = await stack.export();
        const idOf = (slug: string) =>
            String(deployment.resources.find(({ urn }: { urn: string }) => urn.endsWith(`::${slug}`)).id);
        for (const { slug, first } of possible) await first?.(world, idOf(slug));
        const said = await failureOf(stack.destroy({ continueOnError: true }));
        for (const { title, message } of possible) expect(said, title).toMatch(message);
        for (const { slug, clear } of possible) await clear(world, idOf(slug));
        expect(operations(await stack.destroy())).toEqual(all("delete"));
    });
});
