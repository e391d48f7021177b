/** What is looked at in a project that has the library installed, whatever installed it. */
import { execFileSync } from "node:child_process";
import process from "node:process";

/** What `programs/program.ts` prints. */
export const told = {
    same: true,
    made: [
        "fluss:index:FlussTables",
        "pulumi-nodejs:dynamic/fluss:Catalog",
        "pulumi-nodejs:dynamic/fluss:Database",
        "pulumi-nodejs:dynamic/fluss:Table",
        "pulumi-nodejs:dynamic/vvp:Deployment",
    ],
    others: ["function", 1, "1"],
};

/** Milliseconds of CPU that the import of Pulumi's SDK takes, and then that of the library; the best of several runs. */
export function importCost(folder: string, runs = 5): { sdk: number; ours: number } {
    const code = `
        const spent = async (name) => {
            const before = process.cpuUsage();
            await import(name);
            const { user, system } = process.cpuUsage(before);
            return (user + system) / 1000;
        };
        console.log(JSON.stringify({ sdk: await spent("@pulumi/pulumi"), ours: await spent("pulumi-fluss") }));`;
    const costs = Array.from({ length: runs }, () => {
        const text = execFileSync(process.execPath, ["--input-type=module", "-e", code], {
            cwd: folder,
            encoding: "utf8",
        });
        return JSON.parse(text) as { sdk: number; ours: number };
    });
    // A slow or busy machine is slow for both.
    return costs.reduce((best, run) => (run.ours / run.sdk < best.ours / best.sdk ? run : best));
}
