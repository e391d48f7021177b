/** The policy pack: what is known to go wrong with a lakehouse, told while it is still a plan. */
import { lakehouseRules } from "./lakehouse.ts";
import type { Rule } from "./rule.ts";
import { securityRules } from "./security.ts";

export { lakehousePolicyPack } from "./pack.ts";
export type { Finding, PlannedResource, Rule } from "./rule.ts";

/** Every rule. */
export const rules: readonly Rule[] = [...securityRules, ...lakehouseRules];
