import { scryptSync } from "node:crypto";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { LakekeeperHelmParts } from "../model/lakekeeper-helm-parts.ts";

/** A PostgreSQL that exists, in the place of the chart's own. */
export interface LakekeeperDatabase {
    /** Where it is written to. */
    host: pulumi.Input<string>;
    /** Where it is read from. Default: `host`. */
    readHost?: pulumi.Input<string>;
    /** Default 5432. */
    port?: pulumi.Input<number>;
    /** Name of the database; it must exist. Default `lakekeeper`. */
    database?: pulumi.Input<string>;
    user: pulumi.Input<string>;
    /** Kept in a Kubernetes Secret, and nowhere else. A new one restarts the server. */
    password: pulumi.Input<string>;
    /**
     * Encryption and how the certificate is checked. Default: `prefer`, which falls back to no encryption. For an
     * authority of your own, `verify-ca` and `verify-full` need `trustedCertificates`.
     */
    tls?: "disable" | "allow" | "prefer" | "require" | "verify-ca" | "verify-full";
}

/** OpenFGA, which says who may do what: `internal` is run by the chart, with a database of its own, for trying. */
export type LakekeeperOpenFga =
    | "internal"
    | {
          /** gRPC address, `http://openfga:8081`. */
          endpoint: pulumi.Input<string>;
          /** Name of the store. Default `lakekeeper`. */
          store?: pulumi.Input<string>;
          /** Pre-shared key, kept in a Kubernetes Secret. Default: none. */
          apiKey?: pulumi.Input<string>;
      };

/** A KV store, version 2, of HashiCorp Vault for the credentials of warehouses. */
export interface LakekeeperSecretStore {
    url: pulumi.Input<string>;
    /** Path of the mount, `kv/data/iceberg`. */
    mount: pulumi.Input<string>;
    /** Login by name and password (`userpass`); the password is kept in a Kubernetes Secret. */
    user: pulumi.Input<string>;
    password: pulumi.Input<string>;
}

/** How the server is reached from outside of the cluster. */
export interface LakekeeperIngress {
    host: string;
    /**
     * Folder in the URL, `/lakekeeper`. The ingress controller must take it away, which the chart leaves to it: say so in
     * `annotations`. Default: none.
     */
    path?: string;
    /** Path of the Ingress's rule where it is another than `path`: nginx takes a folder away by `/lakekeeper(/|$)(.*)`. */
    pattern?: string;
    className?: string;
    /** Secret with certificate and key; the URL then begins with `https`. */
    tlsSecret?: string;
    /** Port at which the ingress controller answers. Default 443 with `tlsSecret`, 80 without. */
    port?: number;
    annotations?: Record<string, string>;
    /** Whether Pulumi itself goes this way too. Default true; false goes on with a port-forward. */
    reach?: boolean;
}

/** Certificates of authorities: all that are trusted, since they take the place of the image's own. */
export interface LakekeeperCertificates {
    kind: "secret" | "configMap";
    name: string;
    /** Key with the PEM text. */
    key: string;
}

/** The parts of an installation that the quickstart does not have. */
export interface LakekeeperPartArgs {
    /** An external PostgreSQL, instead of `storageClass`. */
    database?: LakekeeperDatabase;
    /** Default: everybody who is logged in may do everything. To be decided before the bootstrap. */
    openFga?: LakekeeperOpenFga;
    /** Default: encrypted in the database. */
    secretStore?: LakekeeperSecretStore;
    /** Default: reached inside of the cluster only, by Pulumi through a port-forward. */
    ingress?: LakekeeperIngress;
    /**
     * What the server takes for its own address in its answers, whoever asks. Default: what each request says, which is
     * right inside and outside of the cluster.
     */
    baseUri?: pulumi.Input<string>;
    /** For a store, database or OpenFGA with certificates of an authority of your own. */
    trustedCertificates?: LakekeeperCertificates;
}

/** The parts as the model takes them, and the Secret they point to. */
export interface MadeParts {
    parts: pulumi.Output<LakekeeperHelmParts>;
    secret: k8s.core.v1.Secret | undefined;
}

/** Makes the Secret `<release>-credentials` with every password of the parts, when there is any. */
export function makeParts(
    name: string,
    args: LakekeeperPartArgs,
    { namespace, release }: { namespace: string; release: string },
    opts: pulumi.CustomResourceOptions,
): MadeParts {
    const { database, openFga, secretStore } = args;
    const secretName = `${release}-credentials`;
    const apiKey = typeof openFga === "object" ? openFga.apiKey : undefined;
    const data: Record<string, pulumi.Input<string>> = {
        ...(database ? { "database-user": database.user, "database-password": database.password } : {}),
        ...(apiKey ? { "openfga-key": apiKey } : {}),
        ...(secretStore ? { "kv2-user": secretStore.user, "kv2-password": secretStore.password } : {}),
    };
    const secret =
        Object.keys(data).length === 0
            ? undefined
            : new k8s.core.v1.Secret(
                  `${name}-credentials`,
                  { metadata: { name: secretName, namespace }, stringData: pulumi.secret(data) },
                  opts,
              );
    // Also the sign by which a release is known for one of this library.
    const podAnnotations = { "pulumi-fluss/rollout": contentHash(data) };
    const parts = { ...partsOf(args, secretName), podAnnotations };
    return { parts: pulumi.output(parts) as pulumi.Output<LakekeeperHelmParts>, secret };
}

/** The parts as the model takes them, inputs among them. */
export function partsOf(args: LakekeeperPartArgs, secretName: string): Record<string, unknown> {
    const { database, openFga, secretStore, ingress, trustedCertificates } = args;
    const from = (key: string) => ({ secretName, key });
    return {
        stableSubject: true,
        externalDatabase: database && {
            host: database.host,
            readHost: database.readHost,
            port: database.port,
            database: database.database,
            tls: database.tls,
            user: from("database-user"),
            password: from("database-password"),
        },
        openFga:
            typeof openFga === "object"
                ? {
                      endpoint: openFga.endpoint,
                      store: openFga.store,
                      apiKey: openFga.apiKey && from("openfga-key"),
                  }
                : openFga,
        kv2: secretStore && {
            url: secretStore.url,
            mount: secretStore.mount,
            user: from("kv2-user"),
            password: from("kv2-password"),
        },
        ingress: ingress && withoutOwn(ingress),
        baseUri: args.baseUri,
        trustedCertificates,
    };
}

/** URL at which the ingress answers. */
export function ingressUrl({ host, path = "", tlsSecret, port }: LakekeeperIngress): string {
    return `${tlsSecret ? "https" : "http"}://${host}${port ? `:${port}` : ""}${path}`;
}

function withoutOwn({ port: _, reach: __, pattern, ...ingress }: LakekeeperIngress): object {
    return { ...ingress, ...(pattern ? { path: pattern } : {}) };
}

/**
 * Restarts the pods when a password changes: they read it at their start only. The passwords are stretched, so that a
 * weak one is not found by trying.
 */
function contentHash(data: Record<string, pulumi.Input<string>>): pulumi.Output<string> {
    return pulumi.unsecret(
        pulumi
            .output(data)
            .apply((texts) => scryptSync(JSON.stringify(texts), "pulumi-fluss/rollout", 16).toString("hex")),
    );
}
