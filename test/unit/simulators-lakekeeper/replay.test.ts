import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
    type LakekeeperSimulator,
    startLakekeeperSimulator,
} from "../../../local/simulators/lakekeeper/index.ts";
import { Contract } from "../../../local/simulators/shared/index.ts";

/**
 * Calls to a real Lakekeeper 0.13.3 with its answers, in order, without storage validation: one JSON object a line.
 * The simulator must give the same status and the same body, apart from ids, times and the column of a 422.
 */
interface Recorded {
    note: string;
    method: string;
    path: string;
    headers?: Record<string, string>;
    contentType?: string;
    body?: string;
    status: number;
    json?: unknown;
    text?: string;
}

const read = (file: string) =>
    readFileSync(new URL(file, import.meta.url), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Recorded);

/** Each of them begins with an empty server. */
const recordings: [title: string, calls: Recorded[]][] = [
    ["server, projects, and warehouses on S3", read("recorded.jsonl")],
    ["other clouds, task queues, users and roles", read("recorded-clouds.jsonl")],
];

/** What cannot be equal, by the real server's text, and why. */
const differs: [RegExp, string][] = [
    [/duplicate field `warehouse-name`/, "a JSON parser of the language keeps the last of two equal keys"],
    [/EOF while parsing a string|trailing comma/, "the words of the real server's JSON parser"],
    [/invalid length 0, expected struct/, "the real server also reads a struct from a JSON array"],
];

/** Lakekeeper's management-open-api.yaml of 0.13.3, which is not part of this repository. */
const openApi = process.env["LAKEKEEPER_OPENAPI"];
const contract = openApi ? new Contract([{ file: openApi }]) : undefined;
const violations: string[] = [];

describe.each(recordings)(
    "the simulated Lakekeeper answers like the recorded one: %s",
    (_title, recorded) => {
        let simulator: LakekeeperSimulator;
        beforeAll(async () => {
            simulator = await startLakekeeperSimulator({ port: 0, token: "replayed" });
        });
        afterAll(() => simulator.close());
        const ids = new Map<string, string>();
        recorded.forEach((call, index) => {
            it(`${index + 1}: ${call.note}: ${call.method} ${call.path} is ${call.status}`, async () => {
                const real = (text: string) =>
                    text.replace(
                        /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi,
                        (id) => ids.get(id.toLowerCase()) ?? id,
                    );
                const answer = await fetch(`${simulator.url}${real(call.path)}`, {
                    method: call.method,
                    headers: {
                        authorization: "Bearer replayed",
                        ...(call.contentType ? { "content-type": call.contentType } : {}),
                        ...call.headers,
                    },
                    // Bytes, since a text would get a content type of its own.
                    body: call.body === undefined ? undefined : Buffer.from(call.body),
                });
                const text = await answer.text();
                const json = answer.headers.get("content-type")?.startsWith("application/json");
                if (contract && json)
                    violations.push(...againstContract(contract, call, answer.status, text));
                if (call.status === 201) {
                    for (const [name, id] of Object.entries(call.json as Record<string, unknown>)) {
                        if (/^(warehouse-)?id$|^project-id$/.test(name)) {
                            ids.set(String(id), (JSON.parse(text) as Record<string, string>)[name]!);
                        }
                    }
                }
                expect(answer.status, text).toBe(call.status);
                if (differs.some(([pattern]) => pattern.test(call.text ?? ""))) {
                    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
                    return;
                }
                if (call.json !== undefined) {
                    expect(json).toBe(true);
                    expect(plain(JSON.parse(text))).toEqual(
                        plain(JSON.parse(real(JSON.stringify(call.json)))),
                    );
                } else {
                    expect(withoutColumn(text)).toBe(withoutColumn(real(call.text ?? "")));
                }
            });
        });
    },
);

it.skipIf(!contract)("all its JSON answers fit Lakekeeper's OpenAPI document (LAKEKEEPER_OPENAPI)", () => {
    expect(violations).toEqual([]);
});

/** Faults of an answer; none for paths that the document does not have. */
function againstContract(document: Contract, call: Recorded, status: number, text: string): string[] {
    const operation = document.match(call.method, call.path.split("?")[0] ?? "");
    // The 503 of a rename to a taken name is not in the document: the real server answers it all the same.
    if (typeof operation !== "object" || status === 503) return [];
    const faults = document.checkAnswer(operation.operationId, status, JSON.parse(text));
    return faults.map((fault) => `${call.method} ${call.path} ${status}: ${fault}`);
}

/** Takes out what no two servers share: error ids, times, the server's id. */
function plain(value: unknown): unknown {
    return JSON.parse(JSON.stringify(value), (key, part: unknown) => {
        if (key === "server-id") return "<id>";
        if (["updated-at", "updated_at", "created-at"].includes(key)) return part === null ? null : "<time>";
        if (key === "next-page-token") return part === null ? null : "<token>";
        if (key === "stack") return (part as string[]).filter((entry) => !entry.startsWith("Error ID: "));
        return part;
    });
}

function withoutColumn(text: string): string {
    return text.replace(/ at line \d+ column \d+$/, "");
}
