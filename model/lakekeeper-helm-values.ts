import { type Fault, parse, throwFaults, zodFaults } from "./faults.ts";
import { type LakekeeperHelmParts, lakekeeperHelmParts, partValues } from "./lakekeeper-helm-parts.ts";
import { storageSize } from "./quantity.ts";

/** Arguments of {@link lakekeeperHelmValues}. */
export interface LakekeeperHelmArgs {
    /** Storage class of the chart's own PostgreSQL. Without it, `parts.externalDatabase` is needed. */
    storageClass?: string;
    /** Size of its volume. Default: the chart's, 5Gi. */
    storageSize?: string;
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
    /** Secret with keys `name`, `user`, `password` for the chart's own database. Default: the chart's fixed password. */
    databaseSecret?: string;
    /** What goes beyond the quickstart. Default: nothing. */
    parts?: LakekeeperHelmParts;
}

/**
 * Values of the Lakekeeper chart 0.12.0. With a storage class alone they are those of the quickstart: Kubernetes
 * authentication on, so that the token of a ServiceAccount is accepted, and PostgreSQL from the chart.
 *
 * No audience is asked of the tokens, and no issuer: tokens of Secrets have no audience, and Kubernetes itself says
 * whether a token is good (lakekeeper#1193, #1339).
 * @throws {FaultsError} for parts that do not exist, and without exactly one database
 */
export function lakekeeperHelmValues(args: LakekeeperHelmArgs): Record<string, unknown> {
    const { fullName, encryptionKey, awaited } = args;
    throwFaults("the values of the Lakekeeper chart", argsFaults(args));
    const parts = parse(lakekeeperHelmParts, args.parts ?? {}, "parts");
    const { catalog, root } = partValues(parts);
    return {
        ...(fullName === undefined ? {} : { fullnameOverride: fullName }),
        ...(awaited === undefined ? {} : { helmWait: awaited }),
        ...(encryptionKey === undefined ? {} : { secretBackend: secretBackend(encryptionKey) }),
        ...(catalog ? { catalog } : {}),
        ...root,
        postgresql: postgresql(args, parts),
        auth: { k8s: { enabled: true, legacyEnabled: true } },
    };
}

function argsFaults({ parts = {}, storageClass, storageSize: size }: LakekeeperHelmArgs): Fault[] {
    const { error } = lakekeeperHelmParts.safeParse(parts);
    const faults = error ? zodFaults(error, parts, "parts") : [];
    const external = parts?.externalDatabase !== undefined;
    if ((storageClass === undefined) === !external) {
        faults.push({
            path: "storageClass",
            reason: external
                ? "belongs to the chart's own PostgreSQL, but an external one is given"
                : "is missing, and no external database is given",
            fix: "Give exactly one of the two",
        });
    }
    const wrongSize = size === undefined ? undefined : storageSize.safeParse(size).error;
    return wrongSize ? [...faults, ...zodFaults(wrongSize, size, "storageSize")] : faults;
}

function secretBackend({ secretName, key }: { secretName: string; key: string }): Record<string, unknown> {
    return {
        type: "Postgres",
        postgres: { encryptionKeySecret: secretName, encryptionKeySecretKey: key },
    };
}

function postgresql(
    { storageClass, storageSize, databaseSecret }: LakekeeperHelmArgs,
    { externalDatabase }: LakekeeperHelmParts,
): Record<string, unknown> {
    if (externalDatabase) return { enabled: false };
    return {
        storage: { className: storageClass, ...(storageSize ? { requestedSize: storageSize } : {}) },
        ...(databaseSecret === undefined ? {} : { userDatabase: userDatabase(databaseSecret) }),
    };
}

function userDatabase(existingSecret: string): Record<string, unknown> {
    const from = (secretKey: string) => ({ secretKey });
    return { existingSecret, name: from("name"), user: from("user"), password: from("password") };
}
