import fs from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { policiesPage } from "../../local/policies-page.ts";
import { findings, type PlannedResource, rules, unknown } from "../../policies/index.ts";
import type { Case } from "./cases.ts";
import { jobCases, manifestCases } from "./cases-jobs.ts";
import { accessCases, secretCases, storageCases } from "./cases-security.ts";
import { costAndNameCases, dataCases, serverCases } from "./cases-services.ts";
import { stackCases } from "./cases-stack.ts";
import { broken, found, type Plans, plans, set } from "./plans.ts";

let base: Plans;
beforeAll(async () => {
    base = await plans();
});

const cases: readonly Case[] = [
    ...storageCases,
    ...secretCases,
    ...accessCases,
    ...serverCases,
    ...dataCases,
    ...jobCases,
    ...manifestCases,
    ...stackCases,
    ...costAndNameCases,
];

test.each(["quickstart", "installed", "byHand"] as const)("the plan %s keeps every rule", (name) => {
    expect(base[name].length).toBeGreaterThan(25);
    expect(broken(base[name])).toEqual({});
});

describe("a changed plan breaks one rule alone", () => {
    test.each(cases)("%s, in the plan %s, by %s", (rule, plan, resource, change) => {
        const found = broken(change(base[plan]));
        expect(Object.keys(found)).toEqual([rule]);
        expect(found[rule]).toContain(resource);
    });

    it("also where the plugin runs the resources", () => {
        for (const [rule, plan, , change] of cases) {
            const plugin = change(base[plan]).map((one) => ({
                ...one,
                type: one.type.replace("pulumi-nodejs:dynamic/", "fluss:"),
            }));
            expect(Object.keys(broken(plugin))).toEqual([rule]);
        }
    });

    it("and every rule has such a change", () => {
        expect(new Set(cases.map(([rule]) => rule))).toEqual(new Set(rules.map(({ id }) => id)));
    });

    afterAll(() => {
        const kept = Object.keys(base).length;
        console.log(
            `${rules.length} rules, ${cases.length} changes that break one, ${kept} plans that keep all`,
        );
    });
});

describe("a rule", () => {
    test("has a name of its own, and says all that there is to say", () => {
        expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
        for (const { id, title, why, fix } of rules) {
            expect(id).toMatch(/^[a-z][a-z0-9-]+$/);
            expect(why).toMatch(/\.$/);
            expect(fix).toMatch(/\.$/);
            expect(title).not.toMatch(/\.$/);
        }
    });

    test("never shows a secret", () => {
        for (const [, plan, , change] of [...secretCases, ...accessCases]) {
            const told = rules
                .flatMap((rule) => findings(rule, change(base[plan])))
                .map(({ message }) => message);
            expect(told.join("\n")).not.toMatch(/hush|changeme|AKIA|Bearer|kZ4vQp81/);
        }
    });

    test("no-secret-in-session-cluster takes a reference and what is not known yet for no secret", () => {
        for (const value of ["${secret_values.s3-key}", "${env:S3_KEY}", unknown]) {
            const keys = ["flinkConfiguration", "s3.secret-key"];
            expect(broken(set(base.byHand, "session", keys, value))).toEqual({});
        }
    });

    test.each(rules.filter(({ settings }) => settings).map((rule) => [rule.id, rule] as const))(
        "%s follows its settings",
        (id, rule) => {
            const [, plan, , change] = cases.find(([name]) => name === id)!;
            const broken = change(base[plan]);
            const lax: Record<string, unknown> = {
                minimum: 1,
                minimumSeconds: 1,
                maximum: 1e6,
                maximumGi: 1e6,
                pattern: ".*",
                ports: "1",
            };
            const settings = Object.fromEntries(Object.keys(rule.settings!).map((key) => [key, lax[key]]));
            expect(findings(rule, broken)).not.toEqual([]);
            expect(findings(rule, broken, settings)).toEqual([]);
        },
    );
});

describe("a remedy", () => {
    const remedies = rules.filter(({ remedy }) => remedy);
    test.each(remedies.map((rule) => [rule.id, rule] as const))(
        "of %s sets right what breaks the rule, and leaves the rest alone",
        (id, rule) => {
            const { types, apply } = rule.remedy!;
            for (const [, plan, , change] of cases.filter(([name]) => name === id)) {
                const before = change(base[plan]);
                const after = before.map((one) =>
                    types.includes(one.type) ? { ...one, props: apply(one.props) ?? one.props } : one,
                );
                // A missing resource, and a text that is wrong by itself, stay for people.
                const open = findings(rule, after).length;
                expect(open).toBeLessThanOrEqual(findings(rule, before).length);
                if (!remediable(id, plan, before)) continue;
                expect(findings(rule, after)).toEqual([]);
                expect(broken(after)).toEqual({});
            }
            for (const plan of Object.values(base)) {
                for (const one of plan.filter(({ type }) => types.includes(type))) {
                    expect(apply(one.props) ?? one.props).toEqual(one.props);
                }
            }
        },
    );

    /** Whether the change is one that the remedy is for. */
    function remediable(id: string, plan: string, before: PlannedResource[]): boolean {
        if (id === "bucket-public-access") return before.length === base[plan as keyof Plans].length;
        if (id === "fluss-options-survive") return JSON.stringify(before).includes("1000000000");
        return true;
    }
});

describe("what a preview does not know", () => {
    test("breaks no rule that stops a preview", () => {
        for (const plan of Object.values(base)) {
            const dark = plan.map((one) => ({ ...one, props: unknownInside(one.props) }));
            const told = Object.keys(broken(dark));
            // A bucket of which nothing is known is found by what depends on it, which the mocks do not say.
            const stops = rules.filter(
                ({ level, id }) => level === "mandatory" && id !== "bucket-public-access",
            );
            expect(stops.filter(({ id }) => told.includes(id)).map(({ id }) => id)).toEqual([]);
        }
    });

    test("is no finding, whichever single argument it is, at any depth", () => {
        const told: [name: string, keys: string, rules: string[]][] = [];
        for (const plan of Object.values(base)) {
            for (const { name, props } of plan) {
                for (const keys of paths(props)) {
                    const ids = Object.keys(broken(set(plan, name, keys, unknown)));
                    if (ids.length > 0) told.push([name, keys.join("."), ids]);
                }
            }
        }
        expect(told).toEqual([]);
    });

    test("crashes no rule, at any depth, and neither does any other value", () => {
        const strange = fc.oneof(
            fc.constantFrom<unknown>(unknown, undefined, null, true, 0, Number.NaN, "", "'", "x", [], {}, [
                unknown,
            ]),
            fc.string(),
            fc.array(fc.anything()),
        );
        const broken = cases.map(([, plan, , change]) => change(base[plan]));
        const candidates = [...Object.values(base), ...broken];
        fc.assert(
            fc.property(
                fc.nat(candidates.length - 1),
                fc.array(fc.tuple(fc.nat(), fc.array(fc.nat(), { maxLength: 8 }), strange), {
                    minLength: 1,
                    maxLength: 6,
                }),
                (index, changes) => {
                    const plan = changes.reduce(
                        (all, [which, path, value]) => spoiled(all, which, path, value),
                        candidates[index]!,
                    );
                    for (const rule of rules) findings(rule, plan);
                },
            ),
            { numRuns: 400 },
        );
    });
});

test("the page of the docs is the one that the rules make", () => {
    expect(fs.readFileSync("docs/policies.md", "utf8")).toBe(policiesPage());
});

test("a plan's resources are found by name", () => {
    expect(() => found(base.quickstart, "nobody")).toThrow("there is no nobody");
});

/** The plan with a value somewhere replaced; the path picks keys by their number. */
function spoiled(
    plan: PlannedResource[],
    which: number,
    path: readonly number[],
    value: unknown,
): PlannedResource[] {
    const one = plan[which % plan.length]!;
    const keys: (string | number)[] = [];
    let holder: unknown = one.props;
    for (const step of path) {
        if (typeof holder !== "object" || holder === null) break;
        const names = Array.isArray(holder) ? holder.map((_, index) => index) : Object.keys(holder);
        if (names.length === 0) break;
        const key = names[step % names.length]!;
        keys.push(key);
        holder = (holder as Record<string | number, unknown>)[key];
    }
    return keys.length === 0 ? plan : set(plan, one.name, keys, value);
}

/** Every path in a value, but for the words that say what a Kubernetes object and a bucket is. */
function paths(value: unknown, above: (string | number)[] = []): (string | number)[][] {
    if (typeof value !== "object" || value === null) return [];
    const keys = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value);
    return keys
        .filter((key) => key !== "kind" && key !== "bucket" && key !== "__provider")
        .flatMap((key) => {
            const path = [...above, key];
            return [path, ...paths((value as Record<string | number, unknown>)[key], path)];
        });
}

/** Every argument unknown, but for the words that say what a Kubernetes object is. */
function unknownInside(props: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(
        Object.entries(props).map(([key, value]) => [
            key,
            key === "kind" || key === "chart" ? value : unknown,
        ]),
    );
}
