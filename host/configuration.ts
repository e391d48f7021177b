import * as z from "zod";
import { engineOptions, type Properties } from "./values.ts";

/** The provider's own configuration: a provider resource's arguments, or `fluss:<name>` of the stack. */
export const configurationSchema = z.strictObject({
    /** API token of Ververica Platform. Secret. Default: `VV_API_TOKEN`, else vvctl's file. */
    vvpToken: z.string().min(1).optional(),
    /** Further secret headers of each call of the platform, a JSON object. Secret. */
    vvpHeaders: z.string().optional(),
    /** Form of the platform's answers; see docs/vvp.md. Default: found out. */
    vvpDialect: z.string().optional(),
    /** Paths of the platform's API, a JSON object; see docs/vvp.md. */
    vvpPaths: z.string().optional(),
    /** Token for a Lakekeeper whose connection has none. Secret. `LAKEKEEPER_TOKEN` comes before it. Default: none. */
    lakekeeperToken: z.string().min(1).optional(),
    /** Takes the place of organization, project and stack in the mark of what this stack makes; see docs/vvp.md. */
    owner: z.string().min(1).optional(),
    /**
     * Inputs that an import starts from, since it knows an id alone: a JSON object by module, for example
     * `{"lakekeeper": {"connection": {"url": "…", "token": "…"}}}`. Secret.
     */
    importFrom: z.string().optional(),
});

/** Secret ones of {@link configurationSchema}. */
export const secretSettings = ["vvpToken", "vvpHeaders", "lakekeeperToken", "importFrom"] as const;

/** What the resources ask for, under the names that they know: `pulumi-fluss:vvpToken`. */
export class Configuration {
    readonly #settings: Properties;

    constructor(settings: Properties) {
        this.#settings = settings;
    }

    get(key: string): string | undefined {
        const value = this.#settings[key.replace(/^pulumi-fluss:/, "")];
        return typeof value === "string" && value !== "" ? value : undefined;
    }
}

/** Faults of a configuration. Values are not shown: they may be secrets. */
export function configurationFaults(settings: Properties): { property: string; reason: string }[] {
    const known = Object.fromEntries(Object.entries(settings).filter(([name]) => !engineOptions.has(name)));
    const parsed = configurationSchema.safeParse(known);
    const faults = (parsed.error?.issues ?? []).flatMap((issue) =>
        issue.code === "unrecognized_keys"
            ? issue.keys.map((key) => fault(`${key}: there is no such setting; there are ${names}`))
            : [fault(`${issue.path.join(".")}: ${issue.message}`)],
    );
    const importFrom = settings["importFrom"];
    if (typeof importFrom === "string" && !isJsonObject(importFrom)) {
        faults.push(
            fault('importFrom: must be a JSON object by module, like {"lakekeeper": {"connection": {…}}}'),
        );
    }
    return faults;
}

const names = Object.keys(configurationSchema.shape).join(", ");

/** Without a property name the engine does not print the value. */
function fault(reason: string) {
    return { property: "", reason };
}

function isJsonObject(text: string): boolean {
    try {
        const value: unknown = JSON.parse(text);
        return typeof value === "object" && value !== null && !Array.isArray(value);
    } catch {
        return false;
    }
}
