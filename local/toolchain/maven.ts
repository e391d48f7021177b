import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { contentHash, type Filling } from "./cache.ts";
import { runCommand } from "./command.ts";

const SOURCES = path.join(path.dirname(fileURLToPath(import.meta.url)), "maven");

/** Folders of jars, one for each module of `maven/pom.xml`. */
export const JAR_FOLDERS = [
    "logging-slf4j1",
    "logging-slf4j2",
    "server",
    "flink",
    "lake",
    "catalog",
    "jars",
] as const;

export type JarFolder = (typeof JAR_FOLDERS)[number];

/** Where the jars of each module lie in the cache. The names change with the poms, so that each version has its own. */
export function jarFolders(cacheDir: string): Record<JarFolder, string> {
    const parent = path.join(SOURCES, "pom.xml");
    const entries = JAR_FOLDERS.map((name) => {
        const hash = contentHash([parent, path.join(SOURCES, name, "pom.xml")]);
        return [name, path.join(cacheDir, "jars", `${name}-${hash}`)];
    });
    return Object.fromEntries(entries) as Record<JarFolder, string>;
}

/** Fetches the jars of the given folders by Maven. Downloads are kept in the user's own Maven repository. */
export function mavenFilling(cacheDir: string, names: readonly JarFolder[] = JAR_FOLDERS): Filling {
    const all = jarFolders(cacheDir);
    return {
        name: "jars of Fluss, Flink and Iceberg",
        takes: "2 to 6 minutes (about 530 MB)",
        folders: names.map((name) => all[name]),
        async make(draft, missing) {
            const modules = names.filter((name) => missing.includes(all[name]));
            const output = path.join(draft, "jars");
            const args = ["-B", "-ntp", "-q", "-f", path.join(SOURCES, "pom.xml"), "-pl", modules.join(",")];
            const hint =
                "Check that Maven reaches its repository (~/.m2/settings.xml names mirrors and proxies) and run again: " +
                "what was downloaded is kept.";
            await runCommand("mvn", [...args, `-Dtoolchain.output=${output}`, "process-resources"], { hint });
            return Object.fromEntries(modules.map((name) => [all[name], path.join(output, name)]));
        },
    };
}

/** Names of the jars in a folder, sorted, so that the class path is the same on every machine. */
export function listJars(folder: string): string[] {
    return fs
        .readdirSync(folder)
        .filter((name) => name.endsWith(".jar"))
        .sort();
}
