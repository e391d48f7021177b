import { setTimeout as sleep } from "node:timers/promises";
import type { TestBed } from "../kubernetes/bed.ts";

/** A pod as far as a stand-in for it needs to know. */
export interface Pod {
    metadata: { name: string; namespace: string };
    spec: {
        nodeName?: string;
        containers: { env?: EnvironmentVariable[] }[];
    };
}

interface EnvironmentVariable {
    name: string;
    value?: string;
    valueFrom?: { secretKeyRef?: { name: string; key: string } };
}

const node = "bed-0";

/**
 * Takes the place of the scheduler for one namespace: a pod gets its node, and is said to be ready, once what stands in
 * for it on this machine runs. Runs until `stop` is called; what went wrong is told there.
 * @param start starts what stands in for the pod; called for each pod
 */
export async function placePods(
    bed: TestBed,
    namespace: string,
    start: (pod: Pod) => Promise<void>,
): Promise<{ stop(): Promise<void> }> {
    await bed.send("PATCH", `/api/v1/nodes/${node}`, { spec: { unschedulable: true } });
    let stopped = false;
    const run = async () => {
        while (!stopped) {
            const list = await bed.get(`/api/v1/namespaces/${namespace}/pods`);
            const waiting = ((list?.items ?? []) as unknown as Pod[]).filter(({ spec }) => !spec.nodeName);
            for (const pod of waiting) {
                await start(pod);
                await place(bed, pod);
            }
            await sleep(250);
        }
    };
    const running = run();
    // Told by `stop`; until then the run that waits for the pod fails by itself.
    running.catch(() => {});
    return {
        stop() {
            stopped = true;
            return running;
        },
    };
}

async function place(bed: TestBed, { metadata: { name, namespace } }: Pod): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    try {
        await bed.send("POST", `${path}/binding`, {
            apiVersion: "v1",
            kind: "Binding",
            metadata: { name },
            target: { apiVersion: "v1", kind: "Node", name: node },
        });
    } catch (error) {
        // It was removed, or replaced by one of the next revision.
        if (await bed.get(path)) throw error;
    }
}

/** The environment of a pod's first container as its process would see it, with what comes from Secrets. */
export async function environmentOf(bed: TestBed, pod: Pod): Promise<Record<string, string>> {
    const environment: Record<string, string> = {};
    for (const { name, value, valueFrom } of pod.spec.containers[0]?.env ?? []) {
        const from = valueFrom?.secretKeyRef;
        const text = from ? await secretText(bed, pod.metadata.namespace, from.name, from.key) : value;
        if (text !== undefined) environment[name] = text;
    }
    return environment;
}

async function secretText(bed: TestBed, namespace: string, name: string, key: string): Promise<string> {
    const secret = await bed.until(
        `/api/v1/namespaces/${namespace}/secrets/${name}`,
        ({ data }) => data?.[key] !== undefined,
    );
    return Buffer.from(secret.data[key] ?? "", "base64").toString("utf8");
}
