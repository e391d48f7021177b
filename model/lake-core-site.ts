import { type Fault, FaultsError, throwFaults } from "./faults.ts";
import type { Lake } from "./lake.ts";
import type { Storage } from "./lake-storage.ts";
import { type Option, renderOptions } from "./secret-ref.ts";

/** How Hadoop proves to the store who it is, where not with the lake's keys. */
export interface CoreSiteSettings {
    /**
     * By the token of the pod's ServiceAccount, as its environment names it (`AWS_WEB_IDENTITY_TOKEN_FILE`, `AWS_ROLE_ARN`).
     * Amazon S3 only, and without `accessKey`. Default false.
     */
    webIdentity?: boolean;
}

/**
 * Hadoop properties with which a job on a plain Flink reaches the lake's files (manual of lakehouse jobs, "Lake-Job
 * Credentials"). Undefined where Iceberg's own clients do that and no file is needed. Amazon S3 gets global keys, another
 * store those of its bucket alone, so that a job can reach both. Without `accessKey` on Amazon S3 the role must serve: that of
 * the machine, or with `webIdentity` that of the pod (IRSA), which Hadoop 3.3 does not look for by itself.
 *
 * Hadoop replaces no markers of ours, so every secret must carry a `value`, and what holds the result is a secret:
 * a file with mode 0600 or a Kubernetes Secret, never a ConfigMap. Not for VVP, whose jobs read no core-site.xml.
 *
 * Throws a `FaultsError` that names every key which is missing or that XML cannot hold.
 */
export function coreSiteProperties(
    lake: Lake,
    path = "lake",
    { webIdentity = false }: CoreSiteSettings = {},
): Record<string, string> | undefined {
    const { storage } = lake;
    if (storage.type === "files" || !usesHadoop(lake)) return undefined;
    const identity = webIdentity ? identityOptions(`${path}.storage.type`) : [];
    const options = [...schemeOptions(lake, path), ...storeOptions(storage, `${path}.storage`), ...identity];
    const { rendered, faults } = renderOptions(options, "value");
    faults.push(...keyFaults(storage, `${path}.storage`));
    if (webIdentity) faults.push(...identityFaults(storage, `${path}.storage`));
    rendered.forEach(([key, value], index) => {
        if (!/\p{Cc}/u.test(value)) return;
        const reason = `${key} contains a line break or control character, which core-site.xml would change`;
        faults.push({ path: options[index]!.path, reason, fix: "Give a value on one line" });
    });
    throwFaults("core-site.xml", faults);
    return Object.fromEntries(rendered);
}

/** The text of core-site.xml; its faults are those of {@link coreSiteProperties}. Undefined where none is needed. */
export function coreSiteXml(lake: Lake, path = "lake", settings: CoreSiteSettings = {}): string | undefined {
    const properties = coreSiteProperties(lake, path, settings);
    if (!properties) return undefined;
    const lines = Object.entries(properties).map(
        ([key, value]) =>
            `  <property><name>${escaped(key)}</name><value>${escaped(value)}</value></property>\n`,
    );
    return `<?xml version="1.0" encoding="UTF-8"?>\n<configuration>\n${lines.join("")}</configuration>\n`;
}

/**
 * The text of core-site.xml for pods, where it was asked for. Throws a `FaultsError` when the lake needs another answer.
 * @param wanted `webIdentity`: the file holds no key; see {@link CoreSiteSettings}
 */
export function wantedCoreSite(
    lake: Lake,
    wanted: boolean | "webIdentity",
    subject: string,
): string | undefined {
    const path = "coreSite";
    if (!wanted) {
        if (!usesHadoop(lake)) return undefined;
        const reason = "Hadoop touches the files of this lake and needs a core-site.xml with its keys";
        throw new FaultsError(subject, [{ path, reason, fix: "Set coreSite: true" }]);
    }
    const text = coreSiteXml(lake, "lake", { webIdentity: wanted === "webIdentity" });
    if (text !== undefined) return text;
    const reason = "Iceberg's own client of the store touches the files of this lake, and Hadoop does not";
    throw new FaultsError(subject, [{ path, value: String(wanted), reason, fix: "Remove it" }]);
}

/** Whether Hadoop reads and writes the lake's files in the store, and not Iceberg's own client of it. */
export function usesHadoop({ catalog, storage }: Lake): boolean {
    if (storage.type === "files") return false;
    return catalog.type === "hadoop" || (catalog.type === "rest" && catalog.fileIo === "hadoop");
}

/** A REST catalog's tables lie at `s3://…`, a scheme that Hadoop has no file system for: `No FileSystem for scheme "s3"`. */
function schemeOptions({ catalog, storage }: Lake, path: string): Option[] {
    if (catalog.type !== "rest" || storage.type === "adls") return [];
    const value = "org.apache.hadoop.fs.s3a.S3AFileSystem";
    return [{ key: "fs.s3.impl", value, path: `${path}.catalog.fileIo` }];
}

function storeOptions(storage: Storage, at: string): Option[] {
    if (storage.type === "adls") {
        if (!storage.accountKey) return [];
        const key = `fs.azure.account.key.${storage.account}.dfs.core.windows.net`;
        return [{ key, value: storage.accountKey, path: `${at}.accountKey` }];
    }
    const prefix = storage.type === "s3" ? "fs.s3a" : `fs.s3a.bucket.${storage.bucket}`;
    const options: Option[] = [];
    if (storage.type === "s3Compatible") {
        options.push({ key: `${prefix}.endpoint`, value: storage.endpoint, path: `${at}.endpoint` });
    }
    if (storage.accessKey) {
        const { id, secret } = storage.accessKey;
        options.push(
            { key: `${prefix}.access.key`, value: id, path: `${at}.accessKey.id` },
            { key: `${prefix}.secret.key`, value: secret, path: `${at}.accessKey.secret` },
        );
    }
    // The manual calls it fs.s3a.region, which Hadoop 3.3, the one of the S3 file system, does not know.
    options.push({ key: `${prefix}.endpoint.region`, value: storage.region, path: `${at}.region` });
    if (storage.type === "s3Compatible") {
        const key = `${prefix}.path.style.access`;
        options.push({ key, value: String(storage.pathStyle), path: `${at}.pathStyle` });
    }
    return options;
}

/** A class of the AWS SDK that Hadoop's S3 file system is built with; the JAR of Fluss' S3 file system holds it. */
function identityOptions(path: string): Option[] {
    const value = "com.amazonaws.auth.WebIdentityTokenCredentialsProvider";
    return [{ key: "fs.s3a.aws.credentials.provider", value, path }];
}

function identityFaults(storage: Storage, at: string): Fault[] {
    if (storage.type !== "s3") {
        const reason = "only Amazon S3 takes the web identity of a pod";
        return [
            { path: `${at}.type`, value: JSON.stringify(storage.type), reason, fix: "Give the store's key" },
        ];
    }
    if (!storage.accessKey) return [];
    const reason = "with the web identity of a pod nobody would use the key";
    return [{ path: `${at}.accessKey`, reason, fix: "Remove the one or the other" }];
}

function keyFaults(storage: Storage, at: string): Fault[] {
    if (storage.type === "adls") {
        if (storage.accountKey) return [];
        const reason = "Hadoop gets no key of the storage account from anybody";
        return [{ path: `${at}.accountKey`, reason, fix: "Give accountKey" }];
    }
    if (storage.type === "s3" || storage.accessKey) return [];
    const reason = "Hadoop gets no keys of an S3-compatible store from anybody";
    return [{ path: `${at}.accessKey`, reason, fix: "Give accessKey" }];
}

function escaped(text: string): string {
    return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
