import fs from "node:fs";
import { type KubeAnswer, kubeRequest } from "../../local/services/kubernetes/api.ts";
import type { TestBed } from "./bed.ts";
import { kubeconfigOf } from "./service-account.ts";

/** Makes a Deployment in the namespace `where`, with a token of the ServiceAccount and so with its rights. */
export async function deployAs(
    bed: TestBed,
    { namespace, serviceAccount }: { namespace: string; serviceAccount: string },
    where: string,
): Promise<KubeAnswer> {
    const file = `${bed.kubeconfig}.platform`;
    fs.writeFileSync(file, await kubeconfigOf(bed, namespace, serviceAccount), { mode: 0o600 });
    const labels = { app: "job" };
    return kubeRequest(file, "POST", `/apis/apps/v1/namespaces/${where}/deployments`, {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "job" },
        spec: {
            replicas: 0,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "flink" }] } },
        },
    });
}
