import { throwFaults } from "./faults.ts";
import type { Lake } from "./lake.ts";
import { coreSiteProperties } from "./lake-core-site.ts";
import { lakeOptions } from "./lake-options.ts";
import type { LakeStorage, Storage } from "./lake-storage.ts";
import { renderOptions } from "./secret-ref.ts";

/**
 * What each engine calls the settings of an Iceberg catalog. Flink and Spark take Iceberg's own names; the others have
 * names of their own, which are those of the manuals of Trino, StarRocks and PyIceberg.
 */

/** Settings by name, or why the engine cannot read this lake. */
export type ReaderSettings = { settings: Record<string, string> } | { unavailable: string };

/** Options of Flink's `CREATE CATALOG`, `type` first. */
export function flinkSettings(lake: Lake): ReaderSettings {
    const { type, ...rest } = icebergSettings(lake);
    // A Java catalog other than REST and Hadoop is named by its class alone.
    return {
        settings: { type: "iceberg", ...(type === undefined ? {} : { "catalog-type": type }), ...rest },
    };
}

/** Properties of Spark's configuration, for a catalog of that name. */
export function sparkSettings(lake: Lake, catalog: string): ReaderSettings {
    // The name is a part of the settings' names, which end at a blank and in which a dot is Spark's own.
    if (!/^[\w-]+$/.test(catalog)) {
        return {
            unavailable: `Spark has no catalog named ${JSON.stringify(catalog)}: letters, digits, _ and - only`,
        };
    }
    const prefix = `spark.sql.catalog.${catalog}`;
    const own = { ...icebergSettings(lake), ...hadoopSettings(lake, "hadoop.") };
    return {
        settings: {
            "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
            [prefix]: "org.apache.iceberg.spark.SparkCatalog",
            ...Object.fromEntries(Object.entries(own).map(([key, value]) => [`${prefix}.${key}`, value])),
        },
    };
}

/** Properties of a Trino catalog file. */
export function trinoSettings(lake: Lake): ReaderSettings {
    const { catalog, storage } = lake;
    if (catalog.type === "hadoop" || storage.type === "files") {
        return { unavailable: "Trino has no Hadoop catalog" };
    }
    const iceberg = icebergSettings(lake);
    const settings: Record<string, string | undefined> = { "connector.name": "iceberg" };
    if (catalog.type === "rest") {
        Object.assign(settings, {
            "iceberg.catalog.type": "rest",
            "iceberg.rest-catalog.uri": catalog.uri,
            "iceberg.rest-catalog.warehouse": catalog.warehouse,
            "iceberg.rest-catalog.security": "OAUTH2",
            "iceberg.rest-catalog.oauth2.token": iceberg["token"],
            "iceberg.rest-catalog.oauth2.credential": iceberg["credential"],
            "iceberg.rest-catalog.oauth2.scope": iceberg["scope"],
            "iceberg.rest-catalog.oauth2.server-uri": iceberg["oauth2-server-uri"],
            "iceberg.rest-catalog.vended-credentials-enabled": hasKeys(storage) ? undefined : "true",
        });
    } else {
        Object.assign(settings, {
            "iceberg.catalog.type": "jdbc",
            "iceberg.jdbc-catalog.catalog-name": catalog.name,
            "iceberg.jdbc-catalog.driver-class": "org.postgresql.Driver",
            "iceberg.jdbc-catalog.connection-url": catalog.uri,
            "iceberg.jdbc-catalog.connection-user": catalog.user,
            "iceberg.jdbc-catalog.connection-password": iceberg["jdbc.password"],
            "iceberg.jdbc-catalog.default-warehouse-dir": iceberg["warehouse"],
        });
    }
    const files: Record<string, string | undefined> =
        storage.type === "adls"
            ? {
                  "fs.native-azure.enabled": "true",
                  "azure.auth-type": storage.accountKey ? "ACCESS_KEY" : "DEFAULT",
                  "azure.access-key": storage.accountKey?.value,
              }
            : {
                  "fs.native-s3.enabled": "true",
                  "s3.region": storage.region,
                  "s3.endpoint": iceberg["s3.endpoint"],
                  "s3.path-style-access": iceberg["s3.path-style-access"],
                  "s3.aws-access-key": iceberg["s3.access-key-id"],
                  "s3.aws-secret-key": iceberg["s3.secret-access-key"],
              };
    return { settings: given({ ...settings, ...files }) };
}

/** Properties of StarRocks' `CREATE EXTERNAL CATALOG`. */
export function starRocksSettings(lake: Lake): ReaderSettings {
    const { catalog, storage } = lake;
    if (storage.type === "files") return { unavailable: "StarRocks reads stores only, not a folder" };
    const iceberg = icebergSettings(lake);
    const settings: Record<string, string | undefined> = {
        type: "iceberg",
        "iceberg.catalog.type": catalog.type,
        "iceberg.catalog.warehouse": iceberg["warehouse"],
    };
    if (catalog.type === "rest") {
        Object.assign(settings, {
            "iceberg.catalog.uri": catalog.uri,
            "iceberg.catalog.security": "oauth2",
            "iceberg.catalog.oauth2.token": iceberg["token"],
            "iceberg.catalog.oauth2.credential": iceberg["credential"],
            "iceberg.catalog.oauth2.scope": iceberg["scope"],
            "iceberg.catalog.oauth2.server-uri": iceberg["oauth2-server-uri"],
            "iceberg.catalog.vended-credentials-enabled": hasKeys(storage) ? "false" : "true",
        });
    }
    if (catalog.type === "jdbc") {
        Object.assign(settings, {
            "iceberg.catalog.uri": catalog.uri,
            "iceberg.catalog.jdbc.user": catalog.user,
            "iceberg.catalog.jdbc.password": iceberg["jdbc.password"],
        });
    }
    return { settings: given({ ...settings, ...starRocksFiles(storage) }) };
}

/** Properties of a PyIceberg catalog. */
export function pyIcebergSettings(lake: Lake): ReaderSettings {
    const { catalog, storage } = lake;
    if (catalog.type === "hadoop" || storage.type === "files") {
        return { unavailable: "PyIceberg has no Hadoop catalog" };
    }
    const iceberg = icebergSettings(lake);
    const own: Record<string, string | undefined> =
        catalog.type === "rest"
            ? {
                  type: "rest",
                  uri: catalog.uri,
                  warehouse: catalog.warehouse,
                  token: iceberg["token"],
                  credential: iceberg["credential"],
                  scope: iceberg["scope"],
                  "oauth2-server-uri": iceberg["oauth2-server-uri"],
              }
            : {
                  type: "sql",
                  uri: sqlAlchemyUri(catalog.uri, catalog.user, iceberg["jdbc.password"]!),
                  warehouse: iceberg["warehouse"],
              };
    const files: Record<string, string | undefined> =
        storage.type === "adls"
            ? { "adls.account-name": storage.account, "adls.account-key": storage.accountKey?.value }
            : {
                  "s3.region": storage.region,
                  "s3.endpoint": iceberg["s3.endpoint"],
                  "s3.force-virtual-addressing":
                      storage.type === "s3Compatible" ? String(!storage.pathStyle) : undefined,
                  "s3.access-key-id": iceberg["s3.access-key-id"],
                  "s3.secret-access-key": iceberg["s3.secret-access-key"],
              };
    return { settings: given({ ...own, ...files }) };
}

/**
 * The options of the Iceberg catalog as its Java library names them. A reader of a REST catalog uses Iceberg's own
 * clients of the store, also where the writers go through Hadoop.
 */
function icebergSettings(lake: Lake): Record<string, string> {
    const { catalog } = lake;
    const own: Lake = catalog.type === "rest" ? { ...lake, catalog: { ...catalog, fileIo: "native" } } : lake;
    const { rendered, faults } = renderOptions(lakeOptions(own), "value");
    throwFaults("the settings of readers", faults);
    const settings = Object.fromEntries(rendered);
    // The engine's name of the catalog is its name in JDBC.
    delete settings["name"];
    // Without keys of its own a reader asks the catalog for them.
    if (catalog.type === "rest" && !hasKeys(lake.storage)) {
        settings["header.X-Iceberg-Access-Delegation"] ??= "vended-credentials";
    }
    return settings;
}

/** What Hadoop needs for the files of a Hadoop catalog, with the prefix under which the engine passes it on. */
function hadoopSettings(lake: Lake, prefix: string): Record<string, string> {
    const properties = lake.catalog.type === "hadoop" ? coreSiteProperties(lake) : undefined;
    return Object.fromEntries(Object.entries(properties ?? {}).map(([key, value]) => [prefix + key, value]));
}

function starRocksFiles(storage: Storage): Record<string, string | undefined> {
    if (storage.type === "adls") {
        return {
            "azure.adls2.storage_account": storage.account,
            "azure.adls2.shared_key": storage.accountKey?.value,
        };
    }
    const keys = {
        "aws.s3.region": storage.region,
        "aws.s3.access_key": storage.accessKey?.id.value,
        "aws.s3.secret_key": storage.accessKey?.secret.value,
    };
    if (storage.type === "s3") return keys;
    return {
        ...keys,
        "aws.s3.endpoint": storage.endpoint,
        "aws.s3.enable_ssl": String(storage.endpoint.startsWith("https:")),
        "aws.s3.enable_path_style_access": String(storage.pathStyle),
    };
}

/** The location of the database as SQLAlchemy writes it, with user and password in it. */
function sqlAlchemyUri(jdbc: string, user: string, password: string): string {
    const address = jdbc.slice("jdbc:postgresql://".length);
    return `postgresql+psycopg2://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${address}`;
}

function hasKeys(storage: LakeStorage): boolean {
    if (storage.type === "files") return false;
    return (storage.type === "adls" ? storage.accountKey : storage.accessKey) !== undefined;
}

/** Leaves out what is not given. */
function given(settings: Record<string, string | undefined>): Record<string, string> {
    return Object.fromEntries(
        Object.entries(settings).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
}
