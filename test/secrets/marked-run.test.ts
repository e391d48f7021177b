/**
 * Marked secrets in every secret input, one life of the whole lakehouse on the real engine, and a look into all that is left
 * of it: none may stand there in clear.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { endLeftEngines } from "../../local/left-engines.ts";
import { type StandIns, startStandIns } from "../../local/plugins/index.ts";
import { rootVariable } from "../../local/resources/environment.ts";
import { ensureTools } from "../../local/toolchain/index.ts";
import { makeProject, type Project, type Ran } from "../engine/project.ts";
import { installed } from "../unit/components/jars.ts";
import { marked } from "../unit/lakekeeper/credentials.ts";
import type { Echo } from "./echo.ts";
import { marksOf, stems } from "./marks.ts";
import { type Watch, watchProcesses } from "./processes.ts";
import type { Settings } from "./program.ts";
import { findSecrets, formsOf, type Place } from "./scan.ts";
import { filesBelow, madeByOidc, type SecretsWorld, startWorld } from "./world.ts";

const program = `import { fromConfig } from "../../test/secrets/program.ts";
export const outputs = fromConfig();
`;

let scratch: string;
let world: SecretsWorld;
let standIns: StandIns;
let project: Project;
let watch: Watch;
/** Secrets that are made on the way, beside the marked ones. */
let made: Record<string, string> = {};
const places: Place[] = [];

beforeAll(async () => {
    const tools = await ensureTools(console.error);
    scratch = fs.mkdtempSync(path.join(os.tmpdir(), "secrets-"));
    watch = watchProcesses();
    world = await startWorld(tools, path.join(scratch, "services"));
    standIns = await startStandIns();
    const { debugProviders } = standIns;
    project = await makeProject(tools, program, (folder) => ({
        TMPDIR: folder,
        // By this a killed engine's processes are known.
        [rootVariable]: folder,
        PULUMI_CONFIG_PASSPHRASE: stems.passphrase,
        PULUMI_DEBUG_PROVIDERS: debugProviders,
        // Shows the option --event-log.
        PULUMI_DEBUG_COMMANDS: "true",
    }));
    for (const file of installed) {
        const jar = path.join(project.folder, "jars", file);
        fs.mkdirSync(path.dirname(jar), { recursive: true });
        fs.writeFileSync(jar, `not really a JAR: ${file}`);
    }
    await ran("stack", "init", "dev");
    await project.pulumi(["config", "set", "--secret", "pulumi-fluss:vvpToken"], {
        input: stems.vvpToken,
    });
    const headers = JSON.stringify({ "x-gate": stems.vvpHeader });
    await project.pulumi(["config", "set", "--secret", "pulumi-fluss:vvpHeaders"], {
        input: headers,
    });
    await configure(1);
}, 300_000);

afterAll(async () => {
    watch?.stop();
    await endLeftEngines(project?.folder ?? "none");
    project?.dispose();
    await standIns?.close();
    await world?.close();
    if (scratch) fs.rmSync(scratch, { recursive: true, force: true });
});

/** Gives every secret the value of this version. */
async function configure(version: number): Promise<void> {
    const marks = marksOf(version);
    world.fluss.settings.password = marks.clientPassword;
    const settings: Settings = {
        s3: world.s3,
        lakekeeper: world.fronts.lakekeeper.url,
        oidc: world.oidc,
        vvp: world.fronts.vvp.url,
        fluss: `127.0.0.1:${world.fluss.port}`,
        gateway: world.fronts.gateway.url,
        jars: path.join(project.folder, "jars"),
        version,
        marks,
    };
    await project.pulumi(["config", "set", "--secret", "settings"], {
        input: JSON.stringify(settings),
    });
}

/** Runs `pulumi` and keeps what it has printed and left behind. */
async function ran(...args: string[]): Promise<Ran> {
    const result = await project.pulumi(args);
    keep(args, result);
    return result;
}

function keep(args: string[], { stdout, stderr }: Ran): void {
    const name = args.slice(0, 2).join(" ");
    const kind = args.includes("--json") ? "--json" : "screen";
    places.push({ kind, name, text: stdout }, { kind: "screen", name, text: stderr });
    for (const { name: file, text } of filesBelow(project.folder)) {
        if (file.startsWith("jars")) continue;
        const kind = kindOf(file);
        places.push({ kind, name: file, text: kind === "event log" ? withoutDebug(text) : text });
    }
}

/** Pulumi's SDK tells what it sends and gets in debug messages, secrets in clear; the engine shows them with `--debug` alone. */
function withoutDebug(events: string): string {
    return events
        .split("\n")
        .filter((line) => !line.includes('"severity":"debug"'))
        .join("\n");
}

function kindOf(file: string): string {
    if (file.startsWith("state/.pulumi/history")) return "state history";
    if (file.startsWith("state/")) return "state";
    if (file.startsWith("events")) return "event log";
    if (file.startsWith("plan")) return "plan";
    return "project";
}

/** What all servers do with chosen calls from now on. */
function serversDo(does: Echo["does"]): void {
    for (const front of Object.values(world.fronts)) front.does = does;
}

test("a first run in which servers refuse, and repeat what they were sent", async () => {
    serversDo("refuses");
    const up = await ran(
        "up",
        "--yes",
        "--skip-preview",
        "--continue-on-error",
        "--event-log",
        "events-refused",
    );
    serversDo("passes");
    expect(up.code).not.toBe(0);
    for (const { echoed } of Object.values(world.fronts)) expect(echoed).toBeGreaterThan(0);
    expect(up.stdout).toContain("refused:");
}, 300_000);

test("a plan, and what was left to do", async () => {
    expect(await ran("preview", "--json", "--save-plan", "plan.json")).toMatchObject({ code: 0 });
    const up = await ran("up", "--yes", "--skip-preview", "--event-log", "events-up");
    expect(up, up.stdout).toMatchObject({ code: 0 });
    const shown = await project.pulumi(["stack", "output", "--json", "--show-secrets"]);
    made = madeSecrets(JSON.parse(shown.stdout));
}, 300_000);

test("nothing more to do, as JSON", async () => {
    expect(await ran("preview", "--json", "--diff", "--expect-no-changes")).toMatchObject({ code: 0 });
}, 300_000);

test("every secret replaced by another one, and an engine that is killed meanwhile", async () => {
    await configure(2);
    const args = ["up", "--yes", "--skip-preview", "--event-log", "events-killed"];
    const before = world.lakekeeper.requests.length;
    const { child, ended } = project.start(args);
    while (
        child.exitCode === null &&
        !world.lakekeeper.requests.slice(before).some(({ method }) => method === "POST")
    )
        await sleep(20);
    child.kill("SIGKILL");
    await endLeftEngines(project.folder);
    keep(args, await ended);
    await ran("cancel", "--yes");
    const up = await ran("up", "--yes", "--skip-preview", "--diff", "--event-log", "events-rotated");
    expect(up, up.stdout).toMatchObject({ code: 0 });
}, 300_000);

test("an answer that nobody expects, refresh, and what the command line shows", async () => {
    serversDo("raves");
    expect(await ran("refresh", "--yes", "--skip-preview")).not.toMatchObject({ code: 0 });
    serversDo("passes");
    expect(await ran("refresh", "--yes", "--skip-preview", "--diff")).toMatchObject({ code: 0 });
    for (const args of [
        ["stack", "export"],
        ["stack", "output", "--json"],
        ["stack", "history", "--json"],
        ["config", "--json"],
    ])
        expect(await ran(...args)).toMatchObject({ code: 0 });
}, 300_000);

test("the end of it", async () => {
    const list = [
        "/api/v1/namespaces/default/secret-values",
        "/api/v2/namespaces/default/deployments",
        "/api/v2/namespaces/default/jobs",
        "/fluss/api/v1/clusters",
    ];
    for (const where of list)
        places.push({
            kind: "what the platform shows",
            name: where,
            text: await world.outside("GET", where),
        });
    const destroyed = await ran("destroy", "--yes", "--skip-preview", "--event-log", "events-destroyed");
    expect(destroyed, destroyed.stdout).toMatchObject({ code: 0 });
}, 300_000);

test("none of the secrets stands anywhere in clear", () => {
    for (const { name, text } of world.logs()) places.push({ kind: "servers' logs", name, text });
    for (const words of watch.commandLines)
        places.push({ kind: "process arguments", name: words, text: words });
    const secrets = {
        ...stems,
        ...marked,
        ...made,
        oidcAccessToken: madeByOidc,
        admin: world.s3.secretAccessKey,
    };
    const found = findSecrets(places, secrets);
    const kinds = [...new Set(places.map(({ kind }) => kind))].sort();
    for (const kind of kinds) {
        const texts = places.filter((place) => place.kind === kind);
        const bytes = texts.reduce((sum, { text }) => sum + text.length, 0);
        const count = found.filter((one) => one.kind === kind).length;
        console.log(
            `${kind}: ${texts.length} texts, ${Math.round(bytes / 1024)} KiB, ${count} secrets in clear`,
        );
    }
    console.log(`${Object.keys(secrets).length} secrets, ${found.length} found in clear`);
    expect(kinds).toEqual(
        expect.arrayContaining([
            "--json",
            "event log",
            "plan",
            "process arguments",
            "screen",
            "servers' logs",
            "state",
            "state history",
            "what the platform shows",
        ]),
    );
    const told = found.map(({ kind, name, secret, form }) => `${kind}, ${name}: ${secret} ${form}`);
    expect([...new Set(told)].join("\n")).toBe("");
});

test("they were really used: what is looked for was there to be found", () => {
    const received = world.received.join("\n");
    for (const mark of Object.values(marked)) expect(received).toContain(JSON.stringify(mark).slice(1, -1));
    expect(Object.keys(made).length).toBeGreaterThanOrEqual(2);
    const watched = [...watch.commandLines].join("\n");
    expect(watched).toContain("pulumi");
});

test("what stands somewhere in clear would be found, in whatever form", () => {
    const secret = stems.secretValue;
    for (const { form, shape } of formsOf(secret)) {
        const [finding] = findSecrets([{ kind: "state", name: "x", text: `…${shape}…` }], { one: secret });
        expect(finding).toMatchObject({ secret: "one", form });
    }
    for (const before of ["", "a", "ab", "abc"]) {
        const text = Buffer.from(`${before}${secret}, and more`).toString("base64");
        expect(findSecrets([{ kind: "state", name: "x", text }], { one: secret })).toHaveLength(1);
    }
    expect(findSecrets([{ kind: "state", name: "x", text: "nothing of it" }], { one: secret })).toEqual([]);
});

/** The key that IAM made and the token that the platform made, out of the stack's outputs. */
function madeSecrets({ outputs }: { outputs: Record<string, unknown> }): Record<string, string> {
    const { secretAccessKey } = outputs["key"] as { secretAccessKey: string };
    return { keyMadeByIam: secretAccessKey, tokenMadeByPlatform: String(outputs["apiToken"]) };
}
