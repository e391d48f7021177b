import net from "node:net";
import { calls } from "../../../dynamic-providers/fluss/protocol.ts";

/** A stand-in for a Fluss server: it knows the four calls that the check makes, and one user. */
export interface StubFluss {
    port: number;
    /** Keys of the calls so far. */
    asked: number[];
    close(): Promise<void>;
}

/** What a stand-in is like. */
export interface StubSettings {
    /** Where it listens. Default: any free port. */
    port?: number | undefined;
    /** Default `coordinator`. */
    server?: "coordinator" | "tablet server";
    /** Default `sesame`. */
    password?: string;
    /** Answers everything with these bytes instead. */
    foreign?: Buffer;
    /** Says nothing at all. */
    silent?: boolean;
    /** Gives its answers one byte at a time. */
    slow?: boolean;
}

export async function startStubFluss(settings: StubSettings = {}): Promise<StubFluss> {
    const asked: number[] = [];
    const sockets = new Set<net.Socket>();
    const server = net.createServer((socket) => {
        sockets.add(socket);
        socket.on("error", () => {});
        socket.on("data", (frame) => {
            if (settings.silent) return;
            if (settings.foreign) return void socket.end(settings.foreign);
            const call = frame.readInt16BE(4);
            asked.push(call);
            const answer = answerTo(call, frame.readInt32BE(8), frame.subarray(12), settings);
            if (!settings.slow) return void socket.write(answer);
            for (const byte of answer) socket.write(Buffer.from([byte]));
        });
    });
    await new Promise<void>((done) => server.listen(settings.port ?? 0, "127.0.0.1", done));
    return {
        port: (server.address() as net.AddressInfo).port,
        asked,
        close: () => {
            for (const socket of sockets) socket.destroy();
            return new Promise((done) => server.close(() => done()));
        },
    };
}

function answerTo(call: number, id: number, body: Buffer, settings: StubSettings): Buffer {
    const { server = "coordinator", password = "sesame" } = settings;
    switch (call) {
        case calls.apiVersions: {
            const keys = [calls.apiVersions, calls.listDatabases, calls.authenticate];
            const all = server === "coordinator" ? [...keys, calls.createDatabase] : keys;
            return success(id, Buffer.concat(all.map((key) => field(1, versionsOf(key)))));
        }
        case calls.authenticate:
            return body.includes(Buffer.from(`\0desk\0${password}`))
                ? success(id, Buffer.alloc(0))
                : failure(id, 46, "Authentication failed: Invalid username or password");
        case calls.listDatabases:
            return success(
                id,
                Buffer.concat(["fluss", "finance"].map((name) => field(1, Buffer.from(name)))),
            );
        default:
            return failure(id, 1, "no such call");
    }
}

function versionsOf(key: number): Buffer {
    return Buffer.from([8, (key & 127) | 128, key >> 7, 16, 0, 24, 0]);
}

function success(id: number, body: Buffer): Buffer {
    return frame(0, id, body);
}

function failure(id: number, code: number, message: string): Buffer {
    return frame(1, id, Buffer.concat([Buffer.from([8, code]), field(2, Buffer.from(message))]));
}

function frame(kind: number, id: number, body: Buffer): Buffer {
    const head = Buffer.alloc(9);
    head.writeInt32BE(5 + body.length, 0);
    head.writeUInt8(kind, 4);
    head.writeInt32BE(id, 5);
    return Buffer.concat([head, body]);
}

function field(number: number, value: Buffer): Buffer {
    return Buffer.concat([Buffer.from([number * 8 + 2, value.length]), value]);
}
