import {
    type PolicyConfigSchema,
    PolicyPack,
    type PolicyResource,
    type ResourceValidationPolicy,
    type StackValidationPolicy,
} from "@pulumi/policy";
import { refusingConfigurations, remedyId } from "./configuration.ts";
import { dynamicType, findings, type PlannedResource, type Remedy, type Rule } from "./rule.ts";
import { holdsUnknown, unknown } from "./values.ts";

/**
 * Makes the pack that `pulumi preview --policy-pack` runs. To be called in a program of the pack's own, which Pulumi
 * starts. A rule with a remedy has a second policy, `<id>-remedy`, which is off until a configuration sets it to `remediate`.
 * A configuration that names a policy or a setting that does not exist is an error of the preview.
 * @param rules those of this library, more, or fewer
 */
export function lakehousePolicyPack(rules: readonly Rule[], name = "pulumi-fluss"): PolicyPack {
    const policies = rules.flatMap((rule) => [
        policyOf(rule),
        ...(rule.remedy ? [remedyOf(rule, rule.remedy)] : []),
    ]);
    return refusingConfigurations(rules, () => new PolicyPack(name, { policies }));
}

function policyOf(rule: Rule): StackValidationPolicy {
    return {
        name: rule.id,
        description: `${rule.title}. ${rule.why}`,
        enforcementLevel: rule.level,
        remediationSteps: rule.fix,
        tags: [rule.group],
        ...(rule.settings && { configSchema: schemaOf(rule.settings) }),
        validateStack: (args, report) => {
            const settings = rule.settings ? args.getConfig<Record<string, unknown>>() : {};
            for (const { resource, message } of findings(rule, args.resources.map(planned), settings)) {
                report(`${resource.name}: ${message}. ${rule.fix}`, resource.urn);
            }
        },
    };
}

function remedyOf(rule: Rule, { what, types, apply }: Remedy): ResourceValidationPolicy {
    return {
        name: remedyId(rule),
        description: `${rule.title}: ${what}.`,
        enforcementLevel: "disabled",
        remediateResource: ({ type, props }) => {
            if (!types.includes(dynamicType(type))) return undefined;
            const read = known(props) as Record<string, unknown>;
            // What is not known cannot be written back.
            return holdsUnknown(read) ? undefined : apply(read);
        },
    };
}

function schemaOf(settings: NonNullable<Rule["settings"]>): PolicyConfigSchema {
    return {
        properties: Object.fromEntries(
            Object.entries(settings).map(([key, setting]) => [
                key,
                {
                    type: typeof setting.default === "number" ? "number" : "string",
                    default: setting.default,
                    description: setting.what,
                },
            ]),
        ),
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

/** A plain copy with {@link unknown} for what a preview does not know: reading that throws, which would end the whole rule. */
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
        return unknown;
    }
}
