import path from "node:path";
import { cacheFolder, type Filling, fill } from "./cache.ts";
import { runCommand } from "./command.ts";
import type { Report } from "./types.ts";

const VERSION = "3.35.0";

/** Fetches Azure's storage emulator once. @returns its program for the blob service, to be run by Node */
export async function ensureAzurite(report: Report): Promise<string> {
    const folder = path.join(cacheFolder(), `azurite-${VERSION}`);
    const filling: Filling = {
        name: "Azure's storage emulator",
        takes: "up to 1 minute (about 190 MB)",
        folders: [folder],
        async make(draft) {
            const made = path.join(draft, "azurite");
            const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
            const args = ["install", "--prefix", made, ...quiet, `azurite@${VERSION}`];
            await runCommand("npm", args, { hint: "Check that npm reaches its registry and run again." });
            return { [folder]: made };
        },
    };
    await fill(cacheFolder(), filling, report);
    return path.join(folder, "node_modules", "azurite", "dist", "src", "blob", "main.js");
}
