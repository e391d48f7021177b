import { FlinkError } from "../../local/flink/index.ts";
import type { FlinkBackend, SqlResult } from "../../local/simulators/vvp/flink-backend.ts";
import { simulatedFlink } from "../../local/simulators/vvp/index.ts";
import { SimulatedCatalogs } from "../../local/simulators/vvp/simulated-sql.ts";
import { createTable } from "../../model/ddl.ts";
import { parseShowCreateTable } from "../../model/show-create.ts";
import { type StubGateway, startStubGateway, trace } from "../unit/flink-sql/stub-gateway.ts";

/**
 * Fluss behind Flink SQL, simulated: databases, tables and partitions that all sessions see, as far as this library's
 * statements go. It knows catalogs by name and does not connect.
 */
export class SqlServer {
    readonly #stored = new SimulatedCatalogs();
    readonly #partitions = new Map<string, Set<string>>();
    readonly #all = new Set<string>();

    /** Runs one statement in a session that has these catalogs. */
    run(statement: string, session: Set<string>): SqlResult {
        const text = statement.trim().replace(/;$/, "");
        const [, path, change] = /^ALTER TABLE (\S+)\s+([\s\S]+)$/.exec(text) ?? [];
        if (path && change) return this.#alter(path, change, session);
        const shown = /^SHOW PARTITIONS (\S+)$/.exec(text)?.[1];
        if (shown) {
            this.#text(shown, session);
            const rows = [...(this.#partitions.get(shown) ?? [])].sort().map((name) => [name]);
            return { columns: ["partition name"], rows, hasContent: true };
        }
        const result = this.#stored.run(text, session);
        const made = /^CREATE CATALOG `([^`]+)`/.exec(text)?.[1];
        if (made) {
            this.#all.add(made);
            // Each cluster has one from the start.
            this.#stored.run(`CREATE DATABASE IF NOT EXISTS \`${made}\`.\`fluss\``, session);
        }
        const dropped = /^DROP TABLE (\S+)$/.exec(text)?.[1];
        if (dropped) this.#partitions.delete(dropped);
        return result ?? nothing;
    }

    /** The first column of what a statement gives, past every session; empty when it fails. */
    look(statement: string): string[] {
        try {
            return this.run(statement, new Set(this.#all)).rows.map(([name]) => String(name));
        } catch (error) {
            if (error instanceof FlinkError) return [];
            throw error;
        }
    }

    #text(path: string, session: Set<string>): string {
        return String(this.#stored.run(`SHOW CREATE TABLE ${path}`, session)?.rows[0]?.[0]);
    }

    #alter(path: string, change: string, session: Set<string>): SqlResult {
        const { spec } = parseShowCreateTable(this.#text(path, session));
        const [, partitions] =
            /^(?:ADD IF NOT EXISTS|DROP IF EXISTS)\s+(PARTITION[\s\S]+)$/.exec(change) ?? [];
        if (partitions) {
            const known = this.#partitions.get(path) ?? new Set();
            this.#partitions.set(path, known);
            for (const [, list = ""] of partitions.matchAll(/PARTITION \(([^)]*)\)/g)) {
                const name = list.replace(/`([^`]*)` = '([^']*)'/g, "$1=$2").replaceAll(", ", "/");
                if (change.startsWith("ADD")) known.add(name);
                else known.delete(name);
            }
            return nothing;
        }
        if (change.startsWith("ADD")) {
            const added = parseShowCreateTable(`CREATE TABLE ${path} ${change.slice("ADD".length)}`).spec;
            spec.columns.push(...added.columns);
        } else if (change.startsWith("SET")) {
            for (const [, key = "", value = ""] of change.matchAll(/'([^']*)' = '([^']*)'/g))
                spec.options[key] = value;
        } else if (change.startsWith("RESET")) {
            for (const [, key = ""] of change.matchAll(/'([^']*)'/g)) delete spec.options[key];
        } else throw new Error(`the simulated server does not know ALTER TABLE … ${change}`);
        this.#stored.run(`DROP TABLE ${path}`, session);
        this.#stored.run(createTable(/^`([^`]+)`/.exec(path)?.[1] ?? "", spec), session);
        return nothing;
    }
}

/** A SQL gateway in front of it, whose one session all callers share. */
export function startSqlGateway(server: SqlServer): Promise<StubGateway> {
    const session = new Set<string>();
    return startStubGateway((statement) => {
        try {
            // A session of its own has no catalog yet.
            const opened = /^CREATE CATALOG `([^`]+)`/.exec(statement)?.[1];
            if (opened) session.delete(opened);
            const { rows } = server.run(statement, session);
            return { rows: rows.length > 0 ? rows.map((row) => row.map(asText)) : [] };
        } catch (error) {
            if (!(error instanceof FlinkError)) throw error;
            return { trace: trace(`${error.type}: ${error.reason}`) };
        }
    });
}

/** The same as the Flink behind a simulated platform, which starts jobs, too; for `options` see {@link simulatedFlink}. */
export function flinkBefore(
    server: SqlServer,
    options: Parameters<typeof simulatedFlink>[0] = {},
): FlinkBackend {
    const flink = simulatedFlink(options);
    return {
        ...flink,
        openSession: async (options) => {
            const inner = await flink.openSession(options);
            const catalogs = new Set<string>();
            return {
                ...inner,
                execute: (statement) =>
                    /^\s*(CREATE (CATALOG|DATABASE|TABLE)|DROP|ALTER|SHOW)\b/i.test(statement)
                        ? Promise.resolve().then(() => server.run(statement, catalogs))
                        : inner.execute(statement),
            };
        },
    };
}

const nothing: SqlResult = { columns: [], rows: [], hasContent: false };

const asText = (cell: unknown) => (cell === null ? null : String(cell));
