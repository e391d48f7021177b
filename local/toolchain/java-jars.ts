import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { contentHash, type Filling } from "./cache.ts";
import { runCommand } from "./command.ts";
import { jdkTool } from "./jdk.ts";
import { jarFolders, listJars } from "./maven.ts";

const SOURCES = path.join(path.dirname(fileURLToPath(import.meta.url)), "java");

/** Our own Java: a folder below `java/`, the jars it is compiled with, and further arguments of javac. */
const OWN_JARS = {
    logging: {
        compiledWith: "logging-slf4j1",
        // Lists our Log4j plugin in the jar, where Log4j looks for plugins.
        options: ["-processor", "org.apache.logging.log4j.core.config.plugins.processor.PluginProcessor"],
    },
    catalog: { compiledWith: "catalog", options: ["-proc:none"] },
} as const;

export type OwnJar = keyof typeof OWN_JARS;

/** Where our own jar lies in the cache. The name changes with its sources and with the jars it is compiled with. */
export function ownJar(cacheDir: string, name: OwnJar): string {
    const compiledWith = path.basename(jarFolders(cacheDir)[OWN_JARS[name].compiledWith]);
    const hash = contentHash(filesBelow(path.join(SOURCES, name)), compiledWith, ...OWN_JARS[name].options);
    return path.join(cacheDir, "java", `${name}-${hash}`, `pulumi-fluss-${name}.jar`);
}

/** Compiles our own jar by the JDK to which `java` belongs. The jars it is compiled with must be in place. */
export function ownJarFilling(cacheDir: string, name: OwnJar, java: string): Filling {
    const jar = ownJar(cacheDir, name);
    const folder = path.dirname(jar);
    return {
        name: `own Java, ${name}`,
        takes: "a few seconds",
        folders: [folder],
        async make(draft) {
            const sources = filesBelow(path.join(SOURCES, name));
            const classes = path.join(draft, "classes");
            const made = path.join(draft, "made");
            fs.mkdirSync(made);
            await runCommand(
                jdkTool(java, "javac"),
                [
                    ...["--release", "17", "-encoding", "UTF-8", "-d", classes],
                    ...["-cp", compileClassPath(cacheDir, name)],
                    ...OWN_JARS[name].options,
                    ...sources.filter((file) => file.endsWith(".java")),
                ],
                { hint: "The sources are part of this project: restore them, or report this as a fault." },
            );
            for (const file of sources.filter((file) => !file.endsWith(".java"))) {
                fs.copyFileSync(file, path.join(classes, path.basename(file)));
            }
            const args = ["--create", "--file", path.join(made, path.basename(jar)), "-C", classes, "."];
            await runCommand(jdkTool(java, "jar"), args, { hint: `Check the disk of ${cacheDir}.` });
            return { [folder]: made };
        },
    };
}

function compileClassPath(cacheDir: string, name: OwnJar): string {
    const folder = jarFolders(cacheDir)[OWN_JARS[name].compiledWith];
    return listJars(folder)
        .map((jar) => path.join(folder, jar))
        .join(path.delimiter);
}

function filesBelow(folder: string): string[] {
    return fs
        .readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.join(entry.parentPath, entry.name))
        .sort();
}
