import { createHash } from "node:crypto";
import fs from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";

const DEADLINE_MS = 10 * 60_000;

/** Downloads a file. @throws with the address and the reason; nothing is tried again. */
export async function download(url: string, file: string): Promise<void> {
    try {
        const response = await fetch(url, { signal: AbortSignal.timeout(DEADLINE_MS) });
        if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`);
        await pipeline(Readable.fromWeb(response.body as ReadableStream), fs.createWriteStream(file));
    } catch (error) {
        const cause = (error as Error).cause;
        throw new Error(`${url}: ${cause instanceof Error ? cause.message : (error as Error).message}`);
    }
}

/** SHA-256 of a file in hexadecimal digits. */
export async function sha256Of(file: string): Promise<string> {
    const hash = createHash("sha256");
    await pipeline(fs.createReadStream(file), hash);
    return hash.digest("hex");
}
