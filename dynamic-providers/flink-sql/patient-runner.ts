import { setTimeout as sleep } from "node:timers/promises";
import type { SqlRunner } from "./runner.ts";

/**
 * A runner that waits for a Fluss coordinator which starts or has just taken over: it listens some seconds before it
 * can do anything, and refuses each statement until then (Fluss 0.9.1, observed). Nothing was done when it refuses.
 *
 * @param seconds how long a statement is tried again; then the coordinator's refusal is the error
 */
export function patientRunner(runner: SqlRunner, seconds = 60, pauseMilliseconds = 2000): SqlRunner {
    return {
        catalogsInSession: runner.catalogsInSession,
        async execute(statement, action) {
            const end = Date.now() + seconds * 1000;
            while (true) {
                try {
                    return await runner.execute(statement, action);
                } catch (error) {
                    if (!isStarting(error) || Date.now() + pauseMilliseconds > end) throw error;
                    await sleep(pauseMilliseconds);
                }
            }
        },
    };
}

function isStarting(error: unknown): boolean {
    return (
        error instanceof Error && error.message.includes("CoordinatorEventProcessor is not initialized yet")
    );
}
