import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { jarInstaller } from "../../model/jar-sources.ts";

/** Folder in the container that the installer fills. */
const OUTPUT = "/tmp/pulumi-fluss-client-jars";

/**
 * Runs an image's installer by Docker and copies what it leaves into a folder. The container has no folder of this
 * machine: so the files belong to who runs this, and Docker may run on another machine.
 * @param args words of the installer: `["client", "fs-s3"]`
 * @returns paths of the JARs
 * @throws when Docker is not there, one of its steps fails, with what it says, or a JAR is no regular file
 */
export async function runInstaller(
    image: string,
    args: readonly string[],
    target: string,
): Promise<string[]> {
    const command = [jarInstaller, ...args, "--output-dir", OUTPUT];
    const id = (await docker(image, ["create", image, ...command])).trim().split("\n").at(-1) ?? "";
    try {
        await docker(image, ["start", "--attach", id]);
        fs.mkdirSync(target, { recursive: true });
        await docker(image, ["cp", `${id}:${OUTPUT}/.`, target]);
    } finally {
        await docker(image, ["rm", "--force", id]).catch(() => undefined);
    }
    return fs
        .readdirSync(target, { recursive: true, withFileTypes: true })
        .filter(({ name }) => name.endsWith(".jar"))
        .map((entry) => {
            if (entry.isFile()) return path.join(entry.parentPath, entry.name);
            // A link leads to a file of this machine, not of the image.
            throw new Error(
                `${entry.name}, which the installer of ${image} left, is no file but a link or a folder. ` +
                    "What to do: read the image from its registry: --from registry",
            );
        });
}

/** A pull of a GiB over a slow line. */
const LONGEST_MS = 30 * 60_000;

function docker(image: string, args: string[]): Promise<string> {
    return new Promise((done, fail) => {
        execFile("docker", args, { timeout: LONGEST_MS, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
            if (!error) return done(stdout);
            const said = `${stderr.trim() || stdout.trim() || error.message}`
                .split("\n")
                .slice(-5)
                .join("\n");
            fail(
                new Error(
                    `Docker: could not ${args[0]} (${image}): ${error.code === "ENOENT" ? "there is no docker on the PATH" : said}\n` +
                        `What to do: ${hintOf(args[0]!, error.code, said, image)}`,
                ),
            );
        });
    });
}

function hintOf(step: string, code: unknown, said: string, image: string): string {
    if (code === "ENOENT") return "install Docker, or read the image from its registry: --from registry";
    // What the daemon itself answers begins with "Error response from daemon", too.
    if (/(cannot|failed to|trying to) connect to the docker|permission denied.*sock/i.test(said)) {
        return "start Docker and check that you may use it, or read the image from its registry: --from registry";
    }
    if (step === "create" && /unauthorized|denied|authentication/i.test(said)) {
        return `docker login ${image.split("/")[0]}`;
    }
    return "run the command by hand to see more";
}
