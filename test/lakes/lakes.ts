import path from "node:path";
import { defineLake, type Lake } from "../../model/lake.ts";
import type { Storage } from "../../model/lake-storage.ts";
import type { Bed } from "./bed.ts";

/** A lake of this tier, under the names that docs/lakes.md gives to its catalog and its store. */
export interface NamedLake {
    catalog: string;
    storage: "S3-compatible" | "Files";
    /** Whether the lake has keys of the store; a REST catalog hands them out otherwise. */
    keys: boolean;
    lake: Lake;
}

/** Every lake that is run, stores on the S3 emulator. */
export function lakesOf(bed: Bed): NamedLake[] {
    const { rest, database } = bed;
    const catalog = { type: "rest", uri: rest.url, warehouse: rest.warehouse } as const;
    const { clientId, clientSecret, scope } = rest.oauth;
    const oauth = { type: "oauth", clientId, clientSecret: { value: clientSecret }, scope } as const;
    const jdbc = {
        type: "jdbc",
        name: "tables",
        uri: database.uri,
        user: database.name,
        password: { value: database.password },
    } as const;
    const token = { type: "token", token: { value: rest.token } } as const;
    const onS3 = (name: string, catalog: Lake["catalog"], keys: boolean): NamedLake => {
        const lake = defineLake({ catalog, storage: storageOf(bed, catalog.type, keys) });
        return { catalog: name, storage: "S3-compatible", keys, lake };
    };
    const ofRest = { ...catalog, vendedCredentials: false, fileIo: "native" } as const;
    return [
        onS3("REST, token", { ...ofRest, auth: token }, false),
        onS3("REST, OAuth", { ...ofRest, auth: oauth }, false),
        onS3("REST, OAuth, files by Hadoop", { ...ofRest, auth: oauth, fileIo: "hadoop" }, true),
        onS3("JDBC", jdbc, true),
        onS3("Hadoop", { type: "hadoop" }, true),
        {
            catalog: "Hadoop",
            storage: "Files",
            keys: false,
            lake: defineLake({
                catalog: { type: "hadoop" },
                storage: { type: "files", folder: path.join(bed.root, "data", "lake") },
            }),
        },
    ];
}

/** The cluster's remote storage. */
export function remoteOf(bed: Bed): Storage {
    const storage = storageOf(bed, "remote", true);
    return { ...storage, bucket: bed.buckets.remote, stsEndpoint: bed.s3.endpoint };
}

/** A folder of the lake's bucket. */
function storageOf({ s3, s3User, buckets }: Bed, prefix: string, keys: boolean) {
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
