import { Agent, request } from "undici";
import { accepts } from "./ports.ts";

/** How a service shows that it can be used: it accepts a connection, or answers 2xx (with that text). */
export type Readiness = { tcp: number } | { http: string; contains?: string };

/** Asks once, for at most 5 s. */
export async function isReady(ready: Readiness): Promise<boolean> {
    if ("tcp" in ready) return accepts(ready.tcp);
    try {
        const answer = await request(ready.http, { dispatcher: oneShot, signal: AbortSignal.timeout(5000) });
        const body = await answer.body.text();
        return answer.statusCode < 300 && body.includes(ready.contains ?? "");
    } catch {
        return false;
    }
}

/** The question in words, for messages. */
export function describe(ready: Readiness): string {
    if ("tcp" in ready) return `a connection to 127.0.0.1:${ready.tcp}`;
    return `GET ${ready.http}${ready.contains === undefined ? "" : ` with ${ready.contains} in the answer`}`;
}

/** A new connection for each question: a service that restarts drops the kept ones. */
const oneShot = new Agent({ pipelining: 0 });
