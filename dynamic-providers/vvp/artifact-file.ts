import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { completeClientJars } from "../client-jars/complete.ts";
import { JAR_LIST, readJarList } from "../client-jars/jar-list.ts";
import { sha256Of } from "../client-jars/sha256.ts";

/** Why a file is too large to be uploaded, if it is. Undefined also for one of unknown size. */
export function sizeFault(source: string, size: number, maximumMiB: number): string | undefined {
    if (size <= maximumMiB * mebibyte) return undefined;
    return (
        `source: '${source}' has ${Math.ceil(size / mebibyte)} MiB, more than maximumMiB (${maximumMiB}): make it smaller, ` +
        "or raise maximumMiB when the platform takes more"
    );
}

/** What is known of a file before it is uploaded. */
export interface SourceFile {
    sha256: string;
    size: number;
}

/**
 * A file's content: its own, or what a list of client JARs says of one that is yet to be fetched.
 * @throws when the file cannot be read, is not on the list, or has another content than that says; when the list is not
 * that of the file's folder, where what it lists is fetched to
 */
export async function sourceFile(source: string, jarList: string | undefined): Promise<SourceFile> {
    const listed = jarList === undefined ? undefined : listedJar(source, jarList);
    const size = (await stat(source).catch(() => undefined))?.size;
    if (size === undefined && listed) return listed;
    const sha256 = await sha256Of(source);
    if (!listed || listed.sha256 === sha256) return { sha256, size: size ?? 0 };
    throw new Error(
        `source: the file '${source}' has the SHA-256 ${sha256}, and ${jarList} says ${listed.sha256}: remove the file, so that ` +
            "the right one is fetched, or make the list anew with `pulumi-fluss jars`",
    );
}

/** Fetches the file, when it is not there and a list of client JARs says from where. */
export async function bringFile(source: string, jarList: string | undefined): Promise<void> {
    if (jarList === undefined || existsSync(source)) return;
    await completeClientJars(dirname(jarList), (line) => console.warn(line));
}

function listedJar(source: string, jarList: string): SourceFile {
    const own = join(dirname(source), JAR_LIST);
    if (resolve(jarList) !== resolve(own)) {
        throw new Error(
            `jarList: '${jarList}' is not the list of the folder in which '${source}' lies: give '${own}', or leave jarList out`,
        );
    }
    const jar = readJarList(dirname(jarList))?.jars.find(({ file }) => file === basename(source));
    if (jar) return jar;
    throw new Error(
        `source: ${jarList} does not list '${basename(source)}': make the list anew with \`pulumi-fluss jars\`, or leave jarList out`,
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
