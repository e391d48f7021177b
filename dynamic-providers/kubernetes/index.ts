import { type Hosted, hosted } from "../resource.ts";
import { flussGuard } from "./fluss-guard.ts";
import { jobNamespaceCheck } from "./job-namespace-check.ts";
import { keptSecret } from "./kept-secret.ts";

/** The logic of the Kubernetes resources by the names that users' states hold: never rename or remove one. */
export const kubernetesProviders: Record<string, Hosted> = {
    flussReleaseGuard: hosted(flussGuard),
    keptSecret: hosted(keptSecret),
    jobNamespaceCheck: hosted(jobNamespaceCheck),
};
