import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { isServiceUrl } from "../../model/url.ts";
import { ApiError } from "../http/api-error.ts";
import type { HttpRoute } from "../http/client.ts";
import { portForward } from "../kubernetes/cluster.ts";
import { forwardTo } from "../kubernetes/port-forward.ts";
import type { Change, Context, Effect } from "../resource.ts";
import { kubernetesSchema, kubernetesToken } from "./kubernetes.ts";
import { newestConnection } from "./newest-connection.ts";
import { oidcSchema, oidcToken } from "./oidc.ts";

/** Ways to get a token. */
const ways = ["token", "oidc", "kubernetes"] as const;

const noToken = "must be the token alone, without `Bearer`, blanks or line breaks";

/** How a Lakekeeper server is reached. */
export const connectionSchema = z
    .strictObject({
        /** Base URL of the server, for example `http://fluss-lakekeeper.fluss.svc:8181`; no `/management` or `/catalog` behind it. */
        url: z.string().trim().refine(isBaseUrl, {
            error: "must be the server's base URL, like http://lakekeeper:8181, without /management or /catalog, a query or a password",
        }),
        /**
         * Bearer token, secret. Default: the environment variable `LAKEKEEPER_TOKEN`, which also wins over this one,
         * then the stack's `pulumi-fluss:lakekeeperToken`; without any, calls are anonymous.
         */
        token: z.string().trim().refine(isToken, { error: noToken }).optional(),
        /** Instead of a token: a client of an OpenID Connect provider, which gets one for each run. */
        oidc: oidcSchema.optional(),
        /** Instead of a token: one from a Kubernetes cluster, a Secret's or one made for a ServiceAccount. */
        kubernetes: kubernetesSchema.optional(),
        /** The way to a server whose URL is known inside of a Kubernetes cluster only: through the API server. */
        portForward: portForward.optional(),
        /**
         * How long an operation on a resource may wait for a server that is slow, too busy (429) or read-only for
         * maintenance (503), in seconds. Default 600.
         */
        timeoutSeconds: z.number().positive().optional(),
    })
    .refine((given) => ways.filter((way) => given[way] !== undefined).length <= 1, {
        error: `must have only one of ${ways.join(", ")}`,
    });

function isBaseUrl(text: string): boolean {
    return isServiceUrl(text) && !/\/(management|catalog)(\/|$)/.test(new URL(text).pathname);
}

/** What a header can hold: a token that was copied with more around it is no token. */
function isToken(text: string): boolean {
    return /^[\x21-\x7e]+$/.test(text);
}

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

/** For the HTTP client: the port-forward, opened when the first call is made. */
export function routeOf({ portForward }: Pick<LakekeeperConnection, "portForward">): {
    route?: () => Promise<HttpRoute>;
} {
    if (!portForward) return {};
    const { access, ...target } = portForward;
    return {
        async route() {
            const { port, takeFault } = await forwardTo(access, target);
            return { origin: `http://127.0.0.1:${port}`, takeFault };
        },
    };
}

/**
 * The token of a call. The environment wins: refresh and destroy see the token of the last `up`, which may have been
 * replaced since. Where the program runs too, what it gives for the same server is taken when the other one is refused.
 * @param refused a token that the server refused: another one is got where that can be done
 */
export async function bearerToken(
    connection: LakekeeperConnection,
    context: Context,
    refused?: string,
): Promise<string | undefined> {
    const other = newestConnection(connection);
    const next = other && !isDeepStrictEqual(other, connection) ? other : undefined;
    try {
        const token = await ownToken(connection, context, refused);
        return token === refused && next ? await ownToken(next, context) : token;
    } catch (error) {
        if (next && error instanceof ApiError) return ownToken(next, context);
        throw error;
    }
}

async function ownToken(
    connection: LakekeeperConnection,
    context: Context,
    refused?: string,
): Promise<string | undefined> {
    const ofEnvironment = tokenFrom(process.env["LAKEKEEPER_TOKEN"], "LAKEKEEPER_TOKEN");
    if (ofEnvironment) return ofEnvironment;
    if (connection.token) return connection.token;
    if (connection.oidc) return oidcToken(connection.oidc, refused);
    if (connection.kubernetes) return kubernetesToken(connection.kubernetes, refused);
    const key = "pulumi-fluss:lakekeeperToken";
    return tokenFrom(context.config(key), key);
}

/** A token that was not checked as an argument. A file that it was read from ends with a line break. */
function tokenFrom(text: string | undefined, source: string): string | undefined {
    const token = text?.trim();
    if (!token) return undefined;
    if (isToken(token)) return token;
    throw new Error(`Lakekeeper: ${source} ${noToken}`);
}
