import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { temporaryRoot } from "../services/fixture.ts";

const repository = path.resolve(import.meta.dirname, "../../..");

/** A small checkout with some of this repository's files and what else is given, to run a program of it. */
export function smallCheckout(copied: readonly string[], files: Record<string, string>): string {
    const root = temporaryRoot();
    const write = (file: string, content: string) => {
        fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
        fs.writeFileSync(path.join(root, file), content);
    };
    write("package.json", '{ "type": "module" }');
    for (const file of copied) write(file, fs.readFileSync(path.join(repository, file), "utf8"));
    for (const [file, content] of Object.entries(files)) write(file, content);
    return root;
}

/** Runs Node in it, and gives what it printed and its exit code. */
export function runNode(root: string, args: string[], env: Record<string, string | undefined> = {}) {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
        cwd: root,
        encoding: "utf8",
        env: { ...process.env, ...env },
    });
    return { status, stdout, stderr };
}
