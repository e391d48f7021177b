import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type ContractServer, startContractServer } from "../shared/index.ts";
import { artifactHandlers } from "./artifacts.ts";
import type { Context, EngineVersion, FlussHealth } from "./context.ts";
import { deploymentHandlers } from "./deployments.ts";
import { type ErrorStyle, inDialect, problem } from "./dialect.ts";
import { draftHandlers } from "./drafts.ts";
import { eventHandlers } from "./events.ts";
import type { FlinkBackend } from "./flink-backend.ts";
import { flussConsoleHandlers } from "./fluss-console.ts";
import { jobLogHandlers } from "./job-log.ts";
import { jobKeeper } from "./jobs.ts";
import { savepointHandlers } from "./savepoints.ts";
import { secretValueHandlers } from "./secret-values.ts";
import { sessionClusterHandlers, stopIdle } from "./session-clusters.ts";
import { sqlRunner } from "./sql.ts";
import { Store } from "./state.ts";
import { targetHandlers } from "./targets.ts";
import { authorize, workspaceHandlers } from "./workspace.ts";

export type { EngineVersion, FlussHealth } from "./context.ts";
export type { ErrorStyle } from "./dialect.ts";
export type { FlinkBackend, FlinkJob, JarRun, PythonRun, SqlResult, SqlSession } from "./flink-backend.ts";
export { flussHealthByPort } from "./fluss-console.ts";
export { realFlink } from "./real-flink.ts";
export { type SimulatedFlink, simulatedFlink } from "./simulated-flink.ts";

/** How the simulated VVP is made. */
export interface VvpSimulatorOptions {
    /** Port on 127.0.0.1; 0 takes a free one. */
    port: number;
    /** Folder for state, secrets and uploaded files; without it everything is gone after `close`. */
    stateDir?: string;
    /** Bearer token of the workspace's admin. */
    token: string;
    flink: FlinkBackend;
    /** Kubernetes namespaces that a deployment target may name. */
    kubernetesNamespaces: string[];
    /** Default `defaultworkspace` (quickstart). */
    workspace?: string;
    /** VVP namespaces; default `default` alone. */
    namespaces?: string[];
    /** The first is the default engine; default the quickstart's engine and its jdk17 sibling. */
    engineVersions?: EngineVersion[];
    /** Default `http`. */
    errorStyle?: ErrorStyle;
    /** Reads of a session cluster that still see a state of transition; default 1. */
    transitionReads?: number;
    /** So long a session cluster runs without a job before it is stopped, in seconds; default 1800 (quickstart). */
    idleSeconds?: number;
    /** Life of an upload's URL in seconds; default 300 (Ververica Cloud OpenAPI). */
    signatureSeconds?: number;
    /** Whether the Fluss Console is enabled, which it is not by default (VVP 3 documentation); default false. */
    flussConsole?: boolean;
    /**
     * How the Fluss Console shows a registered cluster, by its bootstrap endpoint; at first, as long as `transitionReads`
     * says, it is UNKNOWN. Default: HEALTHY, without a look; {@link flussHealthByPort} connects.
     */
    flussHealth?: (endpoint: string) => Promise<FlussHealth>;
    /** Called after each request: no query, body or header is in it. */
    onRequest?: (request: {
        method: string;
        path: string;
        operationId: string;
        status: number;
        milliseconds: number;
    }) => void;
    /** Where broken contracts and crashes are told; default standard error. */
    report?: (line: string) => void;
}

/** A running simulated VVP. */
export interface VvpSimulator extends ContractServer {
    /** Stops a session cluster at once as the platform does when it was idle: its desired state stays. */
    stopIdleSessionCluster(namespace: string, name: string): void;
    /** From now on so many reads of a session cluster still see a state of transition, also of those that are in one. */
    setTransitionReads(reads: number): void;
}

/**
 * Starts a simulated VVP 3 in front of a Flink: see the README beside this file for what is simulated and how it differs.
 * Throws when the port is taken or the state cannot be read.
 */
export async function startVvpSimulator(options: VvpSimulatorOptions): Promise<VvpSimulator> {
    const store = new Store(options.stateDir);
    const work = new Set<Promise<void>>();
    let url = "";
    const context: Context = {
        store,
        flink: options.flink,
        workspace: options.workspace ?? "defaultworkspace",
        namespaces: options.namespaces ?? ["default"],
        kubernetesNamespaces: options.kubernetesNamespaces,
        engineVersions: options.engineVersions ?? DEFAULT_ENGINES,
        transitionReads: options.transitionReads ?? 1,
        idleSeconds: options.idleSeconds ?? 1800,
        signatureSeconds: options.signatureSeconds ?? 300,
        flussConsole: options.flussConsole ?? false,
        flussHealth: options.flussHealth ?? (async () => "HEALTHY"),
        url: () => url,
        inBackground: (piece) => {
            work.add(piece);
            void piece.finally(() => work.delete(piece));
        },
    };
    const sql = sqlRunner(context);
    const jobs = jobKeeper(context, sql);
    const handlers = {
        ...workspaceHandlers(context),
        ...targetHandlers(context),
        ...sessionClusterHandlers(context),
        ...secretValueHandlers(context),
        ...artifactHandlers(context),
        ...deploymentHandlers(context, jobs),
        ...jobs.handlers,
        ...jobLogHandlers(context, jobs),
        ...savepointHandlers(context, jobs),
        ...eventHandlers(context),
        ...draftHandlers(context),
        ...flussConsoleHandlers(context),
        ...sql.handlers,
    };
    const server = await startContractServer({
        name: "the simulated VVP",
        port: options.port,
        contracts: [{ file: CONTRACT }],
        handlers: inDialect(handlers, options.errorStyle ?? "http"),
        authorize: (call) => authorize(context, options.token, call),
        problem: (_operationId, status, message, path) => problem(path, status, message),
        ...(options.onRequest ? { onRequest: options.onRequest } : {}),
        ...(options.report ? { report: options.report } : {}),
    }).catch((error: unknown) => {
        store.close();
        throw error;
    });
    url = server.url;
    return {
        ...server,
        stopIdleSessionCluster: (namespace, name) => stopIdle(context, namespace, name),
        setTransitionReads: (reads) => {
            context.transitionReads = reads;
            for (const cluster of store.state.sessionClusters) {
                cluster.readsLeft = Math.min(cluster.readsLeft, reads);
            }
        },
        close: async () => {
            await server.close();
            // What hangs in Flink is not waited for; the next start takes it up.
            await Promise.race([Promise.all(work), sleep(5000, undefined, { ref: false })]);
            await sql.close();
            store.close();
        },
    };
}

const CONTRACT = fileURLToPath(new URL("../../../dynamic-providers/vvp/contract/vvp3.yaml", import.meta.url));

const DEFAULT_ENGINES: EngineVersion[] = [
    { engineVersion: "vera-4.5-jdk11-flink-1.20", status: "STABLE" },
    { engineVersion: "vera-4.5-jdk17-flink-1.20", status: "STABLE" },
];
