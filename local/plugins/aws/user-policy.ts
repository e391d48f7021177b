import {
    DeleteUserPolicyCommand,
    GetUserPolicyCommand,
    type IAMClient,
    PutUserPolicyCommand,
} from "@aws-sdk/client-iam";
import type { Value } from "../../../host/values.ts";
import type { ResourceType } from "../resource-type.ts";
import { unlessGone } from "./call-error.ts";
import type { AwsContext } from "./context.ts";
import { policyFailures, presentPolicy } from "./policy-text.ts";

/** `aws.iam.UserPolicy`; the id is `<user>:<name>`. */
export const userPolicy: ResourceType<AwsContext> = {
    token: "aws:iam/userPolicy:UserPolicy",
    inputs: ["name", "namePrefix", "policy", "user"],
    forceNew: ["name", "namePrefix", "user"],
    outputs: [],
    jsonInputs: ["policy"],
    autoName: { property: "name", prefixInput: "namePrefix" },
    validate: policyFailures,
    async create(aws, { user, name, policy }) {
        const id = `${user}:${name}`;
        await put(aws.iam(), id, policy);
        return { id, outputs: {} };
    },
    async read(aws, id, last) {
        const names = namesOf(id);
        const found = await unlessGone(aws.iam().send(new GetUserPolicyCommand(names)));
        if (!found) return undefined;
        // The API gives the text as it would stand in an address.
        const present = decodeURIComponent(found.PolicyDocument ?? "");
        const policy = presentPolicy(present, last["policy"]);
        return { user: names.UserName, name: names.PolicyName, policy };
    },
    async update(aws, { id, news }) {
        await put(aws.iam(), id, news["policy"]);
        return {};
    },
    async delete(aws, id) {
        await unlessGone(aws.iam().send(new DeleteUserPolicyCommand(namesOf(id))));
    },
};

async function put(iam: IAMClient, id: string, policy: Value | undefined): Promise<void> {
    await iam.send(new PutUserPolicyCommand({ ...namesOf(id), PolicyDocument: String(policy) }));
}

/** Names hold no colon. */
function namesOf(id: string): { UserName: string; PolicyName: string } {
    const [UserName = "", PolicyName = ""] = id.split(":");
    return { UserName, PolicyName };
}
