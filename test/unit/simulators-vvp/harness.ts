import { afterEach, expect } from "vitest";
import {
    type SimulatedFlink,
    simulatedFlink,
    startVvpSimulator,
    type VvpSimulator,
    type VvpSimulatorOptions,
} from "../../../local/simulators/vvp/index.ts";

export const TOKEN = "token-of-the-admin";
export const ENGINE = "vera-4.5-jdk11-flink-1.20";
export const TARGETS = "/api/v1/namespaces/default/deployment-targets";
export const CLUSTERS = "/api/v1/namespaces/default/sessionclusters";
export const SECRETS = "/api/v1/namespaces/default/secret-values";
export const DEPLOYMENTS = "/api/v2/namespaces/default/deployments";
export const JOBS = "/api/v2/namespaces/default/jobs";
export const ARTIFACTS = "/artifacts/v1/namespaces/default/artifacts";
export const EXECUTE = "/sql/v1beta1/namespaces/default/sqlscripts:execute";

/** A JSON answer; tests look into `body` by path. */
export interface Reply {
    status: number;
    // biome-ignore lint/suspicious/noExplicitAny: many shapes, each judged by the contract and by expect
    body: any;
    text: string;
}

/** A simulator with a Flink in memory and a client for it. */
export interface Bench {
    simulator: VvpSimulator;
    flink: SimulatedFlink;
    call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
    /** Uploads bytes as an artifact and gives its URI. */
    upload(filename: string, content?: string): Promise<string>;
    /** A deployment target, a JAR and a deployment of it; gives the deployment's id. */
    deploy(changes?: Record<string, unknown>): Promise<string>;
    /** Starts a job and gives its id. */
    start(deploymentId: string): Promise<string>;
    /** Reads a job until it is in this status. */
    until(jobId: string, status: string): Promise<Reply>;
    execute(statement: string, more?: Record<string, unknown>): Promise<Reply>;
}

const running: VvpSimulator[] = [];

/** Closes every simulator of a test, and fails the test whose simulator broke its own contract. */
export function closeAfterEach(): void {
    afterEach(async () => {
        const broken = running.flatMap((simulator) => simulator.violations);
        await Promise.all(running.splice(0).map((simulator) => simulator.close()));
        expect(broken).toEqual([]);
    });
}

export async function bench(
    options: Partial<VvpSimulatorOptions> = {},
    flink = simulatedFlink(),
): Promise<Bench> {
    const simulator = await startVvpSimulator({
        port: 0,
        token: TOKEN,
        flink,
        kubernetesNamespaces: ["fluss-quickstart"],
        ...options,
    });
    running.push(simulator);
    return client(simulator, flink);
}

function client(simulator: VvpSimulator, flink: SimulatedFlink): Bench {
    const call: Bench["call"] = async (method, path, body, headers = {}) => {
        const response = await fetch(simulator.url + path, {
            method,
            headers: {
                authorization: `Bearer ${TOKEN}`,
                workspace: "defaultworkspace",
                ...(body === undefined ? {} : { "content-type": "application/json" }),
                ...headers,
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const text = await response.text();
        return { status: response.status, body: text === "" ? undefined : JSON.parse(text), text };
    };
    const upload: Bench["upload"] = async (filename, content = "bytes") => {
        const signature = await call("GET", `${ARTIFACTS}:signature?fileName=${filename}&fileType=ARTIFACT`);
        const { presignedUrlForPut, artifactPath } = signature.body.data;
        const put = await fetch(presignedUrlForPut, { method: "PUT", body: content });
        expect(put.status).toBe(200);
        return artifactPath as string;
    };
    return {
        simulator,
        flink,
        call,
        upload,
        deploy: async (changes = {}) => {
            const target = {
                metadata: { name: "target" },
                spec: { kubernetes: { namespace: "fluss-quickstart" } },
            };
            const made = await call("POST", TARGETS, target);
            expect([201, 409]).toContain(made.status);
            const jarUri = await upload("job.jar");
            const deployment = await call("POST", DEPLOYMENTS, { ...jarDeployment(jarUri), ...changes });
            expect(deployment.status, deployment.text).toBe(201);
            return deployment.body.data.deploymentId as string;
        },
        start: async (deploymentId) => {
            const job = await call("POST", `${JOBS}:start`, {
                deploymentId,
                restoreStrategy: { kind: "NONE" },
            });
            expect(job.status, job.text).toBe(201);
            expect(job.body.data.status.currentJobStatus).toBe("STARTING");
            return job.body.data.jobId as string;
        },
        until: async (jobId, status) => {
            let reply = await call("GET", `${JOBS}/${jobId}`);
            for (let n = 0; n < 50 && reply.body.data.status.currentJobStatus !== status; n++) {
                await new Promise((resolve) => setTimeout(resolve, 10));
                reply = await call("GET", `${JOBS}/${jobId}`);
            }
            expect(reply.body.data.status.currentJobStatus, reply.text).toBe(status);
            return reply;
        },
        execute: (statement, more = {}) => call("POST", EXECUTE, { statement, ...more }),
    };
}

export function jarDeployment(jarUri: string): Record<string, unknown> {
    return {
        name: "fluss-quickstart-tiering",
        engineVersion: ENGINE,
        executionMode: "STREAMING",
        deploymentTarget: { mode: "PER_JOB", name: "target" },
        artifact: { kind: "JAR", jarArtifact: { jarUri } },
    };
}

export function sqlArtifact(
    sqlScript: string,
    additionalDependencies: string[] = [],
): Record<string, unknown> {
    return { kind: "SQLSCRIPT", sqlArtifact: { sqlScript, additionalDependencies } };
}
