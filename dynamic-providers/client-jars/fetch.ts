import fs from "node:fs";
import path from "node:path";
import { throwFaults } from "../../model/faults.ts";
import { jarCoordinates, jarImages, mavenCentral, vendorImages } from "../../model/jar-sources.ts";
import { type JarSelection, type JarSetup, selectJars } from "../../model/jars.ts";
import { runInstaller } from "./docker.ts";
import { readImageJars } from "./image-jars.ts";
import { parseRepository } from "./image-reference.ts";
import {
    JAR_LIST,
    type JarOrigin,
    jarsIn,
    type ListedJar,
    moveJars,
    readJarList,
    stagingFolder,
    writeJarList,
} from "./jar-list.ts";
import { checkMavenRepository, downloadJar, jarUrl } from "./maven.ts";
import { ImageRegistry } from "./registry.ts";
import { sha256Of } from "./sha256.ts";

/** Where client JARs are fetched from. */
export type JarSource =
    | {
          /** The layers of the image, as its registry sends them; no Docker is needed. */
          kind: "registry";
          /** Repository of the image, without tag. Default: the vendor's. */
          repository?: string;
          /** Further JARs of the image: how their names begin; one that fits none is an error. Default none. */
          also?: readonly string[];
      }
    | {
          /** The image's own installer, run by Docker. */
          kind: "docker";
          /** Repository of the image, without tag. Default: the vendor's. */
          repository?: string;
      }
    | {
          /** A Maven repository, for open releases. */
          kind: "maven";
          /** Address of the repository. Default: Maven Central. */
          repository?: string;
      };

/** What {@link fetchClientJars} shall do. */
export interface JarFetch {
    setup: JarSetup;
    source: JarSource;
    /** Folder for the JARs and their list; made when it is not there. */
    folder: string;
    /** Told what is being read. Default: nothing is told. */
    report?(line: string): void;
}

/**
 * Fetches the client JARs of a setup into a folder, from whatever source the same: the JARs that are needed, side by
 * side, and `client-jars.json` with the SHA-256 of each and where it came from. The set is checked first: when a JAR is
 * missing or wrong, nothing in the folder changes.
 * @returns the selection, by names in the source
 * @throws FaultsError that names each JAR which is missing or wrong; any other Error when a source cannot be read
 */
export async function fetchClientJars({ setup, source, folder, report }: JarFetch): Promise<JarSelection> {
    const before = readJarList(folder);
    refuseStrays(folder, before?.jars ?? []);
    fs.mkdirSync(folder, { recursive: true });
    const staging = stagingFolder(folder);
    try {
        const found = await candidates(source, setup, staging, report ?? (() => undefined));
        refuseTwoContents(found);
        const selection = selectJars(
            found.map(({ name }) => name),
            setup,
        );
        const chosen = [selection.tieringJar, ...selection.clientJars].map(
            (name) => found.find((one) => one.name === name)!,
        );
        const jars = chosen.map(({ name, sha256, size, from }) => ({
            file: path.basename(name),
            sha256,
            size,
            from,
        }));
        // The list first: what is missing of it after a crash is fetched later.
        writeJarList(folder, { setup, jars });
        for (const { file } of before?.jars ?? []) fs.rmSync(path.join(folder, file), { force: true });
        moveJars(chosen.map(({ name, staged }) => [staged, path.join(folder, path.basename(name))]));
        return selection;
    } finally {
        fs.rmSync(staging, { recursive: true, force: true });
    }
}

/** A JAR that a source holds. */
interface Candidate {
    /** Its name in the source, with folders. */
    name: string;
    staged: string;
    sha256: string;
    size: number;
    from: JarOrigin;
}

type Report = (line: string) => void;

async function candidates(
    source: JarSource,
    setup: JarSetup,
    staging: string,
    report: Report,
): Promise<Candidate[]> {
    if (source.kind === "registry") return fromRegistry(source, setup, staging, report);
    if (source.kind === "docker") return fromDocker(source.repository, setup, staging, report);
    return fromMaven(source.repository, setup, staging, report);
}

async function fromRegistry(
    { repository = vendorImages, also = [] }: Extract<JarSource, { kind: "registry" }>,
    setup: JarSetup,
    staging: string,
    report: Report,
): Promise<Candidate[]> {
    if (also.includes("")) {
        throw new Error(
            "also: every JAR's name begins with an empty one. What to do: name the JAR, or leave it out",
        );
    }
    const found: Candidate[] = [];
    const others: string[] = [];
    const registry = new ImageRegistry(parseRepository(repository));
    for (const image of jarImages(setup)) {
        const own = image.tag === setup.release;
        report(`image ${repository}:${image.tag}`);
        const folder = path.join(staging, image.tag);
        fs.mkdirSync(folder);
        const read = await readImageJars({
            registry,
            reference: image.tag,
            wanted: (file) =>
                image.brings(file) || (own && also.some((name) => path.basename(file).startsWith(name))),
            staging: folder,
            report: (line) => report(`  ${line}`),
        });
        if (own) others.push(...read.others);
        found.push(
            ...read.jars.map(({ path: name, file, sha256, size }) => ({
                name: `${image.tag}/${name}`,
                staged: file,
                sha256,
                size,
                from: { repository, digest: read.digest, path: name },
            })),
        );
    }
    const unknown = also.filter((name) => !found.some((jar) => path.basename(jar.name).startsWith(name)));
    if (unknown.length > 0) {
        throw new Error(
            `also: no JAR of ${repository}:${setup.release} has a name that begins with ${unknown.join(", ")}. ` +
                `What to do: ${others.length > 0 ? `name one of ${others.join(", ")}` : "leave it out"}`,
        );
    }
    // Names are all that the layers tell: which JARs the vendor's setups bring besides, only its installer knows.
    if (others.length > 0) report(`further JARs of the image, for --also: ${others.join(", ")}`);
    return found;
}

async function fromDocker(
    repository = vendorImages,
    setup: JarSetup,
    staging: string,
    report: Report,
): Promise<Candidate[]> {
    const found: Candidate[] = [];
    const { registry, path: name } = parseRepository(repository);
    for (const { tag, installs } of jarImages(setup)) {
        const image = `${registry}/${name}:${tag}`;
        for (const { folder, args } of installs) {
            report(`installer of ${image}: ${args.join(" ")}`);
            for (const staged of await runInstaller(image, args, path.join(staging, tag, folder))) {
                found.push({
                    name: path.join(folder, path.basename(staged)),
                    staged,
                    sha256: await sha256Of(staged),
                    size: fs.statSync(staged).size,
                    from: { image, installer: args },
                });
            }
        }
    }
    return found;
}

async function fromMaven(
    repository = mavenCentral,
    setup: JarSetup,
    staging: string,
    report: Report,
): Promise<Candidate[]> {
    checkMavenRepository(repository);
    const coordinates = jarCoordinates(setup);
    const results = await Promise.allSettled(
        coordinates.map(async (coordinate): Promise<Candidate> => {
            report(`artifact ${coordinate}`);
            const url = jarUrl(repository, coordinate);
            const name = path.posix.basename(url);
            const { file, sha256, size } = await downloadJar(url, path.join(staging, name));
            return { name, staged: file, sha256, size, from: { url } };
        }),
    );
    const failed = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    // All at once: a wrong release or address is seen by which of them are missing.
    if (failed.length > 0) throw new Error([...new Set(failed.map((one: Error) => one.message))].join("\n"));
    return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
}

/** JARs of other origin would be mixed with the list's, or lost. */
function refuseStrays(folder: string, listed: readonly ListedJar[]): void {
    const strays = jarsIn(folder).filter((file) => !listed.some((jar) => jar.file === file));
    if (strays.length === 0) return;
    throw new Error(
        `${folder} holds JARs that no ${JAR_LIST} lists: ${strays.slice(0, 3).join(", ")}${strays.length > 3 ? ", …" : ""}. ` +
            "What to do: give another folder with --out, or move them away",
    );
}

/** The same name in two folders of an image is one JAR, as long as both are the same. */
function refuseTwoContents(found: readonly Candidate[]): void {
    throwFaults(
        "the client JARs",
        found.flatMap(({ name, sha256 }, index) => {
            const twin = found
                .slice(0, index)
                .find((one) => path.basename(one.name) === path.basename(name) && one.sha256 !== sha256);
            return twin
                ? [
                      {
                          path: name,
                          reason: `is another file than ${twin.name}, of the same name`,
                          fix: "Run the image's installer by Docker, which knows the right one",
                      },
                  ]
                : [];
        }),
    );
}
