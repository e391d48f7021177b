/** AWS's partitions by the beginnings of their regions' names (AWS General Reference, "ARN"). */
const partitions: [prefix: string, partition: string][] = [
    ["cn-", "aws-cn"],
    ["us-gov-", "aws-us-gov"],
    ["us-isob-", "aws-iso-b"],
    ["us-isof-", "aws-iso-f"],
    ["us-iso-", "aws-iso"],
    ["eu-isoe-", "aws-iso-e"],
    ["eusc-", "aws-eusc"],
];

/** How AWS writes the names of its regions: `eu-central-1`, `us-gov-west-1`, `eusc-de-east-1`. */
export const awsRegion = /^[a-z]{2,}(-[a-z]+)+-\d+$/;

/** See {@link awsRegion}. */
export function isAwsRegion(text: string): boolean {
    return awsRegion.test(text);
}

/** The partition of a region: `aws` for `eu-central-1`, `aws-cn` for `cn-north-1`. */
export function awsPartition(region: string): string {
    return partitions.find(([prefix]) => region.startsWith(prefix))?.[1] ?? "aws";
}

/** ARN of a bucket by its name; buckets carry neither account nor region in theirs. */
export function bucketArn(region: string, bucket: string): string {
    return `arn:${awsPartition(region)}:s3:::${bucket}`;
}
