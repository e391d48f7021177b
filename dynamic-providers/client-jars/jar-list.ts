import fs from "node:fs";
import path from "node:path";
import * as z from "zod";
import { type Fault, parse, throwFaults } from "../../model/faults.ts";
import type { JarSetup } from "../../model/jars.ts";
import { isSafeAddress } from "./image-reference.ts";

/** Name of the list in a folder of JARs. It belongs into version control, the JARs do not. */
export const JAR_LIST = "client-jars.json";

const setup = z.strictObject({
    release: z.string(),
    catalog: z.enum(["rest", "jdbc", "hadoop"]),
    storage: z.enum(["s3", "s3Compatible", "adls", "files"]),
}) satisfies z.ZodType<JarSetup>;

const origin = z.union([
    z.strictObject({ repository: z.string(), digest: z.string(), path: z.string() }),
    z.strictObject({
        // Become words of a command: none may be an option of Docker.
        image: z.string().regex(/^\w[\w.:/-]*$/, { error: "must be an image with its tag" }),
        installer: z.array(z.string().regex(/^[\w.-]+$/)).min(1),
    }),
    z
        .strictObject({ url: z.string() })
        // A login for its host is sent there, and errors of a download show it. This one is of the whole: it shows none.
        .refine(({ url }) => isSafeAddress(url), {
            error: "must have a url that begins with https:// and holds no login and no query",
        }),
]);

const listed = z.strictObject({
    // Becomes a path: no name of it may lead out of the folder.
    file: z.string().regex(/^\w[\w.+-]*\.jar$/, { error: "must be the name of a JAR, without folders" }),
    sha256: z.string().regex(/^[0-9a-f]{64}$/, { error: "must be a SHA-256 in hex" }),
    size: z.number().int().nonnegative(),
    from: origin,
});

const list = z.strictObject({ setup, jars: z.array(listed).min(1) });

/** Where a JAR came from, so that it can be fetched again: a path in an image, an image's installer, or a URL. */
export type JarOrigin = z.output<typeof origin>;

/** One JAR of a list. */
export type ListedJar = z.output<typeof listed>;

/** The JARs of a setup, by their content: `client-jars.json`. */
export type JarList = z.output<typeof list>;

/** The JARs of a folder. */
export interface JarFolder {
    /** Paths, the folder's own before them, sorted. Those of a list may not be there yet. */
    files: string[];
    /** The list's file, when the folder has one. */
    list: string | undefined;
}

/**
 * The JARs of a folder, subfolders included; with a `client-jars.json` those that it lists, fetched or not.
 * @throws when the folder is not there, the list cannot be read, or a JAR lies beside the list
 */
export function jarsOf(folder: string): JarFolder {
    if (!fs.existsSync(folder)) {
        throw new Error(
            `the folder of the client JARs, ${folder}, does not exist. Make it with \`pulumi-fluss jars\`, or with the installer of the Fluss image, as the README shows`,
        );
    }
    const known = readJarList(folder);
    const there = jarsIn(folder);
    if (!known) return { files: there.map((file) => path.join(folder, file)), list: undefined };
    const names = new Set(known.jars.map(({ file }) => file));
    const strays = there.filter((file) => !names.has(file));
    throwFaults(
        "the client JARs",
        strays.map(
            (file): Fault => ({
                path: path.join(folder, file),
                reason: `is not listed in ${JAR_LIST}`,
                fix: "Remove it: it may be of an earlier list",
            }),
        ),
    );
    return {
        files: [...names].sort().map((file) => path.join(folder, file)),
        list: path.join(folder, JAR_LIST),
    };
}

/** Names of the JARs that lie in a folder and below it, sorted; none when there is no folder. */
export function jarsIn(folder: string): string[] {
    if (!fs.existsSync(folder)) return [];
    return fs
        .readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".jar") && !file.startsWith(STAGING))
        .sort();
}

/** Begins the names of folders in which downloads lie until they are whole. */
const STAGING = ".client-jars-";
const DAY_MS = 24 * 3600_000;

/**
 * Makes a folder for downloads within a folder of JARs, so that they can be moved; the caller removes it. Those that a
 * killed run left, hundreds of MiB each, go when they are a day old: no fetch takes that long.
 */
export function stagingFolder(folder: string): string {
    for (const name of fs.readdirSync(folder).filter((one) => one.startsWith(STAGING))) {
        const left = path.join(folder, name);
        const stat = fs.statSync(left, { throwIfNoEntry: false });
        if (stat && Date.now() - stat.mtimeMs > DAY_MS) fs.rmSync(left, { recursive: true, force: true });
    }
    return fs.mkdtempSync(path.join(folder, STAGING));
}

/** The list of a folder, when it has one. @throws when it cannot be read, with every fault */
export function readJarList(folder: string): JarList | undefined {
    const file = path.join(folder, JAR_LIST);
    if (!fs.existsSync(file)) return undefined;
    let content: unknown;
    try {
        content = JSON.parse(fs.readFileSync(file, "utf8"));
    } catch (error) {
        throw new Error(
            `${file} cannot be read: ${(error as Error).message}. What to do: take it from version control, or remove it and the JARs beside it, then run \`pulumi-fluss jars --release …\``,
        );
    }
    return parse(list, content, JAR_LIST);
}

/** Writes the list of a folder, whole or not at all. @throws when it could not be read again, with every fault */
export function writeJarList(folder: string, content: JarList): void {
    const file = path.join(folder, JAR_LIST);
    const checked = parse(list, content, JAR_LIST);
    fs.writeFileSync(`${file}.new`, `${JSON.stringify(checked, undefined, 4)}\n`);
    fs.renameSync(`${file}.new`, file);
}

/** Moves checked JARs to their places, on the same disk. Two that are links to one file become two files. */
export function moveJars(pairs: readonly (readonly [from: string, to: string])[]): void {
    const moved = new Map<string, string>();
    for (const [from, to] of pairs) {
        const there = moved.get(from);
        if (there === undefined) fs.renameSync(from, to);
        else {
            // Whole, or not there.
            fs.copyFileSync(there, from);
            fs.renameSync(from, to);
        }
        moved.set(from, to);
    }
}
