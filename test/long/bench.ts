// `npm run bench -- [tables …]`: what the library costs, as ratios to what the engine itself takes for as many resources that do
// nothing, all from one run. Prints a table and keeps it in `.local/bench.json`. Stacks of 10, 100 and 1,000 tables, or of the numbers given, are measured on
// real servers; 0 leaves them out. Ends with 1 when a goal is missed.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import type { Deployment } from "@pulumi/pulumi/automation/index.js";
import { LakekeeperServer, LakekeeperWarehouse } from "../../dynamic-providers/lakekeeper/resources.ts";
import { ThinResource } from "../../dynamic-providers/thin-resource.ts";
import { VvpDeployment, VvpDeploymentTarget } from "../../dynamic-providers/vvp/resources.ts";
import { startLakekeeperSimulator } from "../../local/simulators/lakekeeper/index.ts";
import { simulatedFlink, startVvpSimulator } from "../../local/simulators/vvp/index.ts";
import { quickstartEngine } from "../../model/engine-version.ts";
import { type TestStack, testStack } from "../engine/engine.ts";
import { startQuickstartWorld, token } from "../engine/quickstart-world.ts";
import { Rows } from "./bench-rows.ts";
import { cost, least } from "./engine-cost.ts";
import { mostBytes, mostBytesGoal, storedIn } from "./state-bytes.ts";
import { measureTables } from "./tables-run.ts";

const root = path.resolve(import.meta.dirname, "../..");
/** How often what takes seconds is measured; what takes longer, half as often. The least counts. */
const rounds = 6;
const rows = new Rows();

/** Does nothing, with the inputs of another resource. */
class Floor extends ThinResource {
    constructor(name: string, spec: unknown) {
        const module = path.join(import.meta.dirname, "floor-provider.ts");
        super({ provider: "floor", type: "test:Floor", outputs: [], module }, name, { spec });
    }
}

/** As many resources with the same inputs that do nothing. */
function floorOf(deployment: Deployment): Promise<TestStack> {
    // A secret is stored as an object that the engine would take for one; here it is a value of the same size.
    const plain = (inputs: object) =>
        JSON.stringify(inputs).replaceAll(/4dabf18193072939515e22adb298388d/g, "secret");
    const inputs = storedIn(deployment).map(({ inputs }) => JSON.parse(plain(inputs ?? {})));
    return testStack({
        name: "floor",
        program: async () => {
            for (const [index, { __provider: _, ...spec }] of inputs.entries())
                new Floor(`floor-${index}`, spec);
        },
    });
}

/** Makes a stack and its floor and measures both in turn, so that both meet the same load. */
async function against(what: string, program: () => void, standIns = false): Promise<number> {
    const config = { "pulumi-fluss:vvpToken": { value: token, secret: true } };
    const stack = await testStack({
        program: async () => program(),
        config,
        env: { VV_API_TOKEN: "" },
        standIns,
    });
    let floor: TestStack | undefined;
    try {
        const up = await cost(`${what}: first up`, () => stack.up());
        // It is looked at now and then, so that the most of one short operation is not seen for sure.
        let { providerMiB } = up;
        const state = await stack.export();
        floor = await floorOf(state);
        const floorUp = await cost(`${what}, floor: first up`, () => floor!.up());
        const inTurn = async (name: string, run: (one: TestStack) => ReturnType<TestStack["up"]>) => {
            const [ours, floors] = [[], []] as [
                Awaited<ReturnType<typeof cost>>[],
                Awaited<ReturnType<typeof cost>>[],
            ];
            const times = up.seconds < 30 ? rounds : rounds / 2;
            for (let round = 0; round < times; round++) {
                floors.push(await cost(`${what}, floor: ${name}`, () => run(floor!)));
                const own = await cost(`${what}: ${name}`, () => run(stack));
                ours.push(own);
                providerMiB = Math.max(providerMiB, own.providerMiB);
            }
            return [least(ours), least(floors)] as const;
        };
        const [preview, floorPreview] = await inTurn("preview", (one) => one.preview());
        const [same, floorSame] = await inTurn("no change", (one) => one.up());
        const destroyed = await cost(`${what}: destroy`, () => stack.destroy());
        const floorDestroyed = await cost(`${what}, floor: destroy`, () => floor!.destroy());
        rows.compare(`${what}: preview`, preview, floorPreview, 1.3);
        rows.compare(`${what}: no-change up`, same, floorSame, 1.5);
        rows.add(`${what}: first up, times the floor`, up.seconds / floorUp.seconds);
        rows.add(`${what}: destroy, times the floor`, destroyed.seconds / floorDestroyed.seconds);
        rows.add(
            `${what}: most bytes of a state beyond 2.2 times its inputs`,
            mostBytes(state),
            mostBytesGoal,
        );
        rows.add(`${what}: the same with what the engine notes of the program`, mostBytes(state, true));
        return providerMiB;
    } finally {
        await stack.dispose();
        await floor?.dispose();
    }
}

async function warehouses(count: number): Promise<number> {
    const simulator = await startLakekeeperSimulator({ port: 0, token });
    try {
        return await against(`${count} warehouses`, () => {
            const connection = { url: simulator.url, token };
            const server = new LakekeeperServer("server", { connection, acceptTermsOfUse: true });
            for (let index = 0; index < count; index++) {
                const name = `w${index}`;
                const storage = { type: "s3" as const, bucket: "lake", keyPrefix: name, region: "us-east-1" };
                const key = { accessKeyId: "a", secretAccessKey: "secret-key" };
                const credential = { type: "s3-access-key" as const, ...key };
                const args = { connection, name, storage, credential, deletionProtection: false };
                new LakekeeperWarehouse(name, args, { dependsOn: server });
            }
        });
    } finally {
        await simulator.close();
    }
}

async function deployments(count: number): Promise<void> {
    const platform = await startVvpSimulator({
        port: 0,
        token,
        flink: simulatedFlink(),
        kubernetesNamespaces: ["jobs"],
        transitionReads: 0,
    });
    try {
        await against(`${count} deployments`, () => {
            const connection = { url: platform.url };
            const target = new VvpDeploymentTarget("t", {
                connection,
                name: "t",
                kubernetesNamespace: "jobs",
            });
            for (let index = 0; index < count; index++) {
                new VvpDeployment(`job-${index}`, {
                    connection,
                    name: `job-${index}`,
                    deploymentTarget: target.name,
                    engineVersion: quickstartEngine,
                    sqlScript: "INSERT INTO a SELECT * FROM b",
                    state: "CANCELLED",
                });
            }
        });
    } finally {
        await platform.close();
    }
}

/** The whole quickstart stack; S3 and IAM are emulated, and their plugin's work is a part of what is measured. */
async function quickstart(): Promise<void> {
    const world = await startQuickstartWorld();
    try {
        await against("quickstart", () => world.program(), true);
    } finally {
        await world.close();
    }
}

/** Seconds that the compiler takes for a program of these lines, the least of several runs. */
function checkSeconds(lines: string[]): number {
    const folder = fs.mkdtempSync(path.join(root, ".local/types-"));
    try {
        fs.writeFileSync(path.join(folder, "program.ts"), lines.join("\n"));
        const compilerOptions = {
            module: "nodenext",
            target: "es2022",
            strict: true,
            skipLibCheck: true,
            noEmit: true,
            types: [],
        };
        const settings = { compilerOptions, files: ["program.ts"] };
        fs.writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(settings));
        const compiler = path.join(root, "node_modules/typescript/bin/tsc");
        return leastSeconds([compiler, "-p", folder]);
    } finally {
        fs.rmSync(folder, { recursive: true, force: true });
    }
}

/** Seconds that Node takes for a module, the least of several runs. */
function importSeconds(module: string): number {
    return leastSeconds(["--input-type=module", "-e", `await import("${module}")`]);
}

function leastSeconds(args: string[]): number {
    const times = Array.from({ length: rounds }, () => {
        const began = performance.now();
        execFileSync(process.execPath, args, { cwd: root, stdio: "inherit" });
        return (performance.now() - began) / 1000;
    });
    return Math.min(...times);
}

const build = [path.join(root, "local/build.js"), "--types"];
execFileSync(process.execPath, build, { cwd: root, stdio: "inherit" });
await quickstart();
const few = await warehouses(5);
const many = await warehouses(50);
rows.add("memory of the provider: 50 warehouses, times that of 5", many / few, 1.15);
await warehouses(500);
await deployments(100);
const sdks = ["pulumi", "aws", "kubernetes", "random"].map(
    (sdk) => `import * as ${sdk} from "@pulumi/${sdk}";`,
);
const used = "export const all = [pulumi, aws, kubernetes, random];";
const ours =
    'import * as fluss from "pulumi-fluss";\nexport const buckets: fluss.LakeBucketsArgs = { region: "eu-central-1" };';
rows.add(
    "type check of a program, times that of one with Pulumi's SDKs alone",
    checkSeconds([...sdks, used, ours]) / checkSeconds([...sdks, used]),
    1.1,
);
rows.add(
    "import of the package, times that of Pulumi's SDK",
    importSeconds("pulumi-fluss") / importSeconds("@pulumi/pulumi"),
    1.57,
);
console.log(
    "Terraform's Lakekeeper provider is not to be had here: warehouses are measured against the engine's floor alone.",
);

const counts = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10, 100, 1000];
await measureTables(
    counts.filter((count) => count > 0),
    rows,
);

const met = rows.print();
fs.mkdirSync(path.join(root, ".local"), { recursive: true });
fs.writeFileSync(path.join(root, ".local/bench.json"), `${JSON.stringify(rows.all, null, 4)}\n`);
process.exit(met ? 0 : 1);
