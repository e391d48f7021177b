import { type Fault, throwFaults } from "./faults.ts";
import { textFaults } from "./fluss-config.ts";
import type { Lake } from "./lake.ts";
import { datalakeOptions } from "./lake-options.ts";
import { environmentOf, type Option, type SecretRef } from "./secret-ref.ts";

/** Where the servers' pods find each secret of a lake, by the names of their variables. */
export interface LakeSecrets {
    /** Of the Secret that is made from the lake's own values: variable to content. */
    made: Record<string, string>;
    /** The variable that holds the catalog's token, where the token is in a Secret of the catalog. */
    token?: string;
}

/**
 * Tells the secrets of a lake apart for servers that get them as environment. Throws a `FaultsError` with every secret that is nowhere,
 * has no name for its variable, or the name of one of the remote storage.
 * @param make whether a Secret is made from the lake's values
 * @param taken variables of others
 * @param clear whether the values are written into server.yaml before Fluss reads it, as for Fluss 0.9
 */
export function lakeSecrets(
    lake: Lake,
    { make, taken, clear }: { make: boolean; taken: readonly string[]; clear: boolean },
): LakeSecrets {
    const secrets = datalakeOptions(lake).filter(isSecret);
    const token = tokenOf(lake);
    const faults = secrets.flatMap(({ key, path, value }): Fault[] => {
        const { env } = value;
        if (env !== undefined && taken.includes(env)) {
            const reason = "is the variable of the remote storage's key";
            return [{ path: `${path}.env`, value: env, reason, fix: "Choose another name" }];
        }
        if (make && value.value !== undefined) return clear ? textFaults(key, value.value, path) : [];
        if (value === token) return [];
        const reason = make
            ? `${key} goes to a Secret, and this one has no "value"`
            : `the lake has a secret besides a token, ${key}`;
        return [{ path, reason, fix: make ? 'Give "value"' : "Set lakeCredentials: true" }];
    });
    if (make && !secrets.some(({ value }) => value.value !== undefined)) {
        const reason = "the lake has no secret with a value, of which a Secret could be made";
        faults.push({ path: "lakeCredentials", value: "true", reason, fix: "Remove it" });
    }
    throwFaults("the lake of the Fluss servers", faults);
    return {
        made: make ? environmentOf(secrets, "the lake of the Fluss servers") : {},
        ...(token && !(make && token.value !== undefined) && token.env ? { token: token.env } : {}),
    };
}

type SecretOption = Option & { value: SecretRef };

function isSecret(option: Option): option is SecretOption {
    return typeof option.value !== "string";
}

function tokenOf({ catalog }: Lake): SecretRef | undefined {
    return catalog.type === "rest" && catalog.auth.type === "token" ? catalog.auth.token : undefined;
}
