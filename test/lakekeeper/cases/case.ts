import { grants } from "../../../dynamic-providers/lakekeeper/grants.ts";
import { namespace } from "../../../dynamic-providers/lakekeeper/namespace.ts";
import { project } from "../../../dynamic-providers/lakekeeper/project.ts";
import { role } from "../../../dynamic-providers/lakekeeper/role.ts";
import { roleMembers } from "../../../dynamic-providers/lakekeeper/role-members.ts";
import { server } from "../../../dynamic-providers/lakekeeper/server.ts";
import { isAtLeast, versionOf } from "../../../dynamic-providers/lakekeeper/server-info.ts";
import { taskQueue } from "../../../dynamic-providers/lakekeeper/task-queue.ts";
import { user } from "../../../dynamic-providers/lakekeeper/user.ts";
import { warehouse } from "../../../dynamic-providers/lakekeeper/warehouse.ts";
import { type Bag, lead } from "../lead.ts";
import type { World } from "../world.ts";

export type Kind = keyof typeof leads;

/**
 * One object's life on a server: it is made, a change of its arguments is brought to it, somebody else changes it, and
 * it is deleted. Each is tested with the provider alone and on the real engine.
 */
export interface Case {
    kind: Kind;
    title: string;
    /** Why this server cannot do it, or undefined. */
    lacks?: (world: World) => string | undefined;
    /** @param slug different for each case, so that their objects do not meet */
    given: (world: World, slug: string) => Bag;
    change?: Change;
    outside?: Outside;
}

/** A change of the program. */
export interface Change {
    with: (world: World, slug: string) => Bag;
    is: "update" | "replace" | "none";
    /** Calls that change something. Default: one for an update. */
    writes?: number;
    /** What the server then holds. */
    shows?: Shown;
}

interface Shown {
    path: (world: World, id: string) => string;
    has: Bag;
    /** Why this server does not show it, or undefined. */
    lacks?: (world: World) => string | undefined;
}

/** What somebody else does. */
export interface Outside {
    title: string;
    /** Why it cannot be seen on this server, or undefined. */
    lacks?: (world: World) => string | undefined;
    does: (world: World, made: { id: string; slug: string; given: Bag }) => Promise<unknown>;
    /** What a refresh tells of it. */
    refresh: "update" | "gone" | "none";
    /** False when what it was in is gone too, so that it cannot be made again. */
    again?: false;
    /** Calls with which the next update brings it back. Default 1 for a drift. */
    writes?: number;
}

/** Leads one object of a kind; see `lead`. */
export const leads = {
    server: () => lead(server),
    project: () => lead(project),
    warehouse: () => lead(warehouse),
    namespace: () => lead(namespace),
    taskQueue: () => lead(taskQueue),
    user: () => lead(user),
    role: () => lead(role),
    roleMembers: () => lead(roleMembers),
    grants: () => lead(grants),
};

/** Resources that are a part of what is there anyway: after their deletion it is still there, without what was theirs. */
export const staying: Kind[] = ["server", "taskQueue", "roleMembers", "grants"];

/** `warehouse: name`, and what others do. */
export function titleOf({ kind, title, outside }: Case): string {
    return `${kind}: ${title}${outside ? `; others: ${outside.title}` : ""}`;
}

/** Both arguments together; what is undefined is left out. */
export function changed(given: Bag, change: Bag): Bag {
    return Object.fromEntries(
        Object.entries({ ...given, ...change }).filter(([, value]) => value !== undefined),
    );
}

export const management = "/management/v1";

/** The server has no warehouses for tests: its storage is not known. */
export const warehouses = (world: World) => world.noWarehouses;

/** For storages that are nowhere: a server that tries them refuses them. */
export function untried(world: World): string | undefined {
    return world.noWarehouses ?? (world.triesStorage ? "the server tries the storage" : undefined);
}

/** @param version the first one that can do it */
export function since(version: string): (world: World) => string | undefined {
    return ({ info }) => (isAtLeast(versionOf(info), version) ? undefined : `needs Lakekeeper ${version}`);
}

export function openFga({ info }: World): string | undefined {
    return info["authz-backend"] === "openfga" ? undefined : "grants need OpenFGA";
}

export function instanceAdmin(world: World): string | undefined {
    return world.noWarehouses ?? (world.isInstanceAdmin ? undefined : "the caller is no instance admin");
}

/** Servers before 0.12 say nothing about the credential that a warehouse has. */
export const tellsCredentials = since("0.12.0");

/** The case without what this server does not show. */
export function visible(one: Case, world: World): Case {
    const { change, outside } = one;
    const unseen = (part: { lacks?: (world: World) => string | undefined } | undefined) =>
        part?.lacks?.(world) !== undefined;
    return {
        ...one,
        change: change && unseen(change.shows) ? { ...change, shows: undefined } : change,
        outside: unseen(outside) ? undefined : outside,
    };
}

/** The first reason of several. */
export function all(...reasons: ((world: World) => string | undefined)[]) {
    return (world: World) => reasons.map((reason) => reason(world)).find((reason) => reason !== undefined);
}
