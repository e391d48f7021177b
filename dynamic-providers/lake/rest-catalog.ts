import type { Lake } from "../../model/lake.ts";
import { oauthCredential } from "../../model/lake-catalog.ts";
import { lakeTrouble } from "../../model/lake-troubles.ts";
import { type HttpAnswer, HttpClient } from "../http/client.ts";
import { type Finding, findingOf } from "./finding.ts";

type RestCatalog = Extract<Lake["catalog"], { type: "rest" }>;

/**
 * Asks a REST catalog as its clients do: for a token where an OAuth client is given, then for the configuration of the
 * warehouse. Changes nothing.
 */
export async function probeCatalog(catalog: RestCatalog, deadlineSeconds: number): Promise<Finding> {
    try {
        const token = await tokenOf(catalog, deadlineSeconds);
        const client = clientOf(catalog, catalog.uri, [token], () => ({ authorization: `Bearer ${token}` }));
        await client.call({
            method: "GET",
            path: "/v1/config",
            query: { warehouse: catalog.warehouse },
            action: `read the configuration of warehouse '${catalog.warehouse}'`,
            deadlineSeconds,
        });
        return { kind: "good" };
    } catch (error) {
        return findingOf(error);
    }
}

async function tokenOf(catalog: RestCatalog, deadlineSeconds: number): Promise<string> {
    const { auth } = catalog;
    if (auth.type === "token") return auth.token.value ?? "";
    const form = new URLSearchParams({
        grant_type: "client_credentials",
        client_id: auth.clientId,
        client_secret: auth.clientSecret.value ?? "",
        scope: auth.scope,
    });
    const secrets = [auth.clientSecret.value, oauthCredential(auth).value];
    const endpoint = auth.oauth2ServerUri ?? `${catalog.uri.replace(/\/+$/, "")}/v1/oauth/tokens`;
    const client = clientOf(catalog, endpoint, secrets);
    const call = {
        method: "POST",
        path: "",
        body: Buffer.from(form.toString()),
        headers: { "content-type": "application/x-www-form-urlencoded" },
        action: `get a token for client '${auth.clientId}' with scope '${auth.scope}'`,
        deadlineSeconds,
    } as const;
    const answer = await client.call(call);
    const token = (answer.json as { access_token?: unknown } | undefined)?.access_token;
    if (typeof token === "string") return token;
    throw client.failure(call, {
        ...answer,
        text: "there is no access_token in the answer",
        json: undefined,
    });
}

function clientOf(
    { warehouse, uri }: RestCatalog,
    baseUrl: string,
    secrets: (string | undefined)[],
    headers?: () => Record<string, string>,
): HttpClient {
    return new HttpClient({
        system: "Iceberg REST catalog",
        baseUrl,
        secrets: () => secrets,
        ...(headers ? { headers } : {}),
        readError,
        hint: ({ status, type, message }) => {
            const trouble = lakeTrouble(`${type ?? ""}: ${message}`) ?? byStatus(status, warehouse);
            if (status === 404 && trouble === undefined) return `check lake.catalog.uri, ${uri}`;
            return trouble && `${trouble.reason}. ${trouble.fix}`;
        },
    });
}

/** Catalogs word these in their own ways. */
function byStatus(status: number | undefined, warehouse: string) {
    if (status === 401 || status === 403) return lakeTrouble("Not authorized");
    return status === 404 ? lakeTrouble(`Warehouse ${warehouse} does not exist`) : undefined;
}

/** `{error: {type, message}}` of Iceberg, or `{error, error_description}` of OAuth. */
function readError({ json }: HttpAnswer): { type?: string; message?: string } {
    const body = json as { error?: unknown; error_description?: unknown } | undefined;
    const text = (value: unknown) => (typeof value === "string" ? value : undefined);
    if (typeof body?.error === "object" && body.error !== null) {
        const { type, message } = body.error as { type?: unknown; message?: unknown };
        return { type: text(type), message: text(message) };
    }
    return { type: text(body?.error), message: text(body?.error_description) };
}
