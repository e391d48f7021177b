import { refuse } from "./answers.ts";
import { decodeBody, type Fields } from "./decode.ts";
import type { Request, Route } from "./http.ts";
import { uuidv7 } from "./ids.ts";
import { selectProject } from "./projects.ts";
import type { QueueConfig, Store, Task } from "./state.ts";
import { notFound } from "./warehouse-not-found.ts";

/** How long the simulated purge of a table takes; the real one took about as long. */
const purgeMilliseconds = 1000;

/** Starts the work that follows a drop with `purge`. */
export function startPurge(store: Store, warehouseId: string, entityName: string[]): void {
    const endsAt = Date.now() + purgeMilliseconds;
    startTask(store, { warehouseId, queue: "tabular_purge", entityName, endsAt });
}

export function startTask(store: Store, task: Omit<Task, "id" | "createdAt">): void {
    store.state.tasks.push({ ...task, id: uuidv7(), createdAt: new Date().toISOString() });
    store.save();
}

/** What was to be done with a table is not done any more. */
export function cancelTask(store: Store, entityId: string): void {
    for (const task of store.state.tasks) {
        if (task.entityId === entityId && task.end === undefined) task.end = "CANCELLED";
    }
    store.save();
}

/** What still keeps a warehouse from being deleted. */
export function unfinishedTasks(store: Store, warehouseId: string): Task[] {
    return tasksOf(store, warehouseId).filter(({ end }) => end === undefined);
}

/** Tasks of a warehouse, the finished ones too. */
function tasksOf(store: Store, warehouseId: string): Task[] {
    for (const task of store.state.tasks) {
        if (task.end === undefined && task.endsAt <= Date.now()) task.end = "SUCCESS";
    }
    return store.state.tasks.filter((task) => task.warehouseId === warehouseId);
}

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
        const id = selectProject(request.headers);
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
                const tasks = tasksOf(store, id).map((task) => show(task, projectId));
                // As in other lists, a page with anything in it has a token.
                const token =
                    tasks.length > 0 ? Buffer.from(`1&${tasks.length}`).toString("base64url") : null;
                return { status: 200, json: { tasks, "next-page-token": token } };
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
        entity: { type: "table", "table-id": task.entityId ?? task.id },
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
