import { refuseText } from "./answers.ts";

type JsonObject = Record<string, unknown>;

/**
 * Reads a JSON request body the way the real server does: the wrong content type is 415, broken JSON is 400, and
 * a body of the wrong shape is 422, all as plain text (0.13.3 observed). Unknown fields are dropped without a word.
 * @param read takes the fields it needs out of the reader
 * @throws {Refusal} 400, 415 or 422
 */
export function decodeBody<T>(contentType: string | undefined, body: string, read: (fields: Fields) => T): T {
    if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(contentType ?? "")) {
        throw refuseText(415, "Expected request with `Content-Type: application/json`");
    }
    const value = parse(body);
    try {
        return read(Fields.of(value, ""));
    } catch (error) {
        if (!(error instanceof ShapeError)) throw error;
        const lines = body.split("\n");
        const place = `at line ${lines.length} column ${Buffer.byteLength(lines.at(-1) ?? "")}`;
        const path = error.path ? `${error.path}: ` : "";
        throw refuseText(
            422,
            `Failed to deserialize the JSON body into the target type: ${path}${error.reason} ${place}`,
        );
    }
}

/** A value that does not fit the target type. */
class ShapeError extends Error {
    readonly path: string;
    readonly reason: string;

    constructor(path: string, reason: string) {
        super(reason);
        this.path = path;
        this.reason = reason;
    }
}

/** One JSON object whose fields are taken out with their types checked. */
export class Fields {
    readonly #value: JsonObject;
    readonly #path: string;
    /** Inside an object that carries its own type tag the real server names the object only, not the field. */
    readonly #flat: boolean;

    private constructor(value: JsonObject, path: string, flat: boolean) {
        this.#value = value;
        this.#path = path;
        this.#flat = flat;
    }

    static of(value: unknown, path: string, flat = false, expectation = "a map"): Fields {
        if (typeof value !== "object" || value === null || Array.isArray(value)) {
            throw new ShapeError(path, `invalid type: ${describe(value)}, expected ${expectation}`);
        }
        return new Fields(value as JsonObject, path, flat);
    }

    /** Null and absent are one for optional fields. */
    has(name: string): boolean {
        return this.#value[name] !== undefined && this.#value[name] !== null;
    }

    /** True also for null, which fields that are not optional refuse. */
    given(name: string): boolean {
        return this.#value[name] !== undefined;
    }

    string(name: string): string {
        return this.#check(name, this.#required(name), "string", "a string");
    }

    optionalString(name: string): string | null {
        return this.has(name) ? this.string(name) : null;
    }

    /** A field with an older name; both at once are one field given twice. */
    aliased(name: string, alias: string): string {
        if (this.has(name) && this.has(alias)) throw this.fault("", `duplicate field \`${name}\``);
        return this.has(alias) ? this.string(alias) : this.string(name);
    }

    boolean(name: string, absent?: boolean): boolean {
        if (absent !== undefined && this.#value[name] === undefined) return absent;
        return this.#check(name, this.#required(name), "boolean", "a boolean");
    }

    optionalBoolean(name: string): boolean | null {
        return this.has(name) ? this.boolean(name) : null;
    }

    /** An integer; `unsigned` ones are the server's `u64`, others its `i64`. */
    integer(name: string, options: { absent?: number; unsigned?: boolean } = {}): number {
        if (options.absent !== undefined && this.#value[name] === undefined) return options.absent;
        const value: number = this.#check(
            name,
            this.#required(name),
            "number",
            options.unsigned ? "u64" : "i64",
        );
        const fits = Number.isInteger(value) && !(options.unsigned && value < 0);
        if (!fits) {
            const kind = Number.isInteger(value) ? "value: integer" : "type: floating point";
            throw this.fault(
                name,
                `invalid ${kind} \`${value}\`, expected ${options.unsigned ? "u64" : "i64"}`,
            );
        }
        return value;
    }

    /** One of a fixed set of words; a map renames older ones. */
    variant<T extends string>(name: string, words: readonly string[], rename: Record<string, T>): T {
        const word = this.string(name);
        const known = rename[word];
        if (known === undefined) throw this.fault(name, `unknown variant \`${word}\`, ${expected(words)}`);
        return known;
    }

    /** An absolute URL, written back as the server does: lower-case host, no default port, a trailing slash. */
    optionalUrl(name: string): URL | null {
        const text = this.optionalString(name);
        if (text === null) return null;
        if (!URL.canParse(text)) throw this.fault(name, `relative URL without a base: "${text}"`);
        return new URL(text);
    }

    stringMap(name: string): Record<string, string> {
        if (this.#value[name] === undefined) return {};
        const map = Fields.of(this.#value[name], this.#at(name), this.#flat);
        return Object.fromEntries(Object.keys(map.#value).map((key) => [key, map.string(key)]));
    }

    integers(name: string, allowed: readonly number[]): number[] {
        const value = this.#required(name);
        if (!Array.isArray(value))
            throw this.fault(name, `invalid type: ${describe(value)}, expected a sequence`);
        return value.map((item, index) => {
            if (!allowed.includes(item)) {
                throw this.fault(
                    `${name}[${index}]`,
                    `invalid value: ${item}, expected one of: ${allowed.join(", ")}`,
                );
            }
            return item;
        });
    }

    /**
     * An object that carries its type in a field.
     * @param expectation what the server calls the type when something else than an object stands there
     */
    tagged(name: string, words: readonly string[], expectation: string): { tag: string; fields: Fields } {
        const value = this.#required(name);
        if (typeof value !== "object" || value === null || Array.isArray(value)) {
            throw this.fault(name, `invalid type: ${describe(value)}, expected ${expectation}`);
        }
        const fields = Fields.of(value, this.#at(name), true);
        return { tag: fields.tag("type", words, true), fields };
    }

    /** An object in a field. Of its own faults the real server names the outer object only. */
    object(name: string, expectation?: string): Fields {
        return Fields.of(this.#required(name), this.#at(name), true, expectation);
    }

    /** The objects of a list. */
    objects(name: string): Fields[] {
        const value = this.#required(name);
        if (!Array.isArray(value)) {
            throw this.fault(name, `invalid type: ${describe(value)}, expected a sequence`);
        }
        return value.map((item, index) => Fields.of(item, `${this.#at(name)}[${index}]`, true));
    }

    /** A field as it was sent. */
    raw(name: string): unknown {
        return this.#required(name);
    }

    /** The word in a tag field. Only the outermost tag is named in the path of an error. */
    tag(name: string, words: readonly string[], outermost = false): string {
        const word = this.string(name);
        const path = outermost ? `${this.#path}.${name}` : this.#path;
        if (!words.includes(word))
            throw new ShapeError(path, `unknown variant \`${word}\`, ${expected(words)}`);
        return word;
    }

    /** A fault of a field, or of the object itself when the name is empty. */
    fault(name: string, reason: string): Error {
        return new ShapeError(name === "" ? this.#path : this.#at(name), reason);
    }

    #required(name: string): unknown {
        const value = this.#value[name];
        if (value === undefined) throw new ShapeError(this.#path, `missing field \`${name}\``);
        return value;
    }

    #check<T>(name: string, value: unknown, type: "string" | "boolean" | "number", expectation: string): T {
        if (typeof value === type) return value as T;
        throw this.fault(name, `invalid type: ${describe(value)}, expected ${expectation}`);
    }

    #at(name: string): string {
        if (this.#flat) return this.#path;
        return this.#path ? `${this.#path}.${name}` : name;
    }
}

function parse(body: string): unknown {
    try {
        return JSON.parse(body);
    } catch {
        const reason = body.trim() === "" ? "EOF while parsing a value" : "expected value";
        const lines = body.split("\n");
        const place = `at line ${lines.length} column ${Buffer.byteLength(lines.at(-1) ?? "")}`;
        throw refuseText(400, `Failed to parse the request body as JSON: ${reason} ${place}`);
    }
}

function expected(words: readonly string[]): string {
    const quoted = words.map((word) => `\`${word}\``);
    return quoted.length === 2 ? `expected ${quoted.join(" or ")}` : `expected one of ${quoted.join(", ")}`;
}

function describe(value: unknown): string {
    if (value === null) return "null";
    if (Array.isArray(value)) return "sequence";
    if (typeof value === "object") return "map";
    if (typeof value === "string") return `string ${JSON.stringify(value)}`;
    if (typeof value === "boolean") return `boolean \`${value}\``;
    return Number.isInteger(value) ? `integer \`${value}\`` : `floating point \`${value}\``;
}
