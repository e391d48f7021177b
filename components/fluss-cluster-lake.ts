import * as pulumi from "@pulumi/pulumi";
import { isOldRelease } from "../model/fluss-helm-old.ts";
import type { FlussHelmArgs } from "../model/fluss-helm-values.ts";
import type { Lake } from "../model/lake.ts";
import { wantedCoreSite } from "../model/lake-core-site.ts";
import { type LakeSecrets, lakeSecrets } from "../model/lake-secrets.ts";
import type { Storage } from "../model/lake-storage.ts";
import type { FlussChartArgs } from "./fluss-cluster-chart.ts";
import type { SecretWish } from "./fluss-cluster-secrets.ts";

/** The Secrets that are made for a lake. */
export const lakeSecretNames = {
    credentials: "fluss-lake-credentials",
    coreSite: "fluss-core-site",
} as const;

/** What the chart is told of a lake, by the Secrets that hold it. */
type LakeArgs = Pick<FlussChartArgs, "lake" | "lakeCredentials" | "coreSite">;

const variables = {
    s3AccessKey: "FLUSS_S3_ACCESS_KEY",
    s3SecretKey: "FLUSS_S3_SECRET_KEY",
    azureAccountKey: "FLUSS_AZURE_ACCOUNT_KEY",
} as const;

/** The remote storage with its key as the variables that the chart fills from the Secret. */
export function withMarkers(storage: Storage): Storage {
    const env = (name: string) => ({ env: name });
    if (storage.type === "adls") return { ...storage, accountKey: env(variables.azureAccountKey) };
    return {
        ...storage,
        accessKey: { id: env(variables.s3AccessKey), secret: env(variables.s3SecretKey) },
    };
}

/** Where those variables come from. A key of the other kind of store is told as one that no option reads. */
export function remoteKeys(remote: FlussChartArgs["remote"]): FlussHelmArgs["secrets"] {
    const from = (key: string) => ({ secretName: "fluss-storage-credentials", key });
    if ("accountKey" in remote) return { [variables.azureAccountKey]: from("azure-account-key") };
    return {
        [variables.s3AccessKey]: from("s3-access-key"),
        [variables.s3SecretKey]: from("s3-secret-key"),
    };
}

/** The lake's secrets told apart. Throws a `FaultsError` for a lake that does not fit to what was said of it. */
export function knownLake(args: LakeArgs, lake: Lake, release: string): LakeSecrets {
    wantedCoreSite(lake, args.coreSite ?? false, "the lake of the Fluss servers");
    return lakeSecrets(lake, {
        make: args.lakeCredentials ?? false,
        taken: Object.values(variables),
        clear: isOldRelease(release),
    });
}

/** Where the variables of the lake come from. */
export function lakeKeys({ made, token }: LakeSecrets, tokenSecret: string): FlussHelmArgs["secrets"] {
    const own = Object.keys(made).map((key) => [key, { secretName: lakeSecretNames.credentials, key }]);
    return {
        ...Object.fromEntries(own),
        ...(token === undefined ? {} : { [token]: { secretName: tokenSecret, key: "token" } }),
    };
}

/** The Secrets to be made for the lake. */
export function lakeSecretsOf(args: LakeArgs, release: string): SecretWish[] {
    const { lake, lakeCredentials, coreSite } = args;
    if (lake === undefined) return [];
    const known = pulumi.output(lake);
    const wish = (secret: string, data: SecretWish["data"]): SecretWish => ({
        secret,
        type: "Opaque",
        data,
        readers: ["servers"],
    });
    return [
        ...(lakeCredentials
            ? [
                  wish(
                      lakeSecretNames.credentials,
                      known.apply((found) => knownLake(args, found, release).made),
                  ),
              ]
            : []),
        ...(coreSite ? [wish(lakeSecretNames.coreSite, known.apply(coreSiteFile))] : []),
    ];
}

function coreSiteFile(lake: Lake): Record<string, string> {
    return { "core-site.xml": wantedCoreSite(lake, true, "the lake of the Fluss servers") ?? "" };
}
