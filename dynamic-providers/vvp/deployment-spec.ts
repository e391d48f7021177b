import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { deploymentName, deploymentTargetName, sessionClusterName } from "../../model/names.ts";
import { connectionSchema } from "./connection.ts";
import { markIn, markKey } from "./dialect-json.ts";
import type { Definition } from "./domain.ts";
import { withOwnKeys } from "./drift.ts";
import { resourcesSchema } from "./memory.ts";

/** The inputs of a deployment; `VvpDeploymentArgs` says what each means. */
export const deploymentInputs = z.strictObject({
    connection: connectionSchema,
    name: deploymentName,
    deploymentTarget: deploymentTargetName.optional(),
    sessionCluster: sessionClusterName.optional(),
    engineVersion: z.string(),
    executionMode: z.enum(["STREAMING", "BATCH"]).default("STREAMING"),
    jarUri: z.string().min(1).optional(),
    entryClass: z.string().min(1).optional(),
    mainArgs: z
        .string()
        .refine((args) => !/[\r\n]/.test(args), {
            error: "must be one line: the platform breaks arguments at line ends",
        })
        .optional(),
    pythonUri: z.string().min(1).optional(),
    entryModule: z.string().min(1).optional(),
    pythonLibraries: z.array(z.string()).optional(),
    pythonArchives: z.array(z.string()).optional(),
    sqlScript: z.string().min(1).optional(),
    additionalDependencies: z.array(z.string()).default([]),
    flinkConf: z.record(z.string(), z.string()).default({}),
    parallelism: z.int().min(1).optional(),
    resources: resourcesSchema.optional(),
    // A rule for the keys of a record would not tell its reason.
    labels: z
        .record(z.string(), z.string())
        .refine((labels) => markIn(labels) === undefined, {
            error: `may not hold '${markKey}', in which this library marks what it made`,
        })
        .optional(),
    logging: z
        .strictObject({
            profile: z.string().min(1).optional(),
            loggers: z
                .record(
                    z.string(),
                    z.string().regex(/^(TRACE|DEBUG|INFO|WARN|ERROR|FATAL|OFF|ALL)$/, {
                        error: "must be a level of log4j: TRACE, DEBUG, INFO, WARN, ERROR, FATAL, OFF or ALL",
                    }),
                )
                .optional(),
            template: z.string().min(1).optional(),
        })
        .optional(),
    state: z.enum(["RUNNING", "CANCELLED"]).default("RUNNING"),
    restart: z.enum(["WITH_STATE", "WITHOUT_STATE", "NEVER"]).default("WITH_STATE"),
    restartTrigger: z.string().min(1).optional(),
    healthySeconds: z.number().min(0).default(10),
    timeoutSeconds: z.number().positive().default(900),
    adopt: z.boolean().default(false),
    mark: z.string().optional(),
});

/** See {@link deploymentInputs}. */
export type DeploymentInputs = z.output<typeof deploymentInputs>;

/** The part of the inputs that the platform keeps. */
export function toDefinition(wanted: DeploymentInputs): Definition {
    const { name, executionMode, engineVersion, additionalDependencies, flinkConf } = wanted;
    const { jarUri, entryClass, mainArgs, parallelism, resources, labels, logging, mark } = wanted;
    return {
        name,
        executionMode,
        engineVersion,
        target: wanted.sessionCluster
            ? { mode: "SESSION", name: wanted.sessionCluster }
            : { mode: "PER_JOB", name: wanted.deploymentTarget ?? "" },
        ...(jarUri === undefined ? {} : { jar: { uri: jarUri, entryClass, mainArgs } }),
        ...(wanted.pythonUri === undefined ? {} : { python: toPython(wanted, wanted.pythonUri) }),
        ...(wanted.sqlScript === undefined ? {} : { sqlScript: wanted.sqlScript }),
        additionalDependencies,
        flinkConf,
        parallelism,
        resources,
        labels,
        logging,
        mark,
    };
}

function toPython(
    { entryModule, mainArgs, pythonLibraries, pythonArchives }: DeploymentInputs,
    uri: string,
): Definition["python"] {
    return {
        uri,
        entryModule,
        mainArgs,
        libraries: pythonLibraries ?? [],
        archives: pythonArchives ?? [],
    };
}

/**
 * What the platform has otherwise than the inputs say, as inputs. Parallelism, resources, labels and logging that nobody
 * asked for are the platform's choice.
 */
export function definitionDrift(wanted: DeploymentInputs, found: Definition): Partial<DeploymentInputs> {
    const theirs: Partial<DeploymentInputs> = {
        name: found.name,
        deploymentTarget: found.target.mode === "PER_JOB" ? found.target.name : undefined,
        sessionCluster: found.target.mode === "SESSION" ? found.target.name : undefined,
        engineVersion: found.engineVersion,
        executionMode: found.executionMode,
        jarUri: found.jar?.uri,
        entryClass: found.jar?.entryClass,
        mainArgs: found.jar?.mainArgs ?? found.python?.mainArgs,
        pythonUri: found.python?.uri,
        entryModule: found.python?.entryModule,
        ...sameWhenEmpty("pythonLibraries", wanted.pythonLibraries, found.python?.libraries),
        ...sameWhenEmpty("pythonArchives", wanted.pythonArchives, found.python?.archives),
        sqlScript: found.sqlScript,
        additionalDependencies: [...found.additionalDependencies],
        flinkConf: found.flinkConf,
        ...(wanted.parallelism === undefined ? {} : { parallelism: found.parallelism }),
        ...(wanted.resources ? { resources: withOwnKeys(wanted.resources, found.resources ?? {}) } : {}),
        ...(wanted.labels === undefined ? {} : { labels: found.labels }),
        ...(wanted.logging ? { logging: withOwnKeys(wanted.logging, found.logging ?? {}) } : {}),
    };
    // An empty argument line and none are the same.
    if (!theirs.mainArgs && !wanted.mainArgs) theirs.mainArgs = wanted.mainArgs;
    return Object.fromEntries(
        Object.entries(theirs).filter(
            ([field, value]) => !isDeepStrictEqual(value, wanted[field as keyof DeploymentInputs]),
        ),
    );
}

function sameWhenEmpty<K extends "pythonLibraries" | "pythonArchives">(
    field: K,
    wanted: string[] | undefined,
    found: readonly string[] | undefined,
): { [F in K]?: string[] } {
    const theirs = found && found.length > 0 ? [...found] : wanted && [];
    return { [field]: theirs } as { [F in K]?: string[] };
}
