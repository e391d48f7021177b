/** Plans that keep every rule, and how to change them. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { StreamingLakehouse, type StreamingLakehouseArgs } from "../../components/streaming-lakehouse.ts";
import { findings, type PlannedResource, rules } from "../../policies/index.ts";
import { accounts, trades } from "../../stacks/quickstart-tables.ts";
import { build } from "../unit/components/harness.ts";
import { writeJars } from "../unit/components/jars.ts";
import { handMade } from "./hand-made.ts";

/**
 * `quickstart`: the components on services that exist; `installed`: the components install Fluss and Lakekeeper, with what the
 * quickstart leaves out for trying; `byHand`: plain resources of AWS, Kubernetes and the platform.
 */
export type Plans = Record<"quickstart" | "installed" | "byHand", PlannedResource[]>;

/** Where a value is below a resource's arguments. */
export type Keys = readonly (string | number)[];

const jwt = "eyJhbGciOiJSUzI1.eyJzdWIiOiJmbHV.c2lnbmF0dXJl";

/** Makes all three. */
export async function plans(): Promise<Plans> {
    const access = { kubeconfig: "kubeconfig-text" };
    const place = { namespace: "fluss", access, storageClass: "gp3" };
    return {
        quickstart: await planOf({
            lakekeeper: { url: "http://localhost:8181", token: jwt },
            fluss: {
                existing: {
                    bootstrapServers: "coordinator:9124",
                    clientUsername: "fluss-client",
                    clientPassword: "kZ4vQp81",
                },
            },
        }),
        installed: await planOf({
            lakekeeper: { chart: { ...place, openFga: "internal" } },
            fluss: {
                chart: {
                    ...place,
                    settings: {
                        authorizer: { superUsers: ["fluss"] },
                        disruptionBudget: { tablet: { maxUnavailable: 1 } },
                    },
                },
            },
        }),
        byHand: handMade(),
    };
}

/** Ids of the broken rules, each with the names of what breaks it. */
export function broken(plan: readonly PlannedResource[]): Record<string, string[]> {
    const found = rules.map(
        (rule) => [rule.id, findings(rule, plan).map(({ resource }) => resource.name)] as const,
    );
    return Object.fromEntries(found.filter(([, names]) => names.length > 0));
}

/** The plan with a value of one resource changed; `undefined` takes it away. */
export function set(
    plan: readonly PlannedResource[],
    name: string,
    keys: Keys,
    value: unknown,
): PlannedResource[] {
    found(plan, name);
    return plan.map((one) =>
        one.name === name
            ? { ...one, props: changed(one.props, keys, value) as Record<string, unknown> }
            : one,
    );
}

/** The plan with a text in a value of one resource replaced. */
export function replace(
    plan: readonly PlannedResource[],
    name: string,
    keys: Keys,
    from: string | RegExp,
    to: string,
): PlannedResource[] {
    const old = valueIn(plan, name, keys);
    const text = String(old).replace(from, to);
    if (text === old) throw new Error(`${name}: ${keys.join(".")} has no ${from}`);
    return set(plan, name, keys, text);
}

/** A value of one resource. */
export function valueIn(plan: readonly PlannedResource[], name: string, keys: Keys): unknown {
    return keys.reduce<unknown>(
        (value, key) => (value as Record<string | number, unknown>)[key],
        found(plan, name).props,
    );
}

/** The plan without these resources. */
export function without(plan: readonly PlannedResource[], ...names: string[]): PlannedResource[] {
    for (const name of names) found(plan, name);
    return plan.filter((one) => !names.includes(one.name));
}

/** The plan with one resource more. */
export function add(
    plan: readonly PlannedResource[],
    type: string,
    name: string,
    props: Record<string, unknown>,
): PlannedResource[] {
    return [...plan, { type, name, urn: `urn:${name}`, props, protect: false, dependencies: [] }];
}

/** The plan with a copy of a resource, in which values are changed. */
export function copy(
    plan: readonly PlannedResource[],
    name: string,
    changes: readonly (readonly [keys: Keys, value: unknown])[] = [],
): PlannedResource[] {
    const made = { ...found(plan, name), name: "second", urn: "urn:second" };
    return changes.reduce((all, [keys, value]) => set(all, "second", keys, value), [...plan, made]);
}

/** One resource of the plan. */
export function found(plan: readonly PlannedResource[], name: string): PlannedResource {
    const one = plan.find((resource) => resource.name === name);
    if (!one)
        throw new Error(`there is no ${name} among ${plan.map((resource) => resource.name).join(", ")}`);
    return one;
}

async function planOf(
    services: Pick<StreamingLakehouseArgs, "lakekeeper" | "fluss">,
): Promise<PlannedResource[]> {
    const jars = fs.mkdtempSync(path.join(os.tmpdir(), "policy-jars-"));
    writeJars(jars);
    const { made } = await build(
        false,
        (opts) =>
            new StreamingLakehouse(
                "desk",
                {
                    ...services,
                    buckets: { region: "eu-central-1", remoteBucket: "acme-remote", lakeBucket: "acme-lake" },
                    flussVersion: "1.0.0-vv-3",
                    vvp: {
                        connection: {
                            url: "https://vvp.example.com",
                            workspace: "defaultworkspace",
                            namespace: "default",
                        },
                        jobNamespace: "vvp-jobs",
                    },
                    jars,
                    tables: [accounts, trades],
                },
                opts,
            ),
    );
    fs.rmSync(jars, { recursive: true });
    const plan = [...made.values()].map(({ type, name, inputs, protect, dependsOn }) => ({
        type,
        name,
        urn: `urn:${name}`,
        props: inputs,
        protect: protect ?? false,
        dependencies: dependsOn.map((other) => `urn:${other}`),
    }));
    // As AWS and Kubernetes make them: their form is that of keys.
    const text = JSON.stringify(plan)
        .replaceAll("desk-buckets-user-key-id", "AKIAIOSFODNN7EXAMPLE")
        .replaceAll(/token-of-[\w-]+/g, jwt);
    return JSON.parse(text) as PlannedResource[];
}

function changed(holder: unknown, [key, ...rest]: Keys, value: unknown): unknown {
    if (key === undefined) return value;
    const inner = changed((holder as Record<string | number, unknown> | undefined)?.[key], rest, value);
    if (Array.isArray(holder)) return holder.map((one, index) => (index === key ? inner : one));
    const copied: Record<string | number, unknown> = { ...(holder as object), [key]: inner };
    if (inner === undefined) delete copied[key];
    return copied;
}
