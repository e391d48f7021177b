import { randomInt } from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { kubeRequest } from "../../local/services/kubernetes/api.ts";
import { type KubernetesBed, startKubernetes } from "../../local/services/kubernetes/bed.ts";
import { type ChartRegistry, startChartRegistry } from "../../local/services/kubernetes/registry.ts";
import { ensureTools } from "../../local/toolchain/index.ts";
import { ensureKubernetesTools } from "../../local/toolchain/kubernetes.ts";

/** A bed as the processes of tests can share it. */
export interface SharedBed {
    kubeconfig: string;
    registry: Omit<ChartRegistry, "stop">;
    /** Environment of the engine: the registry's certificate and its login. */
    env: Record<string, string>;
    /** Folder of the Kubernetes plugin. */
    pluginDir: string;
}

/** The bed of a test file, with the registry of charts beside it. */
export interface TestBed extends Omit<SharedBed, "pluginDir"> {
    /** The kubeconfig's text. */
    access: { kubeconfig: string };
    /** Any object by its path; undefined when there is none. */
    get(path: string): Promise<KubeObject | undefined>;
    send(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: object): Promise<KubeObject>;
    /** Asks until the answer satisfies. */
    until(path: string, satisfied: (object: KubeObject) => boolean): Promise<KubeObject>;
    makeNamespace(name: string): Promise<KubeObject>;
    /** Makes a custom resource definition, unless it is there, and waits until its objects can be made. */
    define(file: string): Promise<void>;
}

/** A bed that this process has started. */
export interface OwnBed extends TestBed {
    shared: SharedBed;
    readySeconds: number;
    stop(): Promise<void>;
}

/** The parts of objects that tests look at. */
export interface KubeObject {
    kind: string;
    metadata: { name: string; uid: string; labels: Record<string, string> };
    data: Record<string, string>;
    items: KubeObject[];
    spec: {
        replicas: number;
        template: {
            metadata: { annotations: Record<string, string>; labels: Record<string, string> };
            spec: {
                imagePullSecrets: { name: string }[];
                initContainers: { name: string }[];
                containers: {
                    image: string;
                    env: { name: string; value?: string; valueFrom?: object }[];
                    readinessProbe?: object;
                    volumeMounts: { name: string; mountPath: string }[];
                }[];
            };
        };
        resources: { requests: { storage: string } };
        volumeClaimTemplates: { spec: { resources: { requests: { storage: string } } } }[];
    };
    status: { readyReplicas: number; phase: string; capacity: { storage: string } };
}

/** Starts bed and registry in a new temporary folder. `forwards`: see `startKubernetes`. */
export async function startTestBed(forwards: Record<number, number> = {}): Promise<OwnBed> {
    const { pulumi } = await ensureTools(console.error);
    const tools = await ensureKubernetesTools(console.error, pulumi);
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "kubernetes-bed-"));
    const started = performance.now();
    const bed: KubernetesBed = await startKubernetes({ tools, folder: path.join(folder, "bed"), forwards });
    const { stop: stopRegistry, ...registry } = await orStop(
        bed,
        startChartRegistry(bed.tls, path.join(folder, "charts"), [
            { name: "fluss-bundle", version: "1.0.0-vv-3" },
            { name: "fluss-bundle", version: "1.0.0-vv-4" },
            { name: "fluss", version: "0.9.1-incubating" },
            { name: "fluss", version: "1.0.0" },
            { name: "lakekeeper", version: "0.11.0" },
            { name: "lakekeeper", version: "0.12.0" },
        ]),
    );
    const readySeconds = (performance.now() - started) / 1000;
    const login = path.join(folder, "registry.json");
    writeLogin(login, registry, registry.password);
    const shared: SharedBed = {
        kubeconfig: bed.kubeconfig,
        registry,
        env: {
            SSL_CERT_FILE: bed.tls.cert,
            HELM_REGISTRY_CONFIG: login,
            PULUMI_K8S_HELM_REGISTRY_CONFIG_PATH: login,
        },
        pluginDir: tools.pluginDir,
    };
    return {
        ...openBed(shared),
        shared,
        readySeconds,
        async stop() {
            await stopRegistry();
            await bed.stop();
            fs.rmSync(folder, { recursive: true, force: true });
        },
    };
}

/** What a file of tests does with a bed, also one that another process has started. */
export function openBed({ pluginDir, ...shared }: SharedBed): TestBed {
    const { kubeconfig } = shared;
    // The engine's PATH ends with that of this process.
    process.env["PATH"] = [pluginDir, process.env["PATH"]].join(path.delimiter);
    const ask = async (method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", where: string, body?: object) => {
        const answer = await kubeRequest(kubeconfig, method, where, body);
        // 429: a new kind of object is "(re)initializing".
        if (method === "GET" && [404, 429].includes(answer.status)) return undefined;
        if (answer.status >= 400)
            throw new Error(`${method} ${where}: ${answer.status} ${JSON.stringify(answer.body)}`);
        return answer.body as KubeObject;
    };
    const send = (...request: Parameters<typeof ask>) => ask(...request) as Promise<KubeObject>;
    const until = async (where: string, satisfied: (object: KubeObject) => boolean) => {
        const end = Date.now() + 90_000;
        for (;;) {
            const object = await ask("GET", where);
            if (object && satisfied(object)) return object;
            if (Date.now() > end)
                throw new Error(`${where}: not as expected within 90 s: ${JSON.stringify(object)}`);
            await new Promise((done) => setTimeout(done, 100));
        }
    };
    return {
        ...shared,
        access: { kubeconfig: fs.readFileSync(kubeconfig, "utf8") },
        get: (where) => ask("GET", where),
        send: (method, where, body) => send(method, where, body),
        until,
        makeNamespace: (name) => send("POST", "/api/v1/namespaces", { metadata: { name } }),
        async define(file) {
            const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
            const definition = JSON.parse(fs.readFileSync(path.join(crds, file), "utf8"));
            const { name } = definition.metadata;
            if (!(await ask("GET", `${definitions}/${name}`))) await send("POST", definitions, definition);
            const { group, versions, names } = definition.spec;
            await until(`/apis/${group}/${versions[0].name}/${names.plural}`, () => true);
        },
    };
}

/** Writes the file with which Helm logs in at the registry. */
export function writeLogin(file: string, { host, username }: SharedBed["registry"], password: string): void {
    const auth = Buffer.from(`${username}:${password}`).toString("base64");
    fs.writeFileSync(file, JSON.stringify({ auths: { [host]: { auth } } }), { mode: 0o600 });
}

/**
 * For each port of pods a port of this machine that nobody listens on. They stay free until a file of tests listens there:
 * systems give no port below 32768 to connections or to those who ask for any.
 */
export async function forwardPorts(ports: number[]): Promise<Record<number, number>> {
    const forwards: Record<number, number> = {};
    for (const port of ports) {
        let own = anyPort();
        while (Object.values(forwards).includes(own) || !(await isFree(own))) own = anyPort();
        forwards[port] = own;
    }
    return forwards;
}

function anyPort(): number {
    return randomInt(15_000, 20_000);
}

function isFree(port: number): Promise<boolean> {
    return new Promise((done) => {
        const server = net.createServer();
        server.once("error", () => done(false));
        server.listen(port, "127.0.0.1", () => server.close(() => done(true)));
    });
}

const crds = path.resolve(import.meta.dirname, "../../local/services/kubernetes/crds");

/** What does not start must not leave the processes that did. */
async function orStop<T>(bed: KubernetesBed, start: Promise<T>): Promise<T> {
    try {
        return await start;
    } catch (error) {
        await bed.stop();
        throw error;
    }
}
