/** The trouble that one request is to meet, in the order in which the server applies it. */
export interface Trouble {
    /** Wait so many milliseconds before the request is looked at. */
    delayMilliseconds: number;
    /** Answer this instead of doing the work. */
    answer?: { status: number; body: unknown };
    /** Do the work, then answer this. */
    instead?: { status: number; body: unknown };
    /** Do the work, then cut the connection instead of answering. */
    loseAnswer: boolean;
}

/**
 * Faults that a test orders in advance, per operation of the contract. Each order is used once, by the next request of
 * that operation; several orders of one kind queue up. Requests that are refused before their handler (token, contract)
 * do not use an order up.
 */
export class Faults {
    readonly #lost = new Map<string, number>();
    readonly #failures = new Map<string, { status: number; body: unknown }[]>();
    readonly #instead = new Map<string, { status: number; body: unknown }[]>();
    readonly #delays = new Map<string, number[]>();

    /** The next `times` requests of the operation do their work, then the connection is cut without an answer. */
    loseNextAnswer(operationId: string, times = 1): void {
        this.#lost.set(operationId, (this.#lost.get(operationId) ?? 0) + times);
    }

    /** The next `times` requests of the operation do nothing and answer `status` with `body`. */
    failNext(operationId: string, status: number, body: unknown, times = 1): void {
        const queue = this.#failures.get(operationId) ?? [];
        for (let n = 0; n < times; n++) queue.push({ status, body });
        this.#failures.set(operationId, queue);
    }

    /** The next request of the operation does its work, then answers `status` with `body`. */
    answerInstead(operationId: string, status: number, body: unknown): void {
        const queue = this.#instead.get(operationId) ?? [];
        this.#instead.set(operationId, [...queue, { status, body }]);
    }

    /** The next request of the operation waits so many milliseconds before its work. */
    delayNext(operationId: string, milliseconds: number): void {
        this.#delays.set(operationId, [...(this.#delays.get(operationId) ?? []), milliseconds]);
    }

    /** Uses up what is ordered for the operation; called by the server once a request. */
    take(operationId: string): Trouble {
        const delayMilliseconds = this.#delays.get(operationId)?.shift() ?? 0;
        const answer = this.#failures.get(operationId)?.shift();
        if (answer) return { delayMilliseconds, answer, loseAnswer: false };
        const lost = this.#lost.get(operationId) ?? 0;
        if (lost > 0) this.#lost.set(operationId, lost - 1);
        const instead = this.#instead.get(operationId)?.shift();
        return { delayMilliseconds, ...(instead ? { instead } : {}), loseAnswer: lost > 0 };
    }
}
