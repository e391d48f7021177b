/** One rule of a Kubernetes Role. */
export interface AccessRule {
    /** API groups; the empty text is the core group. */
    apiGroups: string[];
    resources: string[];
    verbs: string[];
}

const all = ["create", "delete", "get", "list", "patch", "update", "watch"];

/**
 * What the platform must be allowed to do in a job namespace. That it manages Deployments and ConfigMaps with these verbs,
 * and makes Jobs and Services, is documented for Ververica Platform 2; Pods, their logs and Secrets are a guess. VVP 3's
 * own list is in its chart, which grants it for each of `global.rbac.additionalNamespaces`: prefer that where you can.
 */
export const platformRules: readonly AccessRule[] = [
    { apiGroups: ["apps"], resources: ["deployments"], verbs: all },
    { apiGroups: ["batch"], resources: ["jobs"], verbs: all },
    { apiGroups: [""], resources: ["configmaps", "pods", "secrets", "services"], verbs: all },
    { apiGroups: [""], resources: ["pods/log"], verbs: ["get"] },
];
