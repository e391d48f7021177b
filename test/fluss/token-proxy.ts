import { randomBytes } from "node:crypto";
import http from "node:http";
import type net from "node:net";
import { text } from "node:stream/consumers";

/** A running proxy; `url` has no slash at its end. */
export interface TokenProxy {
    url: string;
    /** Takes one more token, for good. */
    accept(token: string): void;
    /** Takes a token no longer. */
    refuse(token: string): void;
    close(): Promise<void>;
}

/** What stands before the catalog. */
export interface ProxyOptions {
    backend: string;
    /** Bearer token that is good until it is refused. */
    token: string;
    warehouse: string;
    /** The one client that gets tokens at `/v1/oauth/tokens`, for this scope only. Default: nobody. */
    oauth?: { clientId: string; clientSecret: string; scope: string };
}

/**
 * Stands in front of the Iceberg catalog, which checks nothing: refuses requests without the bearer token (401) and
 * configuration of another warehouse (404), in the words of an Iceberg REST server, and hands out tokens to a client
 * that proves who it is and asks for its scope.
 */
export async function startTokenProxy(o: ProxyOptions): Promise<TokenProxy> {
    const tokens = new Set([o.token]);
    const server = http.createServer((incoming, outgoing) => {
        const answer = (code: number, body: object) => {
            outgoing.writeHead(code, { "content-type": "application/json" });
            outgoing.end(JSON.stringify(body));
        };
        const fail = (code: number, type: string, message: string) =>
            answer(code, { error: { message, type, code } });
        const url = new URL(incoming.url ?? "/", o.backend);
        if (url.pathname === "/v1/oauth/tokens") {
            return void text(incoming).then((body) => {
                const { code, answer: found } = grant(o.oauth, new URLSearchParams(body));
                if ("access_token" in found) tokens.add(found.access_token);
                answer(code, found);
            });
        }
        if (!tokens.has(/^Bearer (.+)$/.exec(incoming.headers.authorization ?? "")?.[1] ?? "")) {
            return fail(401, "UnauthorizedError", "The token is not valid");
        }
        const warehouse = url.searchParams.get("warehouse");
        if (url.pathname === "/v1/config" && warehouse !== o.warehouse) {
            return fail(404, "NoSuchWarehouseException", `Warehouse ${warehouse} does not exist`);
        }
        const headers = { ...incoming.headers, host: url.host };
        const forward = http.request(url, { method: incoming.method ?? "GET", headers }, (answer) => {
            outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
            answer.pipe(outgoing);
        });
        forward.on("error", () => fail(502, "BadGateway", "The catalog behind the proxy does not answer"));
        incoming.pipe(forward);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
        url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
        accept: (token) => void tokens.add(token),
        refuse: (token) => void tokens.delete(token),
        close: () => {
            server.closeAllConnections();
            return new Promise((resolve) => server.close(() => resolve()));
        },
    };
}

/** OAuth's client credentials grant (RFC 6749, 4.4 and 5.2), as Polaris serves it. */
function grant(client: ProxyOptions["oauth"], form: URLSearchParams) {
    const refuse = (code: number, error: string, error_description: string) => ({
        code,
        answer: { error, error_description },
    });
    if (form.get("grant_type") !== "client_credentials") {
        return refuse(400, "unsupported_grant_type", "The grant is not client_credentials");
    }
    if (form.get("client_id") !== client?.clientId || form.get("client_secret") !== client?.clientSecret) {
        return refuse(401, "invalid_client", "The client or its secret is wrong");
    }
    if (form.get("scope") !== client?.scope) {
        return refuse(400, "invalid_scope", "The scope is not one of this client's");
    }
    const access_token = randomBytes(18).toString("hex");
    const issued_token_type = "urn:ietf:params:oauth:token-type:access_token";
    return { code: 200, answer: { access_token, issued_token_type, token_type: "bearer", expires_in: 3600 } };
}
