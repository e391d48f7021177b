import { randomInt } from "node:crypto";
import type { Properties } from "../../../host/values.ts";
import type { Failure } from "../resource-type.ts";

/** What a random text is made of, with the defaults of the Pulumi Random package filled in. */
export interface TextRules {
    length: number;
    classes: { name: string; characters: string; enabled: boolean; minimum: number }[];
}

const lower = "abcdefghijklmnopqrstuvwxyz";

/** Reads the inputs of RandomPassword and RandomString. `number` is the older name of `numeric`. */
export function textRules(inputs: Properties): TextRules {
    const isEnabled = (name: string) => inputs[name] !== false;
    const minimum = (name: string) => Number(inputs[name] ?? 0);
    const numeric = (inputs["numeric"] ?? null) === null ? isEnabled("number") : isEnabled("numeric");
    // An empty text means the default, as in the real package.
    const special = String(inputs["overrideSpecial"] || "!@#$%&*()-_=+[]{}<>:?");
    return {
        length: Number(inputs["length"]),
        classes: [
            { name: "Lower", characters: lower, enabled: isEnabled("lower"), minimum: minimum("minLower") },
            {
                name: "Upper",
                characters: lower.toUpperCase(),
                enabled: isEnabled("upper"),
                minimum: minimum("minUpper"),
            },
            { name: "Numeric", characters: "0123456789", enabled: numeric, minimum: minimum("minNumeric") },
            {
                name: "Special",
                characters: special,
                enabled: isEnabled("special"),
                minimum: minimum("minSpecial"),
            },
        ],
    };
}

/** Says what makes the rules impossible. */
export function ruleFailures({ length, classes }: TextRules): Failure[] {
    const failures: Failure[] = [];
    if (!Number.isInteger(length) || length < 1) {
        failures.push({ property: "length", reason: "must be a whole number of at least 1" });
    }
    for (const { name, minimum } of classes) {
        if (!Number.isInteger(minimum) || minimum < 0) {
            failures.push({ property: `min${name}`, reason: "must be a whole number of at least 0" });
        }
    }
    const minimums = classes.reduce((sum, { minimum }) => sum + minimum, 0);
    if (minimums > length) {
        const reason = `is ${length}, less than the minimums of all classes together (${minimums})`;
        failures.push({ property: "length", reason });
    }
    if (!classes.some(({ enabled }) => enabled)) {
        failures.push({
            property: "special",
            reason: "must be true when lower, upper and numeric are false",
        });
    }
    return failures;
}

/** Draws a text from a secure source: the minimum of each class, the rest from all enabled ones, in random order. */
export function drawText({ length, classes }: TextRules): string {
    const demanded = classes.flatMap(({ characters, minimum }) => draw(characters, minimum));
    const all = classes.map(({ characters, enabled }) => (enabled ? characters : "")).join("");
    return shuffled([...demanded, ...draw(all, length - demanded.length)]).join("");
}

function draw(characters: string, count: number): string[] {
    return Array.from({ length: count }, () => characters.charAt(randomInt(characters.length)));
}

/** Fisher-Yates with a secure source. */
function shuffled(characters: string[]): string[] {
    const result: string[] = [];
    for (const character of characters) {
        const place = randomInt(result.length + 1);
        result.push(result[place] ?? character);
        result[place] = character;
    }
    return result;
}
