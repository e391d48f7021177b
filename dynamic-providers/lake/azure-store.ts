import { randomBytes } from "node:crypto";
import type { Lake } from "../../model/lake.ts";
import { type HttpAnswer, HttpClient } from "../http/client.ts";
import { azureSignature } from "./azure-signature.ts";
import { type Finding, findingOf } from "./finding.ts";

type AzureStorage = Extract<Lake["storage"], { type: "adls" }>;

/**
 * Lists the lake's folder with the account's key by the blob service, which ADLS Gen2 accounts have, too, and if `write`
 * puts an empty blob there and deletes it again. A lake without key is `good`: somebody else holds it.
 * @param endpoint of the account's blob service, for an emulator. Default Azure's own
 */
export async function probeAzure(
    storage: AzureStorage,
    write: boolean,
    deadlineSeconds: number,
    endpoint = `https://${storage.account}.blob.core.windows.net`,
): Promise<Finding> {
    const { account, accountKey, container, prefix } = storage;
    if (!accountKey) return { kind: "good" };
    const { origin, pathname } = new URL(endpoint);
    const client = clientOf(storage, origin);
    const at = `${pathname.replace(/\/+$/, "")}/${container}`;
    const folder = prefix === undefined ? "" : `${prefix}/`;
    const send = async (action: string, { headers, query = {}, ...asked }: Asked) => {
        const request = { ...asked, query, headers, account, accountKey: accountKey.value ?? "" };
        await client.call({ ...asked, query, action, deadlineSeconds, headers: azureSignature(request) });
    };
    const blob = `${at}/${folder}.pulumi-fluss-check-${randomBytes(6).toString("hex")}`;
    const place = `container '${container}' of storage account '${account}'`;
    try {
        const query = { restype: "container", comp: "list", maxresults: "1", prefix: folder };
        await send(`list ${place}`, { method: "GET", path: at, query });
        if (!write) return { kind: "good" };
        const headers = { "x-ms-blob-type": "BlockBlob" };
        await send(`write a blob to ${place}`, { method: "PUT", path: blob, headers });
        await send(`delete a blob from ${place}`, { method: "DELETE", path: blob });
        return { kind: "good" };
    } catch (error) {
        return findingOf(error);
    }
}

interface Asked {
    method: "GET" | "PUT" | "DELETE";
    path: string;
    query?: Record<string, string>;
    headers?: Record<string, string>;
}

function clientOf({ account, container, accountKey }: AzureStorage, baseUrl: string): HttpClient {
    const hints: Record<string, string> = {
        ContainerNotFound: `make container '${container}' first, or check lake.storage.container`,
        AuthenticationFailed: `give a key of storage account '${account}' as lake.storage.accountKey`,
        AuthorizationFailure: `give a key of storage account '${account}' as lake.storage.accountKey, and let its firewall in who asks`,
        KeyBasedAuthenticationNotPermitted: "allow shared keys on the storage account",
    };
    return new HttpClient({
        system: "Lake's store",
        baseUrl,
        secrets: () => [accountKey?.value],
        readError,
        hint: ({ type = "", message }) =>
            type === "ENOTFOUND" || /ENOTFOUND/.test(message)
                ? `check lake.storage.account: there may be no storage account '${account}'`
                : hints[type],
    });
}

/** `<Error><Code>…</Code><Message>…</Message></Error>`, of whose message the first line tells enough. */
function readError({ text, headers }: HttpAnswer): { type?: string; message?: string; requestId?: string } {
    const element = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
    const header = (name: string) => (typeof headers[name] === "string" ? headers[name] : undefined);
    return {
        type: header("x-ms-error-code") ?? element("Code"),
        message: element("Message")?.split("\n")[0],
        requestId: header("x-ms-request-id"),
    };
}
