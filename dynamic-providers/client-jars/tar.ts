/** One entry of an archive. */
export interface TarEntry {
    /** Without a leading `/` or `./`; an entry whose path leads out of the archive's root is never given. */
    path: string;
    kind: "file" | "link" | "symlink" | "other";
    /** Where a link leads, as it stands in the archive. */
    target: string;
    size: number;
    /** The content; what is not read before the next entry is asked for is passed over. */
    content(): AsyncGenerator<Buffer>;
}

/**
 * Reads a tar archive as it comes: ustar, with the long names of GNU and of pax. Reads the stream to its end.
 * @throws when it ends too early, is no archive, or unpacks to more than `maximumBytes`
 */
export async function* readTar(
    stream: AsyncIterable<Buffer>,
    maximumBytes: number,
): AsyncGenerator<TarEntry> {
    const bytes = new Bytes(stream, maximumBytes);
    let long: { path?: string; target?: string; size?: number } = {};
    for (;;) {
        const header = await bytes.block();
        if (!header || header.every((byte) => byte === 0)) break;
        checkHeader(header);
        const type = String.fromCharCode(header[156]!);
        const size = long.size ?? numberOf(header, 124, 12);
        if ("xgLK".includes(type)) {
            if (size > 1024 * 1024) throw new Error("the archive is broken: a name of more than 1 MiB");
            const content = await bytes.all(size);
            if (type === "x") long = { ...long, ...paxOf(content) };
            if (type === "L") long.path = cString(content);
            if (type === "K") long.target = cString(content);
        } else {
            const path = cleanPath(long.path ?? nameOf(header));
            const length = type === "1" || type === "2" ? 0 : size;
            const end = bytes.position + length;
            if (path !== undefined) {
                yield {
                    path,
                    kind: kindOf(type),
                    target: long.target ?? cString(header.subarray(157, 257)),
                    size,
                    content: () => bytes.take(length),
                };
            }
            await bytes.skipTo(end);
            long = {};
        }
        await bytes.toNextBlock();
    }
    await bytes.drain();
}

/** A path without `.` and empty steps; undefined for one that leads out of the root. */
export function cleanPath(path: string): string | undefined {
    const steps = path.split("/").filter((step) => step !== "" && step !== ".");
    return steps.includes("..") ? undefined : steps.join("/");
}

const BLOCK = 512;

/** A stream in pieces of the lengths that are asked for. */
class Bytes {
    readonly #source: AsyncIterator<Buffer>;
    readonly #maximum: number;
    #rest: Buffer = Buffer.alloc(0);
    /** How many bytes were given out. */
    position = 0;
    #seen = 0;

    constructor(stream: AsyncIterable<Buffer>, maximum: number) {
        this.#source = stream[Symbol.asyncIterator]();
        this.#maximum = maximum;
    }

    /** A whole block; undefined at the end of the stream. */
    async block(): Promise<Buffer | undefined> {
        const content = await this.#collect(BLOCK);
        if (content.length === 0) return undefined;
        if (content.length < BLOCK) throw tooShort();
        return content;
    }

    async all(length: number): Promise<Buffer> {
        const content = await this.#collect(length);
        if (content.length < length) throw tooShort();
        return content;
    }

    async *take(length: number): AsyncGenerator<Buffer> {
        let left = length;
        while (left > 0) {
            const piece = await this.#some(left);
            if (!piece) throw tooShort();
            left -= piece.length;
            yield piece;
        }
    }

    async skipTo(position: number): Promise<void> {
        for await (const _ of this.take(position - this.position));
    }

    async toNextBlock(): Promise<void> {
        const over = this.position % BLOCK;
        if (over > 0) await this.skipTo(this.position + BLOCK - over);
    }

    async drain(): Promise<void> {
        while (await this.#some(Number.MAX_SAFE_INTEGER));
    }

    async #collect(length: number): Promise<Buffer> {
        const pieces: Buffer[] = [];
        for (let left = length; left > 0; ) {
            const piece = await this.#some(left);
            if (!piece) break;
            pieces.push(piece);
            left -= piece.length;
        }
        return Buffer.concat(pieces);
    }

    async #some(longest: number): Promise<Buffer | undefined> {
        while (this.#rest.length === 0) {
            const next = await this.#source.next();
            if (next.done) return undefined;
            this.#rest = next.value;
            this.#seen += next.value.length;
            if (this.#seen > this.#maximum)
                throw new Error(`the archive unpacks to more than ${this.#maximum} bytes`);
        }
        const piece = this.#rest.subarray(0, longest);
        this.#rest = this.#rest.subarray(piece.length);
        this.position += piece.length;
        return piece;
    }
}

function tooShort(): Error {
    return new Error("the archive ends too early");
}

/** The checksum is the sum of the header's bytes, its own taken as spaces. */
function checkHeader(header: Buffer): void {
    const sum = header.reduce((all, byte, index) => all + (index >= 148 && index < 156 ? 32 : byte), 0);
    if (numberOf(header, 148, 8) !== sum) throw new Error("it is no tar archive, or it is broken");
}

/** Octal digits, or for large numbers bytes after one whose first bit is set. */
function numberOf(header: Buffer, start: number, length: number): number {
    const field = header.subarray(start, start + length);
    if ((field[0]! & 0x80) === 0) return Number.parseInt(cString(field).trim() || "0", 8);
    return field.subarray(1).reduce((number, byte) => number * 256 + byte, field[0]! & 0x7f);
}

function nameOf(header: Buffer): string {
    const name = cString(header.subarray(0, 100));
    const isUstar = header.subarray(257, 263).toString("latin1") === "ustar\0";
    const prefix = isUstar ? cString(header.subarray(345, 500)) : "";
    return prefix === "" ? name : `${prefix}/${name}`;
}

function kindOf(type: string): TarEntry["kind"] {
    if (type === "0" || type === "\0" || type === "7") return "file";
    if (type === "1") return "link";
    return type === "2" ? "symlink" : "other";
}

/** Lines `<length> <key>=<value>`. */
function paxOf(content: Buffer): { path?: string; target?: string; size?: number } {
    const found: { path?: string; target?: string; size?: number } = {};
    for (let start = 0; start < content.length; ) {
        const length = Number.parseInt(content.subarray(start, start + 20).toString("latin1"), 10);
        if (!(length > 0)) throw new Error("the archive is broken: a pax header without length");
        const line = content.subarray(start, start + length - 1).toString();
        const [, key, value = ""] = /^\d+ ([^=]+)=(.*)$/s.exec(line) ?? [];
        if (key === "path") found.path = value;
        if (key === "linkpath") found.target = value;
        if (key === "size") found.size = Number(value);
        start += length;
    }
    return found;
}

function cString(field: Buffer): string {
    const end = field.indexOf(0);
    return field.subarray(0, end < 0 ? field.length : end).toString();
}
