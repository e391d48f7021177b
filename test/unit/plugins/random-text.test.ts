import fc from "fast-check";
import { expect, test } from "vitest";
import { drawText, ruleFailures, textRules } from "../../../local/plugins/random/characters.ts";

const inputs = fc.record({
    length: fc.integer({ min: 1, max: 40 }),
    lower: fc.boolean(),
    upper: fc.boolean(),
    numeric: fc.boolean(),
    special: fc.boolean(),
    overrideSpecial: fc.constantFrom("", "_", "#+"),
    minLower: fc.integer({ min: 0, max: 12 }),
    minUpper: fc.integer({ min: 0, max: 12 }),
    minNumeric: fc.integer({ min: 0, max: 12 }),
    minSpecial: fc.integer({ min: 0, max: 12 }),
});

test("every text that the rules allow keeps them", () => {
    fc.assert(
        fc.property(inputs, (given) => {
            const rules = textRules(given);
            fc.pre(ruleFailures(rules).length === 0);
            const text = drawText(rules);
            expect(text).toHaveLength(given.length);
            for (const { characters, enabled, minimum } of rules.classes) {
                const count = [...text].filter((character) => characters.includes(character)).length;
                expect(count).toBeGreaterThanOrEqual(minimum);
                if (!enabled) expect(count).toBe(minimum);
            }
        }),
    );
});

test("no place in the text belongs to a class", () => {
    const rules = textRules({ length: 4, minNumeric: 1, numeric: false, upper: false, special: false });
    const places = new Set(Array.from({ length: 200 }, () => drawText(rules).search(/\d/)));
    expect([...places].sort()).toEqual([0, 1, 2, 3]);
});

test("impossible rules are told, all at once", () => {
    const nothing = { lower: false, upper: false, number: false, special: false };
    const failures = ruleFailures(textRules({ length: 1.5, minUpper: -1, minLower: 4, ...nothing }));
    expect(failures.map(({ property }) => property)).toEqual(["length", "minUpper", "length", "special"]);
});
