import * as z from "zod";
import { strict } from "./faults.ts";

/** The chart runs these values through Helm's template engine, which takes a `{{` in them as its own. */
const text = z
    .string()
    .min(1)
    .refine((value) => !value.includes("{{"), {
        error: "contains {{, which Helm takes for a template",
        params: { fix: "Give a value without it" },
    });

const port = z.int().min(1).max(65535);

const url = text.refine((value) => /^https?:\/\/[^/\s?#]+/.test(value), {
    error: "is not a URL",
    params: { fix: "Give it with http:// or https://" },
});

/** A Kubernetes Secret and a key in it. */
const secretKey = strict({ secretName: text, key: text });

/** A PostgreSQL that the chart does not run. */
const externalDatabase = strict({
    /** Where it is written to. */
    host: text,
    /** Where it is read from. Default: `host`. */
    readHost: text.optional(),
    /** Default 5432. */
    port: port.optional(),
    /** Name of the database; it must exist. Default `lakekeeper`. */
    database: text.optional(),
    user: secretKey,
    password: secretKey,
    /**
     * Encryption and how the certificate is checked, as libpq names it. Default: `prefer`, the server's own choice,
     * which falls back to no encryption. `verify-ca` and `verify-full` need `trustedCertificates` for an authority of your own.
     */
    tls: z.enum(["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]).optional(),
});

/** OpenFGA beside Lakekeeper, run by the chart, or one that exists. */
const openFga = z.union([
    z.literal("internal"),
    strict({
        /** gRPC address, `http://openfga:8081`. */
        endpoint: url,
        /** Name of the store. Default `lakekeeper`. */
        store: text.optional(),
        /** Pre-shared key. Default: none. */
        apiKey: secretKey.optional(),
    }),
]);

/** A store of HashiCorp Vault's KV version 2, in which the credentials of warehouses are kept. */
const kv2 = strict({
    url,
    /** Path of the mount, `kv/data/iceberg`. */
    mount: text,
    user: secretKey,
    password: secretKey,
});

/** Where the server is reached from outside of the cluster. */
const ingress = strict({
    host: text,
    /** Folder in the URL, or a pattern for it. The ingress controller must take the folder away. Default: none. */
    path: z
        .string()
        .regex(/^\/.*[^/\s]$/, {
            error: "is not a path like /lakekeeper, with a slash at its begin and none at its end",
        })
        .optional(),
    className: text.optional(),
    /** Secret with certificate and key; the URL then begins with `https`. */
    tlsSecret: text.optional(),
    annotations: z.record(z.string(), z.string()).optional(),
});

/** Certificates of authorities beside the well-known ones, for the store, the database and OpenFGA. */
const trustedCertificates = strict({
    /** Name of a Secret or ConfigMap. */
    kind: z.enum(["secret", "configMap"]),
    name: text,
    /** Key with the PEM text: all authorities that are trusted, since it takes the place of the image's own. */
    key: text,
});

/** Schema of {@link LakekeeperHelmParts}. */
export const lakekeeperHelmParts = strict({
    externalDatabase: externalDatabase.optional(),
    openFga: openFga.optional(),
    kv2: kv2.optional(),
    ingress: ingress.optional(),
    /**
     * What the server takes for its own address in its answers, whoever asks. Default: what the request says
     * (`x-forwarded-*`, `Host`), which is right from inside and outside of the cluster.
     */
    baseUri: url.optional(),
    trustedCertificates: trustedCertificates.optional(),
    /**
     * Names the callers by their ServiceAccount, and not by its id, which is another one once the account is made
     * anew. To be decided at the first installation. Default: the server's, by id.
     */
    stableSubject: z.boolean().optional(),
    /** Annotations of the pods; a changed one restarts them. */
    podAnnotations: z.record(z.string(), z.string()).optional(),
});

/** Parts of a Lakekeeper installation beyond the quickstart, all optional; unknown keys are refused. */
export type LakekeeperHelmParts = z.output<typeof lakekeeperHelmParts>;

/** Name of the StatefulSet of the chart's own PostgreSQL. */
export function postgresqlSet(release: string): string {
    return `${release}-lakekeeper-pg`;
}

type SecretKey = z.output<typeof secretKey>;

/**
 * Values of the parts. `catalog.extraEnv` wins over what the chart writes, and is the way for what chart 0.12.0 cannot
 * do: it leaves out the kind of the secret store, and reads the mount from another key than it documents
 * (lakekeeper#1918).
 */
export function partValues(parts: LakekeeperHelmParts): {
    catalog?: Record<string, unknown>;
    root: Record<string, unknown>;
} {
    const { externalDatabase: database, openFga: authorizer, trustedCertificates: trusted } = parts;
    const extraEnv = [
        ...(parts.stableSubject
            ? [plain("LAKEKEEPER__KUBERNETES_AUTHENTICATION_SUBJECT_SOURCE", "username")]
            : []),
        ...(database?.tls ? [plain("LAKEKEEPER__PG_SSL_MODE", database.tls)] : []),
        ...(authorizer && authorizer !== "internal" && authorizer.apiKey
            ? [secret("LAKEKEEPER__OPENFGA__API_KEY", authorizer.apiKey)]
            : []),
        ...(parts.kv2 ? kv2Environment(parts.kv2) : []),
        ...(parts.baseUri ? [plain("LAKEKEEPER__BASE_URI", parts.baseUri)] : []),
        ...(trusted
            ? [
                  plain("SSL_CERT_FILE", `${certificates}/ca.crt`),
                  ...(database?.tls?.startsWith("verify")
                      ? [plain("LAKEKEEPER__PG_SSL_ROOT_CERT", `${certificates}/ca.crt`)]
                      : []),
              ]
            : []),
    ];
    const catalog = {
        ...(extraEnv.length > 0 ? { extraEnv } : {}),
        ...(trusted ? certificateVolume(trusted) : {}),
        ...(parts.ingress ? { ingress: ingressValues(parts.ingress) } : {}),
        ...(parts.podAnnotations ? { podAnnotations: parts.podAnnotations } : {}),
    };
    return {
        ...(Object.keys(catalog).length > 0 ? { catalog } : {}),
        root: {
            ...(database ? { externalDatabase: databaseValues(database) } : {}),
            ...(authorizer ? authorizerValues(authorizer) : {}),
        },
    };
}

const certificates = "/etc/lakekeeper-certificates";

function plain(name: string, value: string): object {
    return { name, value };
}

function secret(name: string, { secretName, key }: SecretKey): object {
    return { name, valueFrom: { secretKeyRef: { name: secretName, key } } };
}

function kv2Environment({ url: address, mount, user, password }: z.output<typeof kv2>): object[] {
    return [
        plain("LAKEKEEPER__SECRET_BACKEND", "kv2"),
        plain("LAKEKEEPER__KV2__URL", address),
        plain("LAKEKEEPER__KV2__SECRET_MOUNT", mount),
        secret("LAKEKEEPER__KV2__USER", user),
        secret("LAKEKEEPER__KV2__PASSWORD", password),
    ];
}

function databaseValues(database: z.output<typeof externalDatabase>): object {
    const { host, readHost = host, user, password } = database;
    return {
        type: "postgres",
        host_read: readHost,
        host_write: host,
        port: database.port ?? 5432,
        database: database.database ?? "lakekeeper",
        userSecret: user.secretName,
        userSecretKey: user.key,
        passwordSecret: password.secretName,
        passwordSecretKey: password.key,
    };
}

function authorizerValues(authorizer: z.output<typeof openFga>): object {
    if (authorizer === "internal") return { authz: { backend: "openfga" }, internalOpenFGA: true };
    const { endpoint, store } = authorizer;
    return { authz: { backend: "openfga", openfga: { endpoint, ...(store ? { store } : {}) } } };
}

function ingressValues({ host, path, className, tlsSecret, annotations }: z.output<typeof ingress>): object {
    return {
        enabled: true,
        host,
        ...(path ? { path } : {}),
        ...(className ? { ingressClassName: className } : {}),
        ...(annotations ? { annotations } : {}),
        ...(tlsSecret ? { tls: { enabled: true, secretName: tlsSecret } } : {}),
    };
}

function certificateVolume({ kind, name, key }: z.output<typeof trustedCertificates>): object {
    const items = [{ key, path: "ca.crt" }];
    const source =
        kind === "secret" ? { secret: { secretName: name, items } } : { configMap: { name, items } };
    return {
        extraVolumes: [{ name: "trusted-certificates", ...source }],
        extraVolumeMounts: [{ name: "trusted-certificates", mountPath: certificates, readOnly: true }],
    };
}
