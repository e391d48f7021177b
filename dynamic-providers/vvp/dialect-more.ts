import * as z from "zod";
import {
    annotations,
    asObject,
    enc,
    failure,
    joined,
    marked,
    markIn,
    text,
    toFailure,
} from "./dialect-json.ts";
import type { DraftSettings, EventsOf, FlussRegistration } from "./domain.ts";

// Sections of the dialect; `dialect.ts` says what it is.
const v1 = (ns: string) => `/api/v1/namespaces/${enc(ns)}`;
const v2 = (ns: string) => `/api/v2/namespaces/${enc(ns)}`;

/** Create is documented for VVP 3, reading and deleting are VVP 2's, the name of the expiry is a guess. */
export const apiTokenDialect = {
    collection: (ns: string) => `/apitokens/v1/namespaces/${enc(ns)}/apitokens`,
    item: (ns: string, name: string) => `/apitokens/v1/namespaces/${enc(ns)}/apitokens/${enc(name)}`,
    body: (ns: string, o: { name: string; role: string; expireTime?: string }) => ({
        name: `namespaces/${ns}/apitokens/${o.name}`,
        role: o.role,
        expireTime: o.expireTime,
    }),
    answer: z
        .object({
            apiToken: z.object({
                role: z.string(),
                secret: z.string().nullish(),
                createTime: z.string().nullish(),
            }),
        })
        .transform(({ apiToken: { role, secret, createTime } }) => ({
            role,
            secret: secret ?? undefined,
            createTime: createTime ?? "",
        })),
};

export const savepointDialect = {
    collection: (ns: string) => `${v2(ns)}/savepoints`,
    item: (ns: string, id: string) => `${v2(ns)}/savepoints/${enc(id)}`,
    deploymentQuery: (deploymentId: string) => ({ deploymentId }),
    body: (o: { deploymentId: string; description?: string; nativeFormat?: boolean }) => ({
        deploymentId: o.deploymentId,
        description: o.description,
        nativeFormat: o.nativeFormat,
    }),
    identity: z.object({ savepointId: z.string() }).transform(({ savepointId }) => ({ id: savepointId })),
    answer: z
        .object({
            savepointId: z.string(),
            jobId: z.string().nullish(),
            savepointLocation: z.string().nullish(),
            description: z.string().nullish(),
            status: z.object({ state: z.string(), failure }),
        })
        .transform(({ savepointId, jobId, savepointLocation, description, status }) => ({
            id: savepointId,
            jobId: jobId ?? "",
            location: savepointLocation ?? "",
            description: description ?? undefined,
            state: status.state,
            failure: toFailure(status.failure).failure,
        })),
};

/** VVP 2's event log. VVP 3's console has one too; no public document names its path. */
export const eventDialect = {
    collection: (ns: string) => `${v1(ns)}/events`,
    query: (of: EventsOf): Record<string, string> =>
        "jobId" in of ? { jobId: of.jobId } : { sessionClusterId: of.clusterId },
    answer: z.object({
        items: z.array(
            z
                .object({
                    metadata: z.object({ name: z.string().nullish(), createdAt: z.string().nullish() }),
                    spec: z.object({ message: z.string().nullish() }).nullish(),
                })
                .transform(({ metadata, spec }) => ({
                    at: metadata.createdAt ?? "",
                    text: joined(metadata.name, spec?.message) ?? "",
                })),
        ),
    }),
};

/**
 * How a deployment's newest job started, as its JobManager wrote it: the sibling API of Realtime Compute
 * (GetLatestJobStartLog). VVP 3's console shows that log; that it has this path is a guess.
 */
export const jobLogDialect = {
    path: (ns: string, deploymentId: string) =>
        `${v2(ns)}/deployments/${enc(deploymentId)}/latest_jobmanager_start_log`,
    answer: z.string(),
};

export const draftDialect = {
    rootFolder: (ns: string) => `${v1(ns)}/folders/roots/folder/development`,
    rootFolderAnswer: z
        .object({ metadata: z.object({ id: z.string() }) })
        .transform(({ metadata }) => metadata.id),
    search: (ns: string) => `${v1(ns)}/folders/search`,
    searchQuery: (name: string) => ({ keyword: name, artifactKind: "SQLSCRIPT" }),
    searchAnswer: z.array(z.object({ id: z.string(), name: z.string() })),
    collection: (ns: string) => `${v1(ns)}/deployment-drafts`,
    item: (ns: string, id: string) => `${v1(ns)}/deployment-drafts/${enc(id)}`,
    deploy: (ns: string) => `${v1(ns)}/deployment-drafts:deploy`,
    body: (parentId: string, settings: DraftSettings, mark?: string) => ({
        metadata: { name: settings.name, parentId, ...marked("annotations", mark) },
        spec: {
            deploymentTargetId: settings.deploymentTargetId,
            sessionClusterName: settings.sessionCluster,
            template: {
                spec: {
                    artifact: {
                        kind: "SQLSCRIPT",
                        sqlScript: settings.sqlScript,
                        versionName: settings.engineVersion,
                        additionalDependencies: settings.additionalDependencies,
                    },
                    batchMode: settings.executionMode === "BATCH",
                    flinkConfiguration: settings.flinkConfiguration,
                },
            },
        },
    }),
    /** Id of the draft that a deployment was made of. */
    deployedFrom: (deployment: Record<string, unknown>) => text(deployment["referencedDeploymentDraftId"]),
    deployBody: (raw: unknown, deploymentTargetId: string, skipValidate: boolean) => ({
        draft: raw,
        deploymentTargetInfo: { deploymentTargetId },
        skipValidate,
    }),
    answer: z
        .looseObject({
            metadata: z.looseObject({
                id: z.string(),
                annotations,
            }),
            spec: z.looseObject({
                template: z.looseObject({
                    spec: z.looseObject({ artifact: z.looseObject({ sqlScript: z.string().nullish() }) }),
                }),
            }),
        })
        .transform((raw) => ({
            id: raw.metadata.id,
            mark: markIn(raw.metadata.annotations),
            sqlScript: raw.spec.template.spec.artifact.sqlScript ?? "",
            raw,
        })),
    deployAnswer: z
        .object({
            success: z.boolean(),
            commitResult: z.unknown().optional(),
            validationResult: z.unknown().optional(),
        })
        .transform(({ success, commitResult, validationResult }) => ({
            success,
            deploymentId: text(asObject(asObject(commitResult)["deployment"])["deploymentId"]),
            reason: text(asObject(asObject(validationResult)["planValidation"])["message"]),
        })),
    validate: (ns: string) => `/sql/v1beta1/namespaces/${enc(ns)}/sqlscripts:light-validate`,
    validateBody: (settings: DraftSettings) => ({
        statement: settings.sqlScript,
        versionName: settings.engineVersion,
        batchMode: settings.executionMode === "BATCH",
        lightValidateType: "DRAFT",
    }),
    validateAnswer: z
        .object({
            validationResult: z.string(),
            errorDetails: z.union([z.array(z.unknown()), z.unknown()]).nullish(),
        })
        .transform(({ validationResult, errorDetails }) => ({
            valid: validationResult.startsWith("VALIDATION_RESULT_VALID"),
            result: validationResult,
            errors: (Array.isArray(errorDetails) ? errorDetails : [errorDetails])
                .map(asObject)
                .filter((detail) => text(detail["message"]) !== undefined)
                .map((detail) => {
                    const place = [detail["lineNumber"], detail["columnNumber"]].filter((at) => at != null);
                    return place.length > 0
                        ? `line ${place.join(":")}: ${text(detail["message"])}`
                        : String(detail["message"]);
                }),
        })),
};

/** All of it is a guess: the console's form is documented, its API is not. Paths are arguments of the resource. */
export const flussConsoleDialect = {
    page: "/fluss",
    clusters: "/fluss/api/v1/clusters",
    item: (clusters: string, id: string) => `${clusters}/${enc(id)}`,
    body: (o: FlussRegistration) => ({
        name: o.name,
        bootstrapEndpoint: o.bootstrapServers,
        externalEndpoint: o.externalEndpoint,
        authProtocol: o.username === undefined ? "PLAINTEXT" : "SASL",
        username: o.username,
        password: o.password,
    }),
    answer: z
        .object({
            id: z.union([z.string(), z.number()]).nullish(),
            name: z.string(),
            bootstrapEndpoint: z.string().nullish(),
            externalEndpoint: z.string().nullish(),
            username: z.string().nullish(),
            status: z.string().nullish(),
        })
        .transform((found) => ({
            id: String(found.id ?? found.name),
            name: found.name,
            bootstrapServers: found.bootstrapEndpoint ?? undefined,
            externalEndpoint: found.externalEndpoint ?? undefined,
            username: found.username ?? undefined,
            health: found.status ?? "UNKNOWN",
        })),
};
