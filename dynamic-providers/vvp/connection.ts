import * as z from "zod";
import type { Change, Context, Effect } from "../resource.ts";

/**
 * Where a resource of Ververica Platform 3 lives. What is left out comes from the environment variables that vvctl
 * knows, and is then kept in the state: a later change of the variable shows up as a change of the resource.
 * The token is not part of it; see {@link apiToken}.
 */
export const connectionSchema = z.preprocess(
    fillFromEnvironment,
    z.strictObject({
        url: z
            .string({ error: "is missing: give connection.url, or set VV_API_HOST" })
            .refine((url) => /^https?:\/\/[^/\s?#]+/.test(url), {
                error: "must be the platform's base URL, like https://vvp.example.com",
            }),
        workspace: z.string().min(1),
        namespace: z.string().min(1),
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
 * The API token, asked anew for each call, so that it is in no resource's inputs, outputs, id or diff. The environment
 * wins, since refresh and destroy see the configuration of the last `up`.
 * @throws when there is none
 */
export function apiToken(context: Context): string {
    const token = process.env["VV_API_TOKEN"] || context.config("pulumi-fluss:vvpToken");
    if (token) return token;
    throw new Error(
        "VVP: there is no API token. What to do: make one in the platform's console (API Tokens, role owner) and give it " +
            "as the environment variable VV_API_TOKEN, or with `pulumi config set --secret pulumi-fluss:vvpToken`",
    );
}

function fillFromEnvironment(given: unknown): unknown {
    if (given !== undefined && (typeof given !== "object" || given === null)) return given;
    const fallback = {
        url: process.env["VV_API_HOST"] || undefined,
        workspace: process.env["VV_WORKSPACE"] || "defaultworkspace",
        namespace: process.env["VV_NAMESPACE"] || "default",
    };
    const set = Object.entries(given ?? {}).filter(([, value]) => value !== undefined && value !== null);
    return { ...fallback, ...Object.fromEntries(set) };
}
