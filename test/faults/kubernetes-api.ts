/** A stand-in for the API of a Kubernetes cluster: it keeps objects of any kind, and checks nothing. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Bag } from "./ledger.ts";

/** Objects by path: `/api/v1/namespaces/a/secrets/b`. */
export type Objects = Map<string, Bag>;

/** Starts it on loopback with these objects. */
export async function startKubernetesApi(objects: Objects): Promise<{ url: string; close(): Promise<void> }> {
    const server = createServer(async (request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? "/", "http://cluster");
        const sent = JSON.parse((await text(request)) || "{}") as Bag;
        const [status, body] = answer(objects, request.method ?? "GET", pathname, sent, searchParams);
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        close: () =>
            new Promise((done) => {
                server.closeAllConnections();
                server.close(() => done());
            }),
    };
}

/** A kubeconfig for it. */
export function kubeconfigOf(server: string): string {
    return JSON.stringify({
        "current-context": "c",
        clusters: [{ name: "c", cluster: { server, "insecure-skip-tls-verify": true } }],
        users: [{ name: "u", user: { token: "token-of-the-fault-matrix" } }],
        contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    });
}

type Answer = [status: number, body: object];

let versions = 0;
let tokens = 0;

function answer(objects: Objects, method: string, path: string, sent: Bag, query: URLSearchParams): Answer {
    const found = objects.get(path);
    if (method === "POST") return post(objects, path, sent);
    if (method === "GET" && !found && isCollection(path)) {
        const inside = [...objects].filter(([key]) => key.startsWith(`${path}/`)).map(([, one]) => one);
        return [200, { items: inside.filter((one) => isSelected(one, query.get("labelSelector") ?? "")) }];
    }
    if (!found) return failure(404, `${path} not found`);
    if (method === "DELETE") objects.delete(path);
    if (method !== "PATCH") return [200, found];
    const patched = merged(found, sent);
    objects.set(path, versioned(patched));
    return [200, patched];
}

function post(objects: Objects, path: string, sent: Bag): Answer {
    if (path.endsWith("/subjectaccessreviews")) return [201, { ...sent, status: { allowed: true } }];
    if (/\/serviceaccounts\/[^/]+\/token$/.test(path)) return [201, { ...sent, status: tokenFor(sent) }];
    const name = String((sent["metadata"] as Bag)["name"]);
    const place = `${path}/${name}`;
    if (objects.has(place)) return failure(409, `${name} already exists`);
    const { stringData = {}, ...rest } = sent as Bag & { stringData?: Record<string, string> };
    const data = Object.fromEntries(
        Object.entries(stringData).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
    );
    const made = versioned({ ...rest, ...(Object.keys(data).length > 0 ? { data } : {}) });
    objects.set(place, made);
    return [201, made];
}

/** Another token for each who asks. */
function tokenFor({ spec }: Bag): Bag {
    const seconds = Number((spec as Bag)["expirationSeconds"]);
    const expirationTimestamp = new Date(Date.now() + seconds * 1000).toISOString();
    return { token: `requested-${++tokens}`, expirationTimestamp };
}

/** Kinds in the plural end what is a list: `/api/v1/namespaces/a/secrets`, `/api/v1/namespaces`. */
function isCollection(path: string): boolean {
    return /\/namespaces(\/[^/]+\/[^/]+)?$/.test(path);
}

function isSelected({ metadata }: Bag, selector: string): boolean {
    const { labels = {} } = metadata as { labels?: Record<string, string> };
    return selector
        .split(",")
        .filter((part) => part)
        .every((part) => labels[part.split("=")[0] ?? ""] === part.split("=")[1]);
}

function versioned(object: Bag): Bag {
    return { ...object, metadata: { ...(object["metadata"] as Bag), resourceVersion: String(++versions) } };
}

function merged(old: Bag, change: Bag): Bag {
    const isObject = (value: unknown): value is Bag =>
        typeof value === "object" && value !== null && !Array.isArray(value);
    const entries = Object.entries(change).map(([key, value]) => {
        const before = old[key];
        return [key, isObject(value) && isObject(before) ? merged(before, value) : value];
    });
    return { ...old, ...Object.fromEntries(entries) };
}

function failure(code: number, message: string): Answer {
    return [code, { kind: "Status", status: "Failure", code, message }];
}
