/** Code that stands in a printed value as it is: `config.requireSecret("password")`. */
export class Code {
    readonly text: string;

    constructor(text: string) {
        this.text = text;
    }
}

/**
 * A value as TypeScript: on one line when it is short and flat. What is undefined is left out.
 * @param depth how deep the line stands that it begins on
 */
export function typescript(value: unknown, depth = 0): string {
    if (value instanceof Code) return value.text;
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const list = Array.isArray(value);
    const parts = list
        ? value.map((item) => typescript(item, depth + 1))
        : Object.entries(value)
              .filter(([, item]) => item !== undefined)
              .map(([key, item]) => member(key, item, depth));
    const [open, close] = list ? ["[", "]"] : ["{", "}"];
    if (parts.length === 0) return `${open}${close}`;
    const blank = list ? "" : " ";
    const line = `${open}${blank}${parts.join(", ")}${blank}${close}`;
    const nested = list && value.some((item) => typeof item === "object");
    if (!nested && !line.includes("\n") && line.length + depth * 4 <= 100) return line;
    const indent = "    ".repeat(depth + 1);
    return `${open}\n${parts.map((part) => `${indent}${part},\n`).join("")}${"    ".repeat(depth)}${close}`;
}

/** The name of a property. Without the brackets `__proto__` would be none, quoted or not. */
export function property(key: string): string {
    if (key === "__proto__") return `["${key}"]`;
    return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}

function member(key: string, value: unknown, depth: number): string {
    const name = property(key);
    // A variable of the same name.
    if (value instanceof Code && value.text === name) return name;
    return `${name}: ${typescript(value, depth + 1)}`;
}
