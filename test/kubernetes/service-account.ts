import type { TestBed } from "./bed.ts";

/** One rule of a Role. */
export interface Rule {
    apiGroups: string[];
    resources: string[];
    verbs: string[];
}

/** Makes a ServiceAccount that may do what the rules say in its namespace, and gives a kubeconfig for it. */
export async function accountWith(
    bed: TestBed,
    namespace: string,
    name: string,
    rules: Rule[],
): Promise<{ kubeconfig: string }> {
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
    await bed.send("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name } });
    await bed.send("POST", `${rbac}/roles`, { metadata: { name }, rules });
    await bed.send("POST", `${rbac}/rolebindings`, {
        metadata: { name },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
        subjects: [{ kind: "ServiceAccount", name, namespace }],
    });
    return { kubeconfig: await kubeconfigOf(bed, namespace, name) };
}

/** A kubeconfig with a token of the ServiceAccount, and so with its rights. */
export async function kubeconfigOf(bed: TestBed, namespace: string, name: string): Promise<string> {
    const account = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    const given = await bed.send("POST", account, { spec: { expirationSeconds: 3600 } });
    return withToken(bed, (given.status as unknown as { token: string }).token);
}

/** The bed's kubeconfig with another token. */
export function withToken(bed: TestBed, token: string): string {
    const config = JSON.parse(bed.access.kubeconfig);
    config.users[0].user.token = token;
    return JSON.stringify(config);
}

/** What `access` of a Fluss cluster needs, with the kinds of objects of its chart; as docs/kubernetes.md lists it. */
export const flussRules: Rule[] = [
    { apiGroups: [""], resources: ["secrets"], verbs: ["list", "patch"] },
    {
        apiGroups: ["coordination.k8s.io"],
        resources: ["leases"],
        verbs: ["get", "create", "patch", "delete"],
    },
    { apiGroups: ["apps"], resources: ["statefulsets"], verbs: ["get", "delete"] },
    { apiGroups: [""], resources: ["configmaps", "services"], verbs: ["get"] },
    { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: ["get"] },
    { apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs: ["get"] },
    { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: ["list", "patch"] },
];

/** What `access` of Lakekeeper needs, likewise. */
export const lakekeeperRules: Rule[] = [
    ...flussRules,
    { apiGroups: [""], resources: ["secrets"], verbs: ["get", "create"] },
    { apiGroups: [""], resources: ["pods"], verbs: ["list"] },
    { apiGroups: [""], resources: ["pods/portforward"], verbs: ["get", "create"] },
    { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] },
    { apiGroups: [""], resources: ["serviceaccounts"], verbs: ["get"] },
];
