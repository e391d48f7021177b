import type { EventEmitter } from "node:events";
import type { Client } from "pg";
import type { Lake } from "../../model/lake.ts";
import { lakeTrouble } from "../../model/lake-troubles.ts";
import type { Finding } from "./finding.ts";

type JdbcCatalog = Extract<Lake["catalog"], { type: "jdbc" }>;

/**
 * Logs in to the database of a JDBC catalog as its clients do, and out again. It runs no statement. TLS is taken where the server
 * has it, as the driver does by default, and so is any certificate; therefore the password itself is not sent, only a proof of it.
 */
export async function probeDatabase(catalog: JdbcCatalog, deadlineSeconds: number): Promise<Finding> {
    const place = placeOf(catalog);
    if (typeof place === "string") {
        return { kind: "unchecked", text: `JDBC catalog: did not log in as '${catalog.user}': ${place}` };
    }
    const what = `JDBC catalog: could not log in to database '${place.database}' at ${place.host}:${place.port} as '${catalog.user}'`;
    const end = Date.now() + deadlineSeconds * 1000;
    // Few have such a catalog: only they load it.
    const { default: pg } = await import("pg");
    const attempt = (encrypted: boolean) => login(pg.Client, { ...catalog, ...place }, encrypted, end);
    try {
        await attempt(true).catch((error: Error) => {
            if (!/does not support SSL/.test(error.message)) throw error;
            return attempt(false);
        });
        return { kind: "good" };
    } catch (error) {
        const { kind, reason, fix } = reasonOf(error as Error & Facts, deadlineSeconds);
        return { kind, text: `${what}: ${reason}${fix ? `\nWhat to do: ${fix}` : ""}` };
    }
}

interface Place {
    host: string;
    port: number;
    database: string;
}

/**
 * Of `jdbc:postgresql://host[:port]/database`, as {@link Lake}'s schema demands; or why one login does not tell of it, though the
 * driver takes it.
 */
function placeOf({ uri }: JdbcCatalog): Place | string {
    const hosts = /^jdbc:postgresql:\/\/([^/]*)/.exec(uri)?.[1] ?? "";
    if (hosts.includes(",")) return `several hosts (${hosts}), of which the driver takes one that answers`;
    try {
        const { hostname, port, pathname } = new URL(uri.replace(/^jdbc:postgresql:/, "http:"));
        const host = hostname.replace(/^\[(.*)\]$/, "$1");
        return { host, port: Number(port || 5432), database: decodeURIComponent(pathname.slice(1)) };
    } catch {
        return `${uri} is not read as host, port and database here (a % stands before two hexadecimal digits)`;
    }
}

async function login(
    PgClient: typeof Client,
    { host, port, database, user, password }: JdbcCatalog & Place,
    encrypted: boolean,
    end: number,
): Promise<void> {
    let inClear = false;
    const client = new PgClient({
        host,
        port,
        database,
        user,
        password: () => {
            if (inClear) throw new PasswordInClear();
            return password.value ?? "";
        },
        application_name: "pulumi-fluss",
        ssl: encrypted && { rejectUnauthorized: false },
        connectionTimeoutMillis: Math.max(1, end - Date.now()),
    });
    connectionOf(client).on("authenticationCleartextPassword", () => {
        inClear = true;
    });
    // What comes after the answer is no longer of interest.
    client.on("error", () => undefined);
    try {
        await client.connect();
    } finally {
        // The server may not answer: nobody waits for it.
        client.end().catch(() => undefined);
    }
}

/** Tells, before the password is asked for, how the server wants it; the client has it, but not among its types. */
function connectionOf(client: Client): EventEmitter {
    return (client as unknown as { connection: EventEmitter }).connection;
}

class PasswordInClear extends Error {}

/** What the errors of the connection and of the server have. */
interface Facts {
    /** Of a system call, or SQLSTATE. */
    code?: string;
    syscall?: string;
    /** Of a refusal by the server. */
    severity?: string;
}

function reasonOf(
    error: Error & Facts,
    seconds: number,
): { kind: "wrong" | "unreachable" | "unchecked"; reason: string; fix?: string | undefined } {
    const { code = "", message, severity, syscall } = error;
    if (error instanceof PasswordInClear) {
        return {
            kind: "unchecked",
            reason: "the server wants the password in clear, which is not sent from here",
        };
    }
    if (severity !== undefined) {
        return { kind: "wrong", reason: `${code} ${message}`, fix: fixes[code] ?? lakeTrouble(message)?.fix };
    }
    if (code === "ENOTFOUND" || code === "EAI_AGAIN")
        return { kind: "unreachable", reason: "its name is not known here" };
    if (syscall !== undefined && syscall !== "read") return { kind: "unreachable", reason: message };
    if (/timeout/.test(message)) return { kind: "unreachable", reason: `no answer within ${seconds} s` };
    return {
        kind: "wrong",
        reason: `what answers there is no PostgreSQL: ${message}`,
        fix: "check lake.catalog.uri: host and port of PostgreSQL",
    };
}

const fixes: Record<string, string> = {
    "3D000": "make the database first, or check the end of lake.catalog.uri",
    "28000": "let the user in from here and from the pods (pg_hba.conf), or check lake.catalog.user",
    "53300": "let the server take more connections, or end some",
};
