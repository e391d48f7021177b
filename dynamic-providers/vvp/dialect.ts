import * as z from "zod";
import {
    amount,
    annotations,
    asObject,
    deploymentAnswer,
    deploymentBody,
    enc,
    failure,
    inner,
    marked,
    markIn,
    options,
    restartKey,
    sessionSpec,
    text,
    toDeployment,
    toFailure,
    toResources,
} from "./dialect-json.ts";
import {
    apiTokenDialect,
    draftDialect,
    eventDialect,
    flussConsoleDialect,
    jobLogDialect,
    savepointDialect,
} from "./dialect-more.ts";
import type { Definition, JobRestore, JobStop, SessionSettings, SqlTable } from "./domain.ts";

/**
 * How Ververica Platform 3 is spoken to: each path, field name and envelope rule, and nothing of what they are used
 * for. No public document gives the whole API of a self-managed VVP 3. The paths here are those of the back ends that
 * vvctl and the console use: deployment targets, session clusters and secret values in a Kubernetes-like form
 * (v1), deployments and jobs flat and in an envelope (v2), artifacts and SQL under prefixes of their own. Where a
 * platform differs, this file is the one to change (with its two sides `dialect-json.ts` and `dialect-more.ts`).
 */
export const dialect = {
    /** The path style that is tried first; the style in use stands in every error, so that a wrong guess is recognised as one. */
    name: "vvp3-backend",

    /**
     * How paths name the workspace: the back ends of the platform take it as a header alone, the public gateway of
     * Ververica Cloud in the path too.
     */
    styles: {
        "vvp3-backend": (path: string, _workspace: string) => path,
        "vvp3-gateway": (path: string, workspace: string) =>
            path.replace("/namespaces/", `/workspaces/${enc(workspace)}/namespaces/`),
    },

    /** Answers where a style is right: any role may read it. */
    probe: (ns: string) => `/api/v1/namespaces/${enc(ns)}/deployment-targets`,

    headers: (o: { workspace: string; token: string }): Record<string, string> => ({
        authorization: `Bearer ${o.token}`,
        workspace: o.workspace,
    }),

    envelope: {
        /** The status that a failed envelope stands for: its own code, or 200 when it always says 200; undefined when it did not fail. */
        failedStatus(json: unknown): number | undefined {
            const body = asObject(json);
            if (body["success"] !== false || hasOwnSuccess(body)) return undefined;
            const code = body["httpCode"];
            return typeof code === "number" && code >= 400 ? code : 200;
        },
        data(json: unknown): unknown {
            const body = asObject(json);
            return typeof body["success"] === "boolean" && !hasOwnSuccess(body) ? (body["data"] ?? {}) : json;
        },
        /** Both error styles: `errorCode`/`errorMessage` of an envelope, `reason`/`message` of v1. */
        error(json: unknown): { type?: string; message?: string; requestId?: string } {
            const body = asObject(json);
            return {
                type: text(body["errorCode"]) ?? text(body["reason"]),
                message: text(body["errorMessage"]) ?? text(body["message"]),
                requestId: text(body["requestId"]),
            };
        },
    },

    /** An unknown object: HTTP 404, the code 990301, or a failed envelope with status 200 whose text says so. */
    notFound: (status: number | undefined, type: string | undefined, message: string): boolean =>
        status === 404 || type === "990301" || (status === 200 && /not ?found|does not exist/i.test(message)),

    page: {
        size: 100,
        query: (page: number) => ({ pageIndex: page, pageSize: 100 }),
        /** Whether so many entries may be a full page: a platform may give fewer than it is asked for, a round number. */
        full: (count: number) => count > 0 && (count % 10 === 0 || count % 25 === 0),
        /** The list alone, in `data` or in `items`; undefined when there is none, which is not the same as an empty one. */
        read(json: unknown): { items: unknown[] | undefined; total: number | undefined } {
            const body = asObject(json);
            const empty = body["success"] === true || "items" in body;
            const items =
                [body["data"], body["items"], json].find(Array.isArray) ??
                (empty && body["data"] == null && body["items"] == null ? [] : undefined);
            const total = body["totalSize"] ?? asObject(body["metadata"])["totalSize"];
            return { items, total: typeof total === "number" ? total : undefined };
        },
    },

    deploymentTarget: {
        collection: (ns: string) => `/api/v1/namespaces/${enc(ns)}/deployment-targets`,
        item: (ns: string, name: string) => `/api/v1/namespaces/${enc(ns)}/deployment-targets/${enc(name)}`,
        body: (o: { name: string; kubernetesNamespace: string; mark?: string }) => ({
            metadata: { name: o.name, ...marked("annotations", o.mark) },
            spec: { kubernetes: { namespace: o.kubernetesNamespace } },
        }),
        answer: z
            .object({
                metadata: z.object({ id: z.string(), name: z.string(), annotations }),
                spec: z.object({
                    kubernetes: z.object({ namespace: z.string() }),
                    state: z.string().nullish(),
                }),
            })
            .transform(({ metadata, spec }) => ({
                id: metadata.id,
                name: metadata.name,
                kubernetesNamespace: spec.kubernetes.namespace,
                state: spec.state ?? undefined,
                mark: markIn(metadata.annotations),
            })),
    },

    sessionCluster: {
        collection: (ns: string) => `/api/v1/namespaces/${enc(ns)}/sessionclusters`,
        item: (ns: string, name: string) => `/api/v1/namespaces/${enc(ns)}/sessionclusters/${enc(name)}`,
        body: (name: string, state: "RUNNING" | "STOPPED", settings: SessionSettings, mark?: string) => ({
            metadata: { name, ...marked("annotations", mark) },
            spec: { ...sessionSpec(settings), state },
        }),
        patchSettings: (settings: SessionSettings) => ({ spec: sessionSpec(settings) }),
        patchNoOptions: () => ({ spec: { flinkConfiguration: null } }),
        patchScale: (numberOfTaskManagers: number) => ({ spec: { numberOfTaskManagers } }),
        patchState: (state: "RUNNING" | "STOPPED") => ({ spec: { state } }),
        answer: z
            .object({
                metadata: z.object({ id: z.string().nullish(), name: z.string(), annotations }),
                spec: z.object({
                    deploymentTargetName: z.string().nullish(),
                    versionName: z.string().nullish(),
                    numberOfTaskManagers: z.number().nullish(),
                    resources: z
                        .object({ jobmanager: amount.nullish(), taskmanager: amount.nullish() })
                        .nullish(),
                    flinkConfiguration: options,
                }),
                status: z
                    .object({
                        state: z.string(),
                        failure,
                    })
                    .nullish(),
            })
            .transform(({ metadata, spec, status }) => ({
                id: metadata.id ?? undefined,
                deploymentTarget: spec.deploymentTargetName ?? undefined,
                engineVersion: spec.versionName ?? undefined,
                numberOfTaskManagers: spec.numberOfTaskManagers ?? 1,
                resources: toResources(spec.resources?.jobmanager, spec.resources?.taskmanager),
                flinkConfiguration: spec.flinkConfiguration,
                status: status?.state ?? "STOPPED",
                ...toFailure(status?.failure),
                mark: markIn(metadata.annotations),
            })),
    },

    secretValue: {
        collection: (ns: string) => `/api/v1/namespaces/${enc(ns)}/secret-values`,
        item: (ns: string, name: string) => `/api/v1/namespaces/${enc(ns)}/secret-values/${enc(name)}`,
        body: (o: { name: string; value: string; mark?: string }) => ({
            kind: "SecretValue",
            metadata: { name: o.name, ...marked("annotations", o.mark) },
            spec: { kind: "PLAIN", value: o.value },
        }),
        /** @param restart a note of the jobs that will be restarted with the value; see `restartNote` */
        patch: (o: { value: string; mark?: string | undefined; restart?: string | undefined }) => ({
            // A platform may put the annotations in the place of those that are there: the mark goes with the note.
            ...(o.restart === undefined
                ? {}
                : { metadata: marked("annotations", o.mark, { [restartKey]: o.restart }) }),
            spec: { kind: "PLAIN", value: o.value },
        }),
        /** How statements, hints and main arguments name a secret value. */
        reference: (name: string) => `\${secret_values.${name}}`,
        answer: z
            .object({
                metadata: z.object({
                    name: z.string(),
                    resourceVersion: z.union([z.number(), z.string()]).nullish(),
                    modifiedAt: z.string().nullish(),
                    annotations,
                }),
            })
            .transform(({ metadata }) => ({
                name: metadata.name,
                version: String(metadata.resourceVersion ?? metadata.modifiedAt ?? ""),
                mark: markIn(metadata.annotations),
                restart: text(asObject(metadata.annotations)[restartKey]),
            })),
    },

    artifact: {
        collection: (ns: string) => `/artifacts/v1/namespaces/${enc(ns)}/artifacts:list`,
        signature: (ns: string) => `/artifacts/v1/namespaces/${enc(ns)}/artifacts:signature`,
        // The platform writes `fileName` here and `filename` everywhere else.
        signatureQuery: (name: string) => ({ fileName: name, fileType: "ARTIFACT" }),
        signatureAnswer: z
            .object({ artifactPath: z.string(), presignedUrlForPut: z.url() })
            .transform((data) => ({ uri: data.artifactPath, uploadUrl: data.presignedUrlForPut })),
        uploadHeaders: (size: number): Record<string, string> => ({
            "content-type": "application/octet-stream",
            "content-length": String(size),
            "x-ms-blob-type": "BlockBlob",
        }),
        metadata: (ns: string) => `/artifacts/v1/namespaces/${enc(ns)}/artifacts:getMetadata`,
        remove: (ns: string) => `/artifacts/v1/namespaces/${enc(ns)}/artifacts:delete`,
        nameQuery: (name: string) => ({ filename: name }),
        answer: z
            .object({
                artifact: z.object({
                    uri: z.string(),
                    size: z.union([z.string(), z.number()]).nullish(),
                    createTime: z.union([z.string(), z.number()]).nullish(),
                }),
            })
            .transform(({ artifact }) => ({
                uri: artifact.uri,
                size: Number(artifact.size ?? 0),
                createTime: String(artifact.createTime ?? ""),
            })),
    },

    deployment: {
        collection: (ns: string) => `/api/v2/namespaces/${enc(ns)}/deployments`,
        item: (ns: string, id: string) => `/api/v2/namespaces/${enc(ns)}/deployments/${enc(id)}`,
        nameQuery: (name: string) => ({ name }),
        /** Epoch milliseconds; undefined when the platform does not say. */
        createdAt: (raw: Record<string, unknown>) => {
            const time = Number(raw["createdAt"] ?? Number.NaN);
            return Number.isNaN(time) ? undefined : time;
        },
        body: (definition: Definition) => deploymentBody(definition, {}),
        /** What each entry of a list has, of whatever kind it is: others' deployments may be of kinds that are not read here. */
        identity: z
            .looseObject({ deploymentId: z.string(), name: z.string() })
            .transform((raw) => ({ id: raw.deploymentId, name: raw.name, raw })),
        /** The whole object again, ours over theirs: right whether the platform replaces it or only the parts sent. */
        update: (definition: Definition, raw: Record<string, unknown>) => deploymentBody(definition, raw),
        answer: z.record(z.string(), z.unknown()).transform((raw, context) => {
            const parsed = deploymentAnswer.safeParse(raw);
            if (parsed.success) return { ...toDeployment(parsed.data), raw };
            for (const issue of parsed.error.issues) {
                context.addIssue({ code: "custom", path: issue.path, message: issue.message });
            }
            return z.NEVER;
        }),
    },

    job: {
        collection: (ns: string) => `/api/v2/namespaces/${enc(ns)}/jobs`,
        item: (ns: string, id: string) => `/api/v2/namespaces/${enc(ns)}/jobs/${enc(id)}`,
        deploymentQuery: (deploymentId: string) => ({ deploymentId }),
        start: (ns: string) => `/api/v2/namespaces/${enc(ns)}/jobs:start`,
        startBody: (deploymentId: string, restore: JobRestore) => ({
            deploymentId,
            restoreStrategy: { kind: restore },
        }),
        stop: (ns: string, id: string) => `/api/v2/namespaces/${enc(ns)}/jobs/${enc(id)}:stop`,
        stopBody: (strategy: JobStop) => ({ stopStrategy: strategy }),
        answer: z
            .object({
                jobId: z.string(),
                // Epoch milliseconds; a sibling of the API writes them as text.
                startTime: z.union([z.number(), z.string()]).nullish(),
                status: z.object({
                    currentJobStatus: z.string(),
                    failure,
                    running: z.object({ observedFlinkJobRestarts: z.number().nullish() }).nullish(),
                }),
            })
            .transform(({ jobId, startTime, status }) => ({
                id: jobId,
                status: status.currentJobStatus,
                startTime: Number(startTime ?? 0),
                restarts: status.running?.observedFlinkJobRestarts ?? 0,
                ...toFailure(status.failure),
            })),
    },

    apiToken: apiTokenDialect,
    savepoint: savepointDialect,
    event: eventDialect,
    jobLog: jobLogDialect,
    draft: draftDialect,
    flussConsole: flussConsoleDialect,

    sql: {
        execute: (ns: string) => `/sql/v1beta1/namespaces/${enc(ns)}/sqlscripts:execute`,
        body: (o: {
            statement: string;
            engineVersion?: string;
            flinkConfiguration?: Record<string, string>;
            additionalDependencies?: readonly string[];
            batch?: boolean;
        }) => ({
            statement: o.statement,
            versionName: o.engineVersion,
            flinkConfiguration: o.flinkConfiguration,
            additionalDependencies: o.additionalDependencies,
            batchMode: o.batch,
        }),
        answer: z
            .object({
                result: z.string(),
                errorMessages: z.array(z.object({ message: z.string().nullish() })).nullish(),
                resultTable: z
                    .object({
                        headers: z.array(z.unknown()),
                        rows: z.array(z.object({ cells: z.array(z.unknown()) })),
                    })
                    .nullish(),
            })
            .transform(({ result, errorMessages, resultTable }) => ({
                succeeded: result.startsWith("RESULT_SUCCESS"),
                result,
                errors: (errorMessages ?? []).map((error) => error.message ?? "").filter(Boolean),
                table: {
                    headers: (resultTable?.headers ?? []).map((header) => inner(header, "name") ?? ""),
                    rows: (resultTable?.rows ?? []).map((row) =>
                        row.cells.map((cell) => inner(cell, "value")),
                    ),
                } satisfies SqlTable,
            })),
        /** A statement that failed because what it names is not there. */
        missing: (result: string | undefined, message: string) =>
            result?.startsWith("RESULT_") === true &&
            /does not exist|not ?found/i.test(message) &&
            !dialect.sql.transient(message),
        /**
         * The SQL service restarts at times, and then does not run the statement (quickstart: retry); or the session
         * that it runs statements in was at its end (ververica/flink-sql-gateway#77), and the next one has a new one.
         */
        transient: (message: string) =>
            /failed to get response from sql gateway|session '?[\w-]*'? does not exist/i.test(message),
    },
};

/** The result of deploying a draft says `success` without being an envelope. */
function hasOwnSuccess(body: Record<string, unknown>): boolean {
    return "commitResult" in body || "validationResult" in body;
}
