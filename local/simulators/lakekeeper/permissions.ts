import { type Answer, empty, refuse } from "./answers.ts";
import { decodeBody, type Fields } from "./decode.ts";
import type { Request, Route } from "./http.ts";
import { selectProject } from "./projects.ts";
import type { Assignment, Store } from "./state.ts";

const onData = ["ownership", "pass_grants", "manage_grants", "describe", "select", "create", "modify"];
const relations: Record<string, string[]> = {
    server: ["admin", "operator"],
    project: [
        "project_admin",
        "security_admin",
        "data_admin",
        "role_creator",
        "describe",
        "select",
        "create",
        "modify",
    ],
    warehouse: onData,
    namespace: onData,
    role: ["assignee", "ownership"],
};

/**
 * The assignments of OpenFGA. Only a server with that authorizer has these paths; writing what is there and deleting
 * what is not are errors, and a call is done whole or not at all.
 */
export function permissionRoutes(store: Store): Route[] {
    const base = "/management/v1/permissions";
    const route = (kind: string, path: string, key: (request: Request) => string): Route[] => [
        {
            method: "GET",
            path: `${base}/${path}/assignments`,
            operationId: `get_${kind}_assignments`,
            handle: (request) => ({
                status: 200,
                json: {
                    assignments: store.state.assignments[key(request)] ?? [],
                    ...(kind === "project" ? { "project-id": selectProject(store, request.headers) } : {}),
                },
            }),
        },
        {
            method: "POST",
            path: `${base}/${path}/assignments`,
            operationId: `update_${kind}_assignments`,
            handle: (request) => update(store, kind, key(request), request),
        },
    ];
    return [
        ...route("server", "server", () => "server"),
        ...route("project", "project", (request) => `project/${selectProject(store, request.headers)}`),
        ...route("warehouse", "warehouse/{warehouse_id}", (r) => `warehouse/${r.params["warehouse_id"]}`),
        ...route("namespace", "namespace/{namespace_id}", (r) => `namespace/${r.params["namespace_id"]}`),
        ...route("role", "role/{role_id}", (request) => `role/${request.params["role_id"]}`),
    ];
}

function update(store: Store, kind: string, key: string, request: Request): Answer {
    const wanted = decodeBody(request.headers["content-type"], request.body, (body) => ({
        writes: body.has("writes") ? body.objects("writes").map((one) => decode(one, kind)) : [],
        deletes: body.has("deletes") ? body.objects("deletes").map((one) => decode(one, kind)) : [],
    }));
    const now = store.state.assignments[key] ?? [];
    const has = (one: Assignment) => now.some((other) => same(one, other));
    if (wanted.writes.some(has)) {
        throw refuse(409, "TupleAlreadyExistsError", "Tuple already exists in OpenFGA.");
    }
    if (!wanted.deletes.every(has)) throw refuse(404, "TupleNotFoundError", "Tuple not found in OpenFGA.");
    const kept = now.filter((one) => !wanted.deletes.some((other) => same(one, other)));
    store.state.assignments[key] = [...kept, ...wanted.writes];
    store.save();
    return empty(204);
}

function decode(fields: Fields, kind: string): Assignment {
    const type = fields.tag("type", relations[kind] ?? []);
    return fields.has("user") ? { type, user: fields.string("user") } : { type, role: fields.string("role") };
}

function same(one: Assignment, other: Assignment): boolean {
    return one.type === other.type && one.user === other.user && one.role === other.role;
}
