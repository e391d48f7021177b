import * as z from "zod";
import { ApiError } from "../http/api-error.ts";
import { HttpClient } from "../http/client.ts";
import { cachedToken } from "./token-cache.ts";

/** How a token is got from an OpenID Connect provider, for a client that is no person. */
export const oidcSchema = z.strictObject({
    /** The provider; `/.well-known/openid-configuration` is looked up below it. */
    issuer: z.string().regex(/^https?:\/\/[^\s?#]+$/, { error: "must be the URL of the provider" }),
    clientId: z.string().min(1),
    clientSecret: z.string().min(1),
    /** What some providers want, for example `lakekeeper` or `api://<id>/.default`. */
    scope: z.string().min(1).optional(),
});

export type Oidc = z.output<typeof oidcSchema>;

const tokenAnswer = z.looseObject({ access_token: z.string().min(1), expires_in: z.number().optional() });

/**
 * A token of the provider; the last one while it is good.
 * @param refused a token that the server refused, so that another one is got even if it should still be good
 * @throws {ApiError} when the provider gives none
 */
export function oidcToken(oidc: Oidc, refused?: string): Promise<string> {
    return cachedToken(`oidc ${JSON.stringify(oidc)}`, refused, async () => {
        const { access_token: token, expires_in: seconds } = await request(oidc);
        return { token, seconds };
    });
}

async function request(oidc: Oidc): Promise<z.output<typeof tokenAnswer>> {
    const issuer = oidc.issuer.replace(/\/+$/, "");
    const { token_endpoint: endpoint } = await ask(
        oidc,
        issuer,
        {
            method: "GET",
            path: "/.well-known/openid-configuration",
            action: "look up the provider's addresses",
        },
        z.looseObject({ token_endpoint: z.url() }),
    );
    const form = new URLSearchParams({
        grant_type: "client_credentials",
        client_id: oidc.clientId,
        client_secret: oidc.clientSecret,
        ...(oidc.scope ? { scope: oidc.scope } : {}),
    });
    return ask(
        oidc,
        endpoint,
        {
            method: "POST",
            path: "",
            action: `get a token for client '${oidc.clientId}'`,
            headers: { "content-type": "application/x-www-form-urlencoded" },
            body: Buffer.from(form.toString()),
        },
        tokenAnswer,
    );
}

async function ask<S extends z.ZodType>(
    oidc: Oidc,
    baseUrl: string,
    call: Parameters<HttpClient["call"]>[0],
    schema: S,
): Promise<z.output<S>> {
    const client = new HttpClient({
        system: "OpenID provider",
        baseUrl,
        secrets: () => [oidc.clientSecret],
        readError: ({ json }) => {
            const { error, error_description: text } = (json ?? {}) as Record<string, unknown>;
            return {
                ...(typeof error === "string" ? { type: error } : {}),
                ...(typeof text === "string" ? { message: text } : {}),
            };
        },
        hint: ({ type, status }) =>
            type === "invalid_client"
                ? "check clientId and clientSecret of connection.oidc"
                : type === "invalid_scope"
                  ? "check scope of connection.oidc"
                  : status === 404
                    ? "check issuer of connection.oidc: for Keycloak it ends with /realms/<realm>"
                    : undefined,
    });
    const answer = await client.call({ ...call, lane: { name: "oidc", limit: 2 } });
    const parsed = schema.safeParse(answer.json);
    if (parsed.success) return parsed.data;
    throw new ApiError({
        system: "OpenID provider",
        action: call.action,
        target: `${call.method} ${baseUrl}${call.path}`,
        status: answer.status,
        serverMessage: "the answer has another form than that of an OpenID provider",
        ambiguous: false,
        hint: "check issuer of connection.oidc",
    });
}
