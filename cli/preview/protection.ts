import type { PreviewStep } from "./preview.ts";

/** How the engine begins to say that a protected resource would be deleted, alone or to be made anew. */
const beginnings: [RegExp, string][] = [
    [/^(?:Preview failed: )?resource "[^"]*" cannot be deleted\s+because it is protected\b/, "deleted"],
    [
        /^(?:Preview failed: )?unable to replace resource "[^"]*"\s+as it is currently marked for protection\b/,
        "replaced",
    ],
];

/**
 * Why a protected resource stays, for people: the engine names the whole URN, and advises to change the state, which leaves
 * the protection of this library's own resources as it is.
 * @returns undefined when the message says something else
 */
export function protection(message: string, step: PreviewStep | undefined): string | undefined {
    const what = beginnings.find(([pattern]) => pattern.test(message))?.[1];
    if (what === undefined) return undefined;
    const because = what === "replaced" && step ? step.replaceKeys.map((key) => ` (${key})`).join("") : "";
    const lost = what === "replaced" ? `deleted and made anew${because}` : "deleted";
    return (
        `it is protected, and would be ${lost}.\n` +
        "What to do: keep it as it is; or to lose it, leave it in the program as it was, take its protection away " +
        "(deletionProtection: false of the resource or of its component, else Pulumi's option protect), run `pulumi up`, " +
        "and make this change then"
    );
}
