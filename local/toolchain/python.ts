import { spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { contentHash, type Filling } from "./cache.ts";
import { isExecutable, runCommand } from "./command.ts";

const SOURCES = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "services", "s3-iam");
const REQUIREMENTS = path.join(SOURCES, "requirements.txt");

/** The launcher of the S3 and IAM emulator. */
export const EMULATOR = path.join(SOURCES, "launcher.py");

/** Python of the emulator's virtual environment, which changes with its requirements and the machine's Python. */
export function emulatorPython(cacheDir: string): string {
    return environmentPython(cacheDir, "s3-iam", REQUIREMENTS);
}

/** Python of a virtual environment in the cache: another one for other requirements, and for another Python of the machine. */
export function environmentPython(cacheDir: string, name: string, requirements: string): string {
    const hash = contentHash([requirements], machinePython());
    return pythonIn(path.join(cacheDir, "python", `${name}-${hash}`));
}

/** Makes the virtual environment of the emulator. */
export function pythonFilling(cacheDir: string): Filling {
    return environmentFilling({
        python: emulatorPython(cacheDir),
        requirements: REQUIREMENTS,
        name: "Python environment of the S3 and IAM emulator",
        takes: "up to 1 minute (about 30 MB)",
    });
}

/** A virtual environment to make. */
export interface PythonEnvironment {
    /** Its interpreter, as {@link environmentPython} names it. */
    python: string;
    /** Every package with its version; others are not installed. */
    requirements: string;
    name: string;
    takes: string;
}

/** Makes a virtual environment. It is moved after it was made: run modules by its python, not the scripts in its `bin`. */
export function environmentFilling({ python, requirements, name, takes }: PythonEnvironment): Filling {
    const folder = path.resolve(path.dirname(python), "..");
    return {
        name,
        takes,
        folders: [folder],
        // Its python is a link to the one of the machine, which may have been removed since.
        isComplete: (venv) => isExecutable(pythonIn(venv)),
        async make(draft) {
            const venv = path.join(draft, "venv");
            await runCommand("python3", ["-m", "venv", venv], { hint: "Check the installation of Python." });
            const install = [
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--no-input",
                "--no-deps",
            ];
            await runCommand(pythonIn(venv), [...install, "--requirement", requirements], {
                hint: "Check that pip reaches its package index (pip config list) and run again.",
            });
            return { [folder]: venv };
        },
    };
}

/** The interpreter of a virtual environment. */
function pythonIn(venv: string): string {
    return path.join(venv, "bin", "python");
}

/** Version of the machine's `python3`, `3.11`; empty where there is none. */
export function machinePython(): string {
    const script = "import sys; print('%d.%d' % sys.version_info[:2])";
    return (spawnSync("python3", ["-c", script], { encoding: "utf8" }).stdout ?? "").trim();
}
