import fs from "node:fs";

/**
 * The text of a file that somebody named.
 * @param what what it should hold, for the error: "doctor: the configuration"
 * @param fix what to do when it cannot be read
 * @throws when it cannot be read
 */
export function readGiven(file: string, what: string, fix: string): string {
    try {
        return fs.readFileSync(file, "utf8");
    } catch (error) {
        throw new Error(`${what} cannot be read from ${file}: ${reasonOf(error)}.\nWhat to do: ${fix}`);
    }
}

/** Why a file or folder cannot be read or written, in words. */
export function reasonOf(error: unknown): string {
    const { code, message } = error as NodeJS.ErrnoException;
    const reasons: Record<string, string> = {
        ENOENT: "there is no such file",
        EISDIR: "it is a folder",
        ENOTDIR: "a part of its path is no folder",
        EACCES: "this user may not",
    };
    return reasons[code ?? ""] ?? message;
}
