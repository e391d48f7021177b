import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import * as z from "zod";

/** What vvctl knows of a platform under one context of its configuration. */
export interface VvctlContext {
    name: string;
    /** Base URL of the platform. */
    url: string;
    namespace?: string;
    workspace?: string;
    token?: string;
}

const text = z.string().nullish();
const schema = z.object({
    "current-context": text,
    contexts: z
        .array(z.object({ name: z.string(), context: z.object({ user: text, server: text }) }))
        .nullish(),
    users: z
        .array(
            z.object({
                name: z.string(),
                user: z.object({ token: text, namespace: text, workspace: text }),
            }),
        )
        .nullish(),
    servers: z.array(z.object({ name: z.string(), server: z.object({ host: text }) })).nullish(),
});

/**
 * The contexts of vvctl's configuration, the current one first: `VV_CONFIG`, else `~/.config/vvctl/config.yml` (vvctl
 * documentation). None when there is no such file.
 * @throws when the file cannot be read or is of another form; what it holds is never shown
 */
export function vvctlContexts(): VvctlContext[] {
    const file = process.env["VV_CONFIG"] || path.join(os.homedir(), ".config/vvctl/config.yml");
    const content = read(file);
    if (content === undefined) return [];
    const { contexts, users, servers, "current-context": current } = parsed(file, content);
    const known = (contexts ?? []).flatMap(({ name, context }): VvctlContext[] => {
        const url = servers?.find((server) => server.name === context.server)?.server.host;
        const user = users?.find((candidate) => candidate.name === context.user)?.user;
        if (!url) return [];
        const { token, namespace, workspace } = user ?? {};
        return [
            {
                name,
                url,
                token: token || undefined,
                namespace: namespace || undefined,
                workspace: workspace || undefined,
            },
        ];
    });
    return known.sort((a, b) => Number(b.name === current) - Number(a.name === current));
}

/** The current context; undefined when vvctl is not configured, or names none. */
export function currentVvctlContext(): VvctlContext | undefined {
    return vvctlContexts()[0];
}

function read(file: string): string | undefined {
    try {
        return fs.readFileSync(file, "utf8");
    } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === "ENOENT" || code === "ENOTDIR") return undefined;
        throw new Error(`VVP: vvctl's configuration ${file} cannot be read (${code})`);
    }
}

function parsed(file: string, content: string): z.output<typeof schema> {
    const fault = (what: string) =>
        new Error(
            `VVP: vvctl's configuration ${file} ${what}.\n` +
                "What to do: repair it, or point VV_CONFIG to another file, which need not exist",
        );
    let document: unknown;
    try {
        // Few have such a file, and the parser takes its time to load.
        const { parse } = createRequire(import.meta.url)("yaml") as typeof import("yaml");
        document = parse(content);
    } catch {
        // The parser's message would show lines of the file.
        throw fault("is not YAML");
    }
    const result = schema.safeParse(document ?? {});
    if (result.success) return result.data;
    throw fault(`is of another form at ${result.error.issues.map(({ path }) => path.join(".")).join(", ")}`);
}
