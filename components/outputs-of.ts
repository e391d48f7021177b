import type * as pulumi from "@pulumi/pulumi";
import { type LakehouseOutputs, parseLakehouseOutputs } from "../model/lakehouse-outputs.ts";
import { claimForStack } from "./tiering-claim.ts";

/**
 * What another stack's lakehouse is: `const lakehouse = await outputsOf(new pulumi.StackReference("acme/lakehouse/prod"))`.
 * The other stack exports it: `export const lakehouse = new StreamingLakehouse(…).outputs`. The values are plain, since they
 * are there already: tables and jobs can be made of them, and a preview shows everything. A tiering job for its cluster is refused
 * in this program, since the lakehouse has one.
 *
 * @param reference the other stack
 * @param output the name under which it exports `outputs`. Default `lakehouse`
 * @throws when there is no such output (the stack may not have run yet), when it is a secret, with every fault of it, or when its
 * cluster is tiered by this program or by a third stack already
 */
export async function outputsOf(
    reference: pulumi.StackReference,
    output = "lakehouse",
): Promise<LakehouseOutputs> {
    const { value, secretValue } = await reference.getOutputDetails(output);
    const stack = await nameOf(reference);
    if (secretValue !== undefined) {
        throw new Error(
            `stack ${stack}: its output '${output}' is a secret, and what outputsOf reads holds none.\n` +
                "What to do: export the `outputs` of its StreamingLakehouse as they are, or name another output",
        );
    }
    if (value === undefined || value === null) {
        throw new Error(
            `stack ${stack}: it has no output '${output}'.\n` +
                "What to do: export the `outputs` of its StreamingLakehouse under that name, and run `pulumi up` there first",
        );
    }
    const lakehouse = parseLakehouseOutputs(value, `${output} of stack ${stack}`);
    const { client, tieredBy } = lakehouse;
    if (tieredBy !== undefined) claimForStack(client.bootstrapServers, `'${tieredBy}' of stack ${stack}`);
    return lakehouse;
}

function nameOf(reference: pulumi.StackReference): Promise<string> {
    return new Promise((resolve) => void reference.name.apply(resolve));
}
