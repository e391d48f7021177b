/** A team's desk beside the quickstart: a warehouse and a table on the servers that run, by programs of any language. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { GatewayRunner } from "../../dynamic-providers/flink-sql/gateway.ts";
import { databaseExists, findTable } from "../../dynamic-providers/flink-sql/look.ts";
import { engineEnvironment } from "../../local/automation.ts";
import { localSecrets, pulumiFolders } from "../../local/lakehouse.ts";
import type { LocalEnvironment } from "../../local/resources/environment.ts";
import { s3Endpoint, s3Region, sqlGatewayUrl } from "../../local/services/index.ts";
import { projectName, stackName } from "../../local/stack.ts";
import { catalogOptions } from "../../model/catalog-options.ts";
import { pulumiPython } from "../package/python.ts";
import { root } from "./kit.ts";
import type { Ran, Scratch } from "./scratch.ts";

/** Where everything is that a desk is made of. */
export interface Place {
    lakekeeper: { url: string; token: string };
    /** Of Flink's SQL gateway. */
    gateway: string;
    client: { bootstrapServers: string; username: string; password: string };
    storage: { bucket: string; region: string; endpoint: string };
    key: { accessKeyId: string; secretAccessKey: string };
}

/** What the quickstart's stack says, and what runs. */
export function placeOfDesks(): Place {
    const { tools, ports } = readRun<LocalEnvironment>("environment.json");
    const { accessKeyId, secretAccessKey } = readRun<Place["key"]>("s3-admin.json");
    const secrets = localSecrets(root);
    const folders = pulumiFolders(root);
    const told = execFileSync(
        path.join(tools.pulumi.binDir, "pulumi"),
        [
            "stack",
            "output",
            "--json",
            "--show-secrets",
            "--stack",
            `organization/${projectName}/${stackName}`,
        ],
        {
            cwd: folders.program,
            env: engineEnvironment(tools, { backendFolder: folders.backend, passphrase: secrets.passphrase }),
            encoding: "utf8",
        },
    );
    const outputs = JSON.parse(told) as Record<string, string>;
    return {
        lakekeeper: { url: `http://127.0.0.1:${ports.lakekeeper}`, token: secrets.lakekeeperToken },
        gateway: sqlGatewayUrl(ports),
        client: {
            bootstrapServers: outputs["bootstrapServers"]!,
            username: outputs["clientUsername"]!,
            password: outputs["clientPassword"]!,
        },
        storage: { bucket: outputs["lakeBucket"]!, region: s3Region, endpoint: s3Endpoint(ports) },
        key: { accessKeyId, secretAccessKey },
    };
}

/** What is there for real, seen past Pulumi. */
export class Seen {
    readonly #place: Place;
    readonly #name: string;
    readonly options: Record<string, string>;
    readonly #runner: GatewayRunner;

    /** @param name of the desk: of its project, warehouse, Fluss catalog and database */
    constructor(place: Place, name: string) {
        const { bootstrapServers, username, password } = place.client;
        const client = { bootstrapServers, sasl: { username, password: { value: password } } };
        this.#place = place;
        this.#name = name;
        this.options = catalogOptions(name, client, undefined, "value");
        this.#runner = new GatewayRunner({
            url: place.gateway,
            catalogs: [{ name, options: this.options }],
        });
    }

    /** Columns of the table as Fluss has it. */
    async columns(): Promise<string[]> {
        const found = await findTable(this.#runner, this.#name, { database: this.#name, name: "readings" });
        return (found?.spec.columns ?? []).map(({ name, type }) => `${name} ${type}`);
    }

    database(): Promise<boolean> {
        return databaseExists(this.#runner, this.#name, this.#name);
    }

    /** Ids of the warehouses in the desk's project; none where there is no such project. */
    async warehouses(): Promise<string[]> {
        const { url, token } = this.#place.lakekeeper;
        const headers = { authorization: `Bearer ${token}`, "x-project-id": this.#name };
        const answer = await fetch(`${url}/management/v1/warehouse`, { headers });
        if (answer.status === 404) return [];
        const { warehouses } = (await answer.json()) as { warehouses: { "warehouse-id": string }[] };
        return warehouses.map((warehouse) => warehouse["warehouse-id"]);
    }
}

/** A run of the program in Python. */
export interface PythonRan {
    code: number | null;
    changes: Record<string, number>;
    outputs: Record<string, string>;
    told: string;
}

/** Writes the Python package and the program `programs/desk.py` into the project. */
export async function pythonDesk(scratch: Scratch, place: Place, name: string) {
    const python = await pulumiPython();
    const written = await scratch.run("pulumi-fluss", ["python-sdk", "--out", "pulumi_fluss"]);
    expect(written.code, written.told).toBe(0);
    fs.copyFileSync(path.join(import.meta.dirname, "programs/desk.py"), path.join(scratch.folder, "desk.py"));
    return async (operation: string, more: object = {}): Promise<PythonRan> => {
        const env = { SETTINGS: JSON.stringify({ ...place, name, ...more }) };
        const { code, stdout, told } = await scratch.run(python, ["desk.py", operation], { env });
        expect(code, told).toBe(0);
        return { code, told, ...JSON.parse(stdout) };
    };
}

/** `pulumi import` of a desk's warehouse, database and table into a stack of another project, in a folder of its own. */
export async function importDesk(
    scratch: Scratch,
    place: Place,
    { name, warehouse, runtime }: { name: string; warehouse: string; runtime: "nodejs" | "yaml" },
): Promise<{ imported: Ran; state: Record<string, Record<string, unknown>>; stored: string }> {
    const folder = `taken-${runtime}`;
    fs.mkdirSync(path.join(scratch.folder, folder));
    const write = (file: string, text: string) =>
        fs.writeFileSync(path.join(scratch.folder, folder, file), text);
    write("Pulumi.yaml", `name: ${folder}\nruntime: ${runtime}\n`);
    const resources = [
        { type: "fluss:lakekeeper:Warehouse", name: "warehouse", id: warehouse },
        { type: "fluss:fluss:Database", name: "database", id: `${name}.${name}` },
        { type: "fluss:fluss:Table", name: "readings", id: `${name}.${name}.readings` },
    ];
    write("objects.json", JSON.stringify({ resources }));
    const from = {
        lakekeeper: { connection: { url: place.lakekeeper.url }, projectId: name },
        fluss: {
            runner: { kind: "gateway", url: place.gateway },
            catalog: { name, options: new Seen(place, name).options },
            capabilities: { server: "0.9", lake: "none" },
        },
    };
    const pulumi = (...args: string[]) => scratch.run("pulumi", args, { in: folder });
    await done(pulumi("stack", "init", "dev"));
    const settings = { importFrom: JSON.stringify(from), lakekeeperToken: place.lakekeeper.token };
    const secrets = Object.entries(settings).flatMap(([key, value]) => ["--secret", `fluss:${key}=${value}`]);
    await done(pulumi("config", "set-all", ...secrets));
    const imported = await done(
        pulumi("import", "--yes", "--skip-preview", "--generate-code=false", "--file", "objects.json"),
    );
    const { stdout: stored } = await done(pulumi("stack", "export"));
    const { resources: held } = JSON.parse(stored).deployment as {
        resources: { urn: string; inputs: Record<string, unknown> }[];
    };
    const state = Object.fromEntries(held.map(({ urn, inputs }) => [urn.split("::").at(-1), inputs]));
    return { imported, state, stored };
}

/** Expects that a command succeeds. */
export async function done(running: Promise<Ran>): Promise<Ran> {
    const ran = await running;
    expect(ran.code, ran.told).toBe(0);
    return ran;
}

function readRun<T>(file: string): T {
    return JSON.parse(fs.readFileSync(path.join(root, "run", file), "utf8")) as T;
}
