import type { IAMClient } from "@aws-sdk/client-iam";
import type { ResourceType } from "../resource-type.ts";
import { unlessGone } from "./call-error.ts";
import type { AwsContext } from "./context.ts";
import { policyFailures, presentPolicy } from "./policy-text.ts";

/** The calls for the policies of one kind of owner. */
export interface InlinePolicy {
    token: string;
    put(iam: IAMClient, owner: string, name: string, text: string): Promise<void>;
    get(iam: IAMClient, owner: string, name: string): Promise<{ PolicyDocument?: string }>;
    remove(iam: IAMClient, owner: string, name: string): Promise<unknown>;
}

/** A policy that is a part of a user or a role; the id is `<owner>:<name>`. */
export function inlinePolicy(owner: "user" | "role", calls: InlinePolicy): ResourceType<AwsContext> {
    return {
        token: calls.token,
        inputs: ["name", "namePrefix", "policy", owner],
        forceNew: ["name", "namePrefix", owner],
        outputs: [],
        jsonInputs: ["policy"],
        autoName: { property: "name", prefixInput: "namePrefix" },
        validate: policyFailures,
        async create(aws, { name, policy, ...inputs }) {
            const id = `${inputs[owner]}:${name}`;
            await calls.put(aws.iam(), ...namesOf(id), String(policy));
            return { id, outputs: {} };
        },
        async read(aws, id, last) {
            const [of, name] = namesOf(id);
            const found = await unlessGone(calls.get(aws.iam(), of, name));
            if (!found) return undefined;
            // The API gives the text as it would stand in an address.
            const present = decodeURIComponent(found.PolicyDocument ?? "");
            return { [owner]: of, name, policy: presentPolicy(present, last["policy"]) };
        },
        async update(aws, { id, news }) {
            await calls.put(aws.iam(), ...namesOf(id), String(news["policy"]));
            return {};
        },
        async delete(aws, id) {
            await unlessGone(calls.remove(aws.iam(), ...namesOf(id)));
        },
    };
}

/** Names hold no colon. */
function namesOf(id: string): [owner: string, name: string] {
    const [owner = "", name = ""] = id.split(":");
    return [owner, name];
}
