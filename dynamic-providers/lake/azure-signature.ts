import { createHmac } from "node:crypto";

/** What is signed: a request to Azure's blob service without a body. */
export interface AzureRequest {
    method: "GET" | "PUT" | "DELETE";
    account: string;
    /** The account's key, base64. */
    accountKey: string;
    /** As it is sent. */
    path: string;
    query: Record<string, string>;
    /** Further headers that begin with `x-ms-`. */
    headers?: Record<string, string>;
    /** Default: now. */
    time?: Date;
}

/** The headers that prove who asks ("Authorize with Shared Key", version 2015-02-21 and later). */
export function azureSignature(request: AzureRequest): Record<string, string> {
    const { method, account, accountKey, path, query, time = new Date() } = request;
    const headers: Record<string, string> = {
        ...request.headers,
        "x-ms-date": time.toUTCString(),
        "x-ms-version": "2021-08-06",
    };
    const lines = (values: Record<string, string>) =>
        Object.keys(values)
            .sort()
            .map((name) => `${name}:${values[name]}`);
    // Eleven standard headers, none of which is sent, or counts with an empty body.
    const standard = Array.from({ length: 11 }, () => "");
    const text = [method, ...standard, ...lines(headers), `/${account}${path}`, ...lines(query)].join("\n");
    const signature = createHmac("sha256", Buffer.from(accountKey, "base64")).update(text).digest("base64");
    return { ...headers, authorization: `SharedKey ${account}:${signature}` };
}
