import { isTieringJar } from "../../model/engine-rules.ts";
import { type PlannedResource, types } from "../rule.ts";
import { at, isPartlyUnknown, items, plain, plainEntries, text, unknown } from "../values.ts";
import { skeleton } from "./sql.ts";

/** A job, or SQL that somebody runs, on whatever runs it. */
export interface Job {
    resource: PlannedResource;
    runner: "vvp" | "vvp-operator" | "flink-operator" | "session" | "draft" | "script";
    engine: string | undefined;
    jarUri: string | undefined;
    /** Is it the tiering service? Undefined when neither its JAR nor its arguments are known. */
    tiering: boolean | undefined;
    /** Arguments by their names without dashes; a preview may not know all of them. */
    options: ReadonlyMap<string, string>;
    /** False when a preview does not know all arguments. */
    optionsKnown: boolean;
    /** The arguments on one line, when they are known. */
    line: string | undefined;
    /** What is executed, one script after the other. */
    sql: string[];
    /** URIs of the JARs on the class path; undefined when they are not known, or come from elsewhere. */
    jars: string[] | undefined;
    conf: ReadonlyMap<string, string>;
    /** Undefined when it is not said, or not known. */
    batch: boolean | undefined;
}

/** Every job and script in the plan: of these resources, of the two operators, of session clusters, drafts and executed statements. */
export function jobs(plan: readonly PlannedResource[]): Job[] {
    return plan.flatMap((resource) => {
        const { type, props } = resource;
        if (type === types.deployment) return [vvpJob(resource)];
        if (type === types.draft) return [draft(resource)];
        if (type === types.sqlScript) return [script(resource)];
        if (type === types.jarJob || type === types.sqlJob) return [sessionJob(resource)];
        const kind = text(at(props, "kind"));
        if (kind === "VvpDeployment") return [operatorJob(resource)];
        if (kind === "FlinkDeployment" || kind === "FlinkSessionJob") return [flinkJob(resource)];
        return [];
    });
}

/** Those that are deployments: drafts and executed statements left out. */
export function deployedJobs(plan: readonly PlannedResource[]): Job[] {
    return jobs(plan).filter(({ runner }) => runner !== "draft" && runner !== "script");
}

/** Those that run SQL. */
export function sqlJobs(plan: readonly PlannedResource[]): Job[] {
    return jobs(plan).filter(({ sql }) => sql.length > 0);
}

/** The tiering jobs. */
export function tieringJobs(plan: readonly PlannedResource[]): Job[] {
    return deployedJobs(plan).filter(({ tiering }) => tiering === true);
}

/** Whether a preview cannot tell of some job what it is. */
export function mayTierUnseen(plan: readonly PlannedResource[]): boolean {
    return deployedJobs(plan).some(({ tiering }) => tiering === undefined);
}

/** The cluster that a tiering job works on: its servers in order; undefined when that is not known. */
export function clusterOf({ options }: Job): string | undefined {
    return options.get("fluss.bootstrap.servers")?.split(",").sort().join(",");
}

/** The Fluss connector for Flink, of any release. */
export const connector = /^fluss-flink-\d/;

/** Whether a JAR of the pattern is on the class path; undefined when that is not known. */
export function hasJar(
    { jars }: { jars: readonly string[] | undefined },
    pattern: RegExp,
): boolean | undefined {
    return jars?.some((jar) => pattern.test(jar.split("/").at(-1) ?? ""));
}

/** Reads a table of a catalog; a source of rows that the script itself makes is none. */
export function reads({ sql }: Job): boolean {
    return sql.some((script) => {
        const own = [...script.matchAll(/CREATE\s+TEMPORARY\s+TABLE\s+`?(\w+)`?/gi)].map(([, name]) => name);
        const sources = [...skeleton(script).matchAll(/\b(?:FROM|JOIN)\s+([`\w$.]+)/gi)];
        return sources.some(([, name = ""]) => !own.includes(name.replaceAll("`", "")));
    });
}

function vvpJob(resource: PlannedResource): Job {
    const { props } = resource;
    return job(resource, "vvp", {
        ...onPlatform(props),
        jarUri: at(props, "jarUri"),
        entryClass: at(props, "entryClass"),
        args: at(props, "mainArgs"),
        sql: [at(props, "sqlScript")],
        conf: at(props, "flinkConf"),
        batch: isBatch(at(props, "executionMode"), "BATCH"),
    });
}

function draft(resource: PlannedResource): Job {
    const { props } = resource;
    return job(resource, "draft", {
        ...onPlatform(props),
        sql: [at(props, "sqlScript")],
        conf: at(props, "flinkConfiguration"),
        batch: isBatch(at(props, "executionMode"), "BATCH"),
    });
}

function script(resource: PlannedResource): Job {
    const { props } = resource;
    return job(resource, "script", {
        ...onPlatform(props),
        sql: [...items(at(props, "statements")), at(props, "probe")],
        conf: at(props, "flinkConfiguration"),
    });
}

/** What deployments, drafts and scripts of the platform have in common. */
function onPlatform(props: PlannedResource["props"]): Parts {
    return { engine: at(props, "engineVersion"), jars: at(props, "additionalDependencies") ?? [] };
}

/** Undefined when the mode is not known. */
function isBatch(mode: unknown, batch: string | true): boolean | undefined {
    return mode === unknown ? undefined : mode === batch;
}

function operatorJob(resource: PlannedResource): Job {
    const spec = at(resource.props, "spec", "deployment", "spec", "template", "spec");
    const artifact = at(spec, "artifact");
    return job(resource, "vvp-operator", {
        engine: at(spec, "engineVersionName"),
        jarUri: at(artifact, "jarUri"),
        entryClass: at(artifact, "entryClass"),
        args: at(artifact, "mainArgs"),
        sql: [at(artifact, "sqlScript")],
        jars: at(artifact, "additionalDependencies") ?? [],
        conf: at(spec, "flinkConfiguration"),
        batch: isBatch(at(spec, "batchMode"), true),
    });
}

/** What is on the class path there is the image's and its init containers' matter. */
function flinkJob(resource: PlannedResource): Job {
    const spec = at(resource.props, "spec");
    const mode = at(spec, "flinkConfiguration", "execution.runtime-mode");
    return job(resource, "flink-operator", {
        jarUri: at(spec, "job", "jarURI"),
        entryClass: at(spec, "job", "entryClass"),
        args: at(spec, "job", "args"),
        conf: at(spec, "flinkConfiguration"),
        batch: mode === unknown ? undefined : text(mode)?.toLowerCase() === "batch",
    });
}

/** What is on the class path there is the session cluster's matter. */
function sessionJob(resource: PlannedResource): Job {
    const { props } = resource;
    return job(resource, "session", {
        jarUri: at(props, "jar"),
        entryClass: at(props, "entryClass"),
        args: at(props, "args"),
        sql: [at(props, "sql")],
        conf: at(props, "flinkConfiguration"),
        batch: isBatch(at(props, "executionMode"), "BATCH"),
    });
}

interface Parts {
    engine?: unknown;
    jarUri?: unknown;
    entryClass?: unknown;
    args?: unknown;
    sql?: unknown[];
    jars?: unknown;
    conf?: unknown;
    batch?: boolean | undefined;
}

function job(resource: PlannedResource, runner: Job["runner"], parts: Parts): Job {
    const jarUri = text(parts.jarUri);
    const words = Array.isArray(parts.args)
        ? parts.args.map(plain)
        : text(parts.args)?.trim().split(/\s+/).filter(Boolean);
    const optionsKnown = !isPartlyUnknown(parts.args);
    const options = new Map(pairs(words ?? []));
    const tiering =
        isTieringJar(jarUri) ||
        /FlussLakeTiering/.test(text(parts.entryClass) ?? "") ||
        options.has("datalake.format");
    return {
        resource,
        runner,
        engine: text(parts.engine),
        jarUri,
        tiering: tiering || (parts.jarUri === unknown && !optionsKnown ? undefined : false),
        options,
        optionsKnown,
        line: optionsKnown ? words?.join(" ") : undefined,
        sql: (parts.sql ?? []).flatMap((one) => text(one) ?? []),
        jars:
            isPartlyUnknown(parts.jars) || parts.jars === undefined
                ? undefined
                : items(parts.jars).flatMap((jar) => text(jar) ?? []),
        conf: new Map(plainEntries(parts.conf)),
        batch: parts.batch,
    };
}

/** `--key value` and `--key=value`. */
function pairs(words: readonly (string | undefined)[]): [string, string][] {
    return words.flatMap((word, index): [string, string][] => {
        const [, key, value] = /^--([^=\s]+)(?:=(.*))?$/s.exec(word ?? "") ?? [];
        const next = words[index + 1];
        if (key === undefined) return [];
        if (value !== undefined) return [[key, value]];
        return next === undefined || next.startsWith("--") ? [] : [[key, next]];
    });
}
