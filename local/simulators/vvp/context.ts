import { Refusal } from "../shared/index.ts";
import type { FlinkBackend } from "./flink-backend.ts";
import type { Deployment, Store } from "./state.ts";

/** An engine version that the simulated VVP offers. */
export interface EngineVersion {
    engineVersion: string;
    status: "STABLE" | "NORMAL" | "BETA" | "DEPRECATED" | "EXPIRED";
}

/** What the Fluss Console shows of a cluster. */
export type FlussHealth = "HEALTHY" | "UNHEALTHY" | "UNKNOWN";

/** What every part of the simulated VVP works with. */
export interface Context {
    store: Store;
    flink: FlinkBackend;
    workspace: string;
    namespaces: string[];
    /** Kubernetes namespaces that the platform may deploy to. */
    kubernetesNamespaces: string[];
    /** The first is the default. */
    engineVersions: EngineVersion[];
    /** Reads of a session cluster that still see STARTING, UPDATING or STOPPING. */
    transitionReads: number;
    /** So long a session cluster runs without a job before it is stopped. */
    idleSeconds: number;
    signatureSeconds: number;
    /** Whether the Fluss Console is enabled. */
    flussConsole: boolean;
    /** How a registered cluster is, by its bootstrap endpoint. */
    flussHealth: (endpoint: string) => Promise<FlussHealth>;
    /** Address of the simulator itself; known once it listens. */
    url: () => string;
    /** Takes over work that goes on after the answer, so that `close` can wait for it. */
    inBackground: (work: Promise<void>) => void;
}

/** The deployment of that id; refuses with 404. */
export function findDeployment({ store }: Context, namespace: string, id: string): Deployment {
    const found = store.state.deployments.find((d) => d.namespace === namespace && d.deploymentId === id);
    if (!found) throw new Refusal(404, `deployment ${id} not found in namespace ${namespace}`);
    return found;
}
