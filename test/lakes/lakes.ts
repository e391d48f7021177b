import path from "node:path";
import { defineLake, type Lake } from "../../model/lake.ts";
import type { Storage } from "../../model/lake-storage.ts";
import type { Bed, S3Key } from "./bed.ts";

/** A lake of this tier, under the names that docs/lakes.md gives to its catalog and its store. */
export interface NamedLake {
    catalog: string;
    storage: "S3-compatible" | "Files";
    /** Whether the lake has keys of the store; a REST catalog hands them out otherwise. */
    keys: boolean;
    lake: Lake;
    /** The same lake with something wrong, for a tiering job of its own, and how the model explains its failure. */
    mistakes?: { what: string; lake: Lake; reason: RegExp }[];
}

/** Every lake that is run, stores on the S3 emulator. */
export function lakesOf(bed: Bed): NamedLake[] {
    const { rest, database } = bed;
    const ofRest = {
        type: "rest",
        uri: rest.url,
        warehouse: rest.warehouse,
        vendedCredentials: false,
        fileIo: "native",
    } as const;
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
    const key = secretsOf(bed.s3User);
    const onS3 = (name: string, catalog: Lake["catalog"], keys: boolean): NamedLake => {
        const lake = defineLake({ catalog, storage: storageOf(bed, catalog.type, keys ? key : undefined) });
        return { catalog: name, storage: "S3-compatible", keys, lake };
    };
    const wrongRest = (what: string, part: object, reason: RegExp) => ({
        what,
        lake: defineLake({
            catalog: { ...ofRest, auth: oauth, ...part },
            storage: storageOf(bed, "rest", undefined),
        }),
        reason,
    });
    return [
        onS3("REST, token", { ...ofRest, auth: token }, false),
        {
            ...onS3("REST, OAuth", { ...ofRest, auth: oauth }, false),
            mistakes: [
                wrongRest("scope", { auth: { ...oauth, scope: "catalog" } }, /does not give .* that scope/),
                wrongRest(
                    "client secret",
                    { auth: { ...oauth, clientSecret: { value: "x" } } },
                    /another one/,
                ),
                wrongRest("warehouse", { warehouse: "nowhere" }, /no warehouse of that name/),
                wrongRest("token", { auth: { type: "token", token: { value: "x" } } }, /not take the token/),
            ],
        },
        onS3("REST, OAuth, files by Hadoop", { ...ofRest, auth: oauth, fileIo: "hadoop" }, true),
        {
            ...onS3("JDBC", jdbc, true),
            mistakes: [
                {
                    what: "password",
                    lake: defineLake({
                        catalog: { ...jdbc, password: { value: "x" } },
                        storage: storageOf(bed, "jdbc", key),
                    }),
                    reason: /PostgreSQL refuses the user or the password/,
                },
                {
                    what: "key, which may read but not write",
                    lake: defineLake({
                        catalog: jdbc,
                        storage: storageOf(bed, "jdbc", secretsOf(bed.reader)),
                    }),
                    reason: /may not do that in the bucket/,
                },
            ],
        },
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
    const storage = storageOf(bed, "remote", secretsOf(bed.s3User));
    return { ...storage, bucket: bed.buckets.remote, stsEndpoint: bed.s3.endpoint };
}

/** A folder of the lake's bucket, with keys where it has some of its own. */
function storageOf({ s3, buckets }: Bed, prefix: string, accessKey: AccessKey | undefined) {
    return {
        type: "s3Compatible" as const,
        endpoint: s3.endpoint,
        bucket: buckets.lake,
        region: s3.region,
        pathStyle: true,
        prefix,
        ...(accessKey ? { accessKey } : {}),
    };
}

type AccessKey = ReturnType<typeof secretsOf>;

function secretsOf({ accessKeyId, secretAccessKey }: S3Key) {
    return { id: { value: accessKeyId }, secret: { value: secretAccessKey } };
}
