import { PolicyPack, type PolicyResource, type StackValidationPolicy } from "@pulumi/policy";
import type { PlannedResource, Rule } from "./rule.ts";

/**
 * Makes the pack that `pulumi preview --policy-pack` runs. To be called in a program of the pack's own, which Pulumi
 * starts.
 * @param rules those of this library, more, or fewer
 */
export function lakehousePolicyPack(rules: readonly Rule[], name = "pulumi-fluss"): PolicyPack {
    return new PolicyPack(name, { policies: rules.map(policyOf) });
}

function policyOf(rule: Rule): StackValidationPolicy {
    return {
        name: rule.id,
        description: `${rule.title}. ${rule.why}`,
        enforcementLevel: rule.level,
        validateStack: ({ resources }, report) => {
            for (const { resource, message } of rule.check(resources.map(planned))) {
                report(`${resource.name}: ${message}. ${rule.fix}`, resource.urn);
            }
        },
    };
}

function planned(resource: PolicyResource): PlannedResource {
    return {
        type: resource.type,
        name: resource.name,
        urn: resource.urn,
        props: known(resource.props) as Record<string, unknown>,
        protect: resource.opts.protect,
        dependencies: [...resource.dependencies, ...Object.values(resource.propertyDependencies).flat()].map(
            ({ urn }) => urn,
        ),
    };
}

/** A plain copy without what a preview does not know: reading that throws, which would end the whole rule. */
function known(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value))
        return Array.from({ length: value.length }, (_, index) => readable(value, index));
    return Object.fromEntries(Object.keys(value).map((key) => [key, readable(value, key)]));
}

function readable(holder: object, key: string | number): unknown {
    try {
        return known((holder as Record<string | number, unknown>)[key]);
    } catch {
        return undefined;
    }
}
