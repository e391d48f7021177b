/** Arguments of {@link lakekeeperHelmValues}. */
export interface LakekeeperHelmArgs {
    /** Storage class of the chart's own PostgreSQL. */
    storageClass: string;
    /** Fixed name of the Service, whatever the release is called. Default: the chart derives it from the release. */
    fullName?: string;
    /**
     * Secret that holds the key under which Lakekeeper encrypts warehouse credentials. Without it the chart makes one,
     * and rendering on the client may make another at each run, which loses the credentials.
     */
    encryptionKey?: { secretName: string; key: string };
    /**
     * Whether the installation is waited for. The chart's migration job is a hook by default, which deadlocks with
     * Helm's and Pulumi's waiting. Default: the chart's, false.
     */
    awaited?: boolean;
    /** Secret with keys `name`, `user`, `password` for the database. Default: the chart's fixed password. */
    databaseSecret?: string;
}

/**
 * Values of the Lakekeeper chart 0.12.0. With a storage class alone they are those of the quickstart: Kubernetes
 * authentication on, so that the token of a ServiceAccount is accepted, and PostgreSQL from the chart.
 */
export function lakekeeperHelmValues(args: LakekeeperHelmArgs): Record<string, unknown> {
    const { storageClass, fullName, encryptionKey, awaited, databaseSecret } = args;
    return {
        ...(fullName === undefined ? {} : { fullnameOverride: fullName }),
        ...(awaited === undefined ? {} : { helmWait: awaited }),
        ...(encryptionKey === undefined ? {} : { secretBackend: secretBackend(encryptionKey) }),
        postgresql: {
            storage: { className: storageClass },
            ...(databaseSecret === undefined ? {} : { userDatabase: userDatabase(databaseSecret) }),
        },
        auth: { k8s: { enabled: true, legacyEnabled: true } },
    };
}

function secretBackend({ secretName, key }: { secretName: string; key: string }): Record<string, unknown> {
    return {
        type: "Postgres",
        postgres: { encryptionKeySecret: secretName, encryptionKeySecretKey: key },
    };
}

function userDatabase(existingSecret: string): Record<string, unknown> {
    const from = (secretKey: string) => ({ secretKey });
    return { existingSecret, name: from("name"), user: from("user"), password: from("password") };
}
