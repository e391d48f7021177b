/** A resource as a plan shows it: of these components, or made by hand. */
export interface PlannedResource {
    /** Pulumi's type: `aws:s3/bucket:Bucket`, `pulumi-nodejs:dynamic/vvp:Deployment`. */
    type: string;
    name: string;
    urn: string;
    /** Its arguments; what a preview does not know yet is left out. */
    props: Record<string, unknown>;
    /** Whether Pulumi refuses to delete it. */
    protect: boolean;
    /** URNs of the resources that its arguments come from. */
    dependencies: readonly string[];
}

/** One breach of a rule. */
export interface Finding {
    resource: PlannedResource;
    /** What is wrong with it, without a secret. */
    message: string;
}

/** What is known to go wrong, told while it is still a plan. */
export interface Rule {
    /** Kebab-case, unique, stable: configurations of a pack name it. */
    id: string;
    /** What holds when the rule is kept, in one line. */
    title: string;
    /** Why, with the source of the fact. */
    why: string;
    /** What to do about a finding. */
    fix: string;
    /** `mandatory` stops a preview and an update; `advisory` is shown. Both can be changed by the pack's configuration. */
    level: "mandatory" | "advisory";
    group: "security" | "reliability" | "platform" | "cost";
    /** Every breach in the plan. Must take arguments that are missing because a preview does not know them. */
    check(plan: readonly PlannedResource[]): Finding[];
}

/** Resources of one type, or of any of several. */
export function ofType(plan: readonly PlannedResource[], ...types: string[]): PlannedResource[] {
    return plan.filter(({ type }) => types.includes(type));
}

/** A text at a path such as `storage.keyPrefix`; undefined when it is missing, unknown or no text. */
export function textAt(resource: PlannedResource, path: string): string | undefined {
    const value = valueAt(resource, path);
    return typeof value === "string" ? value : undefined;
}

/** The value at a path; undefined when it is missing or unknown. */
export function valueAt(resource: PlannedResource, path: string): unknown {
    return path.split(".").reduce<unknown>((value, key) => {
        return typeof value === "object" && value !== null
            ? (value as Record<string, unknown>)[key]
            : undefined;
    }, resource.props);
}
