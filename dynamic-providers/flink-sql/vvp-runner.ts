import { ApiError } from "../http/api-error.ts";
import { innermostCause } from "./cause.ts";
import { sqlHint } from "./hints.ts";
import type { Rows, SqlRunner } from "./runner.ts";

/** The part of the platform's SQL service that is needed here; `executeSql` of `vvp` is one. */
export interface StatementExecutor {
    execute(
        statement: string,
        options: {
            engineVersion?: string;
            additionalDependencies?: readonly string[];
            repeatable?: boolean;
        },
    ): Promise<{ headers: string[]; rows: (string | null)[][] }>;
}

/**
 * Ververica Platform's SQL service, `sqlscripts:execute`. The platform keeps catalogs, with the JARs of the statement
 * that made them; every statement about a catalog carries the same JARs (quickstart).
 */
export class VvpRunner implements SqlRunner {
    readonly catalogsInSession = false;
    readonly #executor: StatementExecutor;
    readonly #with: { engineVersion?: string; additionalDependencies: readonly string[] };

    constructor(
        executor: StatementExecutor,
        engine: { engineVersion?: string; additionalDependencies: readonly string[] },
    ) {
        this.#executor = executor;
        this.#with = engine;
    }

    async execute(statement: string, action: string): Promise<Rows> {
        try {
            const repeatable = /^\s*SHOW\b/i.test(statement);
            const { headers, rows } = await this.#executor.execute(statement, { ...this.#with, repeatable });
            return { columns: headers, rows };
        } catch (error) {
            throw asStatementError(error, action);
        }
    }
}

/** A statement that failed comes back as text of Flink; a call that failed stays as it is. */
function asStatementError(error: unknown, action: string): unknown {
    if (!(error instanceof ApiError) || error.status !== undefined || !error.type?.startsWith("RESULT_")) {
        return error;
    }
    const { type, message } = innermostCause(error.serverMessage);
    // The service's engine process restarts at times (quickstart), and nobody knows whether the statement had run.
    const ambiguous = /failed to get response from sql gateway/i.test(message);
    return new ApiError({
        system: "VVP",
        action,
        target: "sqlscripts:execute",
        type: type ?? error.type,
        serverMessage: message,
        ambiguous,
        hint: sqlHint(message),
    });
}
