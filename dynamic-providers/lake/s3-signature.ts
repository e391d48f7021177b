import { createHash, createHmac } from "node:crypto";
import { pathSegment } from "../http/path-segment.ts";

/** What is signed: a request to an S3 store without a body. */
export interface S3Request {
    method: "GET" | "PUT" | "DELETE";
    /** Host, with the port unless it is the scheme's own. */
    host: string;
    path: string;
    query: Record<string, string>;
    region: string;
    accessKeyId: string;
    secretAccessKey: string;
    /** Default: now. */
    time?: Date;
}

/** The headers that prove who asks (AWS Signature Version 4, "Authenticating Requests: Authorization Header"). */
export function s3Signature(request: S3Request): Record<string, string> {
    const { method, host, path, query, region, accessKeyId, secretAccessKey, time = new Date() } = request;
    const stamp = time.toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
    const date = stamp.slice(0, 8);
    const signed = { host, "x-amz-content-sha256": emptyBody, "x-amz-date": stamp };
    const names = Object.keys(signed).join(";");
    const canonical = [
        method,
        path.split("/").map(encoded).join("/"),
        Object.keys(query)
            .sort()
            .map((name) => `${encoded(name)}=${encoded(query[name]!)}`)
            .join("&"),
        ...Object.entries(signed).map(([name, value]) => `${name}:${value}`),
        "",
        names,
        emptyBody,
    ].join("\n");
    const scope = `${date}/${region}/s3/aws4_request`;
    const toSign = ["AWS4-HMAC-SHA256", stamp, scope, sha256(canonical)].join("\n");
    const key = [date, region, "s3", "aws4_request"].reduce<Buffer>(
        (secret, part) => hmac(secret, part),
        Buffer.from(`AWS4${secretAccessKey}`),
    );
    const signature = hmac(key, toSign).toString("hex");
    const { host: _, ...headers } = signed;
    return {
        ...headers,
        authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    };
}

const emptyBody = sha256("");

function sha256(text: string): string {
    return createHash("sha256").update(text).digest("hex");
}

function hmac(key: Buffer, text: string): Buffer {
    return createHmac("sha256", key).update(text).digest();
}

/** Every byte but letters, digits and `-._~`. */
function encoded(text: string): string {
    return pathSegment(text).replaceAll(
        /[!'()*]/g,
        (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
}
