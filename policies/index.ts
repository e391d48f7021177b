/**
 * The policy pack: what is known to go wrong with a lakehouse, told while it is still a plan.
 *
 * @module pulumi-fluss/policies
 */
import type { Rule } from "./rule.ts";
import { accessRules } from "./rules/access.ts";
import { costAndNameRules } from "./rules/cost-and-names.ts";
import { dataRules } from "./rules/data.ts";
import { jarRules } from "./rules/jars.ts";
import { jobRules } from "./rules/jobs.ts";
import { manifestRules } from "./rules/manifests.ts";
import { secretRules } from "./rules/secrets.ts";
import { serverRules } from "./rules/servers.ts";
import { stackRules } from "./rules/stack.ts";
import { storageRules } from "./rules/storage.ts";

export { lakehousePolicyPack } from "./pack.ts";
export {
    type Finding,
    findings,
    type PlannedResource,
    type Remedy,
    type Rule,
    type Setting,
    type Settings,
} from "./rule.ts";
export { unknown } from "./values.ts";

/** Every rule. */
export const rules: readonly Rule[] = [
    ...storageRules,
    ...secretRules,
    ...accessRules,
    ...serverRules,
    ...dataRules,
    ...jarRules,
    ...jobRules,
    ...manifestRules,
    ...stackRules,
    ...costAndNameRules,
];
