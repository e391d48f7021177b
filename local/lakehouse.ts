import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { z } from "zod";
import { repository } from "./automation.ts";
import { endLeftEngines, endStrays } from "./left-engines.ts";
import { rootVariable } from "./resources/environment.ts";
import { foldersOf, makeFolders, readIfThere, writePrivate } from "./services/folders.ts";
import { serviceNames } from "./services/names.ts";
import { rememberSecrets } from "./services/secrets.ts";
import { Supervisor } from "./services/supervisor.ts";
import { withLock } from "./toolchain/lock.ts";

/** The local lakehouse's folder: `PULUMI_FLUSS_LOCAL`, or `.local` of the checkout. */
export function lakehouseRoot(): string {
    return path.resolve(process.env[rootVariable] ?? path.join(repository, ".local"));
}

/** Folders that belong to Pulumi; they live and die with the services' data. */
export function pulumiFolders(root: string): { backend: string; program: string } {
    return { backend: path.join(root, "pulumi"), program: path.join(root, "program") };
}

const secretsSchema = z.object({ passphrase: z.string(), lakekeeperToken: z.string(), vvpToken: z.string() });

/** What the local lakehouse invents for itself: Pulumi's passphrase, and the tokens of the two simulators. */
export type LocalSecrets = z.infer<typeof secretsSchema>;

/** The secrets of this lakehouse, made at its first start and kept in `run/secrets.json` (0600). */
export function localSecrets(root: string): LocalSecrets {
    const known = readSecretsFile(root);
    if (known) return known;
    const secret = () => randomBytes(24).toString("hex");
    const made = { passphrase: secret(), lakekeeperToken: secret(), vvpToken: secret() };
    rememberSecrets(root, Object.values(made));
    writePrivate(path.join(makeFolders(root).run, "secrets.json"), JSON.stringify(made));
    return made;
}

/** The secrets when their file is there and whole. */
function readSecretsFile(root: string): LocalSecrets | undefined {
    const file = path.join(foldersOf(root).run, "secrets.json");
    return isJsonFile(file) ? secretsSchema.safeParse(JSON.parse(readIfThere(file) ?? "")).data : undefined;
}

function isJsonFile(file: string): boolean {
    try {
        JSON.parse(readIfThere(file) ?? "");
        return true;
    } catch {
        return false;
    }
}

/** Runs `work` while no other start or stop works on this lakehouse, and after a killed one is cleared away. */
export function alone<T>(root: string, say: (line: string) => void, work: () => Promise<T>): Promise<T> {
    fs.mkdirSync(root, { recursive: true, mode: 0o700 });
    return withLock(
        path.join(root, "lock"),
        (pid) => say(`another start or stop of this lakehouse runs (process ${pid}); waiting for it`),
        async () => {
            await endLeftEngines(root);
            return work();
        },
    );
}

/** True when an earlier start left data or Pulumi state. */
export function hasState(root: string): boolean {
    const { data } = foldersOf(root);
    return (
        fs.existsSync(pulumiFolders(root).backend) || (fs.existsSync(data) && fs.readdirSync(data).length > 0)
    );
}

/**
 * True when the state of an earlier start is worthless: the S3 emulator, which keeps its objects in memory, has ended
 * since, or the passphrase of the Pulumi state or the ports of what runs are not known any more.
 */
export function mustBeginAnew(root: string): boolean {
    if (!hasState(root)) return false;
    const known =
        readSecretsFile(root) !== undefined && isJsonFile(path.join(foldersOf(root).run, "ports.json"));
    return !known || !new Supervisor(root).isRunning(serviceNames.s3);
}

/**
 * Stops every service and drops data, Pulumi state and settings: they are worth something only together.
 * The logs stay.
 */
export async function dropEverything(root: string): Promise<void> {
    await new Supervisor(root).stopAll();
    await endStrays(root);
    const { backend, program } = pulumiFolders(root);
    const { run, data } = foldersOf(root);
    for (const folder of [backend, program, data, run, path.join(root, "summary.json")]) {
        fs.rmSync(folder, { recursive: true, force: true });
    }
}
