import { afterEach, expect } from "vitest";
import {
    type LakekeeperSettings,
    startLakekeeperSimulator,
} from "../../../local/simulators/lakekeeper/index.ts";
import { contractFaults, holdAgainstContract } from "../../lakekeeper/openapi.ts";

export const token = "token-of-the-test";

/** A simulator that ends with the test, its admin calls, and the connection to it. */
export type Fixture = Awaited<ReturnType<typeof startFixture>>;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    expect(contractFaults(), "not as the OpenAPI document says (LAKEKEEPER_OPENAPI)").toEqual([]);
});

/** What ends with the test. */
export function closeLater(close: () => Promise<void>): void {
    closing.push(close);
}

/** @param bootstrapped default true */
export async function startFixture(settings: Partial<LakekeeperSettings> & { bootstrapped?: boolean } = {}) {
    const { bootstrapped = true, ...rest } = settings;
    // The document is that of the newest release.
    const onExchange = (rest.version ?? "0.13.3") === "0.13.3" ? { onExchange: holdAgainstContract } : {};
    const simulator = await startLakekeeperSimulator({ port: 0, token, ...onExchange, ...rest });
    closeLater(simulator.close);
    /** A call as somebody else makes it. */
    const outside = async (method: string, path: string, json?: unknown, headers = {}) => {
        const answer = await fetch(`${simulator.url}${path}`, {
            method,
            headers: {
                authorization: `Bearer ${token}`,
                ...(json === undefined ? {} : { "content-type": "application/json" }),
                ...headers,
            },
            body: json === undefined ? undefined : JSON.stringify(json),
        });
        const text = await answer.text();
        if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
        return text === "" ? undefined : JSON.parse(text);
    };
    if (bootstrapped) await outside("POST", "/management/v1/bootstrap", { "accept-terms-of-use": true });
    return {
        simulator,
        outside,
        connection: { url: simulator.url, token },
        /** Operations called since the last time, without reads. */
        writes: takeWrites(simulator.requests),
    };
}

function takeWrites(requests: readonly { method: string; operationId: string }[]): () => string[] {
    let seen = requests.length;
    return () => {
        const fresh = requests.slice(seen).filter(({ method }) => method !== "GET");
        seen = requests.length;
        return fresh.map(({ operationId }) => operationId);
    };
}
