import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { z } from "zod";
import { cacheFolder } from "../toolchain/cache.ts";
import { isAlive, startOf, withLock } from "../toolchain/lock.ts";
import { readIfThere, writePrivate } from "./folders.ts";

/** The ports of one local lakehouse that starts, for as long as the process that starts it lives. */
const claimSchema = z.object({
    root: z.string(),
    pid: z.number(),
    started: z.string(),
    ports: z.array(z.number()),
});

/**
 * Runs `choose` with the ports that other lakehouses on this machine are about to listen on, and claims what it
 * chooses for the lakehouse `root`. Without this, two that start at the same moment both find the same port free:
 * some of its services listen only a minute later.
 */
export async function withClaimedPorts<T extends Record<string, number>>(
    root: string,
    choose: (claimedByOthers: number[]) => Promise<T>,
): Promise<T> {
    const folder = path.join(cacheFolder(), "ports");
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    return withLock(
        path.join(folder, "lock"),
        () => {},
        async () => {
            const ports = await choose(claimedByOthers(folder, root));
            const claim = {
                root,
                pid: process.pid,
                started: startOf(process.pid),
                ports: Object.values(ports),
            };
            writePrivate(path.join(folder, `${nameOf(root)}.json`), JSON.stringify(claim));
            return ports;
        },
    );
}

/** Claims of ended processes are removed on the way: what they started listens by now, or never will. */
function claimedByOthers(folder: string, root: string): number[] {
    const files = fs.readdirSync(folder).filter((file) => /^[0-9a-f]+\.json$/.test(file));
    return files.flatMap((file) => {
        const claim = readClaim(path.join(folder, file));
        if (claim?.root === root) return [];
        if (claim && isAlive(claim) && fs.existsSync(claim.root)) return claim.ports;
        fs.rmSync(path.join(folder, file), { force: true });
        return [];
    });
}

function readClaim(file: string): z.infer<typeof claimSchema> | undefined {
    try {
        return claimSchema.parse(JSON.parse(readIfThere(file) ?? ""));
    } catch {
        return undefined;
    }
}

function nameOf(root: string): string {
    return createHash("sha256").update(path.resolve(root)).digest("hex").slice(0, 16);
}
