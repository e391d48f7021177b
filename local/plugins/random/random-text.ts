import type { Properties } from "../../../host/values.ts";
import type { ResourceType } from "../resource-type.ts";
import { drawText, ruleFailures, textRules } from "./characters.ts";

const inputs = [
    "keepers",
    "length",
    "lower",
    "minLower",
    "minNumeric",
    "minSpecial",
    "minUpper",
    "number",
    "numeric",
    "overrideSpecial",
    "special",
    "upper",
];

/** Inputs without a default: they are outputs only as they were given. */
const asGiven = ["keepers", "length", "overrideSpecial"];

/** `RandomPassword`: the result is secret and no part of the id. There is no `bcryptHash` here. */
export const randomPassword = randomText("random:index/randomPassword:RandomPassword", {
    secretOutputs: ["result"],
    idOf: () => "none",
});

/** `RandomString`: the result is the id. */
export const randomString = randomText("random:index/randomString:RandomString", {
    secretOutputs: [],
    idOf: (result) => result,
});

function randomText(
    token: string,
    { secretOutputs, idOf }: { secretOutputs: string[]; idOf(result: string): string },
): ResourceType<unknown> {
    return {
        token,
        inputs,
        forceNew: inputs,
        outputs: ["result", ...inputs.filter((name) => !asGiven.includes(name))],
        secretOutputs,
        validate: (given) => ("length" in given ? ruleFailures(textRules(given)) : []),
        async create(_, given) {
            const result = drawText(textRules(given));
            return { id: idOf(result), outputs: { ...effectiveRules(given), result } };
        },
        // Lives in the state alone, so it can neither change nor vanish outside.
        read: async () => ({}),
        delete: async () => {},
    };
}

/** The rules with defaults, as the real package puts them out. */
function effectiveRules(given: Properties): Properties {
    const rules: Properties = {};
    for (const { name, enabled, minimum } of textRules(given).classes) {
        rules[name.toLowerCase()] = enabled;
        rules[`min${name}`] = minimum;
    }
    return { ...rules, number: rules["numeric"] ?? null };
}
