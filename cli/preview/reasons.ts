import { flinkJarJob } from "../../dynamic-providers/flink/jar-job.ts";
import { flinkSqlJob } from "../../dynamic-providers/flink/sql-job.ts";
import { deployment } from "../../dynamic-providers/vvp/deployment.ts";
import { sessionCluster } from "../../dynamic-providers/vvp/session-cluster.ts";
import { type Inputs, type PreviewStep, readableUrn } from "./preview.ts";
import { propertyChanges, secretPaths } from "./property-changes.ts";

/** What may be why a resource is updated. Pulumi does not tell it: whether a secret differs is not in its output. */
export interface Reasons {
    /** Inputs that can be seen to differ, by their first name; those that by themselves demand nothing are left out. */
    seen: Set<string>;
    /** Inputs with secrets of which nobody can see whether they differ. One of them does when {@link other} is false. */
    hidden: Set<string>;
    /** Something else does or may demand the update: an input that differs, or what the resource finds, as a job that does not run. */
    other: boolean;
}

/** Why one of this library's jobs or clusters is updated, by the rules of its own definition. */
export function reasonsOf(step: PreviewStep): Reasons | undefined {
    const definition = definitions[readableUrn(step.urn).type];
    if (!definition) return undefined;
    const counts = (field: string) => effectOf(definition, field, step) !== "ignore";
    const seen = fieldsOf(propertyChanges(step).map(({ path }) => path)).filter(counts);
    const hidden = fieldsOf(secretPaths(step)).filter((field) => counts(field) && !seen.includes(field));
    const found = step.state === undefined || definition.needsUpdate?.(step.state, step.new ?? {}) === true;
    return { seen: new Set(seen), hidden: new Set(hidden), other: seen.length > 0 || found };
}

/** The part of a definition that says when it is updated. */
interface Definition {
    fields: Readonly<Record<string, unknown>>;
    needsUpdate?(state: Inputs, inputs: Inputs): boolean;
}

const definitions: Record<string, Definition> = {
    "vvp:Deployment": deployment as unknown as Definition,
    "vvp:SessionCluster": sessionCluster as unknown as Definition,
    "flink:JarJob": flinkJarJob as unknown as Definition,
    "flink:SqlJob": flinkSqlJob as unknown as Definition,
};

function effectOf({ fields }: Definition, field: string, { old, new: now }: PreviewStep): unknown {
    const effect = fields[field] ?? "ignore";
    return typeof effect === "function" ? effect({ old: old?.[field], new: now?.[field] }) : effect;
}

function fieldsOf(paths: string[]): string[] {
    return [...new Set(paths.map((path) => path.split(".")[0] ?? ""))];
}
