import type { EngineEvent } from "@pulumi/pulumi/automation/index.js";

/**
 * Runs an engine operation so that a Ctrl-C ends it in an orderly way: steps under way are finished and recorded.
 *
 * A terminal sends the signal to the engine too; a second one would make it drop what is under way. So it is passed on
 * only when the engine does not show within two seconds that it has heard the first.
 */
export async function interruptible<T>(
    say: (line: string) => void,
    operation: (options: { signal: AbortSignal; onEvent: (event: EngineEvent) => void }) => Promise<T>,
): Promise<T> {
    const abort = new AbortController();
    let heard = false;
    const onSignal = () => {
        say("stopping; what is under way is finished first. The next `npm start` goes on from there");
        setTimeout(() => heard || abort.abort(), 2000).unref();
    };
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
    for (const signal of signals) process.once(signal, onSignal);
    try {
        return await operation({
            signal: abort.signal,
            onEvent: (event) => {
                heard ||= event.cancelEvent !== undefined;
            },
        });
    } finally {
        for (const signal of signals) process.off(signal, onSignal);
    }
}
