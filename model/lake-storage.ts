import * as z from "zod";
import { isAwsRegion } from "./aws-partition.ts";
import { strict } from "./faults.ts";
import { bucketName } from "./names.ts";
import { secretRef } from "./secret-ref.ts";
import { isServiceUrl } from "./url.ts";

/**
 * An object store and a place in it. The same kinds serve the cluster's remote storage and the lake; the two are
 * separate buckets in the quickstart.
 */

/** Static keys of an S3 store. */
const accessKey = strict({ id: secretRef, secret: secretRef });

/** Folder below the bucket, without slashes at its ends. Hadoop would take `//`, `.` and `..` out, and Iceberg's own client would not. */
const prefix = z.string().refine((text) => /^[^\s/]+(?:\/[^\s/]+)*$/.test(text) && !hasDots(text), {
    error: "a prefix has no blanks, no slash at its ends, and no empty, . or .. folder in it",
    params: { fix: "Write it like fluss-lake-storage" },
});

const region = z.string().refine((text) => /^[A-Za-z0-9-]{1,128}$/.test(text), {
    error: "is not a region",
    params: { fix: "Write it like eu-central-1; stores without regions take us-east-1" },
});

const awsRegion = z.string().refine(isAwsRegion, {
    error: "is not the name of an AWS region",
    params: { fix: "Write it as AWS does, like eu-central-1; another store is of type s3Compatible" },
});

/** Location of an HTTP service, written like `example`: http or https, no blanks, no user and password, no query. */
export function httpUri(example: string) {
    return z.string().refine(isServiceUrl, {
        error: "is not an http(s) URI without user, password, query and blanks",
        params: { fix: `Write it like ${example}` },
    });
}

const s3 = strict(
    {
        type: z.literal("s3"),
        bucket: bucketName,
        region: awsRegion,
        prefix: prefix.optional(),
        /** Left out where another holds them, as the Lakekeeper warehouse does for the lake. */
        accessKey: accessKey.optional(),
    },
    "Amazon S3 takes no endpoint; another store is of type s3Compatible",
);

const s3Compatible = strict({
    type: z.literal("s3Compatible"),
    /** Where the store answers: `http://127.0.0.1:9000`. */
    endpoint: httpUri("http://minio:9000"),
    bucket: bucketName,
    /** Needed though the store may ignore it: the SDKs sign with it. */
    region,
    prefix: prefix.optional(),
    /** Bucket in the path instead of the host name; what most such stores need. Default true. */
    pathStyle: z.boolean().default(true),
    /**
     * Where the store's STS answers. Without one the Fluss server has no short-lived keys to hand out, and every read
     * carries the keys itself: see `readHints`.
     */
    stsEndpoint: httpUri("http://minio:9000").optional(),
    accessKey: accessKey.optional(),
});

const adls = strict({
    type: z.literal("adls"),
    /** Storage account: 3 to 24 lower-case letters and digits. */
    account: z.string().refine((text) => /^[a-z0-9]{3,24}$/.test(text), {
        error: "a storage account is named with 3 to 24 lower-case letters and digits",
        params: { fix: "Give the account's name alone, without .dfs.core.windows.net" },
    }),
    container: z.string().refine((text) => /^(?!.*--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(text), {
        error: "a container is named with 3 to 63 lower-case letters, digits and single inner hyphens",
        params: { fix: "Give the container's name alone" },
    }),
    prefix: prefix.optional(),
    /** Left out where the store is reached through an OAuth service principal. */
    accountKey: secretRef.optional(),
});

const files = strict({
    type: z.literal("files"),
    /** Absolute path of a folder that all processes share: the Fluss servers, the jobs and the readers of one machine. */
    folder: z.string().refine((text) => /^(?:\/[^\s/]+)+$/.test(text) && !hasDots(text), {
        error: "is not the absolute path of a folder without blanks, without . and .., and without a slash at its end",
        params: { fix: "Write it like /var/lib/fluss/lake" },
    }),
});

/** Schema of {@link Storage}. */
export const storageSchema = z.discriminatedUnion("type", [s3, s3Compatible, adls]);

/** Schema of {@link LakeStorage}. */
export const lakeStorageSchema = z.discriminatedUnion("type", [s3, s3Compatible, adls, files]);

/** A bucket or container, how to reach it, and a folder in it. */
export type Storage = z.output<typeof storageSchema>;

/** Where a lake keeps its files: a store, or a folder of the one machine that runs everything. */
export type LakeStorage = z.output<typeof lakeStorageSchema>;

/**
 * `scheme://bucket/prefix` for S3 stores, `scheme://container@account.dfs.core.windows.net/prefix` for ADLS, `file://` for
 * a folder.
 */
export function storageUri(storage: LakeStorage, scheme: string): string {
    if (storage.type === "files") return `file://${storage.folder}`;
    const root =
        storage.type === "adls"
            ? `${storage.container}@${storage.account}.dfs.core.windows.net`
            : storage.bucket;
    return [`${scheme}://${root}`, storage.prefix].filter(Boolean).join("/");
}

function hasDots(path: string): boolean {
    return path.split("/").some((folder) => folder === "." || folder === "..");
}
