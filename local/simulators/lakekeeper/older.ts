import { type Answer, empty, Refusal, refuse } from "./answers.ts";
import type { Request, Route } from "./http.ts";
import { knows, type Version } from "./version.ts";

/** Since when the paths are there. */
const pathSince: [path: RegExp, since: string][] = [
    [/\/(format-version-policy|managed-by)$/, "0.13.0"],
    [/\/role\/\{role_id\}\/members/, "0.13.0"],
    [/\/project\/task/, "0.11.0"],
    [/\/source-system$/, "0.11.0"],
];

/** Since when an object is told with a field, by the path. */
const fieldSince: [path: RegExp, field: string, since: string][] = [
    [/\/warehouse(\/|$)/, "warehouse-id", "0.11.0"],
    [/\/warehouse(\/|$)/, "updated-at", "0.11.0"],
    [/\/warehouse(\/|$)/, "storage-credential-type", "0.12.0"],
    [/\/warehouse(\/|$)/, "allowed-format-versions", "0.13.0"],
    [/\/warehouse(\/|$)/, "default-format-version", "0.13.0"],
    [/\/warehouse(\/|$)/, "managed-by", "0.13.0"],
    [/\/whoami$/, "is-instance-admin", "0.13.0"],
    [/\/role(\/|$)/, "source-id", "0.11.0"],
    [/\/role(\/|$)/, "provider-id", "0.12.0"],
    [/\/role(\/|$)/, "ident", "0.12.0"],
];

/** Changes of a warehouse that up to 0.10 were answered without a body. */
const silent = /\/warehouse\/\{warehouse_id\}\/(rename|storage|storage-credential|delete-profile)$/;

/**
 * The paths as a server of this version has and answers them: after the API's description of 0.10.4 and the
 * differences between the later ones, none of which was observed.
 */
export function asVersion(version: Version, routes: Route[]): Route[] {
    const has = ({ path }: Route) =>
        pathSince.every(([pattern, since]) => !pattern.test(path) || knows(version, since));
    return routes.filter(has).map((route) => ({
        ...route,
        handle: async (request) => told(version, route, await answered(version, route, request)),
    }));
}

function told(version: Version, { path, operationId }: Route, answer: Answer): Answer {
    const first = !knows(version, "0.11.0");
    if (first && silent.test(path)) return empty(200);
    if (first && operationId === "create_warehouse") {
        return { ...answer, json: { "warehouse-id": (answer.json as { id: string }).id } };
    }
    const unknown = fieldSince
        .filter(([pattern, , since]) => pattern.test(path) && !knows(version, since))
        .map(([, field]) => field);
    return { ...answer, json: without(answer.json, unknown) };
}

/** Up to 0.10 a name that is taken had another type on create, and one of its own on rename. */
async function answered(version: Version, route: Route, request: Request): Promise<Answer> {
    try {
        return await route.handle(request);
    } catch (error) {
        if (knows(version, "0.11.0") || !(error instanceof Refusal)) throw error;
        const { type, message } =
            (error.answer.json as { error?: { type: string; message: string } } | undefined)?.error ?? {};
        if (type === "WarehouseAlreadyExists") throw refuse(409, "WarehouseNameAlreadyExists", message ?? "");
        if (!message?.includes("unique_warehouse_name_in_project")) throw error;
        throw refuse(409, "EntityAlreadyExists", "A warehouse with this name exists already");
    }
}

/** An answer without these fields, in the object itself or in each of a list. */
function without(json: unknown, fields: string[]): unknown {
    if (typeof json !== "object" || json === null || fields.length === 0) return json;
    for (const list of ["warehouses", "roles"] as const) {
        if (!(list in json)) continue;
        const all = (json as Record<typeof list, unknown[]>)[list];
        return { ...json, [list]: all.map((one) => without(one, fields)) };
    }
    return Object.fromEntries(Object.entries(json).filter(([name]) => !fields.includes(name)));
}
