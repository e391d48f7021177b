/** What a case is: a change of a plan that breaks one rule alone; and how most of them are written. */
import type { PlannedResource } from "../../policies/index.ts";
import { add, copy, type Keys, type Plans, replace, set, valueIn, without } from "./plans.ts";

/** The rule, the plan that is changed, what then breaks the rule, and the change. */
export type Case = readonly [
    rule: string,
    plan: keyof Plans,
    resource: string,
    change: (plan: PlannedResource[]) => PlannedResource[],
];

/** The resource breaks the rule with another value; `undefined` takes the value away. */
export function whenSet(rule: string, plan: keyof Plans, resource: string, keys: Keys, value: unknown): Case {
    return [rule, plan, resource, (all) => set(all, resource, keys, value)];
}

/** The resource breaks the rule with a value that is made from the old one. */
export function whenChanged<Value>(
    rule: string,
    plan: keyof Plans,
    resource: string,
    keys: Keys,
    change: (old: Value) => unknown,
): Case {
    return [
        rule,
        plan,
        resource,
        (all) => set(all, resource, keys, change(valueIn(all, resource, keys) as Value)),
    ];
}

/** The resource breaks the rule with another text in a value. */
export function whenReplaced(
    rule: string,
    plan: keyof Plans,
    resource: string,
    keys: Keys,
    from: string | RegExp,
    to: string,
): Case {
    return [rule, plan, resource, (all) => replace(all, resource, keys, from, to)];
}

/** The resource breaks the rule when another one is gone. */
export function whenGone(rule: string, plan: keyof Plans, resource: string, gone: string): Case {
    return [rule, plan, resource, (all) => without(all, gone)];
}

/** A new resource breaks the rule. */
export function whenAdded(
    rule: string,
    plan: keyof Plans,
    type: string,
    resource: string,
    props: Record<string, unknown>,
): Case {
    return [rule, plan, resource, (all) => add(all, type, resource, props)];
}

/** A copy of a resource, called `second`, breaks the rule. */
export function whenCopied(
    rule: string,
    plan: keyof Plans,
    original: string,
    changes?: readonly (readonly [keys: Keys, value: unknown])[],
): Case {
    return [rule, plan, "second", (all) => copy(all, original, changes)];
}

/** Where the values of the Fluss chart in a bundle are. */
export const values = (...path: Keys) => ["values", "fluss", ...path];

/** Where an option of the Fluss servers is. */
export const option = (key: string) => values("configurationOverrides", key);
