import * as z from "zod";
import { isServiceUrl } from "../../model/url.ts";
import type { Change, Context, Effect } from "../resource.ts";
import { currentVvctlContext, vvctlContexts } from "./vvctl-config.ts";

/** What stands as one step in paths and alone in a header. */
const oneWord = /^(?!\.{1,2}$)[\w.-]+$/;

const headerName = /^(?!authorization$|workspace$)[\w-]+$/i;

/** Other characters fail in the HTTP client, with a message that nobody understands. */
const headerValue = /^[\t\x20-\x7e]*$/;

/**
 * Where a resource of Ververica Platform 3 lives. What is left out comes from the environment variables that vvctl
 * knows, else from the current context of vvctl's configuration file, and is then kept in the state: a later change
 * there shows up as a change of the resource.
 * The token is not part of it; see {@link apiToken}.
 */
export const connectionSchema = z.preprocess(
    fillFromEnvironment,
    z.strictObject({
        url: z
            .string({
                error: "is missing: give connection.url, set VV_API_HOST, or choose a context with vvctl config use-context",
            })
            .trim()
            .refine(isServiceUrl, {
                error:
                    "must be the platform's base URL, like https://vvp.example.com: with http:// or https://, without a user, " +
                    "a query, and what stands after # in the console's address",
            }),
        workspace: z.string().regex(oneWord, { error: "must be letters, digits and . _ -" }),
        namespace: z.string().regex(oneWord, { error: "must be letters, digits and . _ -" }),
        caCertificate: z
            .string()
            .regex(/-----BEGIN CERTIFICATE-----/, { error: "must be a certificate in PEM form" })
            .optional(),
        headers: z
            .record(
                z.string(),
                z.string().regex(headerValue, { error: "has characters that no header can hold" }),
            )
            .refine((headers) => Object.keys(headers).every((name) => headerName.test(name)), {
                error: "must be headers; the token and the workspace, which are some too, have places of their own",
            })
            .optional(),
    }),
);

/** See {@link connectionSchema}. */
export type VvpConnection = z.output<typeof connectionSchema>;

/**
 * Another workspace or namespace is another object. Another URL is the same platform at a new address: the state
 * must learn it, since refresh and destroy call what the state says.
 */
export function connectionEffect({ old, new: wanted }: Change<VvpConnection>): Effect {
    const moved = (["workspace", "namespace"] as const).some(
        (part) => old?.[part] !== undefined && wanted?.[part] !== undefined && old[part] !== wanted[part],
    );
    return moved ? "replace" : "update";
}

/**
 * For `deleteBeforeReplace`: an object in another workspace or namespace can stand beside the old one. It is made first, so
 * that a namespace which is misspelt takes nothing away from where the object is.
 */
export function unlessMoved(replaces: readonly string[]): boolean {
    return replaces.some((input) => input !== "connection");
}

/**
 * The API token, asked anew for each call, so that it is in no resource's inputs, outputs, id or diff. The environment
 * wins, since refresh and destroy see the configuration of the last `up`. A token of vvctl's configuration file goes to
 * the platform alone that it is written down for. A line break at its end, as files have one, is no part of it.
 * @throws when there is none, or one that cannot be sent
 */
export function apiToken(context: Context, connection?: Pick<VvpConnection, "url" | "namespace">): string {
    const token =
        process.env["VV_API_TOKEN"]?.trim() ||
        context.config("pulumi-fluss:vvpToken")?.trim() ||
        (connection && vvctlToken(connection)?.trim());
    if (token && /^[\x21-\x7e]+$/.test(token)) return token;
    if (token) {
        throw new Error(
            "VVP: the API token has blanks, line breaks or other characters that no token has.\n" +
                "What to do: copy it anew, the token alone. It comes from the environment variable VV_API_TOKEN, else from the " +
                "stack configuration pulumi-fluss:vvpToken, else from vvctl's configuration",
        );
    }
    throw new Error(
        "VVP: there is no API token. What to do: make one in the platform's console (API Tokens, role owner) and give it " +
            "as the environment variable VV_API_TOKEN, with `pulumi config set --secret pulumi-fluss:vvpToken`, or with " +
            "`vvctl config set-user` in a context of this platform",
    );
}

/**
 * Further headers whose values are secret, for example for a proxy in front of the platform: the stack configuration
 * `pulumi-fluss:vvpHeaders`, a JSON object. In no resource's inputs, like the token.
 * @throws when it is not of that form
 */
export function secretHeaders(context: Context): Record<string, string> {
    const json = context.config("pulumi-fluss:vvpHeaders");
    if (!json) return {};
    try {
        const name = z.string().regex(/^[\w-]+$/);
        return z.record(name, z.string().regex(headerValue)).parse(JSON.parse(json));
    } catch {
        // Neither the parser's nor the schema's message: they show values.
        throw new Error(
            'VVP: the stack configuration pulumi-fluss:vvpHeaders must be a JSON object of headers, like {"x-gate": "…"}',
        );
    }
}

function vvctlToken({ url, namespace }: Pick<VvpConnection, "url" | "namespace">): string | undefined {
    const here = vvctlContexts().filter((known) => known.token && sameAddress(known.url, url));
    // A token is good for one namespace.
    const fitting = here.filter((known) => (known.namespace ?? namespace) === namespace);
    return fitting[0]?.token;
}

function sameAddress(a: string, b: string): boolean {
    const plain = (url: string) => (URL.canParse(url) ? new URL(url).href.replace(/\/+$/, "") : url);
    return plain(a) === plain(b);
}

function fillFromEnvironment(given: unknown): unknown {
    if (given !== undefined && (typeof given !== "object" || given === null)) return given;
    const set = Object.fromEntries(
        Object.entries(given ?? {}).filter(([, value]) => value !== undefined && value !== null),
    );
    const url = set["url"] ?? (process.env["VV_API_HOST"] || undefined);
    // Its workspace and namespace belong to its platform, not to another one.
    const vvctl = url === undefined ? currentVvctlContext() : undefined;
    return {
        url: vvctl?.url,
        workspace: process.env["VV_WORKSPACE"] || vvctl?.workspace || "defaultworkspace",
        namespace: process.env["VV_NAMESPACE"] || vvctl?.namespace || "default",
        ...(url === undefined ? {} : { url }),
        ...set,
    };
}
