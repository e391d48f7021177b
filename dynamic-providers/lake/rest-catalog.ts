import type { Lake } from "../../model/lake.ts";
import { oauthCredential } from "../../model/lake-catalog.ts";
import { lakeTrouble } from "../../model/lake-troubles.ts";
import { type HttpAnswer, HttpClient, type HttpClientOptions } from "../http/client.ts";
import { type Finding, findingOf } from "./finding.ts";

/** A catalog that speaks Iceberg's REST protocol. */
export type RestCatalog = Extract<Lake["catalog"], { type: "rest" }>;

/**
 * Asks a REST catalog as its clients do: for a token where an OAuth client is given, then for the configuration of the
 * warehouse. Changes nothing.
 */
export async function probeCatalog(catalog: RestCatalog, deadlineSeconds: number): Promise<Finding> {
    try {
        await openCatalog(catalog, deadlineSeconds);
        return { kind: "good" };
    } catch (error) {
        return findingOf(error);
    }
}

/** A catalog that has let a client in. */
export interface OpenCatalog {
    client: HttpClient;
    /** What the paths of the warehouse begin with after `/v1/`, without a slash; empty for a catalog of one warehouse. */
    prefix: string;
}

/**
 * Gets a token where an OAuth client is given, and asks for the warehouse's configuration. Where the catalog says that it be
 * called at another address, it is called where it answered all the same.
 * @param route a detour to the catalog, see {@link HttpClientOptions.route}
 * @throws an `ApiError`
 */
export async function openCatalog(
    catalog: RestCatalog,
    deadlineSeconds: number,
    route?: HttpClientOptions["route"],
): Promise<OpenCatalog> {
    const token = await tokenOf(catalog, deadlineSeconds, route);
    const client = clientOf(catalog, catalog.uri, [token], {
        headers: () => ({ authorization: `Bearer ${token}` }),
        ...(route ? { route } : {}),
    });
    const { json } = await client.call({
        method: "GET",
        path: "/v1/config",
        query: { warehouse: catalog.warehouse },
        action: `read the configuration of warehouse '${catalog.warehouse}'`,
        deadlineSeconds,
    });
    const { defaults, overrides } = (json ?? {}) as { defaults?: Settings; overrides?: Settings };
    const prefix = overrides?.["prefix"] ?? defaults?.["prefix"];
    return { client, prefix: typeof prefix === "string" ? prefix : "" };
}

type Settings = Record<string, unknown> | null;

async function tokenOf(
    catalog: RestCatalog,
    deadlineSeconds: number,
    route: HttpClientOptions["route"],
): Promise<string> {
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
    // The catalog's own token endpoint is behind the same detour; that of another server is not.
    const detour = auth.oauth2ServerUri === undefined && route ? { route } : {};
    const client = clientOf(catalog, endpoint, secrets, detour);
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
    reach: Pick<HttpClientOptions, "headers" | "route">,
): HttpClient {
    return new HttpClient({
        system: "Iceberg REST catalog",
        baseUrl,
        secrets: () => secrets,
        ...reach,
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
