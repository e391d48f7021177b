import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../http/api-error.ts";
import type { HttpCall } from "../http/client.ts";
import { redact } from "../http/redact.ts";
import type { Context } from "../resource.ts";
import { isAmbiguous, VvpClient } from "./client.ts";
import type { VvpConnection } from "./connection.ts";
import { dialect } from "./dialect.ts";
import type { SqlTable } from "./domain.ts";

/** How one statement is executed. */
export interface SqlOptions {
    /** Default: the platform's default engine. */
    engineVersion?: string;
    /** Flink options of this execution. */
    flinkConfiguration?: Record<string, string>;
    /** URIs of JARs that the statement needs; a catalog keeps those of the statement that creates it (quickstart). */
    additionalDependencies?: readonly string[];
    /** True when running it twice does no harm: then it is tried again when the SQL service is restarting or its answer got lost. */
    repeatable?: boolean;
    /** Default 120. */
    deadlineSeconds?: number;
}

/** Runs one statement after the other on the platform's SQL service; no session cluster is needed (quickstart). */
export interface SqlExecutor {
    /** @throws {ApiError} with the platform's messages when the statement fails */
    execute(statement: string, options?: SqlOptions): Promise<SqlTable>;
}

/** SQL on a platform: DDL and commands like SHOW. INSERT belongs into a deployment. */
export function executeSql(connection: VvpConnection, context: Context): SqlExecutor {
    const client = new VvpClient(connection, context);
    const once = async (call: HttpCall): Promise<SqlTable> => {
        const answer = await client.call(call, dialect.sql.answer);
        if (answer.succeeded) return answer.table;
        throw client.refusal(call, answer.result, answer.errors.join("; ") || "the platform gives no reason");
    };
    return {
        async execute(statement, options = {}) {
            const { flinkConfiguration = {}, additionalDependencies = [], ...rest } = options;
            const call: HttpCall = {
                method: "POST",
                path: dialect.sql.execute(client.namespace),
                json: dialect.sql.body({
                    statement,
                    engineVersion: rest.engineVersion,
                    // Empty ones are left out: a platform may open a session of its own for them.
                    flinkConfiguration:
                        Object.keys(flinkConfiguration).length > 0 ? flinkConfiguration : undefined,
                    additionalDependencies:
                        additionalDependencies.length > 0 ? additionalDependencies : undefined,
                }),
                action: `execute ${shortened(statement)}`,
                deadlineSeconds: rest.deadlineSeconds ?? 120,
            };
            for (const pause of rest.repeatable ? pauses : []) {
                try {
                    return await once(call);
                } catch (error) {
                    const transient = error instanceof ApiError && dialect.sql.transient(error.serverMessage);
                    if (!transient && !isAmbiguous(error)) throw error;
                    await sleep(pause);
                }
            }
            return once(call);
        },
    };
}

/** The SQL service is back a few seconds after it broke down (quickstart). */
const pauses = [1000, 4000];

function shortened(statement: string): string {
    const line = redact(statement).replace(/\s+/g, " ").trim();
    return line.length > 80 ? `\`${line.slice(0, 77)}...\`` : `\`${line}\``;
}
