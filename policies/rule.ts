import { at } from "./values.ts";

/** A resource as a plan shows it: of these components, or made by hand. */
export interface PlannedResource {
    /** Pulumi's type: `aws:s3/bucket:Bucket`, `pulumi-nodejs:dynamic/vvp:Deployment`. */
    type: string;
    name: string;
    urn: string;
    /** Its arguments; what a preview does not know yet is {@link unknown}. */
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

/** A number or text of a rule that the pack's configuration may change. */
export interface Setting {
    default: number | string;
    /** What it means, with its unit. */
    what: string;
    /**
     * Why a value of the right type cannot be meant, beginning with a verb; undefined when it can. A pattern that is none would
     * switch its rule off without a word. Default: a number that is negative.
     */
    fault?(value: string): string | undefined;
}

/** The settings of a rule, filled in. */
export type Settings = Readonly<Record<string, unknown>>;

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
    group: "security" | "reliability" | "platform" | "stack" | "cost" | "naming";
    /** What its configuration may change. Default: nothing. */
    settings?: Readonly<Record<string, Setting>>;
    /** Every breach in the plan. Arguments may be unknown, missing or of any form: that is no breach and no error. */
    check(plan: readonly PlannedResource[], settings: Settings): Finding[];
    /** For what can be set right without harm. */
    remedy?: Remedy;
}

/** How the pack sets a breach right by itself, when its configuration asks for it. */
export interface Remedy {
    /** What it does, in one line. */
    what: string;
    types: readonly string[];
    /** The arguments with the change; undefined when there is nothing to change. */
    apply(props: Record<string, unknown>): Record<string, unknown> | undefined;
}

/** The settings of a rule as they are without a configuration. */
export function defaultSettings({ settings = {} }: Rule): Settings {
    return Object.fromEntries(Object.entries(settings).map(([key, setting]) => [key, setting.default]));
}

/** Every breach in the plan, with the settings that a configuration gives, or the defaults. */
export function findings(rule: Rule, plan: readonly PlannedResource[], settings: Settings = {}): Finding[] {
    const same = plan.map((resource) => ({ ...resource, type: dynamicType(resource.type) }));
    return rule.check(same, { ...defaultSettings(rule), ...settings });
}

/**
 * The type by which rules know a resource of this library. The dynamic provider has it; where the plugin runs the resources,
 * a resource of type `fluss:vvp:Deployment` is the same.
 */
export function dynamicType(type: string): string {
    return type.replace(/^fluss:(?!index:)(\w+:\w+)$/, "pulumi-nodejs:dynamic/$1");
}

/** A check of each thing that `find` finds in the plan, on its own. `judge` tells what is wrong with one. */
export function each<T extends { resource: PlannedResource }>(
    find: (plan: readonly PlannedResource[]) => T[],
    judge: (one: T, settings: Settings) => string | readonly string[] | undefined,
): Rule["check"] {
    return (plan, settings) =>
        find(plan).flatMap((one) =>
            [judge(one, settings) ?? []].flat().map((message) => ({ resource: one.resource, message })),
        );
}

/** A check that finds what any of several finds. */
export function anyOf(...checks: Rule["check"][]): Rule["check"] {
    return (plan, settings) => checks.flatMap((check) => check(plan, settings));
}

/**
 * A check of things of which there may be one for each key; without a key there may be many. `judge` tells what is wrong with a
 * further one.
 */
export function onePerKey<T extends { resource: PlannedResource }>(
    find: (plan: readonly PlannedResource[]) => T[],
    keyOf: (one: T) => string | undefined,
    judge: (one: T, first: T) => string | undefined,
): Rule["check"] {
    return (plan) => {
        const firsts = new Map<string, T>();
        return find(plan).flatMap((one) => {
            const key = keyOf(one);
            if (key === undefined) return [];
            const first = firsts.get(key);
            if (!first) firsts.set(key, one);
            const message = first && judge(one, first);
            return message === undefined ? [] : [{ resource: one.resource, message }];
        });
    };
}

/** For {@link each}: the resources of one type, or of any of several. */
export function all(...types: string[]) {
    return (plan: readonly PlannedResource[]) =>
        ofType(plan, ...types).map((resource) => ({ resource, props: resource.props }));
}

/** For {@link each}: every resource. */
export function everything(plan: readonly PlannedResource[]): { resource: PlannedResource }[] {
    return plan.map((resource) => ({ resource }));
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

/** The value at a path; undefined when it is missing, {@link unknown} when a preview does not know it. */
export function valueAt(resource: PlannedResource, path: string): unknown {
    return at(resource.props, ...path.split("."));
}

/** Types of the resources of this library that rules look at. */
export const types = {
    artifact: "pulumi-nodejs:dynamic/vvp:Artifact",
    catalog: "pulumi-nodejs:dynamic/fluss:Catalog",
    database: "pulumi-nodejs:dynamic/fluss:Database",
    deployment: "pulumi-nodejs:dynamic/vvp:Deployment",
    draft: "pulumi-nodejs:dynamic/vvp:Draft",
    jarJob: "pulumi-nodejs:dynamic/flink:JarJob",
    project: "pulumi-nodejs:dynamic/lakekeeper:Project",
    secretValue: "pulumi-nodejs:dynamic/vvp:SecretValue",
    sessionCluster: "pulumi-nodejs:dynamic/vvp:SessionCluster",
    sqlJob: "pulumi-nodejs:dynamic/flink:SqlJob",
    sqlScript: "pulumi-nodejs:dynamic/vvp:SqlScript",
    table: "pulumi-nodejs:dynamic/fluss:Table",
    target: "pulumi-nodejs:dynamic/vvp:DeploymentTarget",
    token: "pulumi-nodejs:dynamic/vvp:ApiToken",
    warehouse: "pulumi-nodejs:dynamic/lakekeeper:Warehouse",
} as const;
