import { uuidv7 } from "./ids.ts";

/** What the simulator sends back: a JSON value, a text, or an empty body. */
export interface Answer {
    status: number;
    /** Sent as JSON. */
    json?: unknown;
    /** Sent as `text/plain; charset=utf-8`. */
    text?: string;
    headers?: Record<string, string>;
}

/** An answer that ends the handling of a request, thrown from anywhere below it. */
export class Refusal extends Error {
    readonly answer: Answer;

    constructor(answer: Answer) {
        super(answer.text ?? `HTTP ${answer.status}`);
        this.answer = answer;
    }
}

/**
 * Lakekeeper's own error shape. Every 4xx ends its stack with an error id; a 5xx keeps only that (0.13.3 observed).
 * @param stack the entries before the error id
 */
export function refuse(status: number, type: string, message: string, stack: string[] = []): Refusal {
    const entries = status >= 500 ? [] : stack;
    const error = { message, type, code: status, stack: [...entries, `Error ID: ${uuidv7()}`] };
    return new Refusal({ status, json: { error } });
}

/** The plain text errors that come from the web framework, before Lakekeeper's own code sees the request. */
export function refuseText(status: number, text: string): Refusal {
    return new Refusal({ status, text });
}

/** An answer without a body and without a content type: 204, and 200 of the calls that return nothing. */
export function empty(status: number): Answer {
    return { status };
}
