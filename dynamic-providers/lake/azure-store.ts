import type { Lake } from "../../model/lake.ts";
import { type HttpAnswer, HttpClient } from "../http/client.ts";
import { azureSignature } from "./azure-signature.ts";
import type { Finding } from "./finding.ts";
import { trialName, tryStore, xmlText } from "./store.ts";

type AzureStorage = Extract<Lake["storage"], { type: "adls" }>;

/**
 * Tries the lake's folder by the blob service, which ADLS Gen2 accounts have, too.
 * @param accountKey the lake's own
 * @param endpoint of the account's blob service, for an emulator. Default Azure's own
 */
export function probeAzure(
    storage: AzureStorage,
    accountKey: NonNullable<AzureStorage["accountKey"]>,
    write: boolean,
    deadlineSeconds: number,
    endpoint = `https://${storage.account}.blob.core.windows.net`,
): Promise<Finding> {
    const { account, container, prefix } = storage;
    const key = accountKey.value ?? "";
    const { origin, pathname } = new URL(endpoint);
    const client = clientOf(storage, key, origin);
    const at = `${pathname.replace(/\/+$/, "")}/${container}`;
    const folder = prefix === undefined ? "" : `${prefix}/`;
    const blob = `${at}/${folder}${trialName()}`;
    const place = `container '${container}' of storage account '${account}'`;
    const trial = {
        list: {
            method: "GET",
            path: at,
            query: { restype: "container", comp: "list", maxresults: "1", prefix: folder },
            action: `list ${place}`,
        },
        put: {
            method: "PUT",
            path: blob,
            headers: { "x-ms-blob-type": "BlockBlob" },
            action: `write a blob to ${place}`,
        },
        remove: { method: "DELETE", path: blob, action: `delete a blob from ${place}` },
    } as const;
    return tryStore(trial, write, ({ query = {}, ...call }) => {
        const headers = azureSignature({ ...call, query, account, accountKey: key });
        return client.call({ ...call, query, headers, deadlineSeconds });
    });
}

function clientOf({ account, container }: AzureStorage, key: string, baseUrl: string): HttpClient {
    const hints: Record<string, string> = {
        ContainerNotFound: `make container '${container}' first, or check lake.storage.container`,
        AuthenticationFailed: `give a key of storage account '${account}' as lake.storage.accountKey`,
        AuthorizationFailure: `give a key of storage account '${account}' as lake.storage.accountKey, and let its firewall in who asks`,
        KeyBasedAuthenticationNotPermitted: "allow shared keys on the storage account",
    };
    return new HttpClient({
        system: "Lake's store",
        baseUrl,
        secrets: () => [key],
        readError,
        hint: ({ type = "", message }) =>
            type === "ENOTFOUND" || /ENOTFOUND/.test(message)
                ? `check lake.storage.account: there may be no storage account '${account}'`
                : hints[type],
    });
}

/** The first line of the message tells enough. */
function readError({ text, headers }: HttpAnswer): { type?: string; message?: string; requestId?: string } {
    const header = (name: string) => (typeof headers[name] === "string" ? headers[name] : undefined);
    return {
        type: header("x-ms-error-code") ?? xmlText(text, "Code"),
        message: xmlText(text, "Message")?.split("\n")[0],
        requestId: header("x-ms-request-id"),
    };
}
