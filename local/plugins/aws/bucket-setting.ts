import type { S3Client } from "@aws-sdk/client-s3";
import type { Properties } from "../../../host/values.ts";
import type { Failure, Outputs, ResourceType } from "../resource-type.ts";
import { unlessGone } from "./call-error.ts";
import type { AwsContext } from "./context.ts";

export interface BucketSetting {
    token: string;
    /** Inputs besides `bucket` and `region`; all can be updated in place. */
    inputs: readonly string[];
    defaults?: Properties;
    jsonInputs?: readonly string[];
    validate?(inputs: Properties): Failure[];
    put(s3: S3Client, bucket: string, inputs: Properties): Promise<unknown>;
    /** The present inputs. A failure with a "no such" error means that there is no such setting. */
    get(s3: S3Client, bucket: string, last: Properties): Promise<Outputs | undefined>;
    remove(s3: S3Client, bucket: string, last: Properties): Promise<unknown>;
}

/** A resource type that is one setting of a bucket: its id is the bucket's name, and to create is to put. */
export function bucketSetting(setting: BucketSetting): ResourceType<AwsContext> {
    return {
        token: setting.token,
        inputs: ["bucket", "region", ...setting.inputs],
        forceNew: ["bucket", "region"],
        outputs: ["region"],
        defaults: setting.defaults,
        jsonInputs: setting.jsonInputs,
        validate: setting.validate,
        async create(aws, inputs) {
            const id = String(inputs["bucket"]);
            await setting.put(aws.s3(inputs["region"]), id, inputs);
            return { id, outputs: { region: inputs["region"] ?? aws.region } };
        },
        async read(aws, id, last) {
            const found = await unlessGone(setting.get(aws.s3(last["region"]), id, last));
            return found && { ...found, bucket: id, region: last["region"] ?? aws.region };
        },
        async update(aws, { id, olds, news }) {
            await setting.put(aws.s3(olds["region"]), id, news);
            return {};
        },
        async delete(aws, id, last) {
            await unlessGone(setting.remove(aws.s3(last["region"]), id, last));
        },
    };
}
