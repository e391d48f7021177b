import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { run } from "../../../cli/run.ts";
import { providers } from "../../../dynamic-providers/index.ts";
import { createTable } from "../../../model/ddl.ts";
import { accounts, trades } from "../../../stacks/quickstart-tables.ts";
import { uploaded } from "../components/jars.ts";
import { token as lakekeeperToken, startFixture } from "../lakekeeper/fixture.ts";
import { token as vvpToken } from "../vvp/fake-platform.ts";
import { type SimulatedPlatform, simulatedPlatform } from "../vvp/simulated-platform.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const engine = "vera-4.5-jdk11-flink-1.20";
const mainArgs =
    "--fluss.bootstrap.servers coordinator:9124 --datalake.iceberg.token ${secret_values.fluss-iceberg-token}";
let platform: SimulatedPlatform;

beforeAll(async () => {
    vi.stubEnv("VV_API_TOKEN", vvpToken);
    vi.stubEnv("LAKEKEEPER_TOKEN", lakekeeperToken);
    platform = await simulatedPlatform();
    const v1 = "/api/v1/namespaces/default";
    await platform.outside("POST", `${v1}/deployment-targets`, {
        metadata: { name: "desk-target" },
        spec: { kubernetes: { namespace: "jobs" } },
    });
    await platform.outside("POST", `${v1}/sessionclusters`, {
        metadata: { name: "desk-session" },
        spec: {
            deploymentTargetName: "desk-target",
            versionName: engine,
            state: "STOPPED",
            numberOfTaskManagers: 2,
            flinkConfiguration: { "taskmanager.numberOfTaskSlots": "16" },
        },
    });
    for (const name of ["fluss-password", "fluss-iceberg-token"])
        await platform.outside("POST", `${v1}/secret-values`, {
            metadata: { name },
            spec: { kind: "PLAIN", value: "hush-4711" },
        });
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "import-plan-jars-"));
    const uris: string[] = [];
    for (const fileName of uploaded) {
        const source = path.join(folder, fileName);
        fs.writeFileSync(source, fileName);
        const { state } = await platform.up(providers["vvpArtifact"]!, { source, fileName });
        uris.push(String(state["uri"]));
    }
    fs.rmSync(folder, { recursive: true });
    const [tieringJar, ...clientUris] = uris;
    // As somebody made them; the provider knows best what the platform takes.
    const deployment = { deploymentTarget: "desk-target", engineVersion: engine, state: "CANCELLED" };
    await platform.up(providers["vvpDeployment"]!, {
        ...deployment,
        name: "tiering",
        jarUri: tieringJar,
        mainArgs,
        additionalDependencies: clientUris,
        parallelism: 2,
        restart: "WITHOUT_STATE",
    });
    await platform.up(providers["vvpDeployment"]!, {
        ...deployment,
        name: "old-job",
        jarUri: tieringJar?.replace(/[^/]*$/, "old.jar"),
        mainArgs: "--password hush-4711 --mode full",
    });
    for (const statement of [
        "CREATE CATALOG `desk` WITH ('type' = 'fluss', 'bootstrap.servers' = 'coordinator:9124')",
        "CREATE DATABASE `desk`.`finance`",
        createTable("desk", trades),
        createTable("desk", accounts),
    ])
        await platform.outside("POST", "/sql/v1beta1/namespaces/default/sqlscripts:execute", {
            statement,
            versionName: engine,
        });
});
afterAll(() => platform?.close());
afterEach(() => fs.rmSync(path.join(root, ".local/import-plan"), { recursive: true, force: true }));

async function importPlan(...args: string[]) {
    const printed = { out: "", errors: [] as string[] };
    const code = await run(
        ["import-plan", ...args],
        {},
        {
            out: (text) => {
                printed.out += text;
            },
            error: (line) => printed.errors.push(line),
        },
    );
    return { code, ...printed };
}

/** A warehouse that somebody made. */
async function warehouse() {
    const fixture = await startFixture();
    await fixture.outside("POST", "/management/v1/warehouse", {
        "warehouse-name": "fluss",
        "storage-profile": {
            type: "s3",
            bucket: "acme-lake",
            "key-prefix": "fluss-lake-storage",
            region: "eu-central-1",
            "sts-enabled": false,
            flavor: "aws",
        },
        "storage-credential": {
            type: "s3",
            "credential-type": "access-key",
            "aws-access-key-id": "AKIAEXAMPLE",
            "aws-secret-access-key": "hush-4711",
        },
        "delete-profile": { type: "soft", "expiration-seconds": 3600 },
    });
    fixture.writes();
    return fixture;
}

/** Runs a printed program on mocks, and gives type and arguments of each of its resources. */
async function resourcesOf(program: string, config: Record<string, string>) {
    const made: { type: string; name: string; inputs: Record<string, unknown> }[] = [];
    await pulumi.runtime.setMocks(
        {
            call: ({ inputs }) => inputs,
            newResource: ({ type, name, inputs }) => {
                made.push({ type, name, inputs: plain(inputs) as Record<string, unknown> });
                return { id: name, state: inputs };
            },
        },
        "desk",
    );
    pulumi.runtime.setAllConfig(
        Object.fromEntries(Object.entries(config).map(([key, value]) => [`desk:${key}`, value])),
        [],
    );
    const folder = path.join(root, ".local/import-plan");
    fs.mkdirSync(folder, { recursive: true });
    const file = path.join(folder, `program-${made.length}-${Date.now()}.ts`);
    const entry = path.join(root, "dynamic-providers/index.ts");
    fs.writeFileSync(file, program.replace('"pulumi-fluss/dynamic-providers"', JSON.stringify(entry)));
    const wanted = program.match(/^new \w+\(/gm)?.length ?? 0;
    await import(file);
    await vi.waitFor(() => expect(made).toHaveLength(wanted));
    return made;
}

/** What an `up` does with a resource that is new to the stack. */
async function adopt({
    __provider: text,
    ...given
}: Record<string, unknown>): Promise<Record<string, unknown>> {
    const [, name] = /providers\.(\w+);/.exec(String(text))!;
    const provider = providers[name!]!;
    await provider.configure({ config: { get: () => undefined } });
    const checked = await provider.check(undefined, given);
    expect(checked.failures).toEqual([]);
    return (await provider.create(checked.inputs)).outs;
}

/** Without the marks of secrets. */
function plain(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== "object" || value === null) return value;
    if (pulumi.runtime.specialSigKey in value && "value" in value) return plain(value.value);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}

describe("import-plan", () => {
    test("prints a program that takes over a workspace and the tables behind its catalog, and changes nothing there", async () => {
        const before = platform.simulator.requests.length;
        const { code, out, errors } = await importPlan("--vvp", platform.connection.url, "--catalog", "desk");
        expect([code, errors.filter((line) => !/^(warning|needed): /.test(line))]).toEqual([0, []]);
        expect(out).not.toContain("hush");
        expect(errors.join("\n")).not.toContain("hush");
        const writes = platform.simulator.requests
            .slice(before)
            .filter(({ method, path }) => method !== "GET" && !path.includes("sqlscripts"));
        expect(writes).toEqual([]);

        const made = await resourcesOf(out, {
            "fluss-password": "hush-4711",
            "fluss-iceberg-token": "hush-4711",
            "old-job-mainArgs": "--password hush-4711 --mode full",
        });
        expect(made.map(({ type, name }) => `${type.split(":").at(-1)} ${name}`).sort()).toEqual([
            "Database desk-finance",
            "Deployment old-job",
            "Deployment tiering",
            "DeploymentTarget desk-target",
            "SecretValue fluss-iceberg-token",
            "SecretValue fluss-password",
            "SessionCluster desk-session",
            "Table desk-finance-accounts",
            "Table desk-finance-trades",
        ]);
        expect(made.find(({ name }) => name === "tiering")?.inputs).toMatchObject({
            mainArgs,
            parallelism: 2,
            state: "CANCELLED",
            restart: "WITHOUT_STATE",
        });

        // What an `up` does with each: it finds the object as it is.
        const started = platform.simulator.requests.length;
        for (const { inputs } of made) {
            await adopt(inputs);
        }
        const changes = platform.simulator.requests
            .slice(started)
            .filter(({ method, path }) => method !== "GET" && !path.includes("sqlscripts"))
            .map(({ method, path }) => `${method} ${path.split("/").at(-1)}`);
        // Values of secrets cannot be compared: they are written anew.
        expect(changes.sort()).toEqual(["PATCH fluss-iceberg-token", "PATCH fluss-password"]);
    });

    test("tells which secrets the stack must be given, and which jobs hold some in clear", async () => {
        const { errors } = await importPlan("--vvp", platform.connection.url, "--no-tables");
        expect(errors).toEqual([
            expect.stringMatching(/^warning: deployment old-job: mainArgs holds password in clear/),
            expect.stringMatching(/^warning: 6 files are named by their URIs/),
            expect.stringMatching(
                /^needed: pulumi config set --secret fluss-iceberg-token {3}# value of the secret value/,
            ),
            expect.stringMatching(/^needed: pulumi config set --secret fluss-password /),
            expect.stringMatching(/^needed: pulumi config set --secret old-job-mainArgs /),
        ]);
    });

    test("tells that it does not know the lake of a cluster whose catalog and tables show none", async () => {
        const { out, errors } = await importPlan("--vvp", platform.connection.url, "--catalog", "desk");
        // The simulated platform shows the text that made a table, without what a server stamps on it.
        expect(out).toContain('lake: "iceberg"');
        expect(errors).toContainEqual(
            expect.stringMatching(/^warning: finance\.trades: is tiered, and its lake is not shown/),
        );
        expect(errors).toContainEqual(
            expect.stringMatching(/^warning: catalog desk: which lake its cluster has is not shown/),
        );
        expect(errors.join("\n")).not.toContain("cannot be declared");
    });

    test("prints a program that takes over a warehouse", async () => {
        const fixture = await warehouse();
        const { code, out } = await importPlan("--lakekeeper", fixture.connection.url, "--json");
        const { program, secrets } = JSON.parse(out);
        expect(code).toBe(0);
        expect(secrets.map(({ key }: { key: string }) => key)).toEqual([
            "fluss-accessKeyId",
            "fluss-secretAccessKey",
        ]);
        expect(fixture.writes()).toEqual([]);
        const made = await resourcesOf(program, {
            "fluss-accessKeyId": "AKIAEXAMPLE",
            "fluss-secretAccessKey": "hush-4711",
        });
        for (const { inputs } of made) {
            const outs = await adopt(inputs);
            expect(outs["adopted"]).toBe(true);
        }
        // Nobody can tell whether the credential is the same: it is sent anew.
        expect(fixture.writes()).toEqual(["update_storage_credential"]);
    });

    test("names a warehouse that is not there, with those that are", async () => {
        const fixture = await warehouse();
        const { code, errors } = await importPlan(
            "--lakekeeper",
            fixture.connection.url,
            "--warehouse",
            "desk",
        );
        expect(errors[0]).toMatch(/there is no warehouse desk at .*; there are fluss\.\nWhat to do:/);
        expect(code).toBe(1);
    });

    test("writes a new file, and none over somebody's work", async () => {
        const folder = fs.mkdtempSync(path.join(os.tmpdir(), "import-plan-"));
        const file = path.join(folder, "index.ts");
        const args = ["--vvp", platform.connection.url, "--no-tables", "--out", file];
        expect(await importPlan(...args)).toMatchObject({ code: 0, out: "" });
        expect(fs.readFileSync(file, "utf8")).toMatch(
            /^\/\*\* Takes over[\s\S]*new VvpDeploymentTarget\("desk-target"/,
        );
        expect((await importPlan(...args)).code).toBe(1);
        // Before anything is read, which may take long.
        const calls = platform.simulator.requests.length;
        const nowhere = await importPlan(...args.slice(0, -1), path.join(folder, "none/index.ts"));
        expect(nowhere).toMatchObject({
            code: 1,
            out: "",
            errors: [expect.stringContaining("there is no folder")],
        });
        expect(platform.simulator.requests).toHaveLength(calls);
        fs.rmSync(folder, { recursive: true });
    });

    test("tells all that is wrong with its options at once", async () => {
        const { code, errors } = await importPlan("--catalog", "desk", "--warehouse", "fluss");
        expect(errors).toEqual([
            "give one of --vvp and --lakekeeper, or both",
            "--catalog, --engine and --jar belong to --vvp",
            "--project and --warehouse belong to --lakekeeper",
            "What to do: pulumi-fluss import-plan --help",
        ]);
        expect(code).toBe(2);
        expect((await importPlan("--vvp", "vvp.example.com")).errors[0]).toMatch(
            /^--vvp url: must be the platform's base URL/,
        );
        expect((await importPlan("--lakekeeper", "http://me:hunter2@localhost:8181/catalog")).errors).toEqual(
            [
                "--lakekeeper takes the server's base URL, without /management or /catalog",
                "--lakekeeper takes an http or https URL without user, password and query",
                "What to do: pulumi-fluss import-plan --help",
            ],
        );
    });
});
