/** What a preview says, in one form for both outputs of `pulumi preview --json`. Secrets are {@link SECRET} already. */
export interface Preview {
    /** Empty when the preview ended before it knew. */
    project: string;
    stack: string;
    /** One for each resource that the preview came to, those that stay as they are included when it tells them. */
    steps: PreviewStep[];
    diagnostics: Diagnostic[];
    /** Undefined when the output does not tell of policies. */
    policies: PolicyResult[] | undefined;
    /** Number of resources that stay as they are. */
    same: number;
    /** Changes that the output counts and does not tell: a document tells no update that a refresh found. */
    untold: number;
    /** False when the preview ended with an error: then what came after is not in it. */
    complete: boolean;
}

/** What happens to one resource. */
export interface PreviewStep {
    op: Operation;
    urn: string;
    /** URN of the parent; empty for none. */
    parent: string;
    /** Inputs before and after; undefined where there are none. */
    old: Inputs | undefined;
    new: Inputs | undefined;
    /** What the state holds of the resource, its inputs among it; undefined when the output does not tell. */
    state: Inputs | undefined;
    /** What a refresh found in the place of {@link state}; undefined when this is no step of a refresh. */
    found: Inputs | undefined;
    /** Inputs that make it another resource. */
    replaceKeys: string[];
    /** True when the stack lets go of the object that is there, and it stays (`retainOnDelete`). */
    retain: boolean;
}

export type Operation = "same" | "create" | "update" | "replace" | "delete" | "read" | "import";

export type Inputs = Record<string, unknown>;

/** What the engine, a provider or the program says. */
export interface Diagnostic {
    urn: string;
    severity: string;
    message: string;
}

/** One breach of a policy. */
export interface PolicyResult {
    policy: string;
    pack: string;
    /** `advisory` or `mandatory`. */
    level: string;
    urn: string;
    message: string;
}

/** Stands in the place of every value that Pulumi marks as a secret. */
export const SECRET = "[secret]";

/** Stack, project, type and name of a URN; empty texts when it is none. */
export function readUrn(urn: string): { stack: string; project: string; type: string; name: string } {
    const [head = "", project = "", types = "", ...name] = urn.split("::");
    return {
        stack: head.replace(/^urn:pulumi:/, ""),
        project,
        type: types.split("$").at(-1) ?? "",
        name: name.join("::"),
    };
}

/**
 * Name and type as people know them: `FlussTables` for `fluss:index:FlussTables`, and `vvp:Deployment` whether the dynamic
 * provider or the plugin (`fluss:vvp:Deployment`) runs it.
 */
export function readableUrn(urn: string): { name: string; type: string } {
    const { name, type } = readUrn(urn);
    return { name, type: type.replace(/^(pulumi-nodejs:dynamic\/|fluss:index:|fluss:(?=\w+:))/, "") };
}
