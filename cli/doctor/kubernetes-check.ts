import {
    type Cluster,
    kubernetesError,
    openCluster,
    orUndefined,
} from "../../dynamic-providers/kubernetes/cluster.ts";
import type { Check } from "./report.ts";
import { type Config, failed } from "./service-checks.ts";

type Right = [group: string, resource: string, ...verbs: string[]];

/** What Helm and the components do in the namespace, see docs/kubernetes.md, "Rights of the kubeconfig's user". */
const forBoth: Right[] = [
    ["", "secrets", "get", "list", "create", "patch"],
    ["", "services", "create"],
    ["", "configmaps", "get", "create"],
    ["apps", "statefulsets", "get", "create", "delete"],
    ["", "persistentvolumeclaims", "list", "patch"],
    ["coordination.k8s.io", "leases", "get", "create", "patch", "delete"],
];
const forLakekeeper: Right[] = [
    ["", "serviceaccounts", "create"],
    ["apps", "deployments", "get", "create"],
    ["batch", "jobs", "create"],
    ["rbac.authorization.k8s.io", "roles", "create"],
    ["", "pods/portforward", "create"],
];

/** Looks whether the servers that the stack installs by Helm can be installed: the API answers, the namespace exists, the rights are there. */
export async function checkKubernetes(config: Config): Promise<Check[]> {
    const area = "kubernetes";
    const installs = [config.lakekeeperSource, config.flussSource].includes("chart");
    if (!installs) return [];
    const { kubernetesNamespace: namespace = "fluss", kubeconfig, kubernetesContext: context } = config;
    try {
        const cluster = await openCluster({ kubeconfig, context });
        const found = await orUndefined(
            `read namespace ${namespace}`,
            cluster.core.readNamespace({ name: namespace }),
        );
        if (!found) {
            return [
                {
                    area,
                    status: "fault",
                    text: `there is no namespace ${namespace} (kubernetesNamespace)`,
                    fix: `make it: kubectl create namespace ${namespace}`,
                },
            ];
        }
        const missing = await missingRights(cluster, namespace, config);
        return [
            missing.length === 0
                ? {
                      area,
                      status: "ok",
                      text: `namespace ${namespace} is there, and the kubeconfig's user may install`,
                  }
                : {
                      area,
                      status: "fault",
                      text: `the kubeconfig's user may not, in namespace ${namespace}: ${missing.join("; ")}`,
                      fix: "give these rights, see docs/kubernetes.md",
                  },
        ];
    } catch (error) {
        return [failed(area, error)];
    }
}

async function missingRights(
    { authorization }: Cluster,
    namespace: string,
    config: Config,
): Promise<string[]> {
    const wanted = [...forBoth, ...(config.lakekeeperSource === "chart" ? forLakekeeper : [])];
    const asked = wanted.flatMap(([group, name, ...verbs]) => verbs.map((verb) => ({ group, name, verb })));
    const allowed = await Promise.all(
        asked.map(async ({ group, name, verb }) => {
            const [resource, subresource] = name.split("/");
            const spec = { resourceAttributes: { namespace, group, resource, subresource, verb } };
            const body = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec };
            try {
                const { status } = await authorization.createSelfSubjectAccessReview({ body });
                return status?.allowed === true;
            } catch (error) {
                throw kubernetesError(
                    `ask what the kubeconfig's user may do in namespace ${namespace}`,
                    error,
                );
            }
        }),
    );
    return wanted.flatMap(([group, name]) => {
        const verbs = asked
            .filter((one, index) => one.name === name && one.group === group && !allowed[index])
            .map(({ verb }) => verb);
        return verbs.length > 0 ? [`${verbs.join(", ")} ${name}`] : [];
    });
}
