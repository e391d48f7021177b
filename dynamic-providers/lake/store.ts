import { randomBytes } from "node:crypto";
import { type Finding, findingOf } from "./finding.ts";

/** A call of a lake's store, which has yet to be signed. None has a body. */
export interface StoreCall {
    method: "GET" | "PUT" | "DELETE";
    path: string;
    query?: Record<string, string>;
    headers?: Record<string, string>;
    /** What is done, for errors. */
    action: string;
}

/** How a lake's folder is tried out. */
export interface StoreTrial {
    /** Lists the folder. */
    list: StoreCall;
    /** Puts an empty object at a path below the folder. */
    put: StoreCall;
    /** Deletes it again. */
    remove: StoreCall;
}

/**
 * Lists a lake's folder with the lake's own key and, if `write`, puts an empty object there and deletes it again: what Fluss
 * and the tiering job have to be able to do.
 * @param send signs and sends a call. @throws an `ApiError`
 */
export async function tryStore(
    { list, put, remove }: StoreTrial,
    write: boolean,
    send: (call: StoreCall) => Promise<unknown>,
): Promise<Finding> {
    try {
        for (const call of write ? [list, put, remove] : [list]) await send(call);
        return { kind: "good" };
    } catch (error) {
        return findingOf(error);
    }
}

/** A name that no object of the lake has. */
export function trialName(): string {
    return `.pulumi-fluss-check-${randomBytes(6).toString("hex")}`;
}

/** The text of an element in a store's answer: `<Error><Code>…</Code><Message>…</Message></Error>`. */
export function xmlText(answer: string, element: string): string | undefined {
    return new RegExp(`<${element}>([^<]*)</${element}>`).exec(answer)?.[1];
}
