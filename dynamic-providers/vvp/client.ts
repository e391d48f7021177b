import type * as z from "zod";
import { ApiError } from "../http/api-error.ts";
import { type HttpAnswer, type HttpCall, HttpClient } from "../http/client.ts";
import { redact } from "../http/redact.ts";
import type { Context } from "../resource.ts";
import { apiToken, secretHeaders, type VvpConnection } from "./connection.ts";
import { dialect } from "./dialect.ts";
import { configuredDialect, type Style, styles } from "./dialect-choice.ts";
import { oncePerRun } from "./once.ts";
import { whenTaken } from "./rate-limit.ts";

/** Calls of one namespace of one platform, with both of its error styles made one. */
export class VvpClient {
    readonly connection: VvpConnection;
    /** The namespace as it stands in paths and messages. */
    readonly namespace: string;
    readonly #fixed: ReturnType<typeof configuredDialect>;
    readonly #context: Context;
    /** Tokens and values of headers that nobody may see. */
    readonly #hidden: Set<string>;

    readonly #own: Record<string, string>;
    #last: string | undefined;

    /**
     * @param secrets what the calls of this client send and no error may show, also when the platform repeats it
     * @throws when there is no token; see {@link apiToken}
     */
    constructor(connection: VvpConnection, context: Context, secrets: readonly string[] = []) {
        this.connection = connection;
        this.namespace = connection.namespace;
        this.#context = context;
        this.#own = secretHeaders(context);
        this.#hidden = new Set([...Object.values(this.#own), ...secrets]);
        this.#token();
        this.#fixed = configuredDialect(context);
    }

    /** A name for what is remembered of this platform's workspace. */
    key(...parts: string[]): string {
        const { url, workspace } = this.connection;
        return JSON.stringify([url, workspace, ...parts]);
    }

    /**
     * Makes a call and reads its answer, out of its envelope when there is one.
     * @throws {ApiError} for a bad status, for `success: false` in a good one, and for an answer of another form
     */
    async call<S extends z.ZodType>(call: HttpCall, answerSchema: S): Promise<z.output<S>> {
        const answer = await this.#send(call);
        const parsed = answerSchema.safeParse(dialect.envelope.data(answer.json));
        if (parsed.success) return parsed.data;
        throw this.refusal(
            call,
            "answer of another form",
            `the platform answered ${answer.status}, but not as the dialect expects it: ${oddities(parsed.error)}`,
        );
    }

    /** Makes a call whose answer does not matter. */
    async send(call: HttpCall): Promise<void> {
        await this.#send(call);
    }

    /**
     * Reads one object; undefined when it does not exist. Since "not found" may also mean that the whole namespace
     * cannot be seen, `collection` must answer then, once in a run.
     */
    async find<S extends z.ZodType>(
        call: Omit<HttpCall, "method">,
        collection: string,
        answerSchema: S,
    ): Promise<z.output<S> | undefined> {
        try {
            return await this.call({ ...call, method: "GET" }, answerSchema);
        } catch (error) {
            if (!isNotFound(error)) throw error;
            await oncePerRun(this.#context, this.key("seen", collection), () =>
                this.send({
                    method: "GET",
                    path: collection,
                    action: `${call.action} (it was not found, and its namespace '${this.namespace}' cannot be listed)`,
                }),
            );
            return undefined;
        }
    }

    /**
     * All entries of a paged list. The platform gives ten at a time when it is not told otherwise. One that grows or
     * shrinks while it is read is read again: what moved from one page to another would be missing.
     */
    async list<S extends z.ZodType>(
        call: Omit<HttpCall, "method">,
        entrySchema: S,
        limit = Number.POSITIVE_INFINITY,
    ): Promise<z.output<S>[]> {
        for (let attempt = 1; ; attempt++) {
            const { items, moved } = await this.#pages({ ...call, method: "GET" }, limit);
            if (moved && attempt < mostReadings) continue;
            return items.map((item) => {
                const parsed = entrySchema.safeParse(item);
                if (parsed.success) return parsed.data;
                throw this.refusal(
                    { ...call, method: "GET" },
                    "answer of another form",
                    `the platform listed an object that is not as the dialect expects it: ${oddities(parsed.error)}`,
                );
            });
        }
    }

    async #pages(call: HttpCall, limit: number): Promise<{ items: unknown[]; moved: boolean }> {
        const all: unknown[] = [];
        const totals = new Set<number | undefined>();
        let before = "";
        for (let page = 1; page <= mostPages; page++) {
            const answer = await this.#send({
                ...call,
                query: { ...call.query, ...dialect.page.query(page) },
            });
            const { items, total } = dialect.page.read(answer.json);
            if (items === undefined) {
                throw this.refusal(
                    call,
                    "answer of another form",
                    `the platform answered ${answer.status}, but with no list`,
                );
            }
            totals.add(total);
            const moved = totals.size > 1;
            // A platform that knows no pages gives the same one again.
            if (items.length === 0 || JSON.stringify(items) === before) return { items: all, moved };
            before = JSON.stringify(items);
            all.push(...items);
            const complete = total === undefined ? !dialect.page.full(items.length) : all.length >= total;
            if (complete || all.length >= limit) return { items: all, moved };
        }
        throw this.refusal(
            call,
            "list without an end",
            `after ${mostPages} pages there were still more. What to do: correct the dialect's 'page' (docs/vvp.md)`,
        );
    }

    /** Deletes; an object that is already gone is fine, and an answer that got lost is settled by `gone`. */
    async delete(call: Omit<HttpCall, "method">, gone: () => Promise<boolean>): Promise<void> {
        try {
            await this.send({ ...call, method: "DELETE" });
        } catch (error) {
            if (isNotFound(error)) return;
            if (isAmbiguous(error) && (await gone())) return;
            throw error;
        }
    }

    /** A failure that a good answer tells in its own words, as the error of that call. */
    refusal(call: HttpCall, type: string, message: string): ApiError {
        return new ApiError({
            system: systemName(this.#style ?? styles[0]!),
            action: call.action,
            target: `${call.method} ${this.connection.url}${this.#pathAs(this.#style ?? styles[0]!, call.path)}`,
            type,
            serverMessage: this.clean(message),
            ambiguous: false,
        });
    }

    /** A text of the platform for people: without secrets, and not endless. */
    clean(text: string): string {
        const clean = redact(text, [...this.#hidden]).trim();
        return clean.length > 2000 ? `${clean.slice(0, 2000)}…` : clean;
    }

    /** The token of this moment: a long wait goes on with one that was renewed meanwhile. */
    #token(): string {
        try {
            this.#last = apiToken(this.#context, this.connection);
        } catch (error) {
            // vvctl's file is just being written: what was good a moment ago is tried on.
            if (this.#last === undefined) throw error;
        }
        this.#hidden.add(this.#last);
        return this.#last;
    }

    /** The path style when it is fixed, or was found by a call before. */
    get #style(): Style | undefined {
        return this.#fixed.style ?? found.get(this.#platform);
    }

    get #platform(): string {
        return this.key();
    }

    /**
     * The first call to a platform is its own probe: it is made in the first style, and any good answer settles that.
     * "No such path" may mean the style or the object, so that each style is then asked for what must be there. A console
     * may answer a path that it does not know with its own page.
     */
    async #send(call: HttpCall): Promise<HttpAnswer> {
        const style = this.#style;
        if (style !== undefined) return this.#sendAs(style, call);
        const [first, ...others] = styles as [Style, ...Style[]];
        try {
            const answer = await this.#sendAs(first, call);
            found.set(this.#platform, first);
            return answer;
        } catch (error) {
            if (!isNoSuchPath(error)) throw error;
            if (await this.#answers(first)) {
                found.set(this.#platform, first);
                throw error;
            }
            for (const other of others) {
                if (!(await this.#answers(other))) continue;
                found.set(this.#platform, other);
                return this.#sendAs(other, call);
            }
            throw error;
        }
    }

    async #answers(style: Style): Promise<boolean> {
        const call = {
            method: "GET" as const,
            path: dialect.probe(this.namespace),
            action: "probe the dialect",
        };
        return this.#sendAs(style, call).then(
            () => true,
            () => false,
        );
    }

    async #sendAs(style: Style, call: HttpCall): Promise<HttpAnswer> {
        const { connection } = this;
        let sent = "";
        const token = () => {
            sent = this.#token();
            return sent;
        };
        const http = new HttpClient({
            system: systemName(style),
            baseUrl: connection.url,
            headers: () => ({
                ...connection.headers,
                ...this.#own,
                ...dialect.headers({ workspace: connection.workspace, token: token() }),
            }),
            secrets: () => [...this.#hidden],
            caCertificate: connection.caCertificate,
            readError: (answer) => dialect.envelope.error(answer.json),
            hint: ({ status }) => hintFor(status, connection, style),
        });
        const request: HttpCall = {
            ...call,
            path: this.#pathAs(style, call.path),
            // "Too many requests" is waited out below, for longer than a server that stumbles.
            retryStatuses: call.method === "GET" ? [408, 500, 502, 503, 504] : [],
        };
        const once = async () => {
            const answer = await http.call(request);
            const failed = dialect.envelope.failedStatus(answer.json);
            if (failed === undefined) return answer;
            throw http.failure(request, { ...answer, status: failed });
        };
        const withNewest = () =>
            once().catch((error: unknown) => {
                const refused = error instanceof ApiError && error.status === 401;
                // Renewed while the call was on its way, which the platform refused and so did nothing.
                if (refused && this.#token() !== sent) return once();
                throw error;
            });
        return whenTaken(withNewest, call.deadlineSeconds);
    }

    #pathAs(style: Style, path: string): string {
        return this.#fixed.rewrite(dialect.styles[style](path, this.connection.workspace));
    }
}

/** A list that changes each time it is read is taken as it is after so many times. */
const mostReadings = 3;

/** No namespace has a hundred thousand of anything: then the pages are not read as the platform means them. */
const mostPages = 1000;

/** 404, 405, or a web page in the place of an answer. */
function isNoSuchPath(error: unknown): boolean {
    if (!(error instanceof ApiError) || error.status === undefined) return false;
    const page = error.ambiguous && error.status < 300;
    return page || error.status === 404 || error.status === 405;
}

/** The style of each platform, once it is known. */
const found = new Map<string, Style>();

function systemName(style: Style): string {
    return `VVP (API dialect ${style})`;
}

/** True for "no such object" in each of the platform's ways to say it. */
export function isNotFound(error: unknown): boolean {
    return error instanceof ApiError && dialect.notFound(error.status, error.type, error.serverMessage);
}

/** True when the platform may have done the work although no good answer came. */
export function isAmbiguous(error: unknown): error is ApiError {
    return error instanceof ApiError && error.ambiguous;
}

/** What does not fit, in words and not as the schema's JSON. */
function oddities({ issues }: z.ZodError): string {
    return issues
        .map(({ path, message }) => [path.join("."), message].filter((part) => part !== "").join(": "))
        .join("; ");
}

function hintFor(status: number | undefined, connection: VvpConnection, style: Style): string | undefined {
    const { workspace, namespace } = connection;
    if (status === 401) {
        return (
            "check the API token: it is wrong, expired, revoked or of another namespace. It comes from the environment " +
            "variable VV_API_TOKEN, else from the stack configuration pulumi-fluss:vvpToken, else from vvctl's configuration"
        );
    }
    if (status === 403) {
        return `the API token's role does not allow this in namespace '${namespace}'; deployment targets need the role owner`;
    }
    if (status === 429) {
        return "the platform takes no more requests for now: run again later, or with fewer at once (`pulumi up --parallel 2`)";
    }
    if (status === 404 || status === 405) {
        return (
            `check workspace '${workspace}' and namespace '${namespace}'; if both are right, this platform serves other ` +
            `paths than the dialect '${style}': the stack configuration pulumi-fluss:vvpDialect chooses ${styles.join(" or ")}, ` +
            "and pulumi-fluss:vvpPaths puts other paths in their place (docs/vvp.md)"
        );
    }
    return undefined;
}
