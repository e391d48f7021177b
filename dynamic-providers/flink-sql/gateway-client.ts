import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { type CatalogSpec, createCatalog } from "../../model/ddl.ts";
import { isSecretOption } from "../../model/show-create.ts";
import { isServiceUrl } from "../../model/url.ts";
import { ApiError } from "../http/api-error.ts";
import { type HttpAnswer, type HttpCall, HttpClient, neverReached } from "../http/client.ts";
import { readFlinkError } from "./cause.ts";
import { sqlHint } from "./hints.ts";
import type { Rows } from "./runner.ts";

/** How a program names a SQL gateway of Flink. */
export const gatewayFields = {
    /** Base URL of the SQL gateway's REST endpoint. */
    url: z.string().refine(isServiceUrl, {
        error: "must be the base URL of a SQL gateway, like http://localhost:8083, without user, password and query",
    }),
    /** Longest run of one statement, in seconds, a day at most. Default 120. */
    deadlineSeconds: z.number().positive().max(86_400).optional(),
};

/** How a SQL gateway of Flink is used. */
export interface GatewayOptions {
    /** Base URL, `http://localhost:8083`. */
    url: string;
    /** Catalogs that every session gets: the gateway forgets them with the session. */
    catalogs: readonly CatalogSpec[];
    /** Seconds for one statement, default 120. */
    deadlineSeconds?: number;
}

/** Sessions of a SQL gateway and statements in them (REST v1, Flink 1.20.3 observed). */
export class GatewayClient {
    readonly #options: GatewayOptions;
    readonly #http: HttpClient;
    #answered = false;

    constructor(options: GatewayOptions) {
        const secrets = catalogSecrets(options.catalogs);
        this.#options = options;
        this.#http = new HttpClient({
            system,
            baseUrl: options.url,
            secrets: () => secrets,
            readError: readFlinkError,
            hint: ({ message }) => sqlHint(message),
        });
    }

    /**
     * A session that knows the catalogs.
     * @param properties Flink options of the session, as `execution.runtime-mode`
     */
    async openSession(properties: Readonly<Record<string, string>> = {}): Promise<string> {
        const session = await this.#bareSession(properties);
        for (const catalog of this.#options.catalogs) {
            await this.run(session, createCatalog(catalog), `open the catalog '${catalog.name}'`);
        }
        return session;
    }

    /** Ends a session; jobs that it submitted go on. A failure changes nothing for the caller. */
    async closeSession(session: string): Promise<void> {
        const call: HttpCall = {
            method: "DELETE",
            path: `/v1/sessions/${session}`,
            action: "close a session",
            deadlineSeconds: 5,
        };
        await this.#http.call(call).catch(() => undefined);
    }

    /**
     * Runs one statement and reads its whole result.
     * @param executionConfig Flink options of this statement alone
     */
    async run(
        session: string,
        statement: string,
        action: string,
        executionConfig: Readonly<Record<string, string>> = {},
    ): Promise<Rows> {
        const seconds = this.#options.deadlineSeconds ?? 120;
        const deadline = Date.now() + seconds * 1000;
        const path = `/v1/sessions/${session}`;
        const { operationHandle } = await this.#call(
            {
                method: "POST",
                path: `${path}/statements`,
                json: { statement, executionConfig },
                action,
                deadlineSeconds: seconds,
            },
            z.object({ operationHandle: z.string() }),
        );
        const operation = `${path}/operations/${operationHandle}`;
        const rows: Rows = { columns: [], rows: [] };
        let job: string | undefined;
        try {
            let token = "0";
            for (let pause = 20; ; pause = Math.min(pause * 1.5, 500)) {
                const page = await this.#fetch(`${operation}/result/${token}`, action, deadline);
                collect(rows, page);
                job = page.jobID ?? job;
                if (page.resultType === "EOS") return rows;
                const next = /\/result\/(\d+)/.exec(page.nextResultUri ?? "")?.[1];
                if (page.resultType === "PAYLOAD" && next) token = next;
                if (Date.now() > deadline) throw this.#tooLate(action, seconds);
                await sleep(pause);
            }
        } catch (error) {
            await this.#stopJob(job);
            throw this.#afterStart(error, statement, action);
        } finally {
            await this.#close(operation);
        }
    }

    /**
     * A statement that was sent has perhaps run when the gateway forgets its session, or can no longer be reached: it was
     * started anew. What changes something must not run twice then; the caller looks whether it did.
     */
    #afterStart(error: unknown, statement: string, action: string): unknown {
        if (!(error instanceof ApiError) || harmless.test(statement)) return error;
        if (isSessionLost(error)) {
            const serverMessage =
                "the gateway forgot the session while the statement ran; was it started anew?";
            return this.#error(action, { type: "SessionLost", serverMessage, ambiguous: true });
        }
        if (!isUnreached(error)) return error;
        const { type, serverMessage, hint } = error;
        return this.#error(action, { type, serverMessage, hint, ambiguous: true });
    }

    async #bareSession(properties: Readonly<Record<string, string>> = {}): Promise<string> {
        const answer = await this.#call(
            { method: "POST", path: "/v1/sessions", json: { properties }, action: "open a session" },
            z.object({ sessionHandle: z.string() }),
        );
        return answer.sessionHandle;
    }

    /**
     * Ends the Flink job of a statement that was given up. The gateway's own cancel leaves it running and its slots taken,
     * and the statement's session may be busy with it (Flink 1.20.3 observed): hence STOP JOB, in a session of its own.
     */
    async #stopJob(job: string | undefined): Promise<void> {
        if (job === undefined || !/^[0-9a-f]{32}$/.test(job)) return;
        try {
            const session = await this.#bareSession();
            await this.run(session, `STOP JOB '${job}'`, `stop the job ${job}`);
            await this.closeSession(session);
        } catch {
            // The caller learns why the statement failed; the job is to be seen in Flink.
        }
    }

    /** A 500 is the statement's own failure here, so only what comes from in between is tried again. */
    async #fetch(path: string, action: string, deadline: number): Promise<z.output<typeof resultPage>> {
        const call: HttpCall = {
            method: "GET",
            path,
            query: { rowFormat: "JSON" },
            action,
            retryStatuses: [429, 502, 503, 504],
            deadlineSeconds: Math.max(1, (deadline - Date.now()) / 1000),
        };
        return this.#call(call, resultPage);
    }

    /** Frees what the gateway holds for a statement; a failure changes nothing for the caller. */
    async #close(operation: string): Promise<void> {
        const call: HttpCall = {
            method: "DELETE",
            path: `${operation}/close`,
            action: "close a statement",
            deadlineSeconds: 5,
        };
        await this.#http.call(call).catch(() => undefined);
    }

    async #call<S extends z.ZodType>(call: HttpCall, schema: S): Promise<z.output<S>> {
        let answer: HttpAnswer;
        try {
            answer = await this.#patientCall(call);
        } catch (error) {
            throw this.#settled(error, call.action);
        }
        const parsed = schema.safeParse(answer.json);
        if (parsed.success) return parsed.data;
        throw this.#error(call.action, {
            serverMessage: `answered ${answer.status}, but not as Flink's SQL gateway does`,
            ambiguous: true,
            hint: `check that ${this.#options.url} is the REST endpoint of a Flink SQL gateway`,
        });
    }

    /** A gateway that has answered before and refuses connections now is being started anew: that is waited for. */
    async #patientCall(call: HttpCall): Promise<HttpAnswer> {
        const end = Date.now() + Math.min(restartSeconds, call.deadlineSeconds ?? restartSeconds) * 1000;
        while (true) {
            try {
                const answer = await this.#http.call(call);
                this.#answered = true;
                return answer;
            } catch (error) {
                if (!isUnreached(error) || !this.#answered || Date.now() > end) throw error;
                await sleep(500);
            }
        }
    }

    /** The gateway answers 500 to every mistake; with an exception of Flink in it, the outcome is known: it failed. */
    #settled(error: unknown, action: string): unknown {
        if (!(error instanceof ApiError) || error.status !== 500 || error.type === undefined) return error;
        const { type, serverMessage } = error;
        return this.#error(action, { type, serverMessage, ambiguous: false, hint: sqlHint(serverMessage) });
    }

    #tooLate(action: string, seconds: number): ApiError {
        const serverMessage = `not finished within ${seconds} s`;
        return this.#error(action, { type: "deadline", serverMessage, ambiguous: true });
    }

    #error(
        action: string,
        facts: { type?: string; serverMessage: string; ambiguous: boolean; hint?: string },
    ): ApiError {
        return new ApiError({ system, action, target: this.#options.url, ...facts });
    }
}

/** The options' values that must not appear in errors and outputs. */
export function catalogSecrets(catalogs: readonly CatalogSpec[]): string[] {
    return catalogs.flatMap(({ options }) =>
        Object.entries(options)
            .filter(([key, value]) => isSecretOption(key, value))
            .map(([, value]) => value),
    );
}

/** Sessions end after ten idle minutes, and when the gateway is started anew. */
export function isSessionLost(error: unknown): boolean {
    return error instanceof ApiError && /^Session '.*' does not exist/.test(error.serverMessage);
}

const system = "Flink SQL gateway";
const restartSeconds = 60;
/** Reading twice changes nothing, and a catalog is gone with its session. */
const harmless = /^(SHOW|CREATE CATALOG)\b/;

/** No connection came about, so that this call never reached the gateway. */
function isUnreached(error: unknown): error is ApiError {
    return error instanceof ApiError && neverReached.includes(error.type ?? "");
}

const resultPage = z.object({
    resultType: z.enum(["NOT_READY", "PAYLOAD", "EOS"]),
    nextResultUri: z.string().nullish(),
    jobID: z.string().nullish(),
    results: z
        .object({
            columns: z.array(z.object({ name: z.string() })),
            data: z.array(z.object({ fields: z.array(z.unknown()) })),
        })
        .nullish(),
});

function collect(rows: Rows, page: z.output<typeof resultPage>): void {
    if (!page.results) return;
    rows.columns = page.results.columns.map(({ name }) => name);
    for (const { fields } of page.results.data) {
        rows.rows.push(fields.map((cell) => (cell === null || cell === undefined ? null : String(cell))));
    }
}
