import { createHash } from "node:crypto";
import zlib from "node:zlib";

/** One entry of a layer: a file, a link, a folder, or a name that deletes (`.wh.…`). */
export interface Entry {
    path: string;
    content?: string;
    /** A hard link to a path of the image. */
    link?: string;
    symlink?: string;
}

/** An image as a registry keeps it: every blob by its digest, and the manifest's own digest. */
export interface Image {
    blobs: Map<string, Buffer>;
    manifest: Buffer;
    digest: string;
    layers: string[];
}

/** How a layer is packed; the default is OCI's gzip. */
export type Packing = "gzip" | "docker-gzip" | "zstd" | "tar";

const types: Record<Packing, string> = {
    gzip: "application/vnd.oci.image.layer.v1.tar+gzip",
    "docker-gzip": "application/vnd.docker.image.rootfs.diff.tar.gzip",
    zstd: "application/vnd.oci.image.layer.v1.tar+zstd",
    tar: "application/vnd.oci.image.layer.v1.tar",
};

export const manifestType = "application/vnd.oci.image.manifest.v1+json";
export const indexType = "application/vnd.oci.image.index.v1+json";

/** Builds an image of such layers, the lowest first. */
export function imageOf(layers: readonly (readonly Entry[])[], packing: Packing = "gzip"): Image {
    const blobs = new Map<string, Buffer>();
    const blob = (mediaType: string, content: Buffer) => {
        blobs.set(digestOf(content), content);
        return { mediaType, digest: digestOf(content), size: content.length };
    };
    const described = layers.map((entries) => blob(types[packing], packed(tarOf(entries), packing)));
    const config = { architecture: "amd64", os: "linux", rootfs: { type: "layers", diff_ids: [] } };
    const manifest = Buffer.from(
        JSON.stringify({
            schemaVersion: 2,
            mediaType: manifestType,
            config: blob("application/vnd.oci.image.config.v1+json", Buffer.from(JSON.stringify(config))),
            layers: described,
        }),
    );
    return { blobs, manifest, digest: digestOf(manifest), layers: described.map(({ digest }) => digest) };
}

export function digestOf(content: Buffer): string {
    return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

/** A tar archive; paths of more than 100 bytes as pax writes them, of more than 300 as GNU does. */
export function tarOf(entries: readonly Entry[]): Buffer {
    return Buffer.concat([...entries.flatMap(entryOf), Buffer.alloc(1024)]);
}

function entryOf({ path, content = "", link, symlink }: Entry): Buffer[] {
    const body = Buffer.from(content);
    const type = link !== undefined ? "1" : symlink !== undefined ? "2" : path.endsWith("/") ? "5" : "0";
    const own = header(path.slice(0, 100), type, body.length, link ?? symlink ?? "");
    if (path.length <= 100) return [own, padded(body)];
    if (path.length > 300) {
        const name = Buffer.from(`${path}\0`);
        return [header("././@LongLink", "L", name.length, ""), padded(name), own, padded(body)];
    }
    const line = ` path=${path}\n`;
    const pax = Buffer.from(`${line.length + 3}${line}`);
    return [header("PaxHeaders/x", "x", pax.length, ""), padded(pax), own, padded(body)];
}

function header(name: string, type: string, size: number, link: string): Buffer {
    const block = Buffer.alloc(512);
    const octal = (value: number, length: number) => value.toString(8).padStart(length - 1, "0");
    block.write(name, 0);
    block.write(octal(0o644, 8), 100);
    block.write(octal(size, 12), 124);
    block.write(octal(0, 12), 136);
    block.write("        ", 148);
    block.write(type, 156);
    block.write(link, 157);
    block.write("ustar\x0000", 257);
    const sum = block.reduce((all, byte) => all + byte, 0);
    block.write(`${octal(sum, 7)}\0 `, 148);
    return block;
}

function padded(content: Buffer): Buffer {
    return Buffer.concat([content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

function packed(tar: Buffer, packing: Packing): Buffer {
    if (packing === "tar") return tar;
    return packing === "zstd" ? zlib.zstdCompressSync(tar) : zlib.gzipSync(tar);
}
