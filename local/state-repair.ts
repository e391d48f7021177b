import fs from "node:fs";
import path from "node:path";

/**
 * Mends what a run that was killed while it wrote has left of Pulumi's state: half a file is replaced by the copy that
 * the backend keeps beside it, and what belongs to an unfinished write is removed.
 * @param backend the folder of a file backend
 * @returns what was done, for a person; nothing when all was well
 * @throws when neither the state nor its copy can be read
 */
export function repairState(backend: string): string[] {
    const folder = path.join(backend, ".pulumi", "stacks");
    if (!fs.existsSync(folder)) return [];
    const done: string[] = [];
    for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
        const file = path.join(entry.parentPath, entry.name);
        if (!entry.isFile()) continue;
        if (/\.(attrs|tmp)$/.test(entry.name)) {
            if (entry.name.endsWith(".attrs") && isJson(file)) continue;
            fs.rmSync(file);
            done.push(`removed ${entry.name}, which a killed run left half-written`);
        } else if (entry.name.endsWith(".json") && !isJson(file)) {
            restore(file);
            done.push(`restored ${entry.name} from its copy, since a killed run left it half-written`);
        }
    }
    return done;
}

function restore(file: string): void {
    const copy = `${file}.bak`;
    if (!isJson(copy)) {
        throw new Error(
            `The Pulumi state ${file} cannot be read, and neither can its copy beside it.\n` +
                "What to do: `npm run local:down`, which drops the data too, then `npm start`.",
        );
    }
    fs.copyFileSync(copy, file);
}

function isJson(file: string): boolean {
    try {
        JSON.parse(fs.readFileSync(file, "utf8"));
        return true;
    } catch {
        return false;
    }
}
