/** Python with Pulumi's SDK, in the cache of tools. */
import path from "node:path";
import { cacheFolder, fill } from "../../local/toolchain/cache.ts";
import { environmentFilling, environmentPython, machinePython } from "../../local/toolchain/python.ts";

const requirements = path.join(import.meta.dirname, "programs/requirements.txt");

/** The interpreter; made on the first call on a machine. */
export async function pulumiPython(): Promise<string> {
    refuseOldPython(machinePython());
    const cacheDir = cacheFolder();
    const python = environmentPython(cacheDir, "pulumi", requirements);
    const environment = {
        python,
        requirements,
        name: "Python environment with Pulumi's SDK",
        takes: "up to 1 minute (about 60 MB)",
    };
    await fill(cacheDir, environmentFilling(environment), console.error);
    return python;
}

/** The package for Python programs uses `typing.NotRequired`. */
function refuseOldPython(version: string): void {
    const [major = 0, minor = 0] = version.split(".").map(Number);
    if (major > 3 || (major === 3 && minor >= 11)) return;
    throw new Error(
        `python3 is ${version || "not found"}, and programs in Python need 3.11 or newer. What to do: install it, and put it first on the PATH`,
    );
}
