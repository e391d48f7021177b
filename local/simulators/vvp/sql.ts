import { FlinkError } from "../../flink/index.ts";
import { redact } from "../../services/redact.ts";
import { type Handler, Refusal } from "../shared/index.ts";
import { artifactFile } from "./artifacts.ts";
import type { Context } from "./context.ts";
import { enveloped } from "./dialect.ts";
import { causeOf, isSessionLost, isUnreachable, type SqlResult, type SqlSession } from "./flink-backend.ts";
import { substituteSecrets } from "./secret-values.ts";
import { catalogOf, inQuotes, kindOf, splitStatements } from "./sql-text.ts";
import type { StoredCatalog } from "./state.ts";

interface ExecuteBody {
    statement: string;
    flinkConfiguration?: Record<string, string>;
    batchMode?: boolean;
    versionName?: string;
    additionalDependencies?: string[];
}

/** Runs SQL on Flink for the simulated VVP and remembers the catalogs that it creates. */
export interface SqlRunner {
    handlers: Record<string, Handler>;
    /** A session of its own with the namespace's catalogs; the caller closes it. */
    open(namespace: string, options: Record<string, string>): Promise<SqlSession>;
    close(): Promise<void>;
}

/**
 * `sqlscripts:execute` on the real gateway. A catalog lives only in its Flink session, on VVP it stays: so CREATE CATALOG
 * is remembered as it was written, secret references unresolved, and replayed in each new session with the secrets put in.
 * Secrets are masked in results and messages, which Flink prints in clear in SHOW CREATE. Queries and INSERT are refused:
 * VVP runs those as deployments or in Debug mode.
 */
export function sqlRunner(context: Context): SqlRunner {
    const { store, flink } = context;
    const { catalogs } = store.state;
    // One session a namespace is kept while nothing in it differs from a new one.
    const kept = new Map<string, SqlSession>();

    const resolve = (namespace: string, statement: string) =>
        substituteSecrets(store, namespace, statement, inQuotes);

    const open = async (namespace: string, options: Record<string, string>): Promise<SqlSession> => {
        const session = await flink.openSession(options);
        try {
            for (const catalog of catalogs.filter((candidate) => candidate.namespace === namespace)) {
                await replay(session, catalog, resolve(namespace, catalog.statement));
            }
            return session;
        } catch (error) {
            await session.close();
            throw error;
        }
    };

    const forget = async (namespace: string) => {
        const session = kept.get(namespace);
        kept.delete(namespace);
        await session?.close();
    };

    const remember = (namespace: string, statement: string, body: ExecuteBody) => {
        const change = catalogOf(statement);
        if (!change) return;
        const old = catalogs.findIndex((c) => c.namespace === namespace && c.name === change.name);
        if (change.action === "drop" && old >= 0) catalogs.splice(old, 1);
        else if (change.action === "create" && old < 0) {
            const { additionalDependencies = [] } = body;
            catalogs.push({ namespace, name: change.name, statement, additionalDependencies });
        } else return;
        store.save();
    };

    /** A catalog that cannot be opened any more can still be dropped. */
    const dropUnopened = (namespace: string, statement: string): boolean => {
        const change = catalogOf(statement);
        const known = catalogs.some((c) => c.namespace === namespace && c.name === change?.name);
        if (change?.action !== "drop" || !known) return false;
        remember(namespace, statement, { statement });
        return true;
    };

    const runOne = async (namespace: string, body: ExecuteBody, statement: string): Promise<SqlResult> => {
        const own = body.flinkConfiguration !== undefined || body.batchMode === true;
        const options = {
            ...body.flinkConfiguration,
            ...(body.batchMode === true ? { "execution.runtime-mode": "BATCH" } : {}),
        };
        const text = resolve(namespace, statement);
        for (let attempt = 1; ; attempt++) {
            let session: SqlSession;
            try {
                session = (own ? undefined : kept.get(namespace)) ?? (await open(namespace, options));
            } catch (error) {
                if (dropUnopened(namespace, statement)) return { columns: [], rows: [], hasContent: false };
                throw error;
            }
            if (!own) kept.set(namespace, session);
            try {
                const result = await session.execute(text);
                remember(namespace, statement, body);
                return result;
            } catch (error) {
                const lost = isSessionLost(error);
                if (lost && !own) kept.delete(namespace);
                if (!lost || attempt > 1) throw error;
            } finally {
                if (own) await session.close();
            }
        }
    };

    const execute = async (namespace: string, body: ExecuteBody): Promise<SqlResult> => {
        const statements = splitStatements(body.statement);
        const changesSession = statements.some((statement) =>
            ["session", "temporary"].includes(kindOf(statement)),
        );
        try {
            refuseUnknownDependencies(context, body.additionalDependencies ?? []);
            refuseUnknownEngine(context, body.versionName);
            refuseJobs(statements);
            let result: SqlResult = { columns: [], rows: [], hasContent: false };
            for (const statement of statements) result = await runOne(namespace, body, statement);
            return result;
        } finally {
            if (changesSession) await forget(namespace);
        }
    };

    // One at a time in a namespace: two statements must not see half of each other's catalogs.
    const queues = new Map<string, Promise<unknown>>();
    const inTurn = <T>(namespace: string, work: () => Promise<T>): Promise<T> => {
        const turn = (queues.get(namespace) ?? Promise.resolve()).then(work);
        queues.set(
            namespace,
            turn.catch(() => undefined),
        );
        return turn;
    };

    return {
        open,
        close: async () => {
            for (const namespace of [...kept.keys()]) await forget(namespace).catch(() => undefined);
        },
        handlers: {
            executeSql: async (call) => {
                const namespace = call.params["namespace"]!;
                const clean = (text: string) => redact(text, store.secretTexts());
                try {
                    const result = await inTurn(namespace, () =>
                        execute(namespace, call.body as ExecuteBody),
                    );
                    return enveloped(success(result, clean));
                } catch (error) {
                    // A failed statement is a result, not an HTTP error (Ververica Cloud OpenAPI).
                    if (!(error instanceof FlinkError || error instanceof Refusal)) throw error;
                    return enveloped({
                        result: "RESULT_INVALID",
                        errorMessages: [{ message: clean(messageOf(error)) }],
                    });
                }
            },
        },
    };
}

/** Refuses (400) URIs under which no artifact was uploaded. */
export function refuseUnknownDependencies(context: Context, uris: string[]): void {
    const missing = uris.filter((uri) => artifactFile(context, uri) === undefined);
    if (missing.length > 0) throw new Refusal(400, `no artifact was uploaded to ${missing.join(", ")}`);
}

/** Refuses (400) an engine version that is not offered; none means the default. */
export function refuseUnknownEngine(context: Context, version: string | undefined): void {
    const offered = context.engineVersions.map((candidate) => candidate.engineVersion);
    if (version === undefined || offered.includes(version)) return;
    throw new Refusal(400, `engine version ${version} is not available; there are ${offered.join(", ")}`);
}

function messageOf(error: FlinkError | Refusal): string {
    if (!(error instanceof FlinkError)) return error.message;
    // The words of the product when its engine process restarts (quickstart).
    return isUnreachable(error)
        ? `Failed to get response from sql gateway server: ${error.reason}`
        : causeOf(error);
}

async function replay(session: SqlSession, catalog: StoredCatalog, statement: string): Promise<void> {
    try {
        await session.execute(statement);
    } catch (error) {
        if (!(error instanceof FlinkError)) throw error;
        const { status, type } = error;
        throw new FlinkError("replay", {
            status,
            type,
            reason: `catalog ${catalog.name} cannot be opened: ${error.reason}`,
        });
    }
}

function refuseJobs(statements: string[]): void {
    if (statements.length === 0) throw new Refusal(400, "there is no statement in the script");
    const job = statements.find((text) => ["insert", "query", "set-begin", "set-end"].includes(kindOf(text)));
    if (job === undefined) return;
    throw new Refusal(
        400,
        `${job.split(/\s/, 1)[0]} is not executed here: run INSERT as a SQL deployment and queries on a session cluster`,
    );
}

function success(result: SqlResult, clean: (text: string) => string): Record<string, unknown> {
    if (!result.hasContent) return { result: "RESULT_SUCCESS", errorMessages: [] };
    return {
        result: "RESULT_SUCCESS_WITH_ROWS",
        errorMessages: [],
        resultTable: {
            headers: result.columns.map((name) => ({ name })),
            rows: result.rows.map((row) => ({
                cells: row.map((value) => ({ value: typeof value === "string" ? clean(value) : value })),
            })),
        },
    };
}
