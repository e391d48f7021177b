import path from "node:path";
import type { Tools } from "../toolchain/types.ts";
import { foldersOf } from "./folders.ts";
import { javaCommand } from "./java.ts";
import { serviceNames } from "./names.ts";
import type { Ports } from "./ports.ts";
import type { ServiceSpec } from "./spec.ts";

/** Where the lake is, and the key with which the catalog and its clients reach it. */
export interface LakeStorage {
    bucket: string;
    /** Path inside the bucket without slashes at its ends, as `fluss-lake-storage`. */
    prefix: string;
    region: string;
    /** Of S3, as `http://127.0.0.1:27000`; reached with the bucket in the path. */
    endpoint: string;
    accessKeyId: string;
    secretAccessKey: string;
}

/**
 * The Iceberg REST catalog. It hands the storage's key, endpoint and addressing to its clients together with each
 * table, as Lakekeeper does for a warehouse with an access key. It checks neither token nor warehouse name.
 */
export function icebergCatalog(tools: Tools, ports: Ports, root: string, storage: LakeStorage): ServiceSpec {
    const data = path.join(foldersOf(root).data, serviceNames.catalog);
    const options = {
        warehouse: `s3://${storage.bucket}/${storage.prefix}`,
        uri: `jdbc:sqlite:${path.join(data, "catalog.db")}`,
        "io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
        "client.region": storage.region,
        "s3.endpoint": storage.endpoint,
        "s3.path-style-access": "true",
        "s3.access-key-id": storage.accessKeyId,
        "s3.secret-access-key": storage.secretAccessKey,
    };
    const settings = {
        port: String(ports.catalog),
        vend: Object.keys(options)
            .filter((key) => key.startsWith("s3.") || key === "client.region")
            .join(","),
        ...Object.fromEntries(Object.entries(options).map(([key, value]) => [`catalog.${key}`, value])),
    };
    return {
        name: serviceNames.catalog,
        ...javaCommand(tools, {
            root,
            name: serviceNames.catalog,
            classPath: tools.classPaths.catalog,
            mainClass: "pulumifluss.catalog.CatalogServer",
            args: ["catalog.properties"],
            heapMiB: 256,
        }),
        env: {},
        files: { "catalog.properties": javaProperties(settings) },
        folders: [data],
        ports: [ports.catalog],
        secrets: [storage.secretAccessKey],
        ready: { http: `${icebergCatalogUrl(ports)}/v1/config` },
        deadlineSeconds: 60,
    };
}

/** The catalog's base address, to which clients add `/v1/…`. */
export function icebergCatalogUrl(ports: Ports): string {
    return `http://127.0.0.1:${ports.catalog}`;
}

/** In a properties file `\`, `:`, `=`, `#` and `!` mean something, and a leading blank is lost. */
function javaProperties(settings: Record<string, string>): string {
    return Object.entries(settings)
        .map(([key, value]) => `${key}=${value.replace(/[\\:=#!]|^ /g, "\\$&").replaceAll("\n", "\\n")}\n`)
        .join("");
}
