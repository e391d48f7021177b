import { randomBytes } from "node:crypto";

/** A time-ordered UUID version 7, which the real server uses for projects, errors and probes. */
export function uuidv7(): string {
    const bytes = randomBytes(16);
    bytes.writeUIntBE(Date.now(), 0, 6);
    bytes[6] = (bytes[6]! & 0x0f) | 0x70;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    return format(bytes);
}

let lastTick = 0n;

/** A UUID version 1, which the real server uses for warehouses: clients must not insist on version 4. */
export function uuidv1(): string {
    // 100 ns ticks since 1582-10-15, made unique when two ids fall into the same tick.
    const now = BigInt(Date.now()) * 10_000n + 0x01b21dd213814000n;
    lastTick = now > lastTick ? now : lastTick + 1n;
    const bytes = randomBytes(16);
    bytes.writeUInt32BE(Number(lastTick & 0xffffffffn), 0);
    bytes.writeUInt16BE(Number((lastTick >> 32n) & 0xffffn), 4);
    bytes.writeUInt16BE(Number((lastTick >> 48n) & 0x0fffn) | 0x1000, 6);
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    return format(bytes);
}

/** Why a text is no UUID, in the words of the real server's URL errors; undefined when it is one. */
export function uuidFault(text: string): string | undefined {
    const bad = [...text].findIndex((letter) => !/[0-9a-fA-F-]/.test(letter));
    if (bad >= 0) return `UUID parsing failed: invalid character: found \`${[...text][bad]}\` at ${bad}`;
    if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return undefined;
    return `UUID parsing failed: invalid length: found ${text.replaceAll("-", "").length}`;
}

function format(bytes: Buffer): string {
    return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
