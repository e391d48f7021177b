import { GetUserCommand } from "@aws-sdk/client-iam";
import type { Properties } from "../../../host/values.ts";
import type { Outputs } from "../resource-type.ts";
import type { AwsContext } from "./context.ts";

/** Functions of `@pulumi/aws` that need no more than the provider's configuration and its own user. */
export const awsFunctions: Record<string, (aws: AwsContext, args: Properties) => Promise<Outputs>> = {
    /** Asks IAM for the key's own user, so the key needs `iam:GetUser` here (the real function needs nothing). */
    async "aws:index/getCallerIdentity:getCallerIdentity"(aws) {
        const { User } = await aws.iam().send(new GetUserCommand({}));
        const accountId = User?.Arn?.split(":")[4];
        return { id: accountId, accountId, arn: User?.Arn, userId: User?.UserId };
    },
    async "aws:index/getPartition:getPartition"({ partition }) {
        const dnsSuffix = partition === "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com";
        const reverseDnsPrefix = dnsSuffix.split(".").reverse().join(".");
        return { id: partition, partition, dnsSuffix, reverseDnsPrefix };
    },
    /** Without `description`: AWS's names of its regions are not at hand. */
    async "aws:index/getRegion:getRegion"(aws, args) {
        const region = String(args["region"] ?? args["name"] ?? aws.region);
        return { id: region, region, name: region, endpoint: `ec2.${region}.amazonaws.com` };
    },
};
