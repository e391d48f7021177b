import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { gunzipSync } from "node:zlib";
import { type Refusal, refuse } from "./answers.ts";

/** What of an answer is told otherwise, by its body; all other answers are streamed. */
export interface Rewrite {
    /** Of an answer below 300. */
    done?: (body: string) => string;
    /** Of a 409. */
    clash?: (body: string) => Refusal;
}

/** The Iceberg catalog behind the simulator. */
export class IcebergCatalog {
    readonly #url: string | undefined;

    /** @param url its base URL; it may start later */
    constructor(url: string | undefined) {
        this.#url = url?.replace(/\/+$/, "");
    }

    /** @throws {Refusal} 503 when none is configured */
    get url(): string {
        if (this.#url) return this.#url;
        throw this.notRunning("none is configured");
    }

    notRunning(reason: string): Refusal {
        const where = this.#url ? ` at ${this.#url}` : "";
        return refuse(
            503,
            "CatalogBackendError",
            `The Iceberg catalog behind the simulated Lakekeeper${where} does not answer (${reason}). It starts during the first "up"; try again once it runs.`,
        );
    }

    /** @throws {Refusal} 503 when it does not run */
    async ask(method: string, path: string, json?: unknown): Promise<{ status: number; json: unknown }> {
        const body = json === undefined ? {} : { body: JSON.stringify(json) };
        const headers = { "content-type": "application/json" };
        const answer = await fetch(`${this.url}${path}`, { method, headers, ...body }).catch(
            (error: Error) => {
                throw this.notRunning(error.cause instanceof Error ? error.cause.message : error.message);
            },
        );
        return { status: answer.status, json: await answer.json().catch(() => ({})) };
    }

    /** Streams a request and its answer. @returns the status */
    forward(
        request: IncomingMessage,
        response: ServerResponse,
        path: string,
        { done, clash }: Rewrite,
    ): Promise<number> {
        const { authorization: _token, host: _host, connection: _connection, ...headers } = request.headers;
        const target = `${this.url}/v1${path}`;
        return new Promise((resolve, reject) => {
            const outgoing = httpRequest(target, { method: request.method, headers }, (answer) => {
                const status = answer.statusCode ?? 502;
                const { connection: _, ...answered } = answer.headers;
                answer.on("error", reject);
                const refused = status === 409 ? clash : undefined;
                const change = status < 300 ? done : undefined;
                if (!change && !refused) {
                    response.writeHead(status, answered);
                    answer.on("end", () => resolve(status));
                    answer.pipe(response);
                    return;
                }
                const chunks: Buffer[] = [];
                answer.on("data", (chunk: Buffer) => chunks.push(chunk));
                answer.on("end", () => {
                    const { "content-length": _length, "content-encoding": coding, ...rest } = answered;
                    const raw = Buffer.concat(chunks);
                    const plain = (coding === "gzip" ? gunzipSync(raw) : raw).toString("utf8");
                    if (refused) return reject(refused(plain));
                    response.writeHead(status, rest);
                    response.end(change?.(plain));
                    resolve(status);
                });
            });
            outgoing.on("error", (error) => reject(this.notRunning(error.message)));
            request.pipe(outgoing);
        });
    }

    /** Names of the tables that can be seen. */
    async tablesOf(namespace: string[]): Promise<string[]> {
        const { json } = await this.ask("GET", `${namespacePath(namespace)}/tables`);
        const { identifiers = [] } = json as { identifiers?: { name: string }[] };
        return identifiers.map(({ name }) => name).filter((name) => !isHidden(name));
    }

    /** Full names of the namespaces right below one. */
    async childrenOf(namespace: string[]): Promise<string[][]> {
        const parent = encodeURIComponent(namespace.join("\u001f"));
        const { json } = await this.ask("GET", `/v1/namespaces?parent=${parent}`);
        const { namespaces = [] } = json as { namespaces?: string[][] };
        return namespaces;
    }

    /** The id of a table; undefined when there is none, or it cannot be read. */
    async tableId(namespace: string[], name: string): Promise<string | undefined> {
        const { json } = await this.ask("GET", tablePath(namespace, name));
        const { metadata } = json as { metadata?: Record<string, unknown> };
        const id = metadata?.["table-uuid"];
        return id === undefined ? undefined : String(id);
    }
}

/** A namespace's path in the Iceberg catalog. */
export function namespacePath(namespace: string[]): string {
    return `/v1/namespaces/${encodeURIComponent(namespace.join("\u001f"))}`;
}

/** A table's path in the Iceberg catalog. */
export function tablePath(namespace: string[], name: string): string {
    return `${namespacePath(namespace)}/tables/${encodeURIComponent(name)}`;
}

/** The name under which a table that was dropped lies in the Iceberg catalog until it expires. */
export function hiddenName(name: string, id: string): string {
    return `${name}__dropped_${id}`;
}

/** Whether a name of the Iceberg catalog is that of a table that was dropped. */
export function isHidden(name: string): boolean {
    return /__dropped_[0-9a-f-]{36}$/.test(name);
}
