import { isSecretPath } from "./faults.ts";

/** An option that stands in a text, with its value. */
export interface TextOption {
    /** Without dashes and `-D`: `javax.net.ssl.trustStorePassword`. */
    name: string;
    /** As it stands there, quotes included. */
    value: string;
    /** Where the value begins. */
    at: number;
}

/**
 * The options in a text of arguments or of Java options: `--name value`, `--name=value`, `-name value`, `-Dname=value`,
 * `name=value` (also in the query of a URL), and `"--name","value"` of a list in JSON.
 */
export function optionsIn(text: string): TextOption[] {
    return [...text.matchAll(start)].flatMap((match): TextOption[] => {
        const [whole, dashes = "", name = "", separator = ""] = match;
        if (dashes === "" && separator !== "=") return [];
        const at = match.index + whole.length;
        const form = separator === '","' ? inList : inQuery(text, match.index) ? untilNext : word;
        form.lastIndex = at;
        const [value = ""] = form.exec(text) ?? [];
        // Another option: this one is a flag.
        return value === "" || (separator !== "=" && value.startsWith("--")) ? [] : [{ name, value, at }];
    });
}

/** The text with `***` for the values of options whose names are those of secrets; references as `${secret_values.x}` stay. */
export function withoutSecretOptions(text: string): string {
    let clean = "";
    let end = 0;
    for (const { name, value, at } of optionsIn(text)) {
        if (at < end || !isSecretPath(name) || reference.test(value)) continue;
        clean += `${text.slice(end, at)}***`;
        end = at + value.length;
    }
    return clean + text.slice(end);
}

const start = /(?<![\w.-])(-D\s*|--?)?([A-Za-z][\w.-]*)(=|\s+|",")/g;

const word = /\\"(?:[^"\\]|\\[^"])*\\"|"[^"]*"|'[^']*'|\S+/y;
const untilNext = /[^\s&#"']+/y;
const inList = /(?:[^"\\]|\\.)*/y;

const reference = /^["']?\$\{[^}]+\}["']?$/;

function inQuery(text: string, index: number): boolean {
    return /[?&]/.test(text[index - 1] ?? "");
}
