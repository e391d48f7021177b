import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** SHA-256 of a file, in hex. Reads it as a stream. @throws when the file cannot be read, with what to do */
export async function sha256Of(source: string): Promise<string> {
    const hash = createHash("sha256");
    try {
        await pipeline(createReadStream(source), hash);
    } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? String(error);
        throw new Error(
            `source: the file '${source}' cannot be read (${code}): give a path that is absolute or relative to the folder of Pulumi.yaml`,
        );
    }
    return hash.digest("hex");
}

/** Why a file is too large to be uploaded, if it is. Undefined also for one that is not there. */
export async function sizeFault(source: string, maximumMiB: number): Promise<string | undefined> {
    const size = (await stat(source).catch(() => undefined))?.size ?? 0;
    if (size <= maximumMiB * mebibyte) return undefined;
    return (
        `source: '${source}' has ${Math.ceil(size / mebibyte)} MiB, more than maximumMiB (${maximumMiB}): make it smaller, ` +
        "or raise maximumMiB when the platform takes more"
    );
}

const mebibyte = 1024 * 1024;

/** Tells of a long upload, at most every five seconds. */
export function progress(action: string, now: () => number = Date.now): (sent: number, size: number) => void {
    let last = now();
    return (sent, size) => {
        if (now() - last < 5000) return;
        last = now();
        const [done, all] = [sent, size].map((bytes) => Math.round(bytes / mebibyte));
        console.warn(`VVP: ${action}: ${done} of ${all} MiB`);
    };
}

/** The name that an artifact gets when none is asked for: that of the file with the start of its hash, so that new content is a new artifact. */
export function contentName(source: string, sha256: string): string {
    const extension = extname(source);
    return `${basename(source, extension)}-${sha256.slice(0, 8)}${extension}`;
}

/**
 * The file's bytes for an upload, in pieces of 64 KiB. The stream fails at its end when the content is not the one that
 * the preview announced.
 * @param report told of the bytes so far after each piece
 */
export async function checkedStream(
    source: string,
    sha256: string,
    report: (sent: number, size: number) => void = () => undefined,
): Promise<{ size: number; body: Readable }> {
    const { size } = await stat(source);
    const hash = createHash("sha256");
    let sent = 0;
    async function* pieces(): AsyncGenerator<Buffer> {
        for await (const piece of createReadStream(source)) {
            hash.update(piece as Buffer);
            sent += (piece as Buffer).length;
            report(sent, size);
            yield piece as Buffer;
        }
        if (hash.digest("hex") !== sha256) {
            throw new Error(`the file '${source}' changed since the preview; run it again`);
        }
    }
    return { size, body: Readable.from(pieces(), { objectMode: false }) };
}
