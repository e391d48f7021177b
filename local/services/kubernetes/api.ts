import fs from "node:fs";
import https from "node:https";

/** What the API server answered; `body` is parsed JSON, or text where it is none. */
export interface KubeAnswer {
    status: number;
    body: unknown;
}

const PATCH = "application/strategic-merge-patch+json";

/**
 * One request to the API server of the bed, as its administrator. Unlike the client library that the product uses, it
 * needs nothing loaded and hides no field of an object.
 */
export function kubeRequest(
    kubeconfig: string,
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body?: object,
): Promise<KubeAnswer> {
    const { clusters, users } = JSON.parse(fs.readFileSync(kubeconfig, "utf8"));
    const { server, "certificate-authority-data": ca } = clusters[0].cluster;
    const headers: Record<string, string> = {
        authorization: `Bearer ${users[0].user.token}`,
        accept: "application/json",
        "content-type": method === "PATCH" ? PATCH : "application/json",
    };
    return new Promise((done, failed) => {
        const request = https.request(
            new URL(path, server),
            { method, headers, ca: Buffer.from(ca, "base64"), agent: false },
            (answer) => {
                const chunks: Buffer[] = [];
                answer.on("data", (chunk: Buffer) => chunks.push(chunk));
                answer.on("end", () => {
                    const text = Buffer.concat(chunks).toString("utf8");
                    done({ status: answer.statusCode ?? 0, body: asJson(text) });
                });
            },
        );
        request.on("error", failed);
        request.end(body === undefined ? undefined : JSON.stringify(body));
    });
}

function asJson(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        return text;
    }
}
