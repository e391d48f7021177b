import * as z from "zod";
import { type Fault, FaultsError, shownValue, strict, throwFaults } from "./faults.ts";
import { environmentName, secretValueName } from "./names.ts";

/**
 * A secret, by the names under which its readers find it. One secret has several readers (the Fluss server, the jobs
 * on VVP), and each has its own notation, so a reference may carry more than one name. At least one is needed.
 */
export const secretRef = strict({
    /**
     * Environment variable of the process that reads it: `${env:NAME}` for Fluss 1.0 servers and tiering jobs, `$(NAME)` for
     * the arguments of a container.
     */
    env: environmentName.optional(),
    /** Secret value of the VVP namespace: `${secret_values.name}`. */
    secretValue: secretValueName.optional(),
    /** The secret itself, for readers without substitution (Fluss 0.9, a plain Flink job). */
    value: z
        .string()
        .min(1, { error: "is empty" })
        // A token or password that was read from a file ends in a line break, and fails where it is used, far from here.
        .refine((text) => text === "" || text.trim() === text, {
            error: "begins or ends with a blank or a line break",
            params: { fix: "Give the secret alone, for example with .trim()" },
        })
        .refine((text) => !/\p{Cc}/u.test(text.trim()), {
            error: "has a line break or another control character, which no option, argument or header takes",
            params: { fix: "Give a secret of one line" },
        })
        .optional(),
}).refine((ref) => ref.env ?? ref.secretValue ?? ref.value !== undefined, {
    error: "names no secret",
    params: { fix: "Give at least one of env, secretValue, value" },
});

/** See {@link secretRef}. */
export type SecretRef = z.output<typeof secretRef>;

/**
 * How a reader takes its secrets: the field of {@link SecretRef} that it needs. Two more notations take the field `env`:
 * `podEnv` is `$(NAME)`, which Kubernetes replaces; `shell` is `${NAME}`, for a file that `envsubst` fills in before the
 * process starts.
 */
export type SecretForm = "env" | "podEnv" | "shell" | "secretValue" | "value";

/** A rendered option before its secrets are written out. `secret` options carry a reference, all others their text. */
export interface Option {
    key: string;
    value: string | SecretRef;
    /** Where the value comes from, for faults: `lake.catalog.auth.token`. */
    path: string;
}

/**
 * The options with their secrets in the given form, in the same order, and a fault for each secret that does not have
 * that form.
 */
export function renderOptions(
    options: readonly Option[],
    form: SecretForm,
): { rendered: [string, string][]; faults: Fault[] } {
    const faults: Fault[] = [];
    if (!Object.hasOwn(readersOf, form)) {
        const fix = `Use one of: ${Object.keys(readersOf).join(", ")}`;
        throw new FaultsError("how secrets are rendered", [
            { path: "form", ...shownValue("form", form), reason: "is no form of a secret", fix },
        ]);
    }
    const rendered = options.map(({ key, value, path }): [string, string] => {
        if (typeof value === "string") return [key, value];
        const text = renderSecret(value, form);
        if (text === undefined) faults.push(missingForm(key, path, form));
        return [key, text ?? ""];
    });
    return { rendered, faults };
}

/** The secret in the given form, or undefined if the reference does not have it. */
export function renderSecret(ref: SecretRef, form: SecretForm): string | undefined {
    if (form === "env") return ref.env && `\${env:${ref.env}}`;
    if (form === "podEnv") return ref.env && `$(${ref.env})`;
    if (form === "shell") return ref.env && `\${${ref.env}}`;
    if (form === "secretValue") return ref.secretValue && `\${secret_values.${ref.secretValue}}`;
    return ref.value;
}

/**
 * The content of the environment that options in the forms `env`, `podEnv` and `shell` refer to: each variable whose value is known.
 * Throws a `FaultsError` if one variable would have two values.
 */
export function environmentOf(options: readonly Option[], subject: string): Record<string, string> {
    const found: Record<string, string> = {};
    const faults: Fault[] = [];
    for (const { value, path } of options) {
        if (typeof value === "string" || value.env === undefined || value.value === undefined) continue;
        const known = found[value.env];
        found[value.env] = known ?? value.value;
        if (known === undefined || known === value.value) continue;
        const reason = `${value.env} has another value elsewhere`;
        faults.push({ path: `${path}.env`, value: value.env, reason, fix: "Give each secret its own name" });
    }
    throwFaults(subject, faults);
    return found;
}

const readersOf: Record<SecretForm, string> = {
    env: "a process that reads its environment",
    podEnv: "the arguments of a container",
    shell: "a file that is filled in from the environment",
    secretValue: "a job on VVP",
    value: "a process that substitutes nothing",
};

function missingForm(key: string, path: string, form: SecretForm): Fault {
    const field = form === "podEnv" || form === "shell" ? "env" : form;
    return {
        path,
        reason: `${key} goes to ${readersOf[form]}, and this secret has no "${field}"`,
        fix: `Add "${field}" to the reference`,
    };
}
