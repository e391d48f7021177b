import { setTimeout as sleep } from "node:timers/promises";
import type { SqlRunner } from "./runner.ts";

/**
 * A runner that waits for a Fluss coordinator which starts or has just taken over: it listens some seconds before it
 * can do anything, and refuses each statement until then (Fluss 0.9.1, observed). Nothing was done when it refuses. A read
 * also waits for a tablet server that is started anew: Fluss' client asks any of those that it knows; and for a table that
 * is just being made.
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
    const { message } = error;
    if (starting.some((text) => message.includes(text))) return true;
    if (!statement.startsWith("SHOW ")) return false;
    return halfMade.test(message) || (disconnected.test(message) && !nowhere.test(message));
}

/** A coordinator that listens already, and then one that has yet to make the database of a new cluster. */
const starting = [
    "CoordinatorEventProcessor is not initialized yet",
    "default-database 'fluss' does not exist in the Fluss cluster",
];

/** Jackson's words about a table whose schema is in ZooKeeper, and whose own node is still empty. */
const halfMade = /No content to map due to end-of-input/;

/** No connection, one that is gone before the call, and one that goes during it. */
const disconnected = /finishConnect\(\.\.\) failed|because it is disconnected|Disconnected from node/;

/** None of the catalog's bootstrap servers: more likely an address that is wrong than a server that starts. */
const nowhere = /Failed to initialize fluss client connection/;
