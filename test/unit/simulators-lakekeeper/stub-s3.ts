import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** How the stub answers: by the request's method (`LIST` for a listing), the S3 error code, or nothing for success. */
export interface S3Stub {
    endpoint: string;
    deny: Record<string, { status: number; code: string; message: string }>;
    /** So many writes are answered together, once the last of them is there. */
    meeting?: number;
    /** Methods seen, in order. */
    calls: string[];
    close: () => Promise<void>;
}

/**
 * An S3 endpoint that knows one object and no signatures: only for what the storage check asks and how errors look.
 * @param only what it knows; anything when absent
 */
export async function startS3Stub(only?: { keys: string[]; buckets: string[] }): Promise<S3Stub> {
    const deny: S3Stub["deny"] = {};
    const calls: string[] = [];
    const waiting: (() => void)[] = [];
    const server = createServer((request, response) => {
        const listing = (request.url ?? "").includes("list-type=2");
        const operation = listing ? "LIST" : (request.method ?? "");
        calls.push(operation);
        request.resume();
        const end = () => {
            const error = deny[operation] ?? (only && unknown(only, request));
            if (error) {
                response.writeHead(error.status, { "content-type": "application/xml" });
                response.end(`<Error><Code>${error.code}</Code><Message>${error.message}</Message></Error>`);
                return;
            }
            response.writeHead(operation === "DELETE" ? 204 : 200, { "content-type": "application/xml" });
            response.end(listing ? "<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>" : undefined);
        };
        request.on("end", () => {
            if (stub.meeting === undefined || operation !== "PUT") return end();
            waiting.push(end);
            if (waiting.length === stub.meeting) for (const one of waiting.splice(0)) one();
        });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const stub: S3Stub = {
        endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        deny,
        calls,
        close: () =>
            new Promise((resolve) => {
                server.close(() => resolve());
                server.closeAllConnections();
            }),
    };
    return stub;
}

function unknown(
    { keys, buckets }: { keys: string[]; buckets: string[] },
    { url = "", headers }: IncomingMessage,
): S3Stub["deny"][string] | undefined {
    const key = /Credential=([^/]+)/.exec(headers.authorization ?? "")?.[1];
    if (key === undefined) return { status: 403, code: "AccessDenied", message: "Access Denied" };
    if (!keys.includes(key)) {
        const message = "The AWS Access Key Id you provided does not exist in our records.";
        return { status: 403, code: "InvalidAccessKeyId", message };
    }
    if (buckets.includes(url.split("/")[1] ?? "")) return undefined;
    return { status: 404, code: "NoSuchBucket", message: "The specified bucket does not exist" };
}
