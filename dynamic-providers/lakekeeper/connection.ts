import * as z from "zod";
import type { Change, Context, Effect } from "../resource.ts";

/** How a Lakekeeper server is reached. */
export const connectionSchema = z.strictObject({
    /** Base URL of the server, for example `http://fluss-lakekeeper.fluss.svc:8181`; no `/management` or `/catalog` behind it. */
    url: z
        .string()
        .refine((url) => /^https?:\/\/[^/\s?#]+/.test(url) && !/\/(management|catalog)\b/.test(url), {
            error: "must be the server's base URL, like http://lakekeeper:8181, without /management or /catalog",
        }),
    /**
     * Bearer token, secret. Default: the environment variable `LAKEKEEPER_TOKEN`, which also wins over this one,
     * then the stack's `pulumi-fluss:lakekeeperToken`; without any, calls are anonymous.
     */
    token: z.string().min(1).optional(),
});

/** See {@link connectionSchema}. */
export type LakekeeperConnection = z.output<typeof connectionSchema>;

/**
 * Another URL is the same server at a new address: the state must learn it, since refresh and destroy call what the
 * state says. A new token is never a change of the resource.
 */
export function connectionEffect({ old, new: wanted }: Change<LakekeeperConnection>): Effect {
    // A connection whose token is not known yet comes as a whole as the mark for unknown.
    const known = typeof wanted === "object";
    return known && old?.url !== wanted.url ? "update" : "ignore";
}

/**
 * The token of a call. The environment wins: refresh and destroy see the token of the last `up`, which may have been
 * replaced since.
 */
export function bearerToken(connection: LakekeeperConnection, context: Context): string | undefined {
    return (
        process.env["LAKEKEEPER_TOKEN"] ||
        connection.token ||
        context.config("pulumi-fluss:lakekeeperToken") ||
        undefined
    );
}
