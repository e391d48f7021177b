import { DeleteRolePolicyCommand, GetRolePolicyCommand, PutRolePolicyCommand } from "@aws-sdk/client-iam";
import { inlinePolicy } from "./inline-policy.ts";

/** `aws.iam.RolePolicy`; the id is `<role>:<name>`. */
export const rolePolicy = inlinePolicy("role", {
    token: "aws:iam/rolePolicy:RolePolicy",
    async put(iam, RoleName, PolicyName, PolicyDocument) {
        await iam.send(new PutRolePolicyCommand({ RoleName, PolicyName, PolicyDocument }));
    },
    get: (iam, RoleName, PolicyName) => iam.send(new GetRolePolicyCommand({ RoleName, PolicyName })),
    remove: (iam, RoleName, PolicyName) => iam.send(new DeleteRolePolicyCommand({ RoleName, PolicyName })),
});
