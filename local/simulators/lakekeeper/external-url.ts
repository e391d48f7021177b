import type { IncomingHttpHeaders } from "node:http";
import { refuse } from "./answers.ts";

/**
 * The address under which the caller reached us: the configured one, else what a proxy in between or the caller tells.
 * @throws {Refusal} 400 `NoHostHeader`
 */
export function externalUrl(headers: IncomingHttpHeaders, baseUri: string | undefined): string {
    if (baseUri !== undefined) return baseUri;
    const one = (name: string) => {
        const value = headers[name];
        return typeof value === "string" && value !== "" ? value : undefined;
    };
    const host = one("x-forwarded-host") ?? one("host");
    if (!host) {
        throw refuse(
            400,
            "NoHostHeader",
            "base_uri is not set and neither x-forwarded-host nor host header are set. Either send the appropriate headers or configure the base_uri according to the documentation.",
        );
    }
    const port = one("x-forwarded-port");
    const prefix = (one("x-forwarded-prefix") ?? "").replace(/\/+$/, "");
    return `${one("x-forwarded-proto") ?? "http"}://${host}${port ? `:${port}` : ""}${prefix}`;
}
