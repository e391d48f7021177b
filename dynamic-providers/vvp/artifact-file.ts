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

/** The name that an artifact gets when none is asked for: that of the file with the start of its hash, so that new content is a new artifact. */
export function contentName(source: string, sha256: string): string {
    const extension = extname(source);
    return `${basename(source, extension)}-${sha256.slice(0, 8)}${extension}`;
}

/**
 * The file's bytes for an upload, in pieces of 64 KiB. The stream fails at its end when the content is not the one that
 * the preview announced.
 */
export async function checkedStream(
    source: string,
    sha256: string,
): Promise<{ size: number; body: Readable }> {
    const { size } = await stat(source);
    const hash = createHash("sha256");
    async function* pieces(): AsyncGenerator<Buffer> {
        for await (const piece of createReadStream(source)) {
            hash.update(piece as Buffer);
            yield piece as Buffer;
        }
        if (hash.digest("hex") !== sha256) {
            throw new Error(`the file '${source}' changed since the preview; run it again`);
        }
    }
    return { size, body: Readable.from(pieces(), { objectMode: false }) };
}
