import { decodeBody } from "./decode.ts";
import type { Request, Route } from "./http.ts";
import { uuidv7 } from "./ids.ts";
import type { Store, Task } from "./state.ts";
import { notFound } from "./warehouse-not-found.ts";

/** How long the simulated purge of a table takes; the real one took about as long. */
const purgeMilliseconds = 1000;

/** Starts the work that follows a drop with `purge`. */
export function startPurge(store: Store, warehouseId: string, entityName: string[]): void {
    const task: Task = {
        id: uuidv7(),
        warehouseId,
        queue: "tabular_purge",
        entityName,
        endsAt: Date.now() + purgeMilliseconds,
    };
    store.state.tasks.push(task);
    store.save();
}

/** What still keeps a warehouse from being deleted. */
export function unfinishedTasks(store: Store, warehouseId: string): Task[] {
    store.state.tasks = store.state.tasks.filter((task) => task.endsAt > Date.now());
    return store.state.tasks.filter((task) => task.warehouseId === warehouseId);
}

/** `task/list`, and the configuration of a warehouse's queues: any name is taken for one (0.13.3 observed). */
export function taskRoutes(store: Store): Route[] {
    const base = "/management/v1/warehouse/{warehouse_id}";
    const active = (request: Request) => {
        const id = request.params["warehouse_id"] ?? "";
        const warehouse = store.warehouse(id);
        if (!warehouse || warehouse.status === "inactive") throw notFound(id);
        return warehouse;
    };
    return [
        {
            method: "POST",
            path: `${base}/task/list`,
            operationId: "list_tasks",
            handle: (request) => {
                const tasks = unfinishedTasks(store, active(request).id).map(show);
                return { status: 200, json: { tasks, "next-page-token": null } };
            },
        },
        {
            method: "GET",
            path: `${base}/task-queue/{queue}/config`,
            operationId: "get_task_queue_config",
            handle: (request) => {
                const queue = request.params["queue"] ?? "";
                const kept = active(request).queues?.[queue];
                return {
                    status: 200,
                    json: {
                        "queue-config": { ...kept?.config, "queue-name": queue },
                        "max-seconds-since-last-heartbeat": kept?.maxSecondsSinceLastHeartbeat ?? null,
                    },
                };
            },
        },
        {
            method: "POST",
            path: `${base}/task-queue/{queue}/config`,
            operationId: "set_task_queue_config",
            handle: (request) => {
                const warehouse = active(request);
                const wanted = decodeBody(request.headers["content-type"], request.body, (body) => {
                    body.object("queue-config");
                    const limit = "max-seconds-since-last-heartbeat";
                    return {
                        config: body.raw("queue-config") as Record<string, unknown>,
                        maxSecondsSinceLastHeartbeat: body.has(limit) ? body.integer(limit) : null,
                    };
                });
                warehouse.queues = { ...warehouse.queues, [request.params["queue"] ?? ""]: wanted };
                store.save();
                return { status: 204 };
            },
        },
    ];
}

function show(task: Task): Record<string, unknown> {
    return {
        "task-id": task.id,
        "queue-name": task.queue,
        entity: { type: "table", "table-id": task.id },
        "entity-name": task.entityName,
        status: "SCHEDULED",
        attempt: 0,
        progress: 0,
    };
}
