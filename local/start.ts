// `npm start`: brings up the local lakehouse, applies the stack, and reads rows back from the lake.
//   npm start -- --preview               shows what would change and changes nothing
//   npm start -- --add-column email      adds a nullable column to the table accounts; it is remembered
import { parseArgs } from "node:util";
import { type Born, startServices } from "./birth.ts";
import { failureText } from "./engine-failure.ts";
import { interruptible } from "./interruption.ts";
import {
    alone,
    dropEverything,
    lakehouseRoot,
    localSecrets,
    mustBeginAnew,
    pulumiFolders,
} from "./lakehouse.ts";
import { Phases } from "./phases.ts";
import { choosePlugins } from "./plugin-choice.ts";
import { localProgram } from "./program.ts";
import { readBack } from "./read-back.ts";
import { addColumn, addedColumns, checkColumn } from "./settings.ts";
import { openStack } from "./stack.ts";
import { repairState } from "./state-repair.ts";
import { writeSummary } from "./summary.ts";
import { ensureTools } from "./toolchain/index.ts";

const options = readOptions();
const root = lakehouseRoot();
const phases = new Phases();

try {
    await alone(root, (line) => phases.say(line), options.preview ? preview : start);
} catch (error) {
    console.error(`\n${failureText(error)}`);
    console.error(
        options.preview
            ? "\nNothing was changed."
            : "\nThe logs are in .local/logs. After the cause is mended, run `npm start` again; it goes on where it stopped.",
    );
    process.exitCode = 1;
}
// The gRPC servers of the engine keep their sockets for a while.
process.exit();

async function start(): Promise<void> {
    const { stack, born, close } = await prepare();
    try {
        const result = await phases.run("up", "Applying the stack (pulumi up)", () =>
            interruptible(
                (line) => phases.say(line),
                // What died since the last run must be seen, or `up` would call it fine.
                (options) =>
                    stack.up({ ...options, refresh: true, color: "never", onOutput: showProgress() }),
            ),
        );
        const changes = countChanges(result.summary.resourceChanges);
        phases.say(
            changes === 0 ? "0 changes: everything is as the stack says" : `${changes} changes applied`,
        );
        const lakeRows = await readBack(phases, born, result.outputs, changes === 0);
        writeSummary(root, {
            phases,
            supervisor: born.supervisor,
            summary: result.summary,
            changes,
            lakeRows,
        });
        console.log(closingWords(born));
    } finally {
        await close();
    }
}

async function preview(): Promise<void> {
    const { stack, close } = await prepare();
    try {
        await phases.run("preview", "Previewing the stack (nothing is changed)", () =>
            stack.preview({ diff: true, color: "never", onOutput: (text) => process.stdout.write(text) }),
        );
    } finally {
        await close();
    }
}

/** Tools, services and the stack. */
async function prepare() {
    const column = options["add-column"];
    if (column) checkColumn(root, column);
    const tools = await phases.run("tools", "Checking the tools", () =>
        ensureTools((line) => phases.say(`  ${line}`)),
    );
    if (mustBeginAnew(root)) {
        if (options.preview) {
            throw new Error(
                "What the last start stored is gone (the S3 emulator has ended since): there is nothing to preview against. Run `npm start`, which begins anew.",
            );
        }
        phases.say(
            "What the last start stored is gone (the S3 emulator has ended since). Everything begins anew.",
        );
        await dropEverything(root);
    }
    for (const line of repairState(pulumiFolders(root).backend)) phases.say(line);
    const secrets = localSecrets(root);
    const born = await phases.run("services", "Starting S3, ZooKeeper, Flink and the simulators", () =>
        startServices(phases, tools, secrets),
    );
    const plugins = await choosePlugins(tools, (line) => phases.say(line));
    if (column && !options.preview) addColumn(root, column);
    const extraColumns = [...new Set([...addedColumns(root), ...(column ? [column] : [])])];
    const stack = await openStack({
        root,
        tools,
        passphrase: secrets.passphrase,
        program: localProgram({ born, secrets, classPaths: tools.classPaths, extraColumns }),
        env: { ...plugins.env, VV_API_TOKEN: secrets.vvpToken },
    });
    return { stack, born, close: plugins.close };
}

function readOptions() {
    try {
        return parseArgs({
            options: { preview: { type: "boolean", default: false }, "add-column": { type: "string" } },
        }).values;
    } catch (error) {
        console.error(
            `${error instanceof Error ? error.message : error}\nusage: npm start -- [--preview] [--add-column NAME]`,
        );
        process.exit(2);
    }
}

/** One line for each resource that changes; the engine's own output has many more. */
function showProgress(): (text: string) => void {
    let rest = "";
    return (text) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
            if (/^ [+~-]+\/?[+-]? +\S+ \S+ (created|updated|deleted|replaced)/.test(line))
                phases.say(`  ${line.trim()}`);
            else if (/\b(error|warning):/.test(line) && !/from \$PATH/.test(line)) console.log(line);
        }
    };
}

function countChanges(changes: Record<string, number | undefined> | undefined): number {
    return Object.entries(changes ?? {}).reduce(
        (sum, [kind, count]) => (kind === "same" ? sum : sum + (count ?? 0)),
        0,
    );
}

function closingWords({ ports, s3 }: Born): string {
    return `
The local lakehouse runs.
  Flink                    http://localhost:${ports.flinkRest}
  Flink SQL gateway        http://localhost:${ports.sqlGateway}
  Lakekeeper (simulated)   http://localhost:${ports.lakekeeper}
  VVP API (simulated)      http://localhost:${ports.vvp}
  S3 (emulator)            ${s3.endpoint}
  Fluss, client listener   localhost:${ports.flussCoordinator}
What to try next:
  npm run try:preview      adds a column to accounts, and only shows the ALTER TABLE that it will cause
  npm run try:apply        applies it in place
  npm run local:down       stops everything and drops the data
`;
}
