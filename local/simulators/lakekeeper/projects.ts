import type { IncomingHttpHeaders } from "node:http";
import { type Answer, empty, refuse } from "./answers.ts";
import { decodeBody } from "./decode.ts";
import type { Request, Route } from "./http.ts";
import { uuidv7 } from "./ids.ts";
import type { Project, Store } from "./state.ts";
import { startTask } from "./tasks.ts";

/** `/project`, `/project-list`, `/project/rename` and the older form with the id in the path. */
export function projectRoutes(store: Store): Route[] {
    const base = "/management/v1";
    const selected = (request: Request) =>
        request.params["project_id"] ?? selectProject(store, request.headers);
    const read = (request: Request) => getProject(store, selected(request));
    const remove = (request: Request) => deleteProject(store, selected(request));
    const rename = (request: Request) => renameProject(store, selected(request), request);
    return [
        { method: "GET", path: `${base}/project`, operationId: "get_project", handle: read },
        {
            method: "POST",
            path: `${base}/project`,
            operationId: "create_project",
            handle: (request) => createProject(store, request),
        },
        { method: "DELETE", path: `${base}/project`, operationId: "delete_project", handle: remove },
        {
            method: "GET",
            path: `${base}/project-list`,
            operationId: "list_projects",
            handle: () => ({ status: 200, json: { projects: store.state.projects.map(show) } }),
        },
        { method: "POST", path: `${base}/project/rename`, operationId: "rename_project", handle: rename },
        {
            method: "GET",
            path: `${base}/project/{project_id}`,
            operationId: "get_project_by_id_deprecated",
            handle: read,
        },
        {
            method: "DELETE",
            path: `${base}/project/{project_id}`,
            operationId: "delete_project_by_id_deprecated",
            handle: remove,
        },
        {
            method: "POST",
            path: `${base}/project/{project_id}/rename`,
            operationId: "rename_project_by_id_deprecated",
            handle: rename,
        },
    ];
}

/**
 * The project that a request is about: the header, its older name, else the default project.
 * @throws {Refusal} 400 `MalformedProjectID`; 400 `ProjectIdMissing` when the server has no default project
 */
export function selectProject(store: Store, headers: IncomingHttpHeaders): string {
    const header = headers["x-project-id"] || headers["x-project-ident"] || store.defaultProjectId;
    if (header === null) {
        const message =
            "This endpoint requires a project ID to be specified, but none was provided. Please set the x-project-id header.";
        throw refuse(400, "ProjectIdMissing", message);
    }
    const id = String(header);
    if (!/^[\w-]+$/.test(id)) {
        throw refuse(400, "MalformedProjectID", badId(id), ["Invalid x-project-id header value."]);
    }
    return id;
}

/** Why a text cannot be a project id. */
export function badId(id: string): string {
    return `Project IDs may only contain alphanumeric characters, hyphens and underscores. Got: \`${id}\``;
}

function getProject(store: Store, id: string): Answer {
    const project = store.project(id);
    if (!project) throw refuse(404, "ProjectNotFound", `Project with id ${id} not found.`);
    return { status: 200, json: show(project) };
}

function createProject(store: Store, request: Request): Answer {
    const wanted = decodeBody(request.headers["content-type"], request.body, (body) => {
        const name = body.string("project-name");
        const id = body.optionalString("project-id");
        if (id === "") throw body.fault("project-id", "Project IDs must not be empty");
        if (id !== null && !/^[\w-]+$/.test(id)) throw body.fault("project-id", badId(id));
        return { name, id: id ?? uuidv7() };
    });
    checkName(wanted.name);
    if (store.project(wanted.id)) {
        throw refuse(409, "ProjectIdAlreadyExists", "Project with this id already exists");
    }
    addProject(store, wanted, request.caller);
    return { status: 201, json: { "project-id": wanted.id } };
}

/** Every project has a task of its own, which clears its log of tasks, and who makes it becomes its admin. */
export function addProject(store: Store, project: Project, caller: string | undefined): void {
    store.state.projects.push(project);
    store.grant(`project/${project.id}`, "project_admin", caller);
    startTask(store, { projectId: project.id, queue: "task_log_cleanup", endsAt: Date.now() });
}

function renameProject(store: Store, id: string, request: Request): Answer {
    const name = decodeBody(request.headers["content-type"], request.body, (body) => body.string("new-name"));
    checkName(name);
    const project = store.project(id);
    if (!project) throw refuse(404, "ProjectNotFound", "Project not found");
    project.name = name;
    store.save();
    return empty(200);
}

function deleteProject(store: Store, id: string): Answer {
    if (!store.project(id)) throw refuse(404, "ProjectNotFound", "Project not found");
    const holds = ({ projectId }: { projectId: string }) => projectId === id;
    if (store.state.warehouses.some(holds) || store.state.roles.some(holds)) {
        throw refuse(409, "ProjectNotEmpty", "Project is not empty");
    }
    store.state.projects = store.state.projects.filter((project) => project.id !== id);
    store.state.tasks = store.state.tasks.filter(({ projectId }) => projectId !== id);
    delete store.state.assignments[`project/${id}`];
    store.save();
    return empty(204);
}

function checkName(name: string): void {
    if (name === "") throw refuse(400, "EmptyProjectName", "Project name cannot be empty");
    if (Buffer.byteLength(name) > 128) {
        throw refuse(400, "ProjectNameTooLong", "Project name must be shorter than 128 chars");
    }
}

function show(project: Project): Record<string, string> {
    return { "project-id": project.id, "project-name": project.name };
}
