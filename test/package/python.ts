/** Python with Pulumi's SDK, in the cache of tools. */
import path from "node:path";
import { cacheFolder, contentHash, fill } from "../../local/toolchain/cache.ts";
import { environmentFilling, pythonIn } from "../../local/toolchain/python.ts";

const requirements = path.join(import.meta.dirname, "programs/requirements.txt");

/** The interpreter; made on the first call on a machine. */
export async function pulumiPython(): Promise<string> {
    const cacheDir = cacheFolder();
    const python = pythonIn(path.join(cacheDir, "python", `pulumi-${contentHash([requirements])}`));
    const environment = {
        python,
        requirements,
        name: "Python environment with Pulumi's SDK",
        takes: "up to 1 minute (about 60 MB)",
    };
    await fill(cacheDir, environmentFilling(environment), console.error);
    return python;
}
