import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { asUsage, type Command, UsageError } from "./command.ts";
import { packageVersion } from "./package-version.ts";

const usage = `pulumi-fluss python-sdk --out <folder> [--json]

Writes the Python package pulumi_fluss: a class for each resource and component of this release, with types. Put the
folder beside the program, or on its path. Python 3.11 or later, and the package \`pulumi\` from PyPI.

  --out <folder>   where to write; its last part is the name of the package, such as pulumi_fluss. A folder that
                   this command wrote before is written anew, and files of others in it stay; any other that holds
                   something is refused
  --json           print { "version", "files" } as JSON

The resources are run by pulumi-resource-fluss, which npm installs with this command; Pulumi looks for it on the PATH.

Examples:
  pulumi-fluss python-sdk --out pulumi_fluss
  npm exec -- python program.py     # with node_modules/.bin on the PATH
`;

/** `python-sdk` */
export const pythonSdk: Command = {
    name: "python-sdk",
    summary: "writes the Python package for programs in Python",
    usage,
    async run(args, _env, terminal) {
        const options = { out: { type: "string" }, json: { type: "boolean", default: false } } as const;
        const { out, json } = asUsage(() => parseArgs({ args: args.slice(1), options }).values);
        if (out === undefined) throw new UsageError(["--out is missing: the folder to write to"]);
        const folder = path.resolve(out);
        if (!/^[a-z_][a-z0-9_]*$/i.test(path.basename(folder))) {
            throw new UsageError([`--out ${out}: '${path.basename(folder)}' is no name of a Python package`]);
        }
        // The other commands do without the schema, which takes a while to load.
        const [{ header, pythonPackage }, { packageSchema }, { hostedTypes }, { hostedComponents }] =
            await Promise.all([
                import("../host/python/sdk.ts"),
                import("../host/schema.ts"),
                import("../host/types.ts"),
                import("../host/components/index.ts"),
            ]);
        const isOurs = (file: string) => beginsWith(path.join(folder, file), header);
        refuseForeign(folder, out, isOurs);
        const version = packageVersion();
        const files = pythonPackage(packageSchema(hostedTypes(), hostedComponents(), version));
        fs.mkdirSync(folder, { recursive: true });
        for (const [file, text] of files) fs.writeFileSync(path.join(folder, file), text);
        for (const file of fs.readdirSync(folder)) {
            // Of an earlier release.
            if (!files.has(file) && file.endsWith(".py") && isOurs(file)) fs.rmSync(path.join(folder, file));
        }
        const names = [...files.keys()];
        terminal.out(
            json
                ? `${JSON.stringify({ version, files: names }, undefined, 2)}\n`
                : `${names.length} files of pulumi-fluss ${version} written to ${out}\n`,
        );
        return 0;
    },
};

/** By one file of ours an earlier run is known. */
function refuseForeign(folder: string, out: string, isOurs: (file: string) => boolean): void {
    if (!fs.existsSync(folder)) return;
    const isEmpty = fs.statSync(folder).isDirectory() && fs.readdirSync(folder).length === 0;
    if (isEmpty || isOurs("_wire.py")) return;
    throw new Error(
        `--out ${out}: it exists, and was not written by this command. What to do: give another name, or move it away`,
    );
}

function beginsWith(file: string, text: string): boolean {
    const isFile = fs.statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
    return isFile && fs.readFileSync(file, "utf8").startsWith(text);
}
