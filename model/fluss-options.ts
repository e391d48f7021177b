import type { Fault } from "./faults.ts";
import { shownValue } from "./faults.ts";
import options from "./fluss-options.json" with { type: "json" };
import { nearest } from "./nearest.ts";
import { optionValueFault } from "./option-values.ts";

/** Releases of Fluss whose options are known. `1.0` stands for 1.0.0-vv-3, too. */
export type FlussVersion = "0.9" | "1.0";

/** All of them. */
export const flussVersions: readonly FlussVersion[] = ["0.9", "1.0"];

/** The version whose options and rules a release follows: `0.9` for `0.9.1-incubating`, `1.0` for `1.0.0-vv-3`. */
export function flussVersionOf(release: string): FlussVersion {
    return release.startsWith("0.") ? "0.9" : "1.0";
}

/** What is known about an option of Fluss. */
export interface FlussOption {
    /** `int`, `long`, `double`, `boolean`, `string`, `duration`, `memory`, `enum`, `map`, `password`; `x[]` are lists. */
    type: string;
    /** In the option's own notation; absent when there is none or when it depends on the machine. */
    default?: string;
    /** Release that brought it; `0.9` is also said of everything older. */
    since: FlussVersion;
    /** Values of an enum, where they are known. Case does not matter. */
    values?: string[];
    /** Only `table.*`: releases in which ALTER TABLE may change it. */
    alterable?: FlussVersion[];
}

/**
 * Every option that Fluss declares, by key, as of its 1.0 sources. One differs from them: 0.9.1 was observed to take
 * `security.sasl.plain.jaas.config`.
 */
export const flussOptions = options as Readonly<Record<string, FlussOption>>;

/** Keys below these are handed on to a file system, a lake or a provider, which have options of their own. */
const openPrefixes = ["s3.", "s3a.", "fs.", "azure.", "config.providers.", "security.sasl.listener.name."];

/**
 * What is wrong with an option of the server's configuration: a key that does not exist (in this release), or a value
 * of the wrong type. Nothing else would tell: the server ignores keys that it does not know.
 */
export function optionFaults(key: string, value: string, version: FlussVersion, path: string): Fault[] {
    if (isOpenKey(key)) return [];
    const option = flussOptions[key];
    const shown = shownOption(key, value);
    if (!option) {
        const known = nearest(key, Object.keys(flussOptions));
        const reason = `Fluss has no option ${key} and would ignore it`;
        return [{ path, ...shown, reason, fix: known ? `Write ${known}` : "Remove it" }];
    }
    if (key.startsWith("table.")) {
        const reason = `${key} is an option of a table, not of the server`;
        return [{ path, ...shown, reason, fix: "Set it in the table's options" }];
    }
    if (option.since === "1.0" && version === "0.9") {
        const reason = `${key} exists since Fluss 1.0, and this is 0.9`;
        return [{ path, ...shown, reason, fix: "Remove it" }];
    }
    const fault = optionValueFault(option.type, value, option.values);
    return fault ? [{ path, ...shown, reason: `${key} ${fault.reason}`, fix: fault.fix }] : [];
}

/** `{ value }` for a fault, if Fluss declares the option and it is no secret: a misspelt key may be that of one. */
export function shownOption(key: string, value: unknown): { value?: string } {
    return flussOptions[key] ? shownValue(key, value) : {};
}

function isOpenKey(key: string): boolean {
    return (
        openPrefixes.some((prefix) => key.startsWith(prefix)) ||
        /^datalake\.(paimon|iceberg|lance|hudi)\./.test(key)
    );
}
