import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { deploymentName, deploymentTargetName, sessionClusterName } from "../../model/names.ts";
import { connectionSchema } from "./connection.ts";
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
    sqlScript: z.string().min(1).optional(),
    additionalDependencies: z.array(z.string()).default([]),
    flinkConf: z.record(z.string(), z.string()).default({}),
    parallelism: z.int().min(1).optional(),
    resources: resourcesSchema.optional(),
    state: z.enum(["RUNNING", "CANCELLED"]).default("RUNNING"),
    restart: z.enum(["WITH_STATE", "WITHOUT_STATE", "NEVER"]).default("WITH_STATE"),
    healthySeconds: z.number().min(0).default(10),
    timeoutSeconds: z.number().positive().default(900),
    adopt: z.boolean().default(false),
});

/** See {@link deploymentInputs}. */
export type DeploymentInputs = z.output<typeof deploymentInputs>;

/** The part of the inputs that the platform keeps. */
export function toDefinition(wanted: DeploymentInputs): Definition {
    const { name, executionMode, engineVersion, additionalDependencies, flinkConf } = wanted;
    const { jarUri, entryClass, mainArgs, sqlScript, parallelism, resources } = wanted;
    return {
        name,
        executionMode,
        engineVersion,
        target: wanted.sessionCluster
            ? { mode: "SESSION", name: wanted.sessionCluster }
            : { mode: "PER_JOB", name: wanted.deploymentTarget ?? "" },
        ...(jarUri === undefined ? { sqlScript } : { jar: { uri: jarUri, entryClass, mainArgs } }),
        additionalDependencies,
        flinkConf,
        parallelism,
        resources,
    };
}

/**
 * What the platform has otherwise than the inputs say, as inputs. Parallelism and resources that nobody asked for are
 * the platform's choice.
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
        mainArgs: found.jar?.mainArgs,
        sqlScript: found.sqlScript,
        additionalDependencies: [...found.additionalDependencies],
        flinkConf: found.flinkConf,
        ...(wanted.parallelism === undefined ? {} : { parallelism: found.parallelism }),
        ...(wanted.resources ? { resources: withOwnKeys(wanted.resources, found.resources ?? {}) } : {}),
    };
    // An empty argument line and none are the same.
    if (!theirs.mainArgs && !wanted.mainArgs) theirs.mainArgs = wanted.mainArgs;
    return Object.fromEntries(
        Object.entries(theirs).filter(
            ([field, value]) => !isDeepStrictEqual(value, wanted[field as keyof DeploymentInputs]),
        ),
    );
}
