import path from "node:path";
import { makeFolders, readIfThere, writePrivate } from "./folders.ts";
import { shortestSecret } from "./redact.ts";

/** The list of known secret values that the log filter of each JVM reads: one a line, owner only. */
export function secretsFile(root: string): string {
    return path.join(root, "run", "secrets.txt");
}

/** Every secret value noted so far. */
export function readSecrets(root: string): string[] {
    return (readIfThere(secretsFile(root)) ?? "").split("\n").filter((value) => value !== "");
}

/**
 * Notes secret values, so that no log shows them; call it before a service or a job gets to see them.
 * A value of several lines is noted line by line, as a log would show it. Old values stay: logs outlive them.
 */
export function rememberSecrets(root: string, values: readonly string[]): void {
    makeFolders(root);
    const lines = values
        .flatMap((value) => value.split(/\r?\n/))
        .filter((line) => line.length >= shortestSecret);
    const known = readSecrets(root);
    const all = [...new Set([...known, ...lines])];
    if (all.length > known.length) writePrivate(secretsFile(root), `${all.join("\n")}\n`);
}
