import { type Hosted, hosted } from "../resource.ts";
import { flussGuard } from "./fluss-guard.ts";
import { jobNamespaceCheck } from "./job-namespace-check.ts";
import { keptSecret } from "./kept-secret.ts";
import { lakekeeperGuard } from "./lakekeeper-guard.ts";
import { releaseRecord } from "./release-record.ts";
import { tieringCheck } from "./tiering-check.ts";

/** The logic of the Kubernetes resources by the names that users' states hold: never rename or remove one. */
export const kubernetesProviders: Record<string, Hosted> = {
    flussReleaseGuard: hosted(flussGuard),
    flussTieringCheck: hosted(tieringCheck),
    keptSecret: hosted(keptSecret),
    jobNamespaceCheck: hosted(jobNamespaceCheck),
    lakekeeperReleaseGuard: hosted(lakekeeperGuard),
    releaseRecord: hosted(releaseRecord),
};
