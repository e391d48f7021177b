import * as z from "zod";
import type { Amount, Definition, Deployment, Logging, Resources, SessionSettings } from "./domain.ts";
import { canonicalMemory } from "./memory.ts";

export { pathSegment as enc } from "../http/path-segment.ts";

/** `{ cpu, memory }` of an answer, in our form of memory. */
export const amount = z
    .object({ cpu: z.number(), memory: z.string() })
    .transform(({ cpu, memory }) => ({ cpu, memory: canonicalMemory(memory) }));

/** Flink options of an answer: numbers and booleans as text, absent as none. */
export const options = z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .nullish()
    .transform((given) =>
        Object.fromEntries(Object.entries(given ?? {}).map(([key, value]) => [key, String(value)])),
    );

/** Why something failed. Times are texts in v1, epoch numbers in v2. */
export const failure = z
    .object({
        reason: z.string().nullish(),
        message: z.string().nullish(),
        failedAt: z.union([z.number(), z.string()]).nullish(),
    })
    .nullish();

/** A failure as one text, with its time beside it. */
export function toFailure(given: z.output<typeof failure>): {
    failure: string | undefined;
    failedAt: string | undefined;
} {
    return {
        failure: joined(given?.reason, given?.message),
        failedAt: given?.failedAt == null ? undefined : String(given.failedAt),
    };
}

/** Annotations of an answer (v1). */
export const annotations = z.record(z.string(), z.string()).nullish();

export function asObject(value: unknown): Record<string, unknown> {
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

export function text(value: unknown): string | undefined {
    return typeof value === "string" && value !== "" ? value : undefined;
}

/** `reason: message`, or the one that is there. */
export function joined(...parts: (string | null | undefined)[]): string | undefined {
    return parts.filter(Boolean).join(": ") || undefined;
}

/** A header or cell of a result table: the text itself, or an object that holds it. NULL is null. */
export function inner(value: unknown, key: "name" | "value"): string | null {
    const held = typeof value === "object" && value !== null ? asObject(value)[key] : value;
    if (held === null || held === undefined) return null;
    return typeof held === "object" ? JSON.stringify(held) : String(held);
}

/** Under this name a resource's mark stands among the annotations (v1) or labels (v2) of what it made. */
export const markKey = "pulumi-fluss-owner";

/** Under this name stands, at a secret value, which jobs are being restarted with it. */
export const restartKey = "pulumi-fluss-restart";

/** `{ annotations: { mark, … } }`, or nothing when there is neither a mark nor more. */
export function marked(
    place: "annotations",
    mark: string | undefined,
    more: Record<string, string> = {},
): { annotations?: Record<string, string> } {
    const all = { ...(mark === undefined ? {} : { [markKey]: mark }), ...more };
    return Object.keys(all).length === 0 ? {} : { [place]: all };
}

/** The mark among annotations or labels. */
export function markIn(found: unknown): string | undefined {
    return text(asObject(found)[markKey]);
}

/** Labels without the mark. */
export function withoutMark(labels: Record<string, string>): Record<string, string> {
    return Object.fromEntries(Object.entries(labels).filter(([key]) => key !== markKey));
}

export function toResources(jobManager?: Amount | null, taskManager?: Amount | null): Resources {
    return { ...(jobManager ? { jobManager } : {}), ...(taskManager ? { taskManager } : {}) };
}

export function sessionSpec(settings: SessionSettings): Record<string, unknown> {
    const { jobManager, taskManager } = settings.resources ?? {};
    // v1 writes memory with a "B" at the end.
    const v1 = (given: Amount) => ({ cpu: given.cpu, memory: `${given.memory}B` });
    const resources = {
        ...(jobManager ? { jobmanager: v1(jobManager) } : {}),
        ...(taskManager ? { taskmanager: v1(taskManager) } : {}),
    };
    return {
        deploymentTargetName: settings.deploymentTarget,
        versionName: settings.engineVersion,
        numberOfTaskManagers: settings.numberOfTaskManagers,
        ...(settings.resources ? { resources } : {}),
        flinkConfiguration: settings.flinkConfiguration,
    };
}

/** What the platform lets a client write of a deployment; the rest of its answer is its own. */
const writable = [
    "name",
    "description",
    "executionMode",
    "engineVersion",
    "deploymentTarget",
    "artifact",
    "flinkConf",
    "labels",
    "localVariables",
    "logging",
    "priority",
    "streamingResourceSetting",
    "batchResourceSetting",
    "kerberosConfig",
];

export function deploymentBody(
    definition: Definition,
    raw: Record<string, unknown>,
): Record<string, unknown> {
    const theirs = Object.entries(raw).filter(([key, value]) => writable.includes(key) && value != null);
    return {
        ...Object.fromEntries(theirs),
        name: definition.name,
        executionMode: definition.executionMode,
        engineVersion: definition.engineVersion,
        deploymentTarget: definition.target,
        artifact: artifactBody(definition),
        flinkConf: definition.flinkConf,
        ...resourceSetting(definition, raw),
        ...labelsBody(definition, raw),
        ...(definition.logging ? { logging: loggingBody(definition.logging, asObject(raw["logging"])) } : {}),
    };
}

function artifactBody({ jar, python, sqlScript, additionalDependencies }: Definition): object {
    if (jar) {
        const { uri, entryClass, mainArgs } = jar;
        return { kind: "JAR", jarArtifact: { jarUri: uri, entryClass, mainArgs, additionalDependencies } };
    }
    if (python) {
        const { uri, entryModule, mainArgs, libraries, archives } = python;
        const pythonArtifact = {
            pythonArtifactUri: uri,
            entryModule,
            mainArgs,
            additionalDependencies,
            additionalPythonLibraries: libraries,
            additionalPythonArchives: archives,
        };
        return { kind: "PYTHON", pythonArtifact };
    }
    return { kind: "SQLSCRIPT", sqlArtifact: { sqlScript, additionalDependencies } };
}

/** Labels that nobody asked for stay as they are, and so does the mark. */
function labelsBody({ labels, mark }: Definition, raw: Record<string, unknown>): { labels?: object } {
    const theirs = asObject(raw["labels"]);
    const kept = mark ?? markIn(theirs);
    if (labels === undefined && kept === undefined) return {};
    return { labels: { ...(labels ?? theirs), ...(kept === undefined ? {} : { [markKey]: kept }) } };
}

function loggingBody(logging: Logging, theirs: Record<string, unknown>): object {
    const { profile, loggers, template } = logging;
    return {
        ...theirs,
        ...(profile === undefined ? {} : { loggingProfile: profile }),
        ...(template === undefined ? {} : { log4j2ConfigurationTemplate: template }),
        ...(loggers
            ? {
                  log4jLoggers: Object.entries(loggers).map(([loggerName, loggerLevel]) => {
                      return { loggerName, loggerLevel };
                  }),
              }
            : {}),
    };
}

function resourceSetting(definition: Definition, raw: Record<string, unknown>): Record<string, unknown> {
    const { parallelism, resources } = definition;
    if (parallelism === undefined && resources === undefined) return {};
    const key = settingKey(definition.executionMode);
    const theirs = asObject(raw[key]);
    const mode = definition.executionMode === "STREAMING" ? { resourceSettingMode: "BASIC" } : {};
    return {
        [key]: {
            ...theirs,
            ...mode,
            basicResourceSetting: {
                ...asObject(theirs["basicResourceSetting"]),
                ...(parallelism === undefined ? {} : { parallelism }),
                ...(resources?.jobManager ? { jobmanagerResourceSettingSpec: resources.jobManager } : {}),
                ...(resources?.taskManager ? { taskmanagerResourceSettingSpec: resources.taskManager } : {}),
            },
        },
    };
}

function settingKey(mode: Definition["executionMode"]): string {
    return mode === "BATCH" ? "batchResourceSetting" : "streamingResourceSetting";
}

const setting = z
    .object({
        basicResourceSetting: z
            .object({
                parallelism: z.number().nullish(),
                jobmanagerResourceSettingSpec: amount.nullish(),
                taskmanagerResourceSettingSpec: amount.nullish(),
            })
            .nullish(),
    })
    .nullish();
const dependencies = z.array(z.string()).nullish();

/** What is read of a deployment's answer. */
export const deploymentAnswer = z.object({
    deploymentId: z.string(),
    name: z.string(),
    executionMode: z.enum(["STREAMING", "BATCH"]),
    engineVersion: z.string().nullish(),
    deploymentTarget: z.object({ mode: z.enum(["PER_JOB", "SESSION"]), name: z.string() }),
    artifact: z.object({
        jarArtifact: z
            .object({
                jarUri: z.string(),
                entryClass: z.string().nullish(),
                mainArgs: z.string().nullish(),
                additionalDependencies: dependencies,
            })
            .nullish(),
        sqlArtifact: z.object({ sqlScript: z.string(), additionalDependencies: dependencies }).nullish(),
        pythonArtifact: z
            .object({
                pythonArtifactUri: z.string(),
                entryModule: z.string().nullish(),
                mainArgs: z.string().nullish(),
                additionalDependencies: dependencies,
                additionalPythonLibraries: dependencies,
                additionalPythonArchives: dependencies,
            })
            .nullish(),
    }),
    labels: z.record(z.string(), z.string()).nullish(),
    logging: z
        .object({
            loggingProfile: z.string().nullish(),
            log4j2ConfigurationTemplate: z.string().nullish(),
            log4jLoggers: z.array(z.object({ loggerName: z.string(), loggerLevel: z.string() })).nullish(),
        })
        .nullish(),
    flinkConf: options,
    streamingResourceSetting: setting,
    batchResourceSetting: setting,
    deploymentHasChanged: z.boolean().nullish(),
});

export function toDeployment(answer: z.output<typeof deploymentAnswer>): Omit<Deployment, "raw"> {
    const { jarArtifact: jar, sqlArtifact: sql, pythonArtifact: python } = answer.artifact;
    const labels = answer.labels ?? {};
    const basic =
        answer[answer.executionMode === "BATCH" ? "batchResourceSetting" : "streamingResourceSetting"]
            ?.basicResourceSetting;
    return {
        id: answer.deploymentId,
        name: answer.name,
        changedSinceStart: answer.deploymentHasChanged ?? undefined,
        mark: markIn(labels),
        definition: {
            name: answer.name,
            executionMode: answer.executionMode,
            engineVersion: answer.engineVersion ?? "",
            target: answer.deploymentTarget,
            ...(jar
                ? {
                      jar: {
                          uri: jar.jarUri,
                          entryClass: jar.entryClass || undefined,
                          mainArgs: jar.mainArgs || undefined,
                      },
                  }
                : {}),
            ...(sql ? { sqlScript: sql.sqlScript } : {}),
            ...(python
                ? {
                      python: {
                          uri: python.pythonArtifactUri,
                          entryModule: python.entryModule || undefined,
                          mainArgs: python.mainArgs || undefined,
                          libraries: python.additionalPythonLibraries ?? [],
                          archives: python.additionalPythonArchives ?? [],
                      },
                  }
                : {}),
            additionalDependencies: (jar ?? sql ?? python)?.additionalDependencies ?? [],
            flinkConf: answer.flinkConf,
            labels: withoutMark(labels),
            logging: {
                profile: answer.logging?.loggingProfile ?? undefined,
                template: answer.logging?.log4j2ConfigurationTemplate ?? undefined,
                loggers: Object.fromEntries(
                    (answer.logging?.log4jLoggers ?? []).map(({ loggerName, loggerLevel }) => [
                        loggerName,
                        loggerLevel,
                    ]),
                ),
            },
            parallelism: basic?.parallelism ?? undefined,
            resources: toResources(
                basic?.jobmanagerResourceSettingSpec,
                basic?.taskmanagerResourceSettingSpec,
            ),
        },
    };
}
