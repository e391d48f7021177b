import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";

/** One entry of an archive. */
export interface TarEntry {
    /** Without a leading `/` or `./`; an entry whose path leads out of the archive's root is never given. */
    path: string;
    kind: "file" | "link" | "symlink" | "other";
    /** Where a link leads, as it stands in the archive. */
    target: string;
    size: number;
    /** The content; what is not read before the next entry is asked for is passed over. */
    content: AsyncIterable<Buffer>;
}

/**
 * Reads a tar archive as it comes, to its end.
 * @throws when it ends too early, is no archive, or unpacks to more than `maximumBytes`
 */
export async function* readTar(
    stream: AsyncIterable<Buffer>,
    maximumBytes: number,
): AsyncGenerator<TarEntry> {
    // Few read images: only they load it.
    const { extract } = await import("tar-stream");
    const archive = extract();
    // The loop fails with it, for the archive is destroyed; awaited below, it has nothing more to say.
    const fed = pipeline(stream, limited(maximumBytes), archive).catch((error: Error) => error);
    try {
        for await (const entry of archive) {
            const { name, type, size = 0, linkname } = entry.header;
            const path = cleanPath(name);
            if (path !== undefined) {
                yield {
                    path,
                    kind: kindOf(type),
                    target: linkname ?? "",
                    size,
                    content: entry as AsyncIterable<Buffer>,
                };
            }
            entry.resume();
        }
    } catch (error) {
        throw (await fed) ?? error;
    }
    const error = await fed;
    if (error) throw error;
}

/** A path without `.` and empty steps; undefined for one that leads out of the root. */
export function cleanPath(path: string): string | undefined {
    const steps = path.split("/").filter((step) => step !== "" && step !== ".");
    return steps.includes("..") ? undefined : steps.join("/");
}

function limited(maximumBytes: number): Transform {
    let seen = 0;
    return new Transform({
        transform(piece: Buffer, _encoding, done) {
            seen += piece.length;
            done(
                seen > maximumBytes
                    ? new Error(`the archive unpacks to more than ${maximumBytes} bytes`)
                    : null,
                piece,
            );
        },
    });
}

function kindOf(type: string | null | undefined): TarEntry["kind"] {
    if (type === "file" || type === "contiguous-file") return "file";
    return type === "link" || type === "symlink" ? type : "other";
}
