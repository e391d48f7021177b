import type { Lake } from "./lake.ts";
import { type Catalog, oauthCredential } from "./lake-catalog.ts";
import { type LakeStorage, storageUri } from "./lake-storage.ts";
import type { Option } from "./secret-ref.ts";

/** An option of the Iceberg catalog, without prefix. */
export interface LakeOption extends Option {
    /** Readers need it from the SQL catalog, because the Fluss server does not hand it to them. */
    credential?: true;
}

type RestCatalog = Extract<Catalog, { type: "rest" }>;
type JdbcCatalog = Extract<Catalog, { type: "jdbc" }>;

/**
 * `datalake.*` options of a lake, without `datalake.enabled`, in the order of the manuals. The server's configuration
 * and the tiering job's arguments are both this list, so they cannot diverge.
 */
export function datalakeOptions(lake: Lake, path = "lake"): Option[] {
    return [
        { key: "datalake.format", value: lake.format, path: `${path}.format` },
        ...lakeOptions(lake, path).map(({ key, value, path }) => ({
            key: `datalake.${lake.format}.${key}`,
            value,
            path,
        })),
    ];
}

/** The lake credentials that a SQL catalog of type `fluss` carries: `iceberg.token` and its like. */
export function lakeCredentialOptions(lake: Lake, path = "lake"): Option[] {
    return lakeOptions(lake, path)
        .filter((option) => option.credential)
        .map(({ key, value, path }) => ({ key: `${lake.format}.${key}`, value, path }));
}

/** Every option of the Iceberg catalog, by its own name. */
export function lakeOptions(lake: Lake, path = "lake"): LakeOption[] {
    const { catalog, storage } = lake;
    if (catalog.type === "rest") return restOptions(catalog, storage, path);
    if (catalog.type === "jdbc") return jdbcOptions(catalog, storage, path);
    return [
        { key: "type", value: "hadoop", path: `${path}.catalog.type` },
        {
            key: "warehouse",
            value: storageUri(storage, storage.type === "adls" ? "abfs" : "s3a"),
            path: `${path}.storage`,
        },
    ];
}

function restOptions(catalog: RestCatalog, storage: LakeStorage, path: string): LakeOption[] {
    const at = `${path}.catalog`;
    const options: LakeOption[] = [
        { key: "type", value: "rest", path: `${at}.type` },
        { key: "uri", value: catalog.uri, path: `${at}.uri` },
        { key: "warehouse", value: catalog.warehouse, path: `${at}.warehouse` },
        ...authOptions(catalog, `${at}.auth`),
    ];
    if (catalog.vendedCredentials) {
        const key = "header.X-Iceberg-Access-Delegation";
        options.push({ key, value: "vended-credentials", path: `${at}.vendedCredentials` });
    }
    // Hadoop takes its keys and its region from core-site.xml.
    if (catalog.fileIo === "hadoop") {
        options.push({
            key: "io-impl",
            value: "org.apache.iceberg.hadoop.HadoopFileIO",
            path: `${at}.fileIo`,
        });
        return options;
    }
    return [...options, ...fileOptions(storage, `${path}.storage`)];
}

function authOptions({ auth }: RestCatalog, path: string): LakeOption[] {
    if (auth.type === "token") {
        return [{ key: "token", value: auth.token, path: `${path}.token`, credential: true }];
    }
    const options: LakeOption[] = [
        { key: "credential", value: oauthCredential(auth), path: `${path}.clientSecret`, credential: true },
        { key: "scope", value: auth.scope, path: `${path}.scope` },
    ];
    if (auth.oauth2ServerUri !== undefined) {
        options.push({
            key: "oauth2-server-uri",
            value: auth.oauth2ServerUri,
            path: `${path}.oauth2ServerUri`,
        });
    }
    return options;
}

function jdbcOptions(catalog: JdbcCatalog, storage: LakeStorage, path: string): LakeOption[] {
    const at = `${path}.catalog`;
    return [
        { key: "catalog-impl", value: "org.apache.iceberg.jdbc.JdbcCatalog", path: `${at}.type` },
        { key: "name", value: catalog.name, path: `${at}.name` },
        { key: "uri", value: catalog.uri, path: `${at}.uri` },
        { key: "jdbc.user", value: catalog.user, path: `${at}.user` },
        { key: "jdbc.password", value: catalog.password, path: `${at}.password`, credential: true },
        {
            key: "warehouse",
            value: storageUri(storage, storage.type === "adls" ? "abfss" : "s3"),
            path: `${path}.storage`,
        },
        ...fileOptions(storage, `${path}.storage`),
    ];
}

/** How Iceberg's own clients reach the files. */
function fileOptions(storage: LakeStorage, path: string): LakeOption[] {
    if (storage.type === "files") return [];
    if (storage.type === "adls") return adlsOptions(storage, path);
    const options: LakeOption[] = [
        { key: "io-impl", value: "org.apache.iceberg.aws.s3.S3FileIO", path: `${path}.type` },
        { key: "client.region", value: storage.region, path: `${path}.region` },
    ];
    if (storage.type === "s3Compatible") {
        options.push(
            { key: "s3.endpoint", value: storage.endpoint, path: `${path}.endpoint` },
            { key: "s3.path-style-access", value: String(storage.pathStyle), path: `${path}.pathStyle` },
        );
    }
    if (storage.accessKey) {
        const { id, secret } = storage.accessKey;
        options.push(
            { key: "s3.access-key-id", value: id, path: `${path}.accessKey.id`, credential: true },
            {
                key: "s3.secret-access-key",
                value: secret,
                path: `${path}.accessKey.secret`,
                credential: true,
            },
        );
    }
    return options;
}

function adlsOptions(storage: Extract<LakeStorage, { type: "adls" }>, path: string): LakeOption[] {
    const options: LakeOption[] = [
        { key: "io-impl", value: "org.apache.iceberg.azure.adlsv2.ADLSFileIO", path: `${path}.type` },
    ];
    if (storage.accountKey) {
        const prefix = "adls.auth.shared-key.account";
        options.push(
            { key: `${prefix}.name`, value: storage.account, path: `${path}.account`, credential: true },
            { key: `${prefix}.key`, value: storage.accountKey, path: `${path}.accountKey`, credential: true },
        );
    }
    return options;
}
