import { uuidv7 } from "./ids.ts";
import type { Store, Task } from "./state.ts";

/** How long the simulated purge of a table takes; the real one took about as long. */
const purgeMilliseconds = 1000;

/** Starts the work that follows a drop with `purge`. */
export function startPurge(
    store: Store,
    of: Required<Pick<Task, "warehouseId" | "entityName">> & Pick<Task, "entityId">,
): void {
    startTask(store, { ...of, queue: "tabular_purge", endsAt: Date.now() + purgeMilliseconds });
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
export function tasksOf(store: Store, warehouseId: string): Task[] {
    for (const task of store.state.tasks) {
        if (task.warehouseId && task.end === undefined && task.endsAt <= Date.now()) task.end = "SUCCESS";
    }
    return store.state.tasks.filter((task) => task.warehouseId === warehouseId);
}
