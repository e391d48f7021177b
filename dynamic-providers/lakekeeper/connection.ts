import * as z from "zod";
import { kubernetesAccess } from "../kubernetes/cluster.ts";
import { forwardedUrl } from "../kubernetes/port-forward.ts";
import type { Change, Context, Effect } from "../resource.ts";
import { kubernetesSchema, kubernetesToken } from "./kubernetes.ts";
import { oidcSchema, oidcToken } from "./oidc.ts";

/** Ways to get a token. */
const ways = ["token", "oidc", "kubernetes"] as const;

/** How a Lakekeeper server is reached. */
export const connectionSchema = z
    .strictObject({
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
        /** Instead of a token: a client of an OpenID Connect provider, which gets one for each run. */
        oidc: oidcSchema.optional(),
        /** Instead of a token: one from a Kubernetes cluster, a Secret's or one made for a ServiceAccount. */
        kubernetes: kubernetesSchema.optional(),
        /** The way to a server whose URL is known inside of a Kubernetes cluster only: through the API server. */
        portForward: z
            .strictObject({
                access: kubernetesAccess,
                namespace: z.string().min(1),
                service: z.string().min(1),
                port: z.int().min(1).max(65535),
            })
            .optional(),
        /**
         * How long an operation on a resource may wait for a server that is slow, too busy (429) or read-only for
         * maintenance (503), in seconds. Default 600.
         */
        timeoutSeconds: z.number().positive().optional(),
    })
    .refine((given) => ways.filter((way) => given[way] !== undefined).length <= 1, {
        error: `must have only one of ${ways.join(", ")}`,
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

/** For the HTTP client: the port-forward, opened when the first call is made. */
export function routeOf({ portForward }: LakekeeperConnection): { route?: () => Promise<string> } {
    if (!portForward) return {};
    const { access, ...target } = portForward;
    return { route: () => forwardedUrl(access, target) };
}

/**
 * The token of a call. The environment wins: refresh and destroy see the token of the last `up`, which may have been
 * replaced since.
 * @param refused a token that the server refused: another one is got where that can be done
 */
export async function bearerToken(
    connection: LakekeeperConnection,
    context: Context,
    refused?: string,
): Promise<string | undefined> {
    const given = process.env["LAKEKEEPER_TOKEN"] || connection.token;
    if (given) return given;
    if (connection.oidc) return oidcToken(connection.oidc, refused);
    if (connection.kubernetes) return kubernetesToken(connection.kubernetes, refused);
    return context.config("pulumi-fluss:lakekeeperToken") || undefined;
}
