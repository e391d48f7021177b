import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
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
