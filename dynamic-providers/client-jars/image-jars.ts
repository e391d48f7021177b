import { createHash, type Hash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { PassThrough, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import * as zlib from "node:zlib";
import type { ImageManifest, ImageRegistry, Layer } from "./registry.ts";
import { cleanPath, readTar, type TarEntry } from "./tar.ts";

/** A JAR that was taken out of an image. */
export interface ImageJar {
    /** Where it lies in the image: `opt/fluss/plugins/s3/fluss-fs-s3-….jar`. */
    path: string;
    /** Where it lies now. */
    file: string;
    sha256: string;
    size: number;
}

/** What an image holds of the JARs that are asked for. */
export interface ImageJars {
    /** Digest of the image: `sha256:…`. */
    digest: string;
    jars: ImageJar[];
    /** Names of the other JARs in the image, without folders; for those who miss one. */
    others: string[];
}

/** How the JARs of an image are read. */
export interface ImageReading {
    registry: ImageRegistry;
    /** Tag or digest. */
    reference: string;
    /** Whether a JAR is wanted, by its path in the image. */
    wanted(path: string): boolean;
    /** Folder that exists; the JARs are written there, under names that are none of the image's. */
    staging: string;
    /** Told before each layer: hundreds of MiB take their time. */
    report?(line: string): void;
}

/**
 * Takes JARs out of an image's layers as they come from the registry; nothing else is written. What a later layer
 * replaces or deletes is not given. Each layer is read to its end and checked against its digest.
 * @throws when a layer does not come whole and unchanged, or a JAR is a link to what was not read
 */
export async function readImageJars(reading: ImageReading): Promise<ImageJars> {
    const image = await reading.registry.manifest(reading.reference);
    const state = new Files();
    for (const [index, layer] of image.layers.entries()) {
        reading.report?.(
            `layer ${index + 1} of ${image.layers.length}: ${Math.ceil(layer.size / mebibyte)} MiB`,
        );
        await readLayer(reading, image, index, state);
    }
    return { digest: image.digest, jars: state.jars(reading.wanted), others: state.others() };
}

const mebibyte = 1024 * 1024;
/** A JAR of Fluss, Iceberg or the AWS SDK has up to 700 MiB. */
const LARGEST_JAR = 2048 * mebibyte;
/** What a layer may unpack to: more is no image of Fluss, but an attack on the disk or on patience. */
const LARGEST_LAYER = 32 * 1024 * mebibyte;

async function readLayer(
    { registry, wanted, staging }: ImageReading,
    { layers }: ImageManifest,
    index: number,
    state: Files,
): Promise<void> {
    const layer = layers[index]!;
    const body = await registry.layer(layer);
    const sent = { bytes: 0, hash: createHash("sha256") };
    const changes = new LayerChanges();
    try {
        await pipeline(body, counted(sent, layer.size), unpacking(layer), async (archive) => {
            for await (const entry of readTar(archive, LARGEST_LAYER)) {
                const kept = entry.kind === "file" && entry.path.endsWith(".jar") && wanted(entry.path);
                const file = path.join(staging, `${index}-${changes.count}.jar`);
                changes.add(entry, kept ? { file, ...(await writeJar(entry, file)) } : undefined);
            }
        });
    } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(
            `layer ${layer.digest} could not be read: ${reason} (${sent.bytes} of ${layer.size} bytes came). ` +
                "What to do: try again; if it stays, the registry holds a broken image",
        );
    }
    const digest = `sha256:${sent.hash.digest("hex")}`;
    if (sent.bytes !== layer.size || digest !== layer.digest) {
        throw new Error(
            `layer ${layer.digest} is not what the manifest says: ${sent.bytes} of ${layer.size} bytes came, with the digest ${digest}. ` +
                "What to do: try again; if it stays, something on the way changes what the registry sends",
        );
    }
    state.apply(changes);
}

function counted(sent: { bytes: number; hash: Hash }, size: number): Transform {
    return new Transform({
        transform(piece: Buffer, _encoding, done) {
            sent.bytes += piece.length;
            sent.hash.update(piece);
            done(sent.bytes > size ? new Error("it is longer than the manifest says") : null, piece);
        },
    });
}

function unpacking({ mediaType }: Layer): Transform {
    if (/[+.]gzip$/.test(mediaType)) return zlib.createGunzip();
    if (/\+zstd$/.test(mediaType)) return zlib.createZstdDecompress();
    if (/\.tar$/.test(mediaType)) return new PassThrough();
    throw new Error(`its form, ${mediaType}, is not known here`);
}

async function writeJar(entry: TarEntry, file: string): Promise<{ sha256: string; size: number }> {
    if (entry.size > LARGEST_JAR) throw new Error(`${entry.path} has ${entry.size} bytes`);
    const hash = createHash("sha256");
    await pipeline(
        entry.content,
        async function* (pieces: AsyncIterable<Buffer>) {
            for await (const piece of pieces) {
                hash.update(piece);
                yield piece;
            }
        },
        fs.createWriteStream(file, { flags: "wx" }),
    );
    return { sha256: hash.digest("hex"), size: entry.size };
}

type Kept = Omit<ImageJar, "path">;
/** A file of the image: a JAR that was kept, a link to another path, or any other JAR. */
type File = { kept: Kept } | { link: string } | { other: true };

/** What one layer adds, and what of the layers below it takes away. */
class LayerChanges {
    readonly added = new Map<string, File>();
    /** Paths that are gone from the layers below, with all beneath. */
    readonly gone: string[] = [];
    /** Folders whose content of the layers below is gone. */
    readonly emptied: string[] = [];
    count = 0;

    add(entry: TarEntry, kept: Kept | undefined): void {
        this.count++;
        const folder = path.posix.dirname(entry.path);
        const name = path.posix.basename(entry.path);
        if (name === ".wh..wh..opq") this.emptied.push(folder);
        else if (name.startsWith(".wh.")) this.gone.push(path.posix.join(folder, name.slice(".wh.".length)));
        else if (entry.kind !== "other") {
            this.gone.push(entry.path);
            const file = fileOf(entry, kept);
            if (file) this.added.set(entry.path, file);
        }
    }
}

function fileOf(entry: TarEntry, kept: Kept | undefined): File | undefined {
    if (kept) return { kept };
    if (!entry.path.endsWith(".jar")) return undefined;
    if (entry.kind === "file") return { other: true };
    // A hard link names a path of the archive, a symbolic one a path beside itself.
    const from = entry.kind === "link" || entry.target.startsWith("/") ? "" : path.posix.dirname(entry.path);
    const target = cleanPath(path.posix.normalize(path.posix.join(from, entry.target)));
    return { link: target ?? entry.target };
}

/** The JARs of the layers so far. */
class Files {
    readonly #files = new Map<string, File>();

    apply({ added, gone, emptied }: LayerChanges): void {
        const paths = new Set(gone);
        const folders = new Set([...gone, ...emptied]);
        for (const file of this.#files.keys()) {
            if (paths.has(file) || parentsOf(file).some((folder) => folders.has(folder))) {
                this.#files.delete(file);
            }
        }
        for (const [file, content] of added) this.#files.set(file, content);
    }

    jars(wanted: (path: string) => boolean): ImageJar[] {
        const jars: ImageJar[] = [];
        for (const [file, content] of this.#files) {
            if ("kept" in content) jars.push({ path: file, ...content.kept });
            if (!("link" in content) || !wanted(file)) continue;
            const target = this.#files.get(content.link);
            if (target && "kept" in target) {
                jars.push({ path: file, ...target.kept });
                continue;
            }
            throw new Error(
                `${file} in the image is a link to ${content.link}, which is not among the JARs that were read. ` +
                    `What to do: name ${path.posix.basename(content.link)} as a further JAR, or run the image's installer by Docker`,
            );
        }
        return jars.sort((a, b) => (a.path < b.path ? -1 : 1));
    }

    others(): string[] {
        const names = [...this.#files].flatMap(([file, content]) =>
            "other" in content ? [path.posix.basename(file)] : [],
        );
        return [...new Set(names)].sort();
    }
}

function parentsOf(file: string): string[] {
    const steps = file.split("/");
    return [".", ...steps.slice(1).map((_, index) => steps.slice(0, index + 1).join("/"))];
}
