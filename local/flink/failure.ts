/** A failure that Flink or its SQL gateway told, or the lack of an answer in time. */
export class FlinkError extends Error {
    /** HTTP status, 0 when there was no answer. Says little: the gateway answers 500 to every mistake. */
    readonly status: number;
    /** Class of the innermost cause, as "org.apache.fluss.exception.DatabaseNotExistException"; empty when unknown. */
    readonly type: string;
    /** The innermost cause's own words. */
    readonly reason: string;

    constructor(attempt: string, failure: { status: number; type: string; reason: string }) {
        const kind = failure.type.split(/[.$]/).pop();
        const told = [kind, failure.reason].filter((part) => part !== "").join(": ");
        super(`${attempt}: ${told}${failure.status === 0 ? "" : ` (HTTP ${failure.status})`}`);
        this.name = "FlinkError";
        this.status = failure.status;
        this.type = failure.type;
        this.reason = failure.reason;
    }
}

/**
 * The innermost cause in a Java stack trace: its class, and its message without the stack. Flink wraps what went
 * wrong in up to ten exceptions, each printed after "Caused by:". A text without a trace is its own message.
 */
export function innermostCause(trace: string): { type: string; reason: string } {
    const lines = trace.split(/\r?\n/);
    const starts = lines.flatMap((line, index) => (/^\s*Caused by: /.test(line) ? [index] : []));
    const start = starts.at(-1) ?? lines.findIndex((line) => exceptionLine.test(line.replace(wrapper, "")));
    const first = (lines[start] ?? lines.find((line) => line.trim() !== "") ?? "")
        .replace(wrapper, "")
        .trim();
    const following = start < 0 ? [] : lines.slice(start + 1);
    const stop = following.findIndex((line) => stackLine.test(line));
    const rest = stop < 0 ? following : following.slice(0, stop);
    const message = [first, ...rest].join("\n").trim();
    const match = exceptionLine.exec(first);
    if (match === null) return { type: "", reason: message };
    return { type: match[1] ?? "", reason: message.slice(match[1]?.length).replace(/^:\s*/, "") };
}

const wrapper = /^\s*(?:Caused by: |<Exception on server side:)/;
const exceptionLine = /^([a-zA-Z_][\w$]*(?:\.[\w$]+)+)(?::|$)/;
const stackLine = /^\s*(?:at \S|\.\.\. \d+ more|Suppressed: |End of exception on server side>)/;
