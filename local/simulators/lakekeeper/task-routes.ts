import { type Answer, refuse } from "./answers.ts";
import { decodeBody, type Fields } from "./decode.ts";
import type { Request, Route } from "./http.ts";
import { selectProject } from "./projects.ts";
import type { QueueConfig, Store, Task } from "./state.ts";
import { tasksOf } from "./tasks.ts";
import { notFound } from "./warehouse-not-found.ts";

/** `task/list`, and the configuration of queues: any name is taken for one (0.13.3 observed). */
export function taskRoutes(store: Store): Route[] {
    const base = "/management/v1/warehouse/{warehouse_id}";
    const cleanup = "/management/v1/project/task-queue/task_log_cleanup/config";
    const active = (request: Request) => {
        const id = request.params["warehouse_id"] ?? "";
        const warehouse = store.warehouse(id);
        if (!warehouse || warehouse.status === "inactive") throw notFound(id);
        return warehouse;
    };
    const existing = (request: Request) => {
        const id = selectProject(store, request.headers);
        if (!store.project(id)) throw refuse(404, "ProjectNotFound", `Project with id ${id} not found.`);
        return id;
    };
    return [
        {
            method: "POST",
            path: `${base}/task/list`,
            operationId: "list_tasks",
            handle: (request) => {
                const { id, projectId } = active(request);
                return list(tasksOf(store, id).map((task) => show(task, projectId)));
            },
        },
        {
            method: "GET",
            path: `${base}/task-queue/{queue}/config`,
            operationId: "get_task_queue_config",
            handle: (request) => {
                const queue = request.params["queue"] ?? "";
                return { status: 200, json: showConfig(queue, active(request).queues?.[queue]) };
            },
        },
        {
            method: "POST",
            path: `${base}/task-queue/{queue}/config`,
            operationId: "set_task_queue_config",
            handle: (request) => {
                const warehouse = active(request);
                const wanted = decodeConfig(request);
                warehouse.queues = { ...warehouse.queues, [request.params["queue"] ?? ""]: wanted };
                store.save();
                return { status: 204 };
            },
        },
        {
            method: "POST",
            path: "/management/v1/project/task/list",
            operationId: "list_project_tasks",
            handle: (request) => {
                const id = existing(request);
                const tasks = store.state.tasks.filter(({ projectId }) => projectId === id);
                return list(tasks.map((task) => show(task, id)));
            },
        },
        {
            method: "GET",
            path: cleanup,
            operationId: "get_project_task_queue_config",
            handle: (request) => ({
                status: 200,
                json: showConfig("task_log_cleanup", store.state.projectQueues[existing(request)]),
            }),
        },
        {
            method: "POST",
            path: cleanup,
            operationId: "set_project_task_queue_config",
            handle: (request) => {
                const project = existing(request);
                const wanted = decodeConfig(request);
                for (const key of ["cleanup-period", "retention-period"]) checkDuration(wanted.config[key]);
                store.state.projectQueues[project] = wanted;
                store.save();
                return { status: 204 };
            },
        },
    ];
}

/** As in other lists, a page with anything in it has a token. */
function list(tasks: object[]): Answer {
    const token = tasks.length > 0 ? Buffer.from(`1&${tasks.length}`).toString("base64url") : null;
    return { status: 200, json: { tasks, "next-page-token": token } };
}

function decodeConfig(request: Request): QueueConfig {
    const limit = "max-seconds-since-last-heartbeat";
    return decodeBody(request.headers["content-type"], request.body, (body: Fields) => {
        body.object("queue-config");
        return {
            config: body.raw("queue-config") as Record<string, unknown>,
            maxSecondsSinceLastHeartbeat: body.has(limit) ? body.integer(limit) : null,
        };
    });
}

function checkDuration(given: unknown): void {
    if (given === undefined || /^P(?=.)(\d+[YMWD])*(T(?=.)(\d+[HMS])*)?$/.test(String(given))) return;
    throw refuse(
        400,
        "InvalidQueueConfig",
        `Failed to deserialize queue config for queue-name 'task_log_cleanup': 'Failed to parse duration: ${given}'`,
    );
}

function showConfig(queue: string, kept: QueueConfig | undefined): Record<string, unknown> {
    return {
        "queue-config": { ...kept?.config, "queue-name": queue },
        "max-seconds-since-last-heartbeat": kept?.maxSecondsSinceLastHeartbeat ?? null,
    };
}

function show(task: Task, projectId: string): Record<string, unknown> {
    return {
        "task-id": task.id,
        "project-id": projectId,
        "warehouse-id": task.warehouseId,
        "queue-name": task.queue,
        entity: task.entityName && { type: "table", "table-id": task.entityId ?? task.id },
        "entity-name": task.entityName,
        status: task.end ?? "SCHEDULED",
        "scheduled-for": new Date(task.endsAt).toISOString(),
        "picked-up-at": null,
        attempt: 0,
        "last-heartbeat-at": null,
        progress: 0,
        "parent-task-id": null,
        "created-at": task.createdAt ?? new Date(task.endsAt).toISOString(),
        "updated-at": null,
    };
}
