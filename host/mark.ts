import { markOf } from "../dynamic-providers/vvp/owner-mark.ts";
import type { Configuration } from "./configuration.ts";
import type { HostedType } from "./types.ts";
import { nameOf } from "./urn.ts";
import type { Properties } from "./values.ts";

/**
 * The inputs with the mark by which a resource of Ververica Platform knows its own object again. The classes for
 * TypeScript give it; a program without them does not.
 */
export function withMark(
    { hosted }: HostedType,
    inputs: Properties,
    urn: string,
    configuration: Configuration,
): Properties {
    if (!("mark" in hosted.definition.inputs.shape) || inputs["mark"] !== undefined) return inputs;
    const [stack = "", project = ""] = urn.replace(/^urn:pulumi:/, "").split("::");
    const owner = configuration.get("owner") ?? `organization/${project}/${stack}`;
    return { ...inputs, mark: markOf(`${owner}/${nameOf(urn)}`) };
}
