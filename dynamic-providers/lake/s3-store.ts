import type { Lake } from "../../model/lake.ts";
import { lakeTrouble } from "../../model/lake-troubles.ts";
import { type HttpAnswer, HttpClient } from "../http/client.ts";
import type { Finding } from "./finding.ts";
import { s3Signature } from "./s3-signature.ts";
import { trialName, tryStore, xmlText } from "./store.ts";

type S3Storage = Extract<Lake["storage"], { type: "s3" | "s3Compatible" }>;

/**
 * Tries the lake's folder in an S3 store.
 * @param accessKey the lake's own
 */
export function probeS3(
    storage: S3Storage,
    accessKey: NonNullable<S3Storage["accessKey"]>,
    write: boolean,
    deadlineSeconds: number,
): Promise<Finding> {
    const { base, bucketPath } = addressOf(storage);
    const folder = storage.prefix === undefined ? "" : `${storage.prefix}/`;
    const secretAccessKey = accessKey.secret.value ?? "";
    const client = clientOf(base, secretAccessKey);
    const signer = {
        host: new URL(base).host,
        region: storage.region,
        accessKeyId: accessKey.id.value ?? "",
        secretAccessKey,
    };
    const object = `${bucketPath}/${folder}${trialName()}`;
    const place = `s3://${storage.bucket}/${folder}`;
    const trial = {
        list: {
            method: "GET",
            path: `${bucketPath}/`,
            query: { "list-type": "2", "max-keys": "1", prefix: folder },
            action: `list ${place}`,
        },
        put: { method: "PUT", path: object, action: `write an object to ${place}` },
        remove: { method: "DELETE", path: object, action: `delete an object from ${place}` },
    } as const;
    return tryStore(trial, write, ({ query = {}, ...call }) => {
        const headers = s3Signature({ ...call, query, ...signer });
        return client.call({ ...call, query, headers, deadlineSeconds });
    });
}

/** A bucket with a dot in its name fits no certificate, so it goes into the path. */
function addressOf(storage: S3Storage): { base: string; bucketPath: string } {
    const { bucket, region } = storage;
    if (storage.type === "s3Compatible") {
        const { protocol, host, pathname } = new URL(storage.endpoint);
        const folder = pathname.replace(/\/+$/, "");
        return storage.pathStyle
            ? { base: `${protocol}//${host}`, bucketPath: `${folder}/${bucket}` }
            : { base: `${protocol}//${bucket}.${host}`, bucketPath: folder };
    }
    const host = `s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
    return bucket.includes(".")
        ? { base: `https://${host}`, bucketPath: `/${bucket}` }
        : { base: `https://${bucket}.${host}`, bucketPath: "" };
}

function clientOf(baseUrl: string, secretAccessKey: string): HttpClient {
    return new HttpClient({
        system: "Lake's store",
        baseUrl,
        secrets: () => [secretAccessKey],
        readError,
        hint: ({ status, type, message }) => {
            if (type === "NoSuchBucket") return "make the bucket first, or check lake.storage.bucket";
            if (status === 301 || type === "PermanentRedirect" || type === "AuthorizationHeaderMalformed") {
                return "the bucket is in another region: check lake.storage.region";
            }
            const trouble = lakeTrouble(`${type ?? ""}: ${message}`);
            return trouble && `${trouble.reason}. ${trouble.fix}`;
        },
    });
}

function readError({ text }: HttpAnswer): { type?: string; message?: string; requestId?: string } {
    return {
        type: xmlText(text, "Code"),
        message: xmlText(text, "Message"),
        requestId: xmlText(text, "RequestId"),
    };
}
