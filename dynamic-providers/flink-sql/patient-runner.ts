import { setTimeout as sleep } from "node:timers/promises";
import type { SqlRunner } from "./runner.ts";

/**
 * A runner that waits for a Fluss coordinator which starts or has just taken over: it listens some seconds before it
 * can do anything, and refuses each statement until then (Fluss 0.9.1, observed). Nothing was done when it refuses. A read
 * also waits for a tablet server that is started anew: Fluss' client asks any of those that it knows.
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
                    if (!isPassing(error, statement) || Date.now() + pauseMilliseconds > end) throw error;
                    await sleep(pauseMilliseconds);
                }
            }
        },
    };
}

function isPassing(error: unknown, statement: string): boolean {
    if (!(error instanceof Error)) return false;
    if (error.message.includes("CoordinatorEventProcessor is not initialized yet")) return true;
    return statement.startsWith("SHOW ") && error.message.includes("finishConnect(..) failed");
}
