import process from "node:process";

/**
 * A component makes much of what it makes later, when values arrive, and nobody waits for an error there: it ends the
 * constructions that go on, as it ends a program.
 */
export async function failingWithOthers<T>(run: () => Promise<T>): Promise<T> {
    listen();
    let fail: (error: unknown) => void = () => {};
    const failed = new Promise<never>((_, reject) => {
        fail = reject;
    });
    failures.add(fail);
    try {
        return await Promise.race([run().finally(told), failed]);
    } finally {
        // Others may follow in the same moment, mostly of the same cause; the first is the one that is told.
        await told();
        failures.delete(fail);
    }
}

/** Node tells of a rejection that nobody has taken when the promises of the moment are through. */
function told(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
}

function listen(): void {
    if (listening) return;
    listening = true;
    process.on("unhandledRejection", (error) => {
        for (const fail of failures) fail(error);
        if (failures.size > 0) return;
        // The component was answered for already. To end here would take other calls with it; the engine shows this text.
        const text = error instanceof Error ? error.message : String(error);
        console.error(`A component failed after it was made: ${text}`);
    });
}

const failures = new Set<(error: unknown) => void>();
let listening = false;
