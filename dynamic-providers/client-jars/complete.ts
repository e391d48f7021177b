import fs from "node:fs";
import path from "node:path";
import { runInstaller } from "./docker.ts";
import { readImageJars } from "./image-jars.ts";
import { parseRepository } from "./image-reference.ts";
import { JAR_LIST, type JarList, type ListedJar, moveJars, readJarList, stagingFolder } from "./jar-list.ts";
import { downloadKnownJar } from "./maven.ts";
import { ImageRegistry } from "./registry.ts";
import { sha256Of } from "./sha256.ts";

/**
 * Fetches the JARs of a folder's list that are not there, each from where it came, and checks its SHA-256. All calls
 * of one process for the same folder are one: an image is read once for all of its JARs.
 * @returns names of the files that were fetched
 * @throws when a source cannot be read, or gives another content than the list says
 */
export function completeClientJars(
    folder: string,
    report: (line: string) => void = () => undefined,
): Promise<string[]> {
    const key = path.resolve(folder);
    const running = underWay.get(key) ?? complete(key, report).finally(() => underWay.delete(key));
    underWay.set(key, running);
    return running;
}

const underWay = new Map<string, Promise<string[]>>();

async function complete(folder: string, report: (line: string) => void): Promise<string[]> {
    const list: JarList | undefined = readJarList(folder);
    if (!list) {
        throw new Error(
            `${folder} has no ${JAR_LIST}. What to do: make it with \`pulumi-fluss jars --release …\``,
        );
    }
    const missing = list.jars.filter(({ file }) => !fs.existsSync(path.join(folder, file)));
    if (missing.length === 0) return [];
    const staging = stagingFolder(folder);
    try {
        for (const group of groupsOf(missing)) {
            report(`${group.length} of ${list.jars.length} client JARs from ${placeOf(group[0]!)}`);
            const staged = await fetchGroup(group, fs.mkdtempSync(path.join(staging, "source-")));
            for (const jar of group) await check(jar, staged.get(jar.file));
            // Only now: a file that lies in the folder is a right one.
            moveJars(group.map(({ file }) => [staged.get(file)!, path.join(folder, file)]));
        }
    } finally {
        fs.rmSync(staging, { recursive: true, force: true });
    }
    return missing.map(({ file }) => file);
}

/** Those that are read in one go. */
function groupsOf(jars: readonly ListedJar[]): ListedJar[][] {
    const groups = new Map<string, ListedJar[]>();
    for (const jar of jars) groups.set(placeOf(jar), [...(groups.get(placeOf(jar)) ?? []), jar]);
    return [...groups.values()];
}

function placeOf({ from }: ListedJar): string {
    if ("url" in from) return from.url;
    if ("installer" in from) return `the installer of ${from.image}: ${from.installer.join(" ")}`;
    return `${from.repository}@${from.digest}`;
}

/** Files by the names that the list has for them. */
async function fetchGroup(group: readonly ListedJar[], staging: string): Promise<Map<string, string>> {
    const { from, file } = group[0]!;
    if ("url" in from) {
        const got = await downloadKnownJar(from.url, path.join(staging, file));
        return new Map([[file, got.file]]);
    }
    if ("installer" in from) {
        const installed = await runInstaller(from.image, from.installer, path.join(staging, "installed"));
        return new Map(installed.map((one) => [path.basename(one), one]));
    }
    const byPath = new Map(group.map((jar) => ["path" in jar.from ? jar.from.path : "", jar.file]));
    const { jars } = await readImageJars({
        registry: new ImageRegistry(parseRepository(from.repository)),
        reference: from.digest,
        // A JAR that is a link lies under its target's name, which the list does not know: all of the same name are read.
        wanted: (name) => group.some((jar) => jar.file === path.posix.basename(name)),
        staging,
    });
    return new Map(jars.flatMap((jar) => (byPath.has(jar.path) ? [[byPath.get(jar.path)!, jar.file]] : [])));
}

async function check(jar: ListedJar, staged: string | undefined): Promise<void> {
    const place = placeOf(jar);
    if (staged === undefined) {
        throw new Error(
            `${jar.file} is no longer in ${place}. What to do: make the list anew with \`pulumi-fluss jars --release …\``,
        );
    }
    const sha256 = await sha256Of(staged);
    if (sha256 === jar.sha256) return;
    throw new Error(
        `${jar.file} from ${place} has the SHA-256 ${sha256}, and ${JAR_LIST} says ${jar.sha256}. ` +
            "What to do: find out who changed it; when the new one is right, make the list anew with `pulumi-fluss jars --release …`",
    );
}
