import fs from "node:fs";
import path from "node:path";
import { cacheFolder, contentHash, type Filling, fill } from "./cache.ts";
import { findOnPath, runCommand } from "./command.ts";
import { listJars } from "./maven.ts";
import type { Report } from "./types.ts";

/** What a lake with a JDBC catalog needs besides the tools of the local lakehouse; paths are absolute. */
export interface PostgresqlTools {
    /** Folder of `postgres` and `initdb`. */
    bin: string;
    /** The JDBC driver, for the Fluss servers and for Flink. */
    driver: string;
}

const POM = path.join(import.meta.dirname, "maven", "postgresql", "pom.xml");

/** Finds the PostgreSQL of this machine, and fetches the JDBC driver once. @throws with the command that installs what is missing */
export async function ensurePostgresql(report: Report): Promise<PostgresqlTools> {
    const bin = postgresqlFolder();
    const cacheDir = cacheFolder();
    const filling = driverFilling(cacheDir);
    await fill(cacheDir, filling, report);
    const [folder] = filling.folders as [string];
    const [driver] = listJars(folder);
    if (driver === undefined)
        throw new Error(`There is no JAR in ${folder}. Remove that folder and run again.`);
    return { bin, driver: path.join(folder, driver) };
}

function driverFilling(cacheDir: string): Filling {
    const parent = path.join(path.dirname(POM), "..", "pom.xml");
    const folder = path.join(cacheDir, "jars", `postgresql-${contentHash([parent, POM])}`);
    return {
        name: "JDBC driver of PostgreSQL",
        takes: "a few seconds (about 1 MB)",
        folders: [folder],
        async make(draft) {
            const args = ["-B", "-ntp", "-q", "-f", POM, `-Dtoolchain.output=${draft}`, "process-resources"];
            const hint = "Check that Maven reaches its repository (~/.m2/settings.xml) and run again.";
            await runCommand("mvn", args, { hint });
            return { [folder]: path.join(draft, "postgresql") };
        },
    };
}

/** Debian keeps the server's programs off the PATH, in a folder for each version; the newest is taken. */
function postgresqlFolder(): string {
    const onPath = findOnPath("initdb");
    if (onPath !== undefined) return path.dirname(fs.realpathSync(onPath));
    const parents = ["/usr/lib/postgresql", "/usr/pgsql", "/opt/homebrew/opt", "/usr/local/opt"];
    const found = parents
        .filter((parent) => fs.existsSync(parent))
        .flatMap((parent) => fs.readdirSync(parent).map((name) => path.join(parent, name, "bin")))
        .filter((bin) => fs.existsSync(path.join(bin, "initdb")))
        .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
        .at(-1);
    if (found !== undefined) return found;
    throw new Error(
        "A lake with a JDBC catalog needs PostgreSQL, and there is none on this machine.\n" +
            "    Debian, Ubuntu: sudo apt-get install postgresql\n    macOS: brew install postgresql@17",
    );
}
