import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Contract } from "../../../local/simulators/shared/index.ts";
import { type Call, readRecording, type Step } from "./recording.ts";
import { ReplayServer, type Reply } from "./replay-server.ts";
import { exceptionOf, Sameness } from "./sameness.ts";
import { unequal } from "./unequal.ts";

/**
 * All calls that were recorded on a real Lakekeeper 0.13.3 are made to the simulated one, in their order. It must give
 * the same status, content type and body, apart from ids, times and what `unequal.ts` lists.
 */
const recordings: [title: string, steps: Step[]][] = [
    [
        "server, projects, warehouses, users, roles and queues, without a check of the storage",
        readRecording("recorded.jsonl", "recorded-changes.jsonl"),
    ],
    [
        "the check of the storage; namespaces, tables and their deletion",
        readRecording("recorded-storage.jsonl"),
    ],
    ["races, maintenance, limits, other settings, authentication", readRecording("recorded-servers.jsonl")],
];

/** Lakekeeper's management-open-api.yaml of 0.13.3, which is not part of this repository. */
const openApi = process.env["LAKEKEEPER_OPENAPI"];
const contract = openApi ? new Contract([{ file: openApi }]) : undefined;
const violations: string[] = [];

describe.each(recordings)("the simulated Lakekeeper answers like the recorded one: %s", (_title, steps) => {
    let server: ReplayServer;
    const same = new Sameness((recorded) => server.here(recorded));
    beforeAll(async () => {
        vi.useFakeTimers({ toFake: ["Date"] });
        server = await ReplayServer.start();
    });
    afterAll(async () => {
        await server.close();
        vi.useRealTimers();
    });
    const make = async (call: Call): Promise<Reply> => {
        vi.setSystemTime(Date.now() + (call.wait ?? 1));
        const reply = await server.send({
            ...call,
            path: same.real(call.path),
            ...(call.body === undefined ? {} : { body: same.real(call.body) }),
        });
        if (contract) violations.push(...againstContract(contract, call, reply));
        return reply;
    };
    let index = 0;
    for (const step of steps) {
        index++;
        if ("server" in step) {
            it(`${index}: starts with ${JSON.stringify(step.server)}`, () => server.restart(step.server));
            continue;
        }
        const [call, ...others] = step.calls;
        const reason = same.skipped(call);
        // One call alone, to a store of Azure that was not there: shown as skipped with the reason, never silently left out.
        if (reason) it.skip(`${index}: ${call.method} ${call.path}: not made, since ${reason}`);
        else if (others.length === 0) {
            it(`${index}: ${call.note}: ${call.method} ${call.path} is ${call.status}`, async () =>
                same.compare(call, await make(call)));
        } else {
            it(`${index}: ${step.calls.length} times at once: ${call.method} ${call.path}`, async () =>
                same.compareRace(step.calls, await Promise.all(step.calls.map(make))));
        }
    }
});

it("all 685 recorded calls are there, and nothing is excused that none of them needs", () => {
    const calls = recordings.flatMap(([, steps]) =>
        steps.flatMap((step) => ("calls" in step ? step.calls : [])),
    );
    expect(calls).toHaveLength(685);
    const needed = new Set(calls.map(exceptionOf));
    expect(unequal.filter((exception) => !needed.has(exception))).toEqual([]);
    expect(calls.filter((call) => exceptionOf(call)?.skip)).toHaveLength(1);
});

it.skipIf(!contract)("all its JSON answers fit Lakekeeper's OpenAPI document (LAKEKEEPER_OPENAPI)", () => {
    expect(violations).toEqual([]);
});

/** Faults of an answer; none for paths that the document does not have. */
function againstContract(document: Contract, call: Call, reply: Reply): string[] {
    const operation = document.match(call.method, call.path.split("?")[0] ?? "");
    const json = reply.headers.get("content-type")?.startsWith("application/json");
    // The 503 of a rename to a taken name is not in the document: the real server answers it all the same.
    if (!json || call.method === "HEAD" || typeof operation !== "object" || reply.status === 503) return [];
    const faults = document.checkAnswer(operation.operationId, reply.status, JSON.parse(reply.text));
    return faults.map((fault) => `${call.method} ${call.path} ${reply.status}: ${fault}`);
}
