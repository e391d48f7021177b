import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** How the stub answers: by the request's method (`LIST` for a listing), the S3 error code, or nothing for success. */
export interface S3Stub {
    endpoint: string;
    deny: Record<string, { status: number; code: string; message: string }>;
    /** Methods seen, in order. */
    calls: string[];
    close: () => Promise<void>;
}

/** An S3 endpoint that knows one object and no signatures: only for what the storage check asks and how errors look. */
export async function startS3Stub(): Promise<S3Stub> {
    const deny: S3Stub["deny"] = {};
    const calls: string[] = [];
    const server = createServer((request, response) => {
        const listing = (request.url ?? "").includes("list-type=2");
        const operation = listing ? "LIST" : (request.method ?? "");
        calls.push(operation);
        request.resume();
        request.on("end", () => {
            const error = deny[operation];
            if (error) {
                response.writeHead(error.status, { "content-type": "application/xml" });
                response.end(`<Error><Code>${error.code}</Code><Message>${error.message}</Message></Error>`);
                return;
            }
            response.writeHead(operation === "DELETE" ? 204 : 200, { "content-type": "application/xml" });
            response.end(listing ? "<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>" : undefined);
        });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
        endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        deny,
        calls,
        close: () =>
            new Promise((resolve) => {
                server.close(() => resolve());
                server.closeAllConnections();
            }),
    };
}
