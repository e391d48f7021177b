/** Runs programs on the real Pulumi engine, each stack in a folder of its own with a state backend of its own. */

import fs from "node:fs";
import path from "node:path";
import type {
    ConfigMap,
    Deployment,
    EngineEvent,
    OutputMap,
    PulumiFn,
    Stack,
} from "@pulumi/pulumi/automation/index.js";
import automation from "@pulumi/pulumi/automation/index.js";
import { startStandIns } from "../../local/plugins/index.ts";
import { ensureTools, type Tools } from "../../local/toolchain/index.ts";

export interface TestStackOptions {
    /** The program; it runs in this process, so it sees variables of the test. */
    program: PulumiFn;
    /** Name of the project and of the stack; default `test`. */
    name?: string;
    /** More environment variables for the engine and its plugins. */
    env?: Record<string, string>;
    /** Stack configuration; secrets are encrypted with the stack's passphrase. */
    config?: ConfigMap;
    /** A stack whose backend this one shares, so that it can be referred to as `organization/<name>/<name>`. */
    beside?: TestStack;
    /** A folder that is searched for plugins before all others. */
    onPath?: string;
    /** Attach the stand-ins for the aws and random plugins; default false. */
    standIns?: boolean;
}

export interface TestStack {
    /** Folder of the stack: the working directory of the plugins. */
    readonly folder: string;
    /** What the engine told of the last operation. */
    readonly events: readonly EngineEvent[];
    /** @param options programs of policy packs that see the plan, and files with their configurations */
    preview(options?: { policyPacks?: string[]; policyPackConfigs?: string[] }): Promise<Outcome>;
    up(options?: RunOptions): Promise<Outcome>;
    refresh(options?: { target?: string[] }): Promise<Outcome>;
    destroy(options?: RunOptions): Promise<Outcome>;
    /** Takes the lock away that a run which was killed has left. */
    cancel(): Promise<void>;
    /** The state as it is stored, secrets encrypted. */
    export(): Promise<Deployment>;
    /** The state with its secrets in clear. */
    exportWithSecrets(): Promise<Deployment>;
    /** Takes a state as the stack's own. */
    import(state: Deployment): Promise<void>;
    /** Removes state and folder and closes the stand-ins; it does not destroy what the stack made. */
    dispose(): Promise<void>;
}

export interface RunOptions {
    /** Programs of policy packs that see the plan and, of `up`, what came of it. */
    policyPacks?: string[];
    /** Go on with other resources after one has failed. Default false. */
    continueOnError?: boolean;
    /** How many resources at once. Default: the engine's. */
    parallel?: number;
    /** URNs of resources to make anew. */
    replace?: string[];
    /** URNs of the only resources to look at, with `*` and `**`. */
    target?: string[];
}

/** A failed operation is an Error with what the engine told the user. */
export interface Outcome {
    /** Number of resources by operation: `{ create: 2, same: 1 }`. */
    changes: Record<string, number>;
    /** Every step in order; a replacement is several steps. Of a refresh: the result for each resource. */
    steps: Step[];
    /** Only of `up`. */
    outputs: OutputMap;
    stdout: string;
}

export interface Step {
    op: string;
    urn: string;
    type: string;
    name: string;
    /** Paths of the changed properties with the kind of change: `{ "tags.env": "update" }`. */
    diff: Record<string, string>;
}

/** Makes an empty stack; the tools are fetched when they are missing. */
export async function testStack(options: TestStackOptions): Promise<TestStack> {
    const { pulumi } = await testTools();
    const name = options.name ?? "test";
    const folder = makeFolder();
    const state = path.join(options.beside?.folder ?? folder, "state");
    const standIns = options.standIns ? await startStandIns() : undefined;
    const dispose = async () => {
        await standIns?.close();
        fs.rmSync(folder, { recursive: true, force: true });
    };
    try {
        const workspace = {
            workDir: folder,
            pulumiCommand: await cli(pulumi.binDir),
            pulumiHome: pulumi.home,
            projectSettings: {
                name,
                runtime: "nodejs",
                backend: { url: `file://${state}` },
            },
            envVars: {
                ...engineEnvironment(pulumi.binDir, options.onPath),
                ...(standIns ? { PULUMI_DEBUG_PROVIDERS: standIns.debugProviders } : {}),
                ...options.env,
            },
        };
        const program = { stackName: name, projectName: name, program: options.program };
        const stack = await automation.LocalWorkspace.createStack(program, workspace);
        await stack.setAllConfig(options.config ?? {});
        return operations(stack, { folder, state }, dispose);
    } catch (error) {
        await dispose();
        throw error;
    }
}

/** All tools, asked for once in a test file. */
export function testTools(): Promise<Tools> {
    tools ??= ensureTools(console.error);
    return tools;
}

/** Steps that did something. */
export function changesOf(outcome: Outcome): Step[] {
    return outcome.steps.filter(({ op }) => op !== "same");
}

let tools: Promise<Tools> | undefined;

const root = path.resolve(import.meta.dirname, "../..");

/** Inside the repository, so that plugins find its packages from there. */
function makeFolder(): string {
    const parent = path.join(root, ".local");
    fs.mkdirSync(parent, { recursive: true });
    const folder = fs.mkdtempSync(path.join(parent, "test-"));
    fs.mkdirSync(path.join(folder, "state"));
    return folder;
}

/** The SDK looks in `<root>/bin` or on PATH, and a CLI that lies elsewhere was found on PATH. */
function cli(binDir: string) {
    const options = path.basename(binDir) === "bin" ? { root: path.dirname(binDir) } : {};
    return automation.PulumiCommand.get(options);
}

function engineEnvironment(binDir: string, onPath?: string): Record<string, string> {
    // The plugin for dynamic providers lies in the SDK's package and starts `node`.
    const first = [path.dirname(process.execPath), path.join(root, "node_modules/@pulumi/pulumi"), binDir];
    return {
        PATH: [...(onPath ? [onPath] : []), ...first, process.env["PATH"]].join(path.delimiter),
        PULUMI_CONFIG_PASSPHRASE: "only for tests",
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        NO_COLOR: "1",
    };
}

function operations(
    stack: Stack,
    { folder, state }: { folder: string; state: string },
    dispose: () => Promise<void>,
): TestStack {
    let events: EngineEvent[] = [];
    const asked = stack.outputs.bind(stack);
    // The SDK starts the CLI three times after each run, which takes as long as a small run: twice for outputs, which few
    // programs have, and for a summary, which the events hold, too.
    Object.assign(stack, {
        outputs: async () => (hasOutputs(storedState(state, stack.name)) ? asked() : {}),
        info: async () => ({ resourceChanges: summaryOf(events) }),
    });
    const onEvent = (event: EngineEvent) => void events.push(event);
    const run = async <T>(operation: () => Promise<T>): Promise<T> => {
        events = [];
        try {
            return await operation();
        } catch (error) {
            const told = diagnosticsOf(events);
            throw told ? new Error(told, { cause: error }) : error;
        }
    };
    const planned = () => events.flatMap((event) => stepOf(event.resourcePreEvent));
    return {
        folder,
        get events() {
            return events;
        },
        async preview(options = {}) {
            const { changeSummary, stdout } = await run(() => stack.preview({ onEvent, ...options }));
            return { changes: { ...changeSummary }, steps: planned(), outputs: {}, stdout };
        },
        async up(options) {
            const { summary, outputs, stdout } = await run(() => stack.up({ ...options, onEvent }));
            return { changes: { ...summary.resourceChanges }, steps: planned(), outputs, stdout };
        },
        async refresh(options) {
            const { summary, stdout } = await run(() => stack.refresh({ ...options, onEvent }));
            const steps = events.flatMap((event) => stepOf(event.resOutputsEvent));
            return { changes: { ...summary.resourceChanges }, steps, outputs: {}, stdout };
        },
        async destroy(options) {
            const { summary, stdout } = await run(() => stack.destroy({ ...options, onEvent }));
            return { changes: { ...summary.resourceChanges }, steps: planned(), outputs: {}, stdout };
        },
        cancel: () => stack.cancel(),
        // Not `exportStack`, which asks for secrets in clear.
        export: async () => storedState(state, stack.name),
        exportWithSecrets: () => stack.exportStack(),
        import: (deployment) => stack.importStack(deployment),
        dispose,
    };
}

/** Reads the file of the state backend; project and stack have the same name here. */
function storedState(folder: string, name: string): Deployment {
    const file = path.join(folder, ".pulumi/stacks", name, `${name}.json`);
    const { version, checkpoint } = JSON.parse(fs.readFileSync(file, "utf8"));
    return { version, deployment: checkpoint.latest };
}

/** Of the program, not of its resources. */
function hasOutputs({ deployment }: Deployment): boolean {
    const resources: { type: string; outputs?: object }[] = deployment.resources ?? [];
    const stack = resources.find(({ type }) => type === "pulumi:pulumi:Stack");
    return Object.keys(stack?.outputs ?? {}).length > 0;
}

function summaryOf(events: readonly EngineEvent[]): Record<string, number> {
    const summary = events.find(({ summaryEvent }) => summaryEvent)?.summaryEvent;
    return { ...summary?.resourceChanges };
}

function stepOf(event: EngineEvent["resourcePreEvent"]): Step[] {
    if (!event) return [];
    const { op, urn, type, detailedDiff } = event.metadata;
    const diff = Object.fromEntries(
        Object.entries(detailedDiff ?? {}).map(([property, { diffKind }]) => [property, diffKind]),
    );
    return [{ op, urn, type, name: urn.split("::").slice(3).join("::"), diff }];
}

function diagnosticsOf(events: readonly EngineEvent[]): string {
    return events
        .flatMap(({ diagnosticEvent }) => (diagnosticEvent?.severity === "error" ? [diagnosticEvent] : []))
        .map(({ urn, message }) => `${urn ?? ""} ${message.replaceAll(/<\{%.*?%\}>/g, "")}`.trim())
        .join("\n");
}
