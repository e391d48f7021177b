import type { Input } from "@pulumi/pulumi";
import type { LakekeeperS3StorageArgs } from "./args.ts";

/** What every preset takes. */
export interface BucketArgs {
    bucket: Input<string>;
    /** Folder in the bucket; without it no other warehouse can be in the bucket. */
    keyPrefix?: Input<string>;
}

/** A store that is reached at an address of its own. */
export interface StoreArgs extends BucketArgs {
    /** As the Lakekeeper server reaches it: `http://minio:9000`. */
    endpoint: Input<string>;
    /** Default `us-east-1`, which stores other than AWS take. */
    region?: Input<string>;
}

/** AWS S3. With a role, clients get short-lived keys of that role; without one the server signs for them. */
export function awsStorage(
    args: BucketArgs & { region: Input<string>; roleArn?: Input<string> },
): LakekeeperS3StorageArgs {
    const { bucket, keyPrefix, region, roleArn } = args;
    return {
        type: "s3",
        flavor: "aws",
        bucket,
        keyPrefix,
        region,
        stsEnabled: roleArn !== undefined,
        stsRoleArn: roleArn,
    };
}

/** MinIO, whose STS answers at the same address and needs no role. */
export function minioStorage(args: StoreArgs): LakekeeperS3StorageArgs {
    return { ...compatible(args), stsEnabled: true };
}

/** The gateway of Ceph (RGW). Its STS needs a role (Lakekeeper takes the role of such stores since 0.10). */
export function cephStorage(args: StoreArgs & { roleArn?: Input<string> }): LakekeeperS3StorageArgs {
    const { roleArn, ...store } = args;
    return { ...compatible(store), stsEnabled: roleArn !== undefined, stsRoleArn: roleArn };
}

/** NooBaa, which has no STS: the server signs requests of clients that have no key. */
export function noobaaStorage(args: StoreArgs): LakekeeperS3StorageArgs {
    return { ...compatible(args), stsEnabled: false, remoteSigningEnabled: true };
}

/** OpenShift Data Foundation: `mcg` is its NooBaa (the default), `rgw` its Ceph. */
export function odfStorage(
    args: StoreArgs & { gateway?: "mcg" | "rgw"; roleArn?: Input<string> },
): LakekeeperS3StorageArgs {
    const { gateway = "mcg", roleArn, ...store } = args;
    return gateway === "mcg" ? noobaaStorage(store) : cephStorage({ ...store, roleArn });
}

/** Cloudflare R2, for the credential `s3-cloudflare-r2`: with that the server insists on these values. */
export function r2Storage(
    args: BucketArgs & { accountId: string; jurisdiction?: "eu" | "fedramp" },
): LakekeeperS3StorageArgs {
    const { accountId, jurisdiction, bucket, keyPrefix } = args;
    const host = [accountId, jurisdiction, "r2.cloudflarestorage.com"].filter((part) => part).join(".");
    return {
        type: "s3",
        flavor: "s3-compat",
        bucket,
        keyPrefix,
        region: "auto",
        endpoint: `https://${host}`,
        stsEnabled: true,
    };
}

/** Older releases of these stores refuse multi-object deletes without Content-MD5. */
function compatible({
    bucket,
    keyPrefix,
    endpoint,
    region = "us-east-1",
}: StoreArgs): LakekeeperS3StorageArgs {
    return {
        type: "s3",
        flavor: "s3-compat",
        bucket,
        keyPrefix,
        endpoint,
        region,
        pathStyleAccess: true,
        legacyMd5Behavior: true,
    };
}
