import { describe, expect, test } from "vitest";
import { readTar } from "../../../dynamic-providers/client-jars/tar.ts";
import { type Entry, tarOf } from "./image.ts";

/** The archive in pieces of a length, as a network may bring it. */
async function* inPieces(content: Buffer, length: number): AsyncGenerator<Buffer> {
    for (let start = 0; start < content.length; start += length)
        yield content.subarray(start, start + length);
}

const read = async (content: Buffer, { length = 700, maximum = 1e9 } = {}) => {
    const found: Record<string, string> = {};
    for await (const entry of readTar(inPieces(content, length), maximum)) {
        const pieces: Buffer[] = [];
        // Every second one is passed over.
        if (Object.keys(found).length % 2 === 0) {
            for await (const piece of entry.content) pieces.push(piece);
        }
        found[entry.path] = Buffer.concat(pieces).toString();
    }
    return found;
};

const files: Entry[] = [
    { path: "a", content: "x".repeat(511) },
    { path: "b", content: "passed over".repeat(100) },
    { path: "c", content: "y".repeat(512) },
    { path: "d", content: "passed over" },
    { path: "e", content: "z".repeat(513) },
];

describe("an archive", () => {
    test.each([1, 511, 512, 513, 100_000])(
        "is read in pieces of %d bytes, whether its files are read or not",
        async (length) => {
            expect(await read(tarOf(files), { length })).toEqual({
                a: "x".repeat(511),
                b: "",
                c: "y".repeat(512),
                d: "",
                e: "z".repeat(513),
            });
        },
    );

    test("that ends too early, or is none, is an error", async () => {
        const whole = tarOf(files);
        for (const end of [100, 700, 1200]) {
            await expect(read(whole.subarray(0, end))).rejects.toThrow(/Unexpected end of data/);
        }
        const broken = Buffer.from(whole);
        broken[0] = 98;
        await expect(read(broken)).rejects.toThrow(/Invalid tar header/);
        await expect(read(Buffer.alloc(4096, 1))).rejects.toThrow(/Invalid tar header/);
    });

    test("that unpacks to more than it may is an error, also behind its end", async () => {
        const zeros = Buffer.concat([tarOf([{ path: "a" }]), Buffer.alloc(102_400)]);
        expect(await read(zeros, { maximum: zeros.length })).toEqual({ a: "" });
        await expect(read(zeros, { maximum: zeros.length - 1 })).rejects.toThrow(
            /unpacks to more than \d+ bytes/,
        );
    });

    test("has no path that leads out of it", async () => {
        const out = ["../a", "x/../../a", "/a/../b", "./x//y"].map((path) => ({ path }));
        expect(Object.keys(await read(tarOf(out)))).toEqual(["x/y"]);
    });
});
