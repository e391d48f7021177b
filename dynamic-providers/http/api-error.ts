/**
 * What a provider says when a call to a remote API did not work: what was tried, on what, what came back, and
 * what to do. The text is complete in `message`, since that is all that Pulumi shows.
 */
export class ApiError extends Error {
    override readonly name = "ApiError";
    /** HTTP status, or undefined when no answer came (refused, reset, deadline). */
    readonly status: number | undefined;
    /** The server's own name for the error, for example `WarehouseAlreadyExists`; or the network error's code. */
    readonly type: string | undefined;
    /** The server's own text, without ours around it. */
    readonly serverMessage: string;
    /** What to do about it, when that is known; it stands in the message, too. */
    readonly hint: string | undefined;
    /**
     * True when the server may have done the work although no good answer came: a reset after the request was
     * sent, a deadline, 408, or a 5xx. Settle it by reading back.
     */
    readonly ambiguous: boolean;
    /** How long the server asked to wait before the next call (`Retry-After`), in seconds. */
    readonly retryAfterSeconds: number | undefined;

    constructor(facts: ApiErrorFacts) {
        super(describe(facts));
        this.status = facts.status;
        this.type = facts.type;
        this.serverMessage = facts.serverMessage;
        this.hint = facts.hint;
        this.ambiguous = facts.ambiguous;
        this.retryAfterSeconds = facts.retryAfterSeconds;
    }
}

export interface ApiErrorFacts {
    /** The system that was called, as people name it: "Lakekeeper". */
    system: string;
    /** What was tried, as an infinitive: "create warehouse 'fluss'". */
    action: string;
    /** Where: method and URL, without a query that could hold a credential. */
    target: string;
    status?: number;
    type?: string;
    serverMessage: string;
    requestId?: string;
    ambiguous: boolean;
    retryAfterSeconds?: number;
    /** What to do about it, when the reference knows. */
    hint?: string;
}

function describe(facts: ApiErrorFacts): string {
    const kind = [facts.status, facts.type].filter((part) => part !== undefined).join(" ");
    const id = facts.requestId ? ` (request ${facts.requestId})` : "";
    const said = facts.serverMessage || "empty answer";
    const answer = kind ? `${kind}: ${said}` : said;
    const hint = facts.hint ? `\nWhat to do: ${facts.hint}` : "";
    return `${facts.system}: could not ${facts.action} (${facts.target}): ${answer}${id}${hint}`;
}

/** True for an {@link ApiError} with one of these HTTP statuses. */
export function hasStatus(error: unknown, ...statuses: number[]): error is ApiError {
    return error instanceof ApiError && error.status !== undefined && statuses.includes(error.status);
}
