import { GetBucketVersioningCommand, PutBucketVersioningCommand, type S3Client } from "@aws-sdk/client-s3";
import { isObject, type Properties } from "../../../host/values.ts";
import type { Failure } from "../resource-type.ts";
import { bucketSetting } from "./bucket-setting.ts";

/** `aws.s3.BucketVersioning`; versioning that was on can only be suspended, so deleting does that. */
export const bucketVersioning = bucketSetting({
    token: "aws:s3/bucketVersioning:BucketVersioning",
    inputs: ["versioningConfiguration"],
    validate: versioningFailures,
    async put(s3, bucket, inputs) {
        const status = statusOf(inputs);
        if (status !== "Disabled")
            await setStatus(s3, bucket, status === "Enabled" ? "Enabled" : "Suspended");
    },
    async get(s3, Bucket) {
        const { Status } = await s3.send(new GetBucketVersioningCommand({ Bucket }));
        return { versioningConfiguration: { status: Status ?? "Disabled" } };
    },
    async remove(s3, bucket, last) {
        if (statusOf(last) === "Enabled") await setStatus(s3, bucket, "Suspended");
    },
});

async function setStatus(s3: S3Client, Bucket: string, Status: "Enabled" | "Suspended"): Promise<void> {
    await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }));
}

const statuses = ["Enabled", "Suspended", "Disabled"];

function versioningFailures(inputs: Properties): Failure[] {
    const configuration = inputs["versioningConfiguration"];
    if (!isObject(configuration)) return [];
    const failures: Failure[] = [];
    if (!statuses.includes(String(configuration["status"]))) {
        const reason = `must be one of ${statuses.join(", ")}`;
        failures.push({ property: "versioningConfiguration.status", reason });
    }
    if ("mfaDelete" in configuration) {
        const reason = "is not done by the stand-in for the aws plugin";
        failures.push({ property: "versioningConfiguration.mfaDelete", reason });
    }
    return failures;
}

function statusOf({ versioningConfiguration }: Properties): unknown {
    return isObject(versioningConfiguration) ? versioningConfiguration["status"] : undefined;
}
