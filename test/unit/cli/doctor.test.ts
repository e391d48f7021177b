import fs from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../../cli/run.ts";
import type { VvpSimulatorOptions } from "../../../local/simulators/vvp/index.ts";
import { writeJars } from "../components/jars.ts";
import { startStubFluss } from "../fluss/stub-fluss.ts";
import { startFixture } from "../lakekeeper/fixture.ts";
import { token as vvpToken } from "../vvp/fake-platform.ts";
import { simulatedPlatform } from "../vvp/simulated-platform.ts";

const closing: (() => unknown)[] = [];
let folder: string;

beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "doctor-"));
    closing.push(() => fs.rmSync(folder, { recursive: true }));
    writeJars(path.join(folder, "jars"));
    const bin = path.join(folder, "bin");
    fs.mkdirSync(bin);
    fs.writeFileSync(path.join(bin, "pulumi"), fakePulumi, { mode: 0o755 });
});
afterEach(async () => {
    for (const close of closing.splice(0)) await close();
});

/** Prints the configuration that lies beside it, or says why not. */
const fakePulumi = `#!/bin/sh
if [ "$1" = version ]; then echo v3.270.0; exit 0; fi
if [ "$4" = --stack ] && [ "$5" != dev ]; then echo "error: no stack named '$5' found" >&2; exit 255; fi
cat "$(dirname "$0")/config.json"
`;

type Values = Record<string, string | undefined>;
const secretKeys = ["clientPassword", "lakekeeperToken", "pulumi-fluss:vvpToken", "kubeconfig"];

/** The configuration of a stack as Pulumi prints it. */
function config(values: Values, inClear: string[] = []): string {
    const entries = Object.entries(values).flatMap(([key, value]) =>
        value === undefined
            ? []
            : [
                  [
                      key.includes(":") ? key : `desk:${key}`,
                      { value, secret: secretKeys.includes(key) && !inClear.includes(key) },
                  ],
              ],
    );
    return JSON.stringify(Object.fromEntries(entries));
}

/** All three services, and what a stack must say to reach them. */
async function services(platform: Partial<VvpSimulatorOptions> = {}): Promise<Values> {
    const vvp = await simulatedPlatform(platform);
    const fluss = await startStubFluss({});
    const { connection } = await startFixture();
    closing.push(() => vvp.close(), fluss.close);
    return {
        awsRegion: "eu-central-1",
        lakekeeperUrl: connection.url,
        lakekeeperToken: connection.token,
        flussBootstrapServers: `127.0.0.1:${fluss.port}`,
        clientUsername: "desk",
        clientPassword: "sesame",
        vvpUrl: vvp.connection.url,
        jobNamespace: "jobs",
        jarsFolder: "jars",
        "pulumi-fluss:vvpToken": vvpToken,
        "aws:profile": "desk",
    };
}

async function doctor(values: string | undefined, ...more: string[]) {
    const printed = { out: "", errors: [] as string[] };
    const args = values === undefined ? [] : ["--config", "-"];
    const code = await run(
        ["doctor", "--folder", folder, ...args, ...more],
        { PATH: `${path.join(folder, "bin")}:${process.env["PATH"]}`, HOME: folder },
        {
            out: (text) => {
                printed.out += text;
            },
            error: (line) => printed.errors.push(line),
            input: async () => values ?? "",
        },
    );
    return { code, ...printed };
}

const told = (out: string) =>
    (JSON.parse(out) as { checks: { area: string; status: string; text: string; fix?: string }[] }).checks;

const kubeconfig = (server: string) =>
    JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "c", cluster: { server, "insecure-skip-tls-verify": true } }],
        users: [{ name: "u", user: { token: "token-of-the-kubeconfig" } }],
        contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
        "current-context": "x",
    });

/** An API server that has the namespace `fluss` and allows all but one thing. */
async function startKubernetes(refused: { resource: string; verb: string }) {
    const asked: string[] = [];
    const server = createServer(async (request, response) => {
        asked.push(request.url ?? "");
        const answer = (status: number, json: object) => {
            response.writeHead(status, { "content-type": "application/json" });
            response.end(JSON.stringify(json));
        };
        if (request.method === "GET") {
            if (request.url === "/api/v1/namespaces/fluss")
                return answer(200, { metadata: { name: "fluss" } });
            return answer(404, { kind: "Status", message: "not found" });
        }
        const { resource, verb } = JSON.parse(await text(request)).spec.resourceAttributes;
        answer(201, { status: { allowed: resource !== refused.resource || verb !== refused.verb } });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => new Promise((resolve) => server.close(resolve)));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

describe("doctor", () => {
    test("tells a list of client JARs that cannot be read beside what else it finds", async () => {
        fs.writeFileSync(path.join(folder, "jars/client-jars.json"), "<<<<<<< HEAD");
        const { code, out } = await doctor(config({ jarsFolder: "jars" }), "--json");
        expect(code).toBe(1);
        const checks = told(out);
        expect(checks.filter(({ area }) => area === "jars")).toEqual([
            {
                area: "jars",
                status: "fault",
                text: expect.stringMatching(/client-jars\.json cannot be read: /),
                fix: expect.stringMatching(/^take it from version control, or remove it .*--release/),
            },
        ]);
        expect(checks.some(({ area }) => area === "config")).toBe(true);
    });

    test("finds nothing missing where all is there, and writes nothing", async () => {
        const values = await services();
        const { code, out, errors } = await doctor(config(values));
        expect(errors).toEqual([]);
        expect(out).toMatch(/^ok {7}config {5}every key is there/);
        for (const area of ["tools", "jars", "vvp", "lakekeeper", "fluss"])
            expect(out).toMatch(new RegExp(`^ok +${area} `, "m"));
        expect(out).not.toMatch(/FAULT|warning/);
        expect(out).toMatch(/\nnothing is missing\n$/);
        expect(code).toBe(0);
    });

    test("tells all faults at once, each with what to do, and exits with 1", async () => {
        const values = await services();
        fs.rmSync(path.join(folder, "jars/lake-iceberg/fluss-lake-iceberg-1.0.0-vv-3.jar"));
        const { code, out } = await doctor(
            config({
                ...values,
                awsRegion: "Frankfurt",
                jobNamespace: undefined,
                clientPassword: "wrong-1234",
                lakekeeperToken: "not-the-token",
                "pulumi-fluss:vvpToken": "not-this-one-either",
                sampelRows: "true",
            }),
            "--json",
        );
        const faults = told(out).filter(({ status }) => status === "fault");
        expect(faults.map(({ area, text }) => `${area} ${text.slice(0, 40)}`)).toEqual([
            expect.stringMatching(/^config config\.awsRegion = "Frankfurt"/),
            expect.stringMatching(/^config config\.jobNamespace: is required/),
            expect.stringMatching(/^config config\.sampelRows: there is no setting/),
            expect.stringMatching(/^jars /),
            expect.stringMatching(/^vvp /),
            expect.stringMatching(/^lakekeeper /),
            expect.stringMatching(/^fluss /),
        ]);
        for (const { fix } of faults) expect(fix).toMatch(/\w/);
        expect(faults.map(({ fix }) => fix).join("\n")).toMatch(/sampleRows[\s\S]*check the API token/);
        expect(JSON.parse(out).ok).toBe(false);
        expect(code).toBe(1);
    });

    test("shows no secret, whatever is wrong", async () => {
        const values = await services();
        for (const change of [
            {},
            { clientPassword: "wrong-1234" },
            { lakekeeperToken: "hush hush" },
            { awsRegion: "hush" },
        ]) {
            const given = { ...values, ...change };
            const { out, errors } = await doctor(config(given));
            const all = out + errors.join("\n");
            for (const key of secretKeys.slice(0, 3))
                expect(all).not.toContain(given[key as keyof typeof given]);
        }
    });

    test("notes what is there already, and that adopt takes it over", async () => {
        const values = await services();
        const made = await simulatedPlatform();
        closing.push(() => made.close());
        await made.outside("POST", "/api/v1/namespaces/default/deployment-targets", {
            metadata: { name: "fluss-quickstart-target" },
            spec: { kubernetes: { namespace: "jobs" } },
        });
        const there = { ...values, vvpUrl: made.connection.url };
        const plain = await doctor(config(there), "--json");
        const adopting = await doctor(config({ ...there, adopt: "true" }), "--json");
        const note = (out: string) => told(out).find(({ text }) => text.startsWith("there already"));
        expect(note(plain.out)).toMatchObject({
            area: "vvp",
            status: "note",
            text: "there already: deployment target fluss-quickstart-target",
            fix: expect.stringContaining("set adopt to true"),
        });
        expect(note(adopting.out)?.text).toContain("the stack takes it over");
    });

    test("warns of what cannot be seen from here, and of secrets in clear, and goes on", async () => {
        const values = await services();
        const far = {
            ...values,
            flussBootstrapServers: "coordinator.no-such-host.invalid:9124",
            "aws:profile": undefined,
        };
        const { code, out } = await doctor(config(far, ["clientPassword"]), "--json");
        expect(
            told(out)
                .filter(({ status }) => status === "warning")
                .map(({ area }) => area),
        ).toEqual(["config", "aws", "fluss"]);
        expect(out).not.toContain("sesame");
        expect(code).toBe(0);
    });

    test("looks at what it can when a part of the configuration is missing", async () => {
        const { vvpUrl: _, clientUsername: __, ...rest } = await services();
        const { code, out } = await doctor(config(rest), "--json");
        expect(
            told(out)
                .filter(({ text }) => text.startsWith("not looked at"))
                .map(({ area }) => area),
        ).toEqual(["vvp", "fluss"]);
        expect(told(out).find(({ area }) => area === "lakekeeper")?.status).toBe("ok");
        expect(code).toBe(1);
    });

    test("asks Kubernetes for namespace and rights where the stack installs a server", async () => {
        const { flussBootstrapServers: _, ...rest } = await services();
        const refused = { resource: "statefulsets", verb: "delete" };
        const { url, asked } = await startKubernetes(refused);
        const byHelm = { ...rest, flussSource: "chart", storageClass: "gp3", kubeconfig: kubeconfig(url) };
        const { code, out } = await doctor(config(byHelm), "--json");
        const about = (area: string) => told(out).filter((check) => check.area === area);
        expect(about("fluss")).toEqual([
            { area: "fluss", status: "note", text: "the stack installs Fluss by Helm" },
        ]);
        expect(about("kubernetes")).toEqual([
            {
                area: "kubernetes",
                status: "fault",
                text: "the kubeconfig's user may not, in namespace fluss: delete statefulsets",
                fix: "give these rights, see docs/kubernetes.md",
            },
        ]);
        expect(out).not.toContain("token-of-the-kubeconfig");
        expect(asked.filter((path) => path.endsWith("selfsubjectaccessreviews")).length).toBeGreaterThan(10);
        expect(code).toBe(1);
        const other = await doctor(config({ ...byHelm, kubernetesNamespace: "none" }), "--json");
        expect(told(other.out).find(({ area }) => area === "kubernetes")).toMatchObject({
            status: "fault",
            text: "there is no namespace none (kubernetesNamespace)",
        });
    });

    test("calls nobody with --offline, and asks Pulumi for the configuration", async () => {
        const values = {
            ...(await services()),
            lakekeeperUrl: "http://127.0.0.1:1",
            vvpUrl: "http://127.0.0.1:1",
        };
        fs.writeFileSync(path.join(folder, "bin/config.json"), config(values));
        const { code, out } = await doctor(undefined, "--offline", "--stack", "dev");
        expect(out).not.toMatch(/vvp|lakekeeper|fluss/);
        expect(code).toBe(0);
        const { code: missing, errors } = await doctor(undefined, "--stack", "prod");
        expect(errors[0]).toMatch(
            /no stack named 'prod' found[\s\S]*What to do: run it in the folder of Pulumi\.yaml/,
        );
        expect(missing).toBe(1);
    });

    test("does not show what it cannot read as a configuration", async () => {
        for (const text of ["hush-1234", '{"desk:clientPassword":"hush-1234"}']) {
            const { code, out, errors } = await doctor(text);
            expect(out + errors.join("\n")).not.toContain("hush");
            expect(errors[0]).toMatch(/not of the form .*--show-secrets/);
            expect(code).toBe(1);
        }
    });

    test("says which file of a configuration is not there, and what to do", async () => {
        const { code, errors } = await doctor(undefined, "--config", path.join(folder, "none.json"));
        expect(errors[0]).toMatch(
            /^doctor: .* cannot be read from .*none\.json: there is no such file\.\nWhat to do: .*pulumi config --json --show-secrets/,
        );
        expect(code).toBe(1);
    });

    test("takes one source of the configuration", async () => {
        const { code, errors } = await doctor("{}", "--stack", "dev");
        expect(errors[0]).toBe("give one of --stack and --config");
        expect(code).toBe(2);
    });
});
