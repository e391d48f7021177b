/**
 * The little of Fluss's wire protocol that tells who answers (0.9.1 and 1.0): a frame is its length, then for a request
 * the call's key, its version and a request id; for an answer its kind and the request id. Bodies are protobuf.
 */

/** Calls by their keys. */
export const calls = {
    apiVersions: 1000,
    createDatabase: 1001,
    listDatabases: 1003,
    authenticate: 1038,
} as const;

/** An answer of a Fluss server. */
export type Answer =
    | { kind: "success"; requestId: number; body: Buffer }
    | { kind: "error"; requestId: number | undefined; code: number; message: string };

/** A frame that no Fluss server sends. */
export class ForeignFrameError extends Error {
    override readonly name = "ForeignFrameError";
}

export function requestFrame(call: number, requestId: number, body: Buffer): Buffer {
    const head = Buffer.alloc(12);
    head.writeInt32BE(8 + body.length, 0);
    head.writeInt16BE(call, 4);
    head.writeInt16BE(0, 6);
    head.writeInt32BE(requestId, 8);
    return Buffer.concat([head, body]);
}

/** Asks what the server can do; it answers this before anybody has logged in. */
export function apiVersionsRequest(): Buffer {
    return Buffer.concat([bytesField(1, Buffer.from("pulumi-fluss")), bytesField(2, Buffer.from("1"))]);
}

/** Logs in by SASL PLAIN. */
export function plainLogin(username: string, password: string): Buffer {
    const token = Buffer.from(`\0${username}\0${password}`);
    return Buffer.concat([bytesField(1, Buffer.from("PLAIN")), bytesField(2, token)]);
}

/** The first whole answer in what came so far; undefined while it is not whole. @throws {ForeignFrameError} */
export function readAnswer(received: Buffer): Answer | undefined {
    // Other protocols begin with text, or with bytes that make an absurd length.
    if (received.length >= 4 && received.readUInt32BE(0) > 16 * 1024 * 1024) throw new ForeignFrameError();
    if (received.length < 4 || received.length < 4 + received.readUInt32BE(0)) return undefined;
    const frame = received.subarray(4, 4 + received.readUInt32BE(0));
    const kind = frame.length > 0 ? frame.readUInt8(0) : -1;
    if (kind === 0 && frame.length >= 5) {
        return { kind: "success", requestId: frame.readInt32BE(1), body: frame.subarray(5) };
    }
    if (kind === 1 && frame.length >= 5) {
        return { kind: "error", requestId: frame.readInt32BE(1), ...errorOf(frame.subarray(5)) };
    }
    if (kind === 2) return { kind: "error", requestId: undefined, ...errorOf(frame.subarray(1)) };
    throw new ForeignFrameError();
}

/** The calls that the server can be asked for, from its answer to {@link apiVersionsRequest}. @throws {ForeignFrameError} */
export function supportedCalls(body: Buffer): number[] {
    return fieldsOf(body).flatMap(({ field, value }) => {
        if (field !== 1 || typeof value === "number") return [];
        const key = fieldsOf(value).find((inner) => inner.field === 1)?.value;
        return typeof key === "number" ? [key] : [];
    });
}

/** The names in an answer to `listDatabases`. @throws {ForeignFrameError} */
export function databaseNames(body: Buffer): string[] {
    return fieldsOf(body).flatMap(({ field, value }) =>
        field === 1 && typeof value !== "number" ? [value.toString("utf8")] : [],
    );
}

function errorOf(body: Buffer): { code: number; message: string } {
    const fields = fieldsOf(body);
    const code = fields.find(({ field }) => field === 1)?.value;
    const message = fields.find(({ field }) => field === 2)?.value;
    return {
        code: typeof code === "number" ? code : -1,
        message: Buffer.isBuffer(message) ? message.toString("utf8") : "",
    };
}

function bytesField(field: number, value: Buffer): Buffer {
    return Buffer.concat([varint((field << 3) | 2), varint(value.length), value]);
}

function varint(value: number): Buffer {
    const bytes: number[] = [];
    let rest = value;
    for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
    return Buffer.from([...bytes, rest]);
}

/** The fields of a protobuf message: numbers and byte strings are all that these messages have. */
function fieldsOf(message: Buffer): { field: number; value: number | Buffer }[] {
    const fields: { field: number; value: number | Buffer }[] = [];
    let at = 0;
    const number = () => {
        let value = 0;
        for (let shift = 0; ; shift += 7) {
            const byte = message[at++];
            if (byte === undefined || shift > 63) throw new ForeignFrameError();
            // A product, not a shift: a negative number of 32 bits is written with ten bytes.
            value += (byte & 127) * 2 ** shift;
            if (byte < 128) return value;
        }
    };
    while (at < message.length) {
        const tag = number();
        const field = Math.floor(tag / 8);
        if (tag % 8 === 0) fields.push({ field, value: number() });
        else if (tag % 8 === 2) {
            const end = number() + at;
            if (end > message.length) throw new ForeignFrameError();
            fields.push({ field, value: message.subarray(at, end) });
            at = end;
        } else throw new ForeignFrameError();
    }
    return fields;
}
