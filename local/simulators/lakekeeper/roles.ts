import { type Answer, empty, refuse } from "./answers.ts";
import { decodeBody } from "./decode.ts";
import type { Request, Route } from "./http.ts";
import { uuidv7 } from "./ids.ts";
import { endingPage, page } from "./page.ts";
import { selectProject } from "./projects.ts";
import type { Role, Store } from "./state.ts";

const memberTypes = { user: "user", role: "role" } as const;

/** `/role` and its members. Names are unique in a project, whatever their case. */
export function roleRoutes(store: Store): Route[] {
    const base = "/management/v1/role";
    return [
        {
            method: "GET",
            path: base,
            operationId: "list_roles",
            handle: (request) => {
                const project = selectProject(store, request.headers);
                const all = store.state.roles.filter(({ projectId }) => projectId === project).map(show);
                const { items, token } = page(all, request.query);
                return { status: 200, json: { roles: items, "next-page-token": token } };
            },
        },
        {
            method: "POST",
            path: base,
            operationId: "create_role",
            handle: (request) => create(store, request),
        },
        {
            method: "GET",
            path: `${base}/{role_id}`,
            operationId: "get_role",
            handle: (request) => ({ status: 200, json: show(find(store, request)) }),
        },
        {
            method: "POST",
            path: `${base}/{role_id}`,
            operationId: "update_role",
            handle: (request) => update(store, request),
        },
        {
            method: "PUT",
            path: `${base}/{role_id}/source-system`,
            operationId: "update_role_source_system",
            handle: (request) => {
                const role = find(store, request);
                const wanted = decodeBody(request.headers["content-type"], request.body, (body) => ({
                    providerId: body.string("provider-id"),
                    sourceId: body.string("source-id"),
                }));
                Object.assign(role, wanted, { updatedAt: new Date().toISOString() });
                store.save();
                return { status: 200, json: show(role) };
            },
        },
        {
            method: "DELETE",
            path: `${base}/{role_id}`,
            operationId: "delete_role",
            handle: (request) => {
                const role = find(store, request);
                store.state.roles = store.state.roles.filter((other) => other !== role);
                for (const other of store.state.roles) {
                    other.members = other.members.filter(({ id }) => id !== role.id);
                }
                store.save();
                return empty(204);
            },
        },
        ...memberRoutes(store, base),
    ];
}

function memberRoutes(store: Store, base: string): Route[] {
    return [
        {
            method: "GET",
            path: `${base}/{role_id}/members`,
            operationId: "list_role_members",
            handle: (request) => {
                const all = find(store, request).members.map((member) => showMember(store, member));
                const { items, token } = endingPage(all, request.query);
                return { status: 200, json: { members: items, "next-page-token": token } };
            },
        },
        {
            method: "POST",
            path: `${base}/{role_id}/members`,
            operationId: "add_role_members",
            handle: (request) => addMembers(store, request),
        },
        {
            method: "DELETE",
            path: `${base}/{role_id}/members/{member_type}/{member_id}`,
            operationId: "remove_role_member",
            handle: (request) => {
                const role = find(store, request);
                const { member_type: type, member_id: id } = request.params;
                role.members = role.members.filter((member) => member.type !== type || member.id !== id);
                store.save();
                return empty(204);
            },
        },
    ];
}

function create(store: Store, request: Request): Answer {
    const wanted = decodeBody(request.headers["content-type"], request.body, (body) => ({
        name: body.string("name"),
        description: body.optionalString("description"),
        projectId: body.optionalString("project-id"),
        providerId: body.optionalString("provider-id"),
        sourceId: body.optionalString("source-id"),
    }));
    const projectId = wanted.projectId ?? selectProject(store, request.headers);
    const stack = ["Error creating role in catalog"];
    if (!store.project(projectId)) {
        throw refuse(404, "ProjectNotFound", `Project with id '${projectId}' not found`, stack);
    }
    checkName(store, wanted.name, projectId, undefined, stack);
    const id = uuidv7();
    const providerId = wanted.providerId ?? "lakekeeper";
    const sourceId = wanted.sourceId ?? id;
    const taken = store.state.roles.some(
        (role) =>
            role.projectId === projectId && role.providerId === providerId && role.sourceId === sourceId,
    );
    if (taken) {
        const message = "A role with the specified source id already exists in the specified project";
        throw refuse(409, "RoleSourceIdConflict", message, stack);
    }
    const role: Role = {
        id,
        name: wanted.name,
        description: wanted.description,
        projectId,
        providerId,
        sourceId,
        createdAt: new Date().toISOString(),
        updatedAt: null,
        members: [],
    };
    store.state.roles.push(role);
    store.save();
    return { status: 201, json: show(role) };
}

function update(store: Store, request: Request): Answer {
    const wanted = decodeBody(request.headers["content-type"], request.body, (body) => ({
        name: body.string("name"),
        description: body.optionalString("description"),
    }));
    const role = find(store, request);
    checkName(store, wanted.name, role.projectId, role, ["Error updating role in catalog"]);
    Object.assign(role, wanted, { updatedAt: new Date().toISOString() });
    store.save();
    return { status: 200, json: show(role) };
}

function addMembers(store: Store, request: Request): Answer {
    const role = find(store, request);
    const members = decodeBody(request.headers["content-type"], request.body, (body) =>
        body.objects("members").map((member) => ({
            type: member.variant("type", Object.keys(memberTypes), memberTypes),
            id: member.string("id"),
        })),
    );
    for (const { type, id } of members) {
        const { users, roles } = store.state;
        const known = type === "user" ? users.some((user) => user.id === id) : roles.some((r) => r.id === id);
        if (known) continue;
        if (type === "user") {
            throw refuse(404, "RoleAssignmentUserNotFound", `User with id ${id} not found.`);
        }
        throw notFound(id, role.projectId);
    }
    const fresh = members.filter(
        ({ type, id }) => !role.members.some((member) => member.type === type && member.id === id),
    );
    role.members.push(...fresh);
    store.save();
    return { status: 200, json: { members } };
}

function checkName(
    store: Store,
    name: string,
    projectId: string,
    self: Role | undefined,
    stack: string[],
): void {
    if (name === "") throw refuse(400, "EmptyRoleName", "Role name cannot be empty");
    const taken = store.state.roles.some(
        (role) =>
            role !== self && role.projectId === projectId && role.name.toLowerCase() === name.toLowerCase(),
    );
    if (!taken) return;
    const message = "A role with the specified name already exists in the specified project";
    throw refuse(409, "RoleNameAlreadyExists", message, stack);
}

function find(store: Store, request: Request): Role {
    const id = request.params["role_id"] ?? "";
    const projectId = selectProject(store, request.headers);
    const role = store.state.roles.find(
        (candidate) => candidate.id === id && candidate.projectId === projectId,
    );
    if (!role || store.hiddenProjects.has(projectId)) throw notFound(id, projectId);
    return role;
}

function notFound(id: string, projectId: string): Error {
    return refuse(
        404,
        "RoleNotFoundInProject",
        `A role with id '${id}' does not exist in project with id '${projectId}'`,
        ["Role not found or access denied", "Error getting Role from catalog"],
    );
}

function show(role: Role): Record<string, unknown> {
    return {
        id: role.id,
        ident: `${role.providerId}~${role.sourceId}`,
        "provider-id": role.providerId,
        "source-id": role.sourceId,
        name: role.name,
        description: role.description,
        "project-id": role.projectId,
        "created-at": role.createdAt,
        "updated-at": role.updatedAt,
    };
}

function showMember(store: Store, { type, id }: Role["members"][number]): Record<string, unknown> {
    if (type === "user") {
        const user = store.state.users.find((candidate) => candidate.id === id);
        return { type, id, name: user?.name ?? null, email: user?.email ?? null };
    }
    const role = store.state.roles.find((candidate) => candidate.id === id);
    return { type, id, ident: role && `${role.providerId}~${role.sourceId}`, name: role?.name };
}
