import fs from "node:fs";
import { text } from "node:stream/consumers";
import { HttpClient, type HttpClientOptions, type OpenAnswer } from "../http/client.ts";
import { isLoopback } from "./image-reference.ts";

/** One file to fetch over HTTP. */
export interface Download {
    /** The system's name in errors: "the image registry". */
    system: string;
    url: URL;
    /** What is fetched, for the error: "read layer sha256:… of …". */
    action: string;
    accept?: string;
    /** Header `Authorization`; sent to the URL's own origin only, wherever that redirects to. */
    authorization?: string;
    /** Values that must never appear in an error. */
    secrets?: string[];
    readError?: HttpClientOptions["readError"];
    hint?: HttpClientOptions["hint"];
}

/** The answer to a download. */
export interface DownloadAnswer extends OpenAnswer {
    /** Who answered, after all redirects. */
    url: URL;
    /** Throws the answer as an error. */
    fail(): Promise<never>;
}

/**
 * Opens a download and follows its redirects: registries hand blobs out from an object store.
 * @returns the last answer, which is no redirect; its status may be a bad one
 * @throws {ApiError} when no answer came; an Error when it leads to a place without TLS, or on and on
 */
export async function openDownload(download: Download): Promise<DownloadAnswer> {
    let url = download.url;
    for (let step = 0; ; step++) {
        const client = clientFor(download, url);
        const call = callOf(download, url);
        const answer = await client.open(call);
        const target = locationOf(answer, url);
        if (target) {
            // Not shown: a redirect's text holds the whole address, which may be one that is signed for a download.
            await answer.discard();
            refuseRedirect(download, step, url, target);
            url = target;
            continue;
        }
        const fail = async (): Promise<never> => {
            const said = await text(answer.body);
            throw client.failure(call, { ...answer, text: said, json: parsed(said) });
        };
        return { ...answer, url, fail };
    }
}

/** Opens a download whose answer must be good. @throws {ApiError} for any other one, a web page included */
export async function openGood(download: Download): Promise<OpenAnswer> {
    const answer = await openDownload(download);
    const page = /^text\/html\b/i.test(String(answer.headers["content-type"] ?? ""));
    return answer.status === 200 && !page ? answer : answer.fail();
}

/** The certificate authorities that `SSL_CERT_FILE` names, as for Helm; they are trusted beside the well-known ones. */
export function ownAuthorities(env: NodeJS.ProcessEnv = process.env): string | undefined {
    const file = env["SSL_CERT_FILE"];
    if (!file) return undefined;
    try {
        return fs.readFileSync(file, "utf8");
    } catch {
        throw new Error(
            `SSL_CERT_FILE: ${file} cannot be read. What to do: name a file with certificates, or unset it`,
        );
    }
}

function clientFor({ system, secrets, readError, hint, url: asked }: Download, url: URL): HttpClient {
    const elsewhere = ({ status }: { status?: number }) =>
        status === 401 || status === 403
            ? `${asked.host} sends its callers to ${url.host}, where no login is sent: try again; if it stays, ask who runs ${asked.host}`
            : undefined;
    return new HttpClient({
        system,
        baseUrl: url.origin,
        caCertificate: ownAuthorities(),
        secrets: () => secrets ?? [],
        ...(readError ? { readError } : {}),
        hint: (error) => (url.origin === asked.origin ? undefined : elsewhere(error)) ?? hint?.(error),
    });
}

function callOf({ action, accept, authorization, url: asked }: Download, url: URL) {
    return {
        method: "GET" as const,
        path: url.pathname + url.search,
        headers: {
            accept: accept ?? "*/*",
            ...(authorization && url.origin === asked.origin ? { authorization } : {}),
        },
        action,
        // Hundreds of MiB over a slow line; a connection that is silent for five minutes ends before that.
        deadlineSeconds: 3600,
    };
}

function locationOf({ status, headers }: OpenAnswer, url: URL): URL | undefined {
    const location = headers["location"];
    if (![301, 302, 303, 307, 308].includes(status) || typeof location !== "string") return undefined;
    return URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
}

const MOST_REDIRECTS = 5;

function refuseRedirect({ system, action }: Download, step: number, from: URL, target: URL): void {
    const tried = `${system}: could not ${action}`;
    if (!isSafe(target, from)) {
        throw new Error(
            `${tried}: ${from.host} sends to ${target.origin}, without TLS. What to do: check the address and the proxy; ` +
                `if it stays, ask who runs ${from.host}`,
        );
    }
    if (step < MOST_REDIRECTS) return;
    throw new Error(
        `${tried}: after ${MOST_REDIRECTS} redirects ${from.host} sends to ${target.host} still. What to do: check the address and the proxy`,
    );
}

/** TLS does not end half-way; a registry of this machine may hand out from this machine. */
function isSafe(target: URL, from: URL): boolean {
    if (target.protocol === "https:") return true;
    return target.protocol === "http:" && isLoopback(target.hostname) && isLoopback(from.hostname);
}

function parsed(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
}
