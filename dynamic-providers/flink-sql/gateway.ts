import { ApiError } from "../http/api-error.ts";
import { GatewayClient, type GatewayOptions, isSessionLost } from "./gateway-client.ts";
import type { Rows, SqlRunner } from "./runner.ts";
import { SessionPool } from "./session-pool.ts";

/**
 * Flink's SQL gateway (REST v1, Flink 1.20.3 observed). Statements go through a small pool of sessions, since a session
 * runs one statement at a time and costs a CREATE CATALOG of one to four seconds. A session that expired is renewed.
 */
export class GatewayRunner implements SqlRunner {
    readonly catalogsInSession = true;
    readonly #client: GatewayClient;
    readonly #pool: SessionPool<string>;

    constructor(options: GatewayOptions) {
        this.#client = new GatewayClient(options);
        this.#pool = new SessionPool(() => this.#client.openSession(), sessionLimit);
    }

    async execute(statement: string, action: string): Promise<Rows> {
        for (let attempt = 1; ; attempt += 1) {
            try {
                return await this.#pool.use(
                    (session) => this.#client.run(session, statement, action),
                    isRefusal,
                );
            } catch (error) {
                // The statement never ran, so running it in a new session is safe. Every idle session may have expired.
                if (!isSessionLost(error) || attempt > sessionLimit) throw error;
            }
        }
    }
}

/**
 * The runner of a gateway with these catalogs. Pulumi asks for every resource at once, in one process: all that use the
 * same catalogs share one pool of sessions.
 */
export function gatewayRunner(options: GatewayOptions): GatewayRunner {
    const key = JSON.stringify(options);
    const known = runners.get(key) ?? new GatewayRunner(options);
    runners.set(key, known);
    return known;
}

const sessionLimit = 4;
const runners = new Map<string, GatewayRunner>();

/** A statement that Flink refused leaves its session whole; after anything else nobody knows what the session does. */
function isRefusal(error: unknown): boolean {
    return error instanceof ApiError && !error.ambiguous && error.type !== undefined && !isSessionLost(error);
}
