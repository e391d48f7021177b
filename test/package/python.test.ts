// A program in Python in a project that has the packed library installed: the package that the command writes, the plugin, resources and components.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { startStandIns } from "../../local/plugins/index.ts";
import {
    type LakekeeperSimulator,
    startLakekeeperSimulator,
} from "../../local/simulators/lakekeeper/index.ts";
import { type MemoryCatalog, startMemoryCatalog } from "../../local/simulators/lakekeeper/memory-catalog.ts";
import {
    type SimulatedFlink,
    simulatedFlink,
    startVvpSimulator,
    type VvpSimulator,
} from "../../local/simulators/vvp/index.ts";
import { ensureTools } from "../../local/toolchain/index.ts";
import { writeJars } from "../unit/components/jars.ts";
import { pythonFiles } from "../unit/host/python-files.ts";
import { pulumiPython } from "./python.ts";

const scratch = inject("scratch");
const folder = path.join(scratch, "python");
const token = "token-of-the-python-test";
const key = "secret-key-of-the-python-test";
const engine = "vera-4.5-jdk11-flink-1.20";

let catalog: MemoryCatalog;
let lakekeeper: LakekeeperSimulator;
let flink: SimulatedFlink;
let vvp: VvpSimulator;
let standIns: Awaited<ReturnType<typeof startStandIns>>;
let python: string;
let env: Record<string, string>;

beforeAll(async () => {
    const { pulumi } = await ensureTools(console.error);
    python = await pulumiPython();
    catalog = await startMemoryCatalog();
    lakekeeper = await startLakekeeperSimulator({ port: 0, token, backendUrl: catalog.url });
    flink = simulatedFlink();
    vvp = await startVvpSimulator({ port: 0, token, flink, kubernetesNamespaces: ["jobs"] });
    standIns = await startStandIns();
    fs.mkdirSync(path.join(folder, "state"), { recursive: true });
    writeJars(path.join(folder, "jars"));
    fs.copyFileSync(
        path.join(import.meta.dirname, "programs/lakehouse.py"),
        path.join(folder, "lakehouse.py"),
    );
    const bin = path.join(scratch, "node_modules/.bin");
    env = {
        PATH: [path.dirname(process.execPath), bin, pulumi.binDir, process.env["PATH"]].join(path.delimiter),
        HOME: process.env["HOME"] ?? "",
        PULUMI_HOME: pulumi.home,
        PULUMI_BACKEND_URL: `file://${path.join(folder, "state")}`,
        PULUMI_CONFIG_PASSPHRASE: "only for tests",
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        PULUMI_DEBUG_PROVIDERS: standIns.debugProviders,
        VV_API_TOKEN: token,
        PYTHONDONTWRITEBYTECODE: "1",
    };
});

afterAll(async () => {
    await standIns?.close();
    await vvp?.close();
    await lakekeeper?.close();
    await catalog?.close();
});

interface Ran {
    code: number | null;
    changes: Record<string, number>;
    outputs: Record<string, unknown>;
    told: string;
}

/** Runs the program: `up`, `preview` or `destroy` of one of its parts. */
async function run(operation: string, part: string, more: Record<string, unknown> = {}): Promise<Ran> {
    const settings = { lakekeeper: lakekeeper.url, vvp: vvp.url, token, key, engine, ...more };
    const child = spawn(python, ["lakehouse.py", operation, part], {
        cwd: folder,
        env: { ...env, SETTINGS: JSON.stringify({ ...settings, jars: path.join(folder, "jars") }) },
        stdio: ["ignore", "pipe", "pipe"],
    });
    let out = "";
    let told = "";
    child.stdout.on("data", (chunk) => {
        out += chunk;
    });
    child.stderr.on("data", (chunk) => {
        told += chunk;
    });
    const [code] = (await once(child, "close")) as [number | null];
    return { code, ...(code === 0 ? JSON.parse(out) : { changes: {}, outputs: {} }), told };
}

test("the command of the installed package writes the Python package, which a second run may replace", () => {
    const command = path.join(scratch, "node_modules/.bin/pulumi-fluss");
    for (let round = 0; round < 2; round += 1) {
        const written = execFileSync(command, ["python-sdk", "--out", "pulumi_fluss"], {
            cwd: folder,
            encoding: "utf8",
        });
        expect(written).toMatch(/^\d+ files of pulumi-fluss [\d.]+ written to pulumi_fluss\n$/);
    }
    expect(fs.readdirSync(path.join(folder, "pulumi_fluss")).sort()).toEqual(pythonFiles);
});

describe("a program in Python", () => {
    test("makes a warehouse, tables and what belongs to them, of resources and components", async () => {
        const made = await run("up", "lakehouse");
        expect(made.code, made.told).toBe(0);
        expect(made.outputs).toEqual({
            path: "`fluss_quickstart`.`finance`.`trades`",
            warehouse: "fluss",
            token,
            jar: "s3i://vvp/artifacts/namespaces/default/client.jar",
        });
        expect(flink.statements.join("\n")).toMatch(/CREATE TABLE .*`trades`/s);
    });

    test("has its secrets in the state in no clear form", () => {
        const files = fs
            .readdirSync(path.join(folder, "state"), { recursive: true, encoding: "utf8" })
            .map((file) => path.join(folder, "state", file))
            .filter((file) => fs.statSync(file).isFile());
        const text = files.map((file) => fs.readFileSync(file, "utf8")).join("\n");
        expect(text).toContain("fluss:index:FlussTables");
        expect(text).not.toContain(token);
        expect(text).not.toContain(key);
    });

    test("changes nothing at the next run", async () => {
        const again = await run("preview", "lakehouse");
        expect(again.code, again.told).toBe(0);
        expect(Object.keys(again.changes), again.told).toEqual(["same"]);
    });

    test("shows the DDL of a change in the preview", async () => {
        const changed = await run("preview", "lakehouse", { more: true });
        expect(changed.told).toMatch(/ADD .*note.* STRING/);
        expect(changed.changes["update"]).toBe(1);
    });

    test("removes what it has made", async () => {
        const destroyed = await run("destroy", "lakehouse");
        expect(destroyed.code, destroyed.told).toBe(0);
        expect(destroyed.changes["delete"]).toBeGreaterThan(10);
        expect(flink.statements.at(-1)).toMatch(/^DROP CATALOG/);
    });

    test("previews the whole quickstart as one component, and a tiering job as another", async () => {
        const { code, changes, told } = await run("preview", "whole");
        expect(code, told).toBe(0);
        expect(told).toContain("whole-tables-finance-trades");
        expect(told).toContain("fluss:index:TieringDeployment$fluss:vvp:Deployment::tiering-deployment");
        expect(changes["create"]).toBeGreaterThan(25);
    });

    test("is told every fault of a component's arguments, in one run", async () => {
        const { code, told } = await run("preview", "whole", { wrong: true });
        expect(code).not.toBe(0);
        expect(told).toMatch(/faults in the arguments of fluss:index:StreamingLakehouse 'whole'/);
        expect(told).toMatch(/flussVersion.*is an output of another resource, or a secret/);
        expect(told).toContain("warehaus");
    });
});
