/** What a job does, in the words of Ververica Platform, so that it reads the same on every runner; `GONE` when its cluster does not know it. */
export type JobState =
    | "NOT_STARTED"
    | "STARTING"
    | "RUNNING"
    | "RESTARTING"
    | "CANCELLING"
    | "CANCELLED"
    | "FAILED"
    | "FINISHED"
    | "GONE";

/** The state behind Flink's own word for it. */
export function stateOf(flink: string): JobState {
    const known: Record<string, JobState> = {
        RUNNING: "RUNNING",
        FAILING: "RESTARTING",
        RESTARTING: "RESTARTING",
        CANCELLING: "CANCELLING",
        CANCELED: "CANCELLED",
        FAILED: "FAILED",
        FINISHED: "FINISHED",
        SUSPENDED: "GONE",
    };
    return known[flink] ?? "STARTING";
}

/** True for a state that a job never leaves. */
export function isTerminal(state: string): boolean {
    return ["CANCELLED", "FAILED", "FINISHED", "GONE"].includes(state);
}

/** True while a job holds or asks for slots. */
export function isActive(state: string): boolean {
    return !isTerminal(state) && state !== "NOT_STARTED";
}
