import fs from "node:fs";
import path from "node:path";
import { cacheFolder, type Filling, fill, isFilled } from "./cache.ts";
import { classPaths } from "./class-paths.ts";
import { tryCommand } from "./command.ts";
import { ownJar, ownJarFilling } from "./java-jars.ts";
import { findJava } from "./jdk.ts";
import { JAR_FOLDERS, type JarFolder, jarFolders, listJars, mavenFilling } from "./maven.ts";
import { checkPrerequisites, type Prerequisite } from "./prerequisites.ts";
import {
    isDownloadReachable,
    PULUMI_VERSION,
    pulumiFilling,
    pulumiFolder,
    pulumiOnPath,
} from "./pulumi-cli.ts";
import { EMULATOR, emulatorPython, pythonFilling } from "./python.ts";
import type { ClassPaths, Report, Tools } from "./types.ts";

export type { ClassPaths, Report, Tools } from "./types.ts";

/**
 * Makes sure that every program of the local lakehouse is there, and says where. What is missing is fetched or built in the
 * cache, once on a machine; when nothing is missing, this takes a fraction of a second.
 * @throws one error with all prerequisites that are missing, before anything starts; else one with every step that failed
 */
export async function ensureTools(report: Report): Promise<Tools> {
    const cacheDir = cacheFolder();
    const java = findJava();
    const home = path.join(cacheDir, "pulumi-home");
    fs.mkdirSync(home, { recursive: true });

    const ownPulumi = await pulumiOnPath(home);
    const pulumiNeeded = ownPulumi === undefined && !fs.existsSync(pulumiFolder(cacheDir));
    const downloadable = pulumiNeeded && (await isDownloadReachable());
    const maven = mavenFilling(cacheDir);
    const python = pythonFilling(cacheDir);
    const ownJars = (["logging", "catalog"] as const).map((name) =>
        ownJarFilling(cacheDir, name, java ?? "java"),
    );

    const needed: Prerequisite[] = ["java"];
    if (!ownJars.every(isFilled)) needed.push("javac");
    if (!isFilled(maven)) needed.push("maven");
    if (!isFilled(python)) needed.push("python");
    if (pulumiNeeded && !downloadable) needed.push("go");
    await checkPrerequisites(needed, tryCommand, java);

    // Maven, pip and the build of the CLI wait for different things; our own Java is compiled with Maven's jars.
    await allOrEveryFault([
        inTurn(cacheDir, [maven, ...ownJars], report),
        inTurn(cacheDir, [python], report),
        inTurn(cacheDir, pulumiNeeded ? [pulumiFilling(cacheDir, downloadable, report)] : [], report),
    ]);

    return {
        cacheDir,
        java: java ?? "java",
        python: emulatorPython(cacheDir),
        emulator: EMULATOR,
        pulumi: {
            binDir: path.join(pulumiFolder(cacheDir), "bin"),
            version: PULUMI_VERSION,
            ...ownPulumi,
            home,
        },
        classPaths: classPathsIn(cacheDir),
    };
}

function classPathsIn(cacheDir: string): ClassPaths {
    const folders = jarFolders(cacheDir);
    const jars = Object.fromEntries(JAR_FOLDERS.map((name) => [name, listJars(folders[name])]));
    return classPaths({
        folders,
        jars: jars as Record<JarFolder, string[]>,
        logging: ownJar(cacheDir, "logging"),
        catalogMain: ownJar(cacheDir, "catalog"),
    });
}

async function inTurn(cacheDir: string, fillings: Filling[], report: Report): Promise<void> {
    for (const filling of fillings) await fill(cacheDir, filling, report);
}

/** Waits for all, so that nothing still runs when the faults are told. */
async function allOrEveryFault(work: Promise<void>[]): Promise<void> {
    const faults = (await Promise.allSettled(work)).flatMap((result) =>
        result.status === "rejected" ? [String((result.reason as Error).message)] : [],
    );
    if (faults.length > 0)
        throw new Error(`The local tools could not be prepared.\n\n${faults.join("\n\n")}`);
}
