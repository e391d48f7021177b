/** Answers of the APIs that are almost right: a read tells what is wrong with them, and never crashes. */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { flinkSqlScenarios } from "../../faults/flink-sql.ts";
import { lakekeeperScenarios } from "../../faults/lakekeeper.ts";
import { type Bag, Ledger } from "../../faults/ledger.ts";
import { vvpScenarios } from "../../faults/vvp.ts";
import { cases, mutantsOf, unclear } from "./mutants.ts";

const scenarios = [...lakekeeperScenarios, ...vvpScenarios, ...flinkSqlScenarios];

afterEach(() => {
    vi.restoreAllMocks();
});

describe(`${cases} answers that are almost right`, () => {
    it.concurrent.each(scenarios)("$name", { timeout: 300_000 }, async (scenario) => {
        vi.spyOn(console, "warn").mockImplementation(() => {});
        const { provider, config } = scenario;
        if (config) await provider.configure({ config });
        const world = await scenario.start();
        const server = await startReplay(world.url);
        try {
            const ledger = new Ledger(provider);
            await ledger.up(scenario.first(world, server.url));
            const { id, state } = ledger.held!;
            server.record();
            await provider.read(id, { ...state });
            const recorded = server.recorded();
            const hurried = impatient(state);
            await fc.assert(
                fc.asyncProperty(fc.constantFrom(...recorded).chain(changedAnswer), async (change) => {
                    server.answer(change);
                    try {
                        const { props } = await provider.read(id, { ...hurried });
                        expect(JSON.parse(JSON.stringify(props ?? null))).toEqual(props ?? null);
                    } catch (error) {
                        expect(unclear(error)).toBeUndefined();
                    }
                }),
                { numRuns: Math.ceil(cases / scenarios.length) },
            );
        } finally {
            await server.close();
            await world.close();
        }
    });
});

/** A gateway that always says "not ready yet" is waited for. What is as it should be has its time before. */
function impatient(state: Bag): Bag {
    const runner = state["runner"] as Bag | undefined;
    return runner?.["kind"] === "gateway" ? { ...state, runner: { ...runner, deadlineSeconds: 0.3 } } : state;
}

interface Recorded {
    call: string;
    status: number;
    type: string;
    body: string;
}

/** The same call answered in another way. Statuses that are waited for have their own tests. */
function changedAnswer(recorded: Recorded): fc.Arbitrary<Recorded> {
    const { call, status, type, body } = recorded;
    const json = parsed(body);
    const bodies =
        json === undefined
            ? fc.constantFrom(body, "", "{", "null")
            : mutantsOf(json).map((one) => JSON.stringify(one) ?? "");
    return fc.record({
        call: fc.constant(call),
        status: fc.oneof(
            { weight: 8, arbitrary: fc.constant(status) },
            { weight: 2, arbitrary: fc.constantFrom(200, 201, 204, 302, 400, 403, 404, 405, 409, 418, 422) },
        ),
        type: fc.oneof(
            { weight: 9, arbitrary: fc.constant(type) },
            { weight: 1, arbitrary: fc.constantFrom("text/plain", "text/html", "application/octet-stream") },
        ),
        body: fc.oneof(
            { weight: 12, arbitrary: bodies },
            {
                weight: 1,
                arbitrary: fc.constantFrom("", "{", "null", "[]", "<html>", "\u0000", "x".repeat(100_000)),
            },
        ),
    });
}

function parsed(body: string): unknown {
    try {
        return JSON.parse(body);
    } catch {
        return undefined;
    }
}

/** Stands before an API, and answers one call in its place. */
async function startReplay(target: string) {
    let recording: Recorded[] | undefined;
    let instead: Recorded | undefined;
    const server = http.createServer(async (request, response) => {
        const { method = "GET", url = "/", headers } = request;
        const call = `${method} ${withoutIds(url)}`;
        const sent = await buffer(request);
        if (instead?.call === call) {
            const { status, type, body } = instead;
            response.writeHead(status, { "content-type": type });
            response.end(status === 204 ? undefined : body);
            return;
        }
        const onward = new URL(url, target);
        const passed = http.request(onward, { method, headers: { ...headers, host: onward.host } });
        passed.on("error", () => response.destroy());
        passed.on("response", async (answer) => {
            const body = await buffer(answer);
            const type = String(answer.headers["content-type"] ?? "");
            recording?.push({ call, status: answer.statusCode ?? 502, type, body: body.toString() });
            response.writeHead(answer.statusCode ?? 502, { "content-type": type });
            response.end(body);
        });
        passed.end(sent);
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        record: () => {
            recording = [];
        },
        recorded: () => recording ?? [],
        answer: (change: Recorded) => {
            instead = change;
        },
        close: () => {
            server.closeAllConnections();
            return new Promise<void>((done) => server.close(() => done()));
        },
    };
}

/** A SQL gateway gives each statement another id. */
function withoutIds(url: string): string {
    return url.replace(/\/(sessions|operations)\/[0-9a-f-]{36}/g, "/$1/…");
}
