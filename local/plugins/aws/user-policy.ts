import { DeleteUserPolicyCommand, GetUserPolicyCommand, PutUserPolicyCommand } from "@aws-sdk/client-iam";
import { inlinePolicy } from "./inline-policy.ts";

/** `aws.iam.UserPolicy`; the id is `<user>:<name>`. */
export const userPolicy = inlinePolicy("user", {
    token: "aws:iam/userPolicy:UserPolicy",
    async put(iam, UserName, PolicyName, PolicyDocument) {
        await iam.send(new PutUserPolicyCommand({ UserName, PolicyName, PolicyDocument }));
    },
    get: (iam, UserName, PolicyName) => iam.send(new GetUserPolicyCommand({ UserName, PolicyName })),
    remove: (iam, UserName, PolicyName) => iam.send(new DeleteUserPolicyCommand({ UserName, PolicyName })),
});
