import { secretValuesIn } from "./engine-rules.ts";
import type { Fault } from "./faults.ts";

/**
 * The SQL of a job, statement by statement: what its session needs first, and what it writes. Seed 000's writers and
 * readers, and seed 002's lake reads have this form.
 */
export interface SqlJobStatements {
    /** Temporary tables, views and functions, and USE; none is kept when the job's session ends. Default none. */
    setup?: readonly string[];
    /** One or more INSERT statements. Several become one statement set, and so one job. */
    inserts: readonly string[];
}

/** What one job runs: a whole script (temporary DDL, then one INSERT or one statement set), or its statements. */
export type SqlJobSource = string | SqlJobStatements;

/** A script that was read. */
export interface SqlJobScript {
    setup: string[];
    /** INSERT, or EXECUTE STATEMENT SET with several of them; without a semicolon at its end. */
    insert: string;
}

/** Where a script is to run: Flink's SQL gateway knows no secret values of Ververica Platform. */
export type SqlJobRunner = "vvp" | "gateway";

/** The text of the script, each statement with a semicolon. A script that is given as text stays as it is. */
export function sqlJobText(source: SqlJobSource): string {
    if (typeof source === "string") return source;
    const { setup = [], inserts } = source;
    const statements = [...setup, ...(inserts.length === 1 ? inserts : [statementSet(inserts)])];
    return `${statements.map(withoutEnd).join(";\n\n")};\n`;
}

/**
 * The statements of a script, and everything that keeps it from being one job: permanent DDL, which belongs to resources of
 * its own and would fail at the second start; SET, which belongs to the job's options; queries, whose rows nobody takes.
 */
export function readSqlJob(
    source: SqlJobSource,
    runner: SqlJobRunner,
): { script: SqlJobScript; faults: Fault[] } {
    const text = sqlJobText(source);
    const setup: string[] = [];
    const inserts: string[] = [];
    const faults: Fault[] = [];
    const fault = (reason: string, fix: string) => faults.push({ path: "sql", reason, fix });
    for (const statement of splitStatements(text)) {
        const kind = statementKind(statement);
        const shown = shortened(statement);
        if (kind === "set-begin" || kind === "set-end") continue;
        if (kind === "insert" && /^(INSERT|EXECUTE)\b/i.test(statement)) {
            inserts.push(statement);
        } else if (kind === "temporary" || /^(USE|LOAD|UNLOAD)\b/i.test(statement)) {
            if (inserts.length > 0)
                fault(`${shown} comes after an INSERT`, "Put it before: nothing runs after it");
            setup.push(statement);
        } else if (kind === "session") {
            fault(`${shown} sets an option in the script`, "Put it into the Flink configuration of the job");
        } else if (kind === "ddl") {
            fault(
                `${shown} makes or changes what stays when the job has ended, at each of its starts`,
                "Use CREATE TEMPORARY, or a FlussTable, FlussDatabase or FlussCatalog beside the job",
            );
        } else if (kind === "insert") {
            fault(`${shown} is no INSERT`, "Run it as a statement: see VvpSqlScript");
        } else {
            fault(
                `${shown} gives rows that nobody takes`,
                "INSERT them into a table, for example one with 'print'",
            );
        }
    }
    if (inserts.length === 0) fault("there is no INSERT", "Say with INSERT INTO what the job writes");
    const sets = inserts.filter((insert) => /^EXECUTE\s+STATEMENT\s+SET\b/i.test(insert));
    if (sets.length > 0 && inserts.length > 1) {
        fault(
            "there is more than one job: a statement set, and an INSERT beside it",
            "Put all of them into the set",
        );
    } else if (inserts.length > 1 && typeof source === "string" && !/\bSTATEMENT\s+SET\b/i.test(text)) {
        fault(
            `there are ${inserts.length} INSERT statements, each a job of its own`,
            "Put them into one statement set",
        );
    }
    if (runner === "gateway") {
        for (const name of secretValuesIn(text)) {
            fault(
                `it names \${secret_values.${name}}, which only Ververica Platform replaces`,
                "Give the value itself; the argument is kept as a secret",
            );
        }
    }
    const insert = inserts.length === 1 ? inserts[0]! : statementSet(inserts);
    return { script: { setup, insert }, faults };
}

/**
 * Told of a script of which no statement can start a job. Ververica Platform takes more than {@link readSqlJob} does (CREATE
 * TABLE AS, CREATE DATABASE AS), so that only what is sure is refused; a statement that is not known here may start one.
 */
export function noJobFault(script: string): Fault | undefined {
    if (!splitStatements(script).every(startsNoJob)) return undefined;
    return {
        path: "sqlScript",
        reason: "no statement of it starts a job",
        fix: "Say with INSERT INTO what the job writes; a query's rows nobody takes, and DDL alone is for VvpSqlScript",
    };
}

/**
 * The statements of a script, without comments at their ends and without semicolons. Semicolons in strings, identifiers
 * and comments do not end a statement, nor do those between `STATEMENT SET BEGIN` and `END` of one EXECUTE statement.
 */
export function splitStatements(script: string): string[] {
    const pieces: string[] = [];
    let current = "";
    for (const [token] of script.matchAll(TOKEN)) {
        if (token.startsWith("--") || (token.startsWith("/*") && !token.startsWith("/*+"))) current += " ";
        else if (token === ";") {
            pieces.push(current);
            current = "";
        } else current += token;
    }
    pieces.push(current);
    const statements: string[] = [];
    for (const piece of pieces.map((text) => text.trim()).filter((text) => text !== "")) {
        const last = statements.at(-1);
        if (last !== undefined && isOpenSet(last)) statements[statements.length - 1] = `${last}; ${piece}`;
        else statements.push(piece);
    }
    return statements;
}

/** What a statement does, as far as runners treat it differently. */
export type StatementKind =
    | "session"
    | "temporary"
    | "insert"
    | "set-begin"
    | "set-end"
    | "query"
    | "read"
    | "ddl";

/** The kind of one statement, by its first words. */
export function statementKind(statement: string): StatementKind {
    const words = statement.toUpperCase().replace(/\s+/g, " ");
    if (/^(SET|RESET|USE|LOAD|UNLOAD)\b/.test(words)) return "session";
    if (/^(CREATE|DROP|ALTER) TEMPORARY\b/.test(words)) return "temporary";
    if (/^BEGIN STATEMENT SET\b/.test(words)) return "set-begin";
    if (words === "END") return "set-end";
    if (/^(INSERT|EXECUTE (STATEMENT SET|INSERT)|UPDATE|DELETE|TRUNCATE)\b/.test(words)) return "insert";
    if (/^(SELECT|WITH|VALUES|EXECUTE|\()/.test(words)) return "query";
    if (/^(SHOW|DESCRIBE|DESC|EXPLAIN)\b/.test(words)) return "read";
    return "ddl";
}

function startsNoJob(statement: string): boolean {
    switch (statementKind(statement)) {
        case "insert":
        case "set-begin":
            return false;
        case "query":
            return !/^EXECUTE\b/i.test(statement);
        case "temporary":
        case "ddl":
            return /^(CREATE|DROP|ALTER)\b/i.test(statement) && !FILLS.test(statement.replace(TEXTS, "''"));
        default:
            return true;
    }
}

const TEXTS = /'(?:[^']|'')*'/g;

/** DDL that also starts a job: CTAS, CDAS, materialized tables. */
const FILLS =
    /^CREATE\s+(OR\s+REPLACE\s+)?(TEMPORARY\s+)?(TABLE|DATABASE)\b[\s\S]*\bAS\s+\(?\s*(SELECT|WITH|VALUES|TABLE|DATABASE)\b|^\w+\s+(OR\s+\w+\s+)?MATERIALIZED\b/i;

/** Strings, identifiers, comments and semicolons as a whole, everything else by the character. */
const TOKEN = /'(?:[^']|'')*'|`(?:[^`]|``)*`|--[^\n]*|\/\*[\s\S]*?\*\/|[\s\S]/g;

function isOpenSet(statement: string): boolean {
    return /^EXECUTE\s+STATEMENT\s+SET\s+(AS\s+)?BEGIN\b/i.test(statement) && !/;\s*END$/i.test(statement);
}

function statementSet(inserts: readonly string[]): string {
    return `EXECUTE STATEMENT SET BEGIN\n${inserts.map((insert) => `${withoutEnd(insert)};\n`).join("")}END`;
}

function withoutEnd(statement: string): string {
    return statement.replace(/[;\s]+$/, "");
}

/** The first words alone: options further on may be secret. */
function shortened(statement: string): string {
    const words = statement.replace(/\s+/g, " ").split(" ").slice(0, 4).join(" ");
    return `"${words.length > 60 ? `${words.slice(0, 59)}…` : words}"`;
}
