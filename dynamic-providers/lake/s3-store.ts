import { randomBytes } from "node:crypto";
import type { Lake } from "../../model/lake.ts";
import { lakeTrouble } from "../../model/lake-troubles.ts";
import { type HttpAnswer, type HttpCall, HttpClient } from "../http/client.ts";
import { type Finding, findingOf } from "./finding.ts";
import { s3Signature } from "./s3-signature.ts";

type S3Storage = Extract<Lake["storage"], { type: "s3" | "s3Compatible" }>;

/**
 * Lists the lake's folder with the lake's own key and, if `write`, puts an empty object there and deletes it again: what Fluss
 * and the tiering job have to be able to do. A lake without keys is `good`: somebody else holds them.
 */
export async function probeS3(storage: S3Storage, write: boolean, deadlineSeconds: number): Promise<Finding> {
    if (!storage.accessKey) return { kind: "good" };
    const { base, bucketPath } = addressOf(storage);
    const folder = storage.prefix === undefined ? "" : `${storage.prefix}/`;
    const send = async (call: Pick<HttpCall, "action"> & Asked) => {
        const query = call.query ?? {};
        const request = { ...call, query, host: new URL(base).host, region: storage.region };
        await clientOf(storage, base).call({
            ...call,
            query,
            deadlineSeconds,
            headers: s3Signature({ ...request, ...keyOf(storage) }),
        });
    };
    const object = `${bucketPath}/${folder}.pulumi-fluss-check-${randomBytes(6).toString("hex")}`;
    const place = `s3://${storage.bucket}/${folder}`;
    try {
        const query = { "list-type": "2", "max-keys": "1", prefix: folder };
        await send({ method: "GET", path: `${bucketPath}/`, query, action: `list ${place}` });
        if (!write) return { kind: "good" };
        await send({ method: "PUT", path: object, action: `write an object to ${place}` });
        await send({ method: "DELETE", path: object, action: `delete an object from ${place}` });
        return { kind: "good" };
    } catch (error) {
        return findingOf(error);
    }
}

interface Asked {
    method: "GET" | "PUT" | "DELETE";
    path: string;
    query?: Record<string, string>;
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

function keyOf({ accessKey }: S3Storage) {
    return {
        accessKeyId: accessKey?.id.value ?? "",
        secretAccessKey: accessKey?.secret.value ?? "",
    };
}

function clientOf(storage: S3Storage, baseUrl: string): HttpClient {
    return new HttpClient({
        system: "Lake's store",
        baseUrl,
        secrets: () => [storage.accessKey?.secret.value],
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

/** `<Error><Code>…</Code><Message>…</Message></Error>`. */
function readError({ text }: HttpAnswer): { type?: string; message?: string; requestId?: string } {
    const element = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
    return { type: element("Code"), message: element("Message"), requestId: element("RequestId") };
}
