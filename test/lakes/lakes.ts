import { defineLake, type Lake } from "../../model/lake.ts";
import type { Storage } from "../../model/lake-storage.ts";
import type { Bed } from "./bed.ts";

/** The lakes of this tier by the names that docs/lakes.md gives to their catalogs, each on the S3 emulator. */
export function lakesOf(bed: Bed): Record<string, Lake> {
    const { rest, database } = bed;
    const catalog = { type: "rest", uri: rest.url, warehouse: rest.warehouse } as const;
    const { clientId, clientSecret, scope } = rest.oauth;
    return {
        "REST, token": defineLake({
            catalog: { ...catalog, auth: { type: "token", token: { value: rest.token } } },
            storage: storageOf(bed, "rest", { keys: false }),
        }),
        "REST, OAuth": defineLake({
            catalog: {
                ...catalog,
                auth: { type: "oauth", clientId, clientSecret: { value: clientSecret }, scope },
            },
            storage: storageOf(bed, "rest", { keys: false }),
        }),
        JDBC: defineLake({
            catalog: {
                type: "jdbc",
                name: "tables",
                uri: database.uri,
                user: database.name,
                password: { value: database.password },
            },
            storage: storageOf(bed, "jdbc", { keys: true }),
        }),
        Hadoop: defineLake({
            catalog: { type: "hadoop" },
            storage: storageOf(bed, "hadoop", { keys: true }),
        }),
    };
}

/** The cluster's remote storage. */
export function remoteOf(bed: Bed): Storage {
    const lake = storageOf(bed, "remote", { keys: true });
    return { ...lake, bucket: bed.buckets.remote, stsEndpoint: bed.s3.endpoint };
}

/** A folder of the lake's bucket; a REST catalog hands the keys out. */
function storageOf({ s3, s3User, buckets }: Bed, prefix: string, { keys }: { keys: boolean }) {
    const { accessKeyId, secretAccessKey } = s3User;
    const accessKey = { id: { value: accessKeyId }, secret: { value: secretAccessKey } };
    return {
        type: "s3Compatible" as const,
        endpoint: s3.endpoint,
        bucket: buckets.lake,
        region: s3.region,
        pathStyle: true,
        prefix,
        ...(keys ? { accessKey } : {}),
    };
}
