import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { kubeRequest } from "../../local/services/kubernetes/api.ts";
import { type KubernetesBed, startKubernetes } from "../../local/services/kubernetes/bed.ts";
import { type ChartRegistry, startChartRegistry } from "../../local/services/kubernetes/registry.ts";
import { ensureTools } from "../../local/toolchain/index.ts";
import { ensureKubernetesTools } from "../../local/toolchain/kubernetes.ts";

/** The bed of a test file, with the registry of charts beside it. */
export interface TestBed {
    kubeconfig: string;
    /** The kubeconfig's text. */
    access: { kubeconfig: string };
    registry: ChartRegistry;
    /** Environment of the engine: the registry's certificate and its login. */
    env: Record<string, string>;
    /** Any object by its path; undefined when there is none. */
    get(path: string): Promise<KubeObject | undefined>;
    send(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: object): Promise<KubeObject>;
    /** Asks until the answer satisfies. */
    until(path: string, satisfied: (object: KubeObject) => boolean): Promise<KubeObject>;
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
export async function startTestBed(forwards: Record<number, number> = {}): Promise<TestBed> {
    const { pulumi } = await ensureTools(console.error);
    const tools = await ensureKubernetesTools(console.error, pulumi);
    // The engine's PATH ends with that of this process.
    process.env["PATH"] = [tools.pluginDir, process.env["PATH"]].join(path.delimiter);
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "kubernetes-bed-"));
    const bed: KubernetesBed = await startKubernetes({ tools, folder: path.join(folder, "bed"), forwards });
    const registry = await orStop(
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
    const login = path.join(folder, "registry.json");
    const auth = Buffer.from(`${registry.username}:${registry.password}`).toString("base64");
    fs.writeFileSync(login, JSON.stringify({ auths: { [registry.host]: { auth } } }), { mode: 0o600 });
    const ask = async (method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", where: string, body?: object) => {
        const answer = await kubeRequest(bed.kubeconfig, method, where, body);
        if (answer.status === 404 && method === "GET") return undefined;
        if (answer.status >= 400)
            throw new Error(`${method} ${where}: ${answer.status} ${JSON.stringify(answer.body)}`);
        return answer.body as KubeObject;
    };
    const change = (...request: Parameters<typeof ask>) => ask(...request) as Promise<KubeObject>;
    return {
        kubeconfig: bed.kubeconfig,
        access: { kubeconfig: fs.readFileSync(bed.kubeconfig, "utf8") },
        registry,
        env: {
            SSL_CERT_FILE: bed.tls.cert,
            HELM_REGISTRY_CONFIG: login,
            PULUMI_K8S_HELM_REGISTRY_CONFIG_PATH: login,
        },
        get: (where) => ask("GET", where),
        send: (method, where, body) => change(method, where, body),
        async until(where, satisfied) {
            const end = Date.now() + 90_000;
            for (;;) {
                const object = await ask("GET", where);
                if (object && satisfied(object)) return object;
                if (Date.now() > end)
                    throw new Error(`${where}: not as expected within 90 s: ${JSON.stringify(object)}`);
                await new Promise((done) => setTimeout(done, 100));
            }
        },
        async stop() {
            await registry.stop();
            await bed.stop();
            fs.rmSync(folder, { recursive: true, force: true });
        },
    };
}

/** What does not start must not leave the processes that did. */
async function orStop<T>(bed: KubernetesBed, start: Promise<T>): Promise<T> {
    try {
        return await start;
    } catch (error) {
        await bed.stop();
        throw error;
    }
}
