import net from "node:net";
import { redact } from "../http/redact.ts";
import {
    type Answer,
    apiVersionsRequest,
    calls,
    databaseNames,
    ForeignFrameError,
    plainLogin,
    readAnswer,
    requestFrame,
    supportedCalls,
} from "./protocol.ts";

/** An address and a login at it. */
export interface ProbeTarget {
    host: string;
    port: number;
    /** The address as the user gave it, for what is told. */
    address: string;
    username: string;
    password: string;
    /** For each step, in seconds. */
    timeoutSeconds: number;
}

/** What was found at an address. */
export type Finding =
    | { kind: "fluss"; server: "coordinator" | "tablet server"; databases: number }
    /** It cannot be seen from here, which says nothing about the server. */
    | { kind: "unreachable"; text: string }
    | { kind: "wrong"; text: string };

/**
 * Asks who answers at an address: whether it is a Fluss server, takes the login, and lists its databases. Nothing is
 * changed. A tablet server will do as well as a coordinator: clients may begin with either.
 */
export async function probe(target: ProbeTarget): Promise<Finding> {
    const wrong = (text: string): Finding => ({ kind: "wrong", text: redact(text, [target.password]) });
    let conversation: Conversation;
    try {
        conversation = await Conversation.begin(target);
    } catch (error) {
        return unreachable(target, error as NodeJS.ErrnoException);
    }
    try {
        const versions = await conversation.ask(calls.apiVersions, apiVersionsRequest());
        if (versions.kind === "error") {
            return wrong(
                `${target.address} speaks Fluss's protocol, but refuses to say what it can do: ${said(versions)}`,
            );
        }
        const can = supportedCalls(versions.body);
        if (!can.includes(calls.apiVersions)) throw new ForeignFrameError();
        const server = can.includes(calls.createDatabase) ? "coordinator" : "tablet server";
        const login = await conversation.ask(
            calls.authenticate,
            plainLogin(target.username, target.password),
        );
        if (login.kind === "error") {
            return wrong(
                `the Fluss ${server} at ${target.address} does not let user "${target.username}" in: ${said(login)}.\n` +
                    "What to do: check clientUsername and clientPassword, and that this is the port of the client listener, with SASL PLAIN",
            );
        }
        const list = await conversation.ask(calls.listDatabases, Buffer.alloc(0));
        if (list.kind === "error") {
            return wrong(
                `the Fluss ${server} at ${target.address} does not list its databases: ${said(list)}`,
            );
        }
        return { kind: "fluss", server, databases: databaseNames(list.body).length };
    } catch (error) {
        return wrong(
            `what answers at ${target.address} is no Fluss server: ${whyForeign(error as Error)}.\n` +
                "What to do: give bootstrapServers as the client listener of the coordinator, host:port (9124 in the quickstart)",
        );
    } finally {
        conversation.end();
    }
}

/** What a connection that could not be made says about the address. */
function unreachable({ address }: ProbeTarget, { code, message }: NodeJS.ErrnoException): Finding {
    if (code === "ECONNREFUSED") {
        const text = `nothing listens at ${address}.\nWhat to do: check bootstrapServers, and that the cluster runs`;
        return { kind: "wrong", text };
    }
    const reason = code === "ENOTFOUND" || code === "EAI_AGAIN" ? "its name is not known here" : message;
    return { kind: "unreachable", text: `${address} cannot be reached from here (${reason})` };
}

function whyForeign(error: Error): string {
    if (error instanceof ForeignFrameError) return "its answer is not one of Fluss's protocol";
    return error.message;
}

function said({ code, message }: Extract<Answer, { kind: "error" }>): string {
    return `${message || "no reason given"} (error ${code})`;
}

/** One connection, on which each request waits for its answer. */
class Conversation {
    readonly #socket: net.Socket;
    readonly #timeoutSeconds: number;
    #received = Buffer.alloc(0);
    #requests = 0;

    static async begin({ host, port, timeoutSeconds }: ProbeTarget): Promise<Conversation> {
        const socket = net.connect({ host, port });
        await within(timeoutSeconds, socket, (done, failed) => {
            socket.once("connect", done);
            socket.once("error", failed);
        });
        return new Conversation(socket, timeoutSeconds);
    }

    private constructor(socket: net.Socket, timeoutSeconds: number) {
        this.#socket = socket;
        this.#timeoutSeconds = timeoutSeconds;
    }

    async ask(call: number, body: Buffer): Promise<Answer> {
        const socket = this.#socket;
        let answer: Answer | undefined;
        await within(this.#timeoutSeconds, socket, (done, failed) => {
            const read = (chunk: Buffer) => {
                this.#received = Buffer.concat([this.#received, chunk]);
                try {
                    answer = readAnswer(this.#received);
                } catch (error) {
                    failed(error as Error);
                }
                if (answer) done();
            };
            socket.on("data", read);
            socket.once("error", failed);
            socket.once("close", () => failed(new Error("it closes the connection without an answer")));
            socket.write(requestFrame(call, this.#requests++, body));
        });
        socket.removeAllListeners();
        this.#received = this.#received.subarray(4 + this.#received.readUInt32BE(0));
        return answer!;
    }

    end(): void {
        this.#socket.removeAllListeners();
        this.#socket.on("error", () => {});
        this.#socket.destroy();
    }
}

/** Settles when `start` says so; otherwise fails after the time, and the socket is closed. */
async function within(
    seconds: number,
    socket: net.Socket,
    start: (done: () => void, failed: (error: Error) => void) => void,
): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    try {
        await new Promise<void>((done, failed) => {
            timer = setTimeout(() => failed(new Error(`no answer within ${seconds} s`)), seconds * 1000);
            start(done, failed);
        });
    } catch (error) {
        socket.removeAllListeners();
        socket.on("error", () => {});
        socket.destroy();
        throw error;
    } finally {
        clearTimeout(timer);
    }
}
