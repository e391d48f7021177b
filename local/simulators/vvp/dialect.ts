import { randomUUID } from "node:crypto";
import { FlinkError } from "../../flink/index.ts";
import type { Answer, Call, Handler } from "../shared/index.ts";
import { Refusal } from "../shared/index.ts";
import { causeOf } from "./flink-backend.ts";
import type { Named } from "./state.ts";

/**
 * How the simulated VVP tells a business failure in its enveloped dialects (`/api/v2`, `/artifacts/v1`, `/sql/v1beta1`):
 * `http` = with a fitting status (404, 409, ...), `envelope` = always status 200 with `success: false`. Which of the two a
 * real VVP 3 uses is not known; clients must cope with both.
 */
export type ErrorStyle = "http" | "envelope";

/** An error as the API of the path writes it: `{message}` in the v1 dialects, the envelope elsewhere. */
export function problem(path: string, status: number, message: string): unknown {
    if (!isEnveloped(path)) return { message, code: status };
    return {
        success: false,
        httpCode: status,
        requestId: randomUUID(),
        // 990301 is the one code that public clients know: no such resource.
        errorCode: status === 404 ? "990301" : `9903${status}`,
        errorMessage: message,
    };
}

/** True for the paths whose answers come in an envelope. */
export function isEnveloped(path: string): boolean {
    return ["/api/v2/", "/artifacts/", "/sql/"].some((prefix) => path.startsWith(prefix));
}

/** An answer of the enveloped dialects. */
export function enveloped(
    data: unknown,
    status = 200,
    page?: { pageIndex: number; pageSize: number; totalSize: number },
): Answer {
    return {
        status,
        body: {
            success: true,
            httpCode: status,
            requestId: randomUUID(),
            errorCode: "",
            errorMessage: "",
            data,
            ...page,
        },
    };
}

/** Handlers whose refusals come as `style` wants, in the dialect of their path; trouble with Flink becomes 500. */
export function inDialect(handlers: Record<string, Handler>, style: ErrorStyle): Record<string, Handler> {
    const wrap = (handler: Handler) => async (call: Call) => {
        try {
            return await handler(call);
        } catch (error) {
            if (error instanceof FlinkError)
                throw new Refusal(500, causeOf(error), problem(call.path, 500, causeOf(error)));
            if (!(error instanceof Refusal)) throw error;
            const body = problem(call.path, error.status, error.message);
            const status = style === "envelope" && isEnveloped(call.path) ? 200 : error.status;
            throw new Refusal(status, error.message, body);
        }
    };
    return Object.fromEntries(Object.entries(handlers).map(([id, handler]) => [id, wrap(handler)]));
}

/** One page of a list of the v2 dialect: `pageIndex` from 1, `pageSize` 1..100, by default 10 (as the sibling API documents). */
export function page<T>(
    call: Call,
    all: T[],
): { items: T[]; page: { pageIndex: number; pageSize: number; totalSize: number } } {
    const number = (name: string, fallback: number) => {
        const text = call.query.get(name);
        if (text === null) return fallback;
        if (!/^[1-9]\d*$/.test(text)) throw new Refusal(400, `${name} must be a positive integer`);
        return Number(text);
    };
    const pageIndex = number("pageIndex", 1);
    const pageSize = number("pageSize", 10);
    if (pageSize > 100) throw new Refusal(400, "pageSize must not be larger than 100");
    return {
        items: all.slice((pageIndex - 1) * pageSize, pageIndex * pageSize),
        page: { pageIndex, pageSize, totalSize: all.length },
    };
}

/** The `metadata` of a v1 resource. */
export function metadataOf(record: Named<unknown>, workspace: string): Record<string, unknown> {
    const { id, name, namespace, labels, annotations, createdAt, modifiedAt, resourceVersion } = record;
    return { id, name, namespace, workspace, labels, annotations, createdAt, modifiedAt, resourceVersion };
}

/** A v1 list: everything at once. */
export function v1List(kind: string, items: unknown[]): Answer {
    return {
        status: 200,
        body: {
            apiVersion: "v1",
            kind: `${kind}List`,
            items,
            metadata: {
                pageIndex: 1,
                pageSize: items.length,
                resultSize: items.length,
                totalPage: 1,
                totalSize: items.length,
            },
        },
    };
}

/** The record of that name; refuses with 404. */
export function findNamed<T extends { namespace: string; name: string }>(
    records: T[],
    call: Call,
    what: string,
): T {
    const { namespace, name } = call.params;
    const found = records.find((record) => record.namespace === namespace && record.name === name);
    if (!found) throw new Refusal(404, `${what} ${name} not found in namespace ${namespace}`);
    return found;
}

/** Refuses with 409 when the name is taken. */
export function refuseTaken(
    records: { namespace: string; name: string }[],
    namespace: string,
    name: string,
    what: string,
): void {
    if (records.some((record) => record.namespace === namespace && record.name === name)) {
        throw new Refusal(409, `${what} ${name} already exists in namespace ${namespace}`);
    }
}

/** RFC 7396: members of `patch` win, `null` removes. */
export function mergePatch(target: unknown, patch: unknown): unknown {
    if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
    const base = typeof target === "object" && target !== null && !Array.isArray(target) ? target : {};
    const merged: Record<string, unknown> = { ...base };
    for (const [key, value] of Object.entries(patch)) {
        if (value === null) delete merged[key];
        else merged[key] = mergePatch(merged[key], value);
    }
    return merged;
}
