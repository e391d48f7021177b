import { createHash } from "node:crypto";
import net from "node:net";
import tls from "node:tls";
import type { Lake } from "../../model/lake.ts";
import { lakeTrouble } from "../../model/lake-troubles.ts";
import type { Finding } from "./finding.ts";
import { Scram } from "./scram.ts";

type JdbcCatalog = Extract<Lake["catalog"], { type: "jdbc" }>;

/**
 * Logs in to the database of a JDBC catalog as its clients do, and out again (PostgreSQL's protocol 3.0, "Start-up"). It runs no
 * statement. TLS is taken where the server has it, as the driver does by default, and so is any certificate; the password
 * itself is not sent, only the proof of it.
 */
export async function probeDatabase(catalog: JdbcCatalog, deadlineSeconds: number): Promise<Finding> {
    const place = placeOf(catalog);
    const what = `JDBC catalog: could not log in to database '${place.database}' at ${place.host}:${place.port} as '${catalog.user}'`;
    let conversation: Conversation;
    try {
        conversation = await Conversation.begin(place, deadlineSeconds);
    } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        const reason = code === "ENOTFOUND" || code === "EAI_AGAIN" ? "its name is not known here" : message;
        return { kind: "unreachable", text: `${what}: ${reason}` };
    }
    try {
        return await login(conversation, catalog, place.database, what);
    } catch (error) {
        if (error instanceof Refusal) return { kind: "wrong", text: refusalText(what, error) };
        if (conversation.isLate) {
            return { kind: "unreachable", text: `${what}: no answer within ${deadlineSeconds} s` };
        }
        const fix = "check lake.catalog.uri: host and port of PostgreSQL";
        const reason = `what answers there is no PostgreSQL: ${(error as Error).message}`;
        return { kind: "wrong", text: `${what}: ${reason}\nWhat to do: ${fix}` };
    } finally {
        conversation.end();
    }
}

/** As {@link Lake}'s schema demands: `jdbc:postgresql://host[:port]/database`. */
function placeOf({ uri }: JdbcCatalog): { host: string; port: number; database: string } {
    const { hostname, port, pathname } = new URL(uri.replace(/^jdbc:postgresql:/, "http:"));
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    return { host, port: Number(port || 5432), database: decodeURIComponent(pathname.slice(1)) };
}

async function login(
    conversation: Conversation,
    { user, password }: JdbcCatalog,
    database: string,
    what: string,
): Promise<Finding> {
    const secret = password.value ?? "";
    const scram = new Scram(secret);
    const pairs = ["user", user, "database", database, "application_name", "pulumi-fluss", ""];
    const version = Buffer.from([0, 3, 0, 0]);
    conversation.send("", Buffer.concat([version, Buffer.from(pairs.map((text) => `${text}\0`).join(""))]));
    for (;;) {
        const { type, body } = await conversation.next();
        if (type === "E") throw new Refusal(body);
        if (type === "Z") return { kind: "good" };
        if (type !== "R") continue;
        const method = body.readInt32BE(0);
        const rest = body.subarray(4);
        if (method === methods.md5) {
            conversation.send("p", text(`md5${md5(md5(secret + user), rest)}`));
        } else if (method === methods.sasl && rest.toString("latin1").split("\0").includes(mechanism)) {
            const first = Buffer.from(scram.first());
            conversation.send("p", Buffer.concat([text(mechanism), int32(first.length), first]));
        } else if (method === methods.saslContinue) {
            conversation.send("p", Buffer.from(scram.answer(rest.toString())));
        } else if (method === methods.saslFinal && !scram.proves(rest.toString())) {
            throw new Error("it does not know the password that it asks for");
        } else if (method !== methods.ok && method !== methods.saslFinal) {
            const reason = `the server wants a proof of the password that is not made here (authentication ${method})`;
            return { kind: "unchecked", text: `${what}: ${reason}` };
        }
    }
}

/** Kinds of PostgreSQL's authentication messages. */
const methods = { ok: 0, md5: 5, sasl: 10, saslContinue: 11, saslFinal: 12 } as const;
const mechanism = "SCRAM-SHA-256";

/** The server's ErrorResponse. */
class Refusal extends Error {
    /** SQLSTATE. */
    readonly code: string;

    constructor(body: Buffer) {
        const fields = body.toString("utf8").split("\0");
        const field = (kind: string) => fields.find((entry) => entry.startsWith(kind))?.slice(1) ?? "";
        super(field("M"));
        this.code = field("C");
    }
}

function refusalText(what: string, { code, message }: Refusal): string {
    const fixes: Record<string, string> = {
        "3D000": "make the database first, or check the end of lake.catalog.uri",
        "28000": "let the user in from here and from the pods (pg_hba.conf), or check lake.catalog.user",
        "53300": "let the server take more connections, or end some",
    };
    const fix = fixes[code] ?? lakeTrouble(message)?.fix;
    return `${what}: ${code} ${message}${fix ? `\nWhat to do: ${fix}` : ""}`;
}

/** One connection to a PostgreSQL server. */
class Conversation {
    readonly #socket: net.Socket;
    readonly #chunks: AsyncIterator<Buffer>;
    #received = Buffer.alloc(0);

    readonly #late: () => boolean;

    private constructor(socket: net.Socket, late: () => boolean) {
        this.#socket = socket;
        this.#chunks = socket[Symbol.asyncIterator]();
        this.#late = late;
    }

    /** @throws when nobody can be reached there */
    static async begin(place: { host: string; port: number }, seconds: number): Promise<Conversation> {
        const socket = net.connect(place);
        // One deadline for all: then whatever is waited for fails.
        let late = false;
        const timer = setTimeout(() => {
            late = true;
            socket.destroy(new Error(`no answer within ${seconds} s`));
        }, seconds * 1000);
        socket.once("close", () => clearTimeout(timer));
        await once(socket, "connect");
        socket.write(Buffer.concat([int32(8), int32(80_877_103)]));
        const [answer] = (await once(socket, "data")) as [Buffer];
        const wish = answer.toString("latin1");
        if (wish !== "S") return new Conversation(wish === "N" ? socket : refusing(socket), () => late);
        // The driver's default is the same: encrypted, by whomever. No password is sent on it.
        const secured = tls.connect({ socket, rejectUnauthorized: false });
        await once(secured, "secureConnect");
        return new Conversation(secured, () => late);
    }

    /** Whether the deadline has passed. */
    get isLate(): boolean {
        return this.#late();
    }

    send(type: string, body: Buffer): void {
        this.#socket.write(Buffer.concat([Buffer.from(type, "latin1"), int32(body.length + 4), body]));
    }

    /** @throws when the connection ends, or what comes is no message */
    async next(): Promise<{ type: string; body: Buffer }> {
        for (;;) {
            if (this.#received.length >= 5) {
                const length = this.#received.readInt32BE(1);
                if (length < 4 || length > 100_000) throw new Error("its answer is not one of its protocol");
                if (this.#received.length > length) {
                    const message = this.#received.subarray(0, length + 1);
                    this.#received = this.#received.subarray(length + 1);
                    return { type: String.fromCharCode(message[0]!), body: message.subarray(5) };
                }
            }
            const { value, done } = await this.#chunks.next();
            if (done) throw new Error("it ended the connection");
            this.#received = Buffer.concat([this.#received, value]);
        }
    }

    end(): void {
        this.#socket.on("error", () => undefined);
        this.#socket.end(Buffer.concat([Buffer.from("X"), int32(4)]));
        this.#socket.destroySoon();
    }
}

/** A connection on which nothing will be understood. */
function refusing(socket: net.Socket): net.Socket {
    return socket.destroy(new Error("its answer is not one of its protocol"));
}

function once(socket: net.Socket, event: string): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
        const ended = () => reject(new Error("it ended the connection"));
        socket.once("error", reject).once("end", ended);
        socket.once(event, (...values: unknown[]) => {
            socket.off("error", reject).off("end", ended);
            resolve(values);
        });
    });
}

function text(value: string): Buffer {
    return Buffer.from(`${value}\0`);
}

function int32(value: number): Buffer {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return bytes;
}

function md5(value: string, salt: Buffer = Buffer.alloc(0)): string {
    return createHash("md5").update(value).update(salt).digest("hex");
}
