import { randomUUID } from "node:crypto";
import { type Call, type Handler, Refusal } from "../shared/index.ts";
import type { Context } from "./context.ts";
import { metadataOf, refuseTaken } from "./dialect.ts";
import { refuseUnknownDependencies, refuseUnknownEngine } from "./sql.ts";
import { kindOf, splitStatements } from "./sql-text.ts";
import { type Deployment, type Draft, type DraftSpec, newNamed } from "./state.ts";

/**
 * SQL drafts (v1): one folder, names unique, the target by its id. Deploying one makes a deployment of its script with
 * its JARs. Validation looks at the form of the statements alone; what Flink would say of them is not simulated.
 */
export function draftHandlers(context: Context): Record<string, Handler> {
    const { store } = context;
    const { drafts, deployments, targets } = store.state;
    const parentOf = (namespace: string) => folderId(context, namespace);
    const show = (draft: Draft) => ({
        apiVersion: "v1",
        kind: "DeploymentDraft",
        metadata: { ...metadataOf(draft, context.workspace), parentId: parentOf(draft.namespace) },
        spec: draft.spec,
    });
    const find = (call: Call) => {
        const { namespace, draftId } = call.params;
        const found = drafts.find((draft) => draft.namespace === namespace && draft.id === draftId);
        if (!found) throw new Refusal(404, `draft ${draftId} not found in namespace ${namespace}`);
        return found;
    };
    const targetOf = (namespace: string, id: string | undefined) => {
        const target = targets.find((candidate) => candidate.namespace === namespace && candidate.id === id);
        if (target) return target;
        throw new Refusal(400, `deployment target ${id} does not exist in namespace ${namespace}`);
    };
    return {
        getRootFolder: (call) => ({
            status: 200,
            body: {
                kind: "Folder",
                apiVersion: "v1",
                metadata: { id: parentOf(call.params["namespace"]!), name: "development" },
            },
        }),
        searchFolders: (call) => {
            const keyword = call.query.get("keyword") ?? "";
            const hits = drafts.filter(
                ({ namespace, name }) => namespace === call.params["namespace"] && name.includes(keyword),
            );
            return { status: 200, body: hits.map(({ id, name }) => ({ id, type: "DRAFT", name })) };
        },
        createDraft: (call) => {
            const { metadata, spec } = call.body as {
                metadata: { name: string; parentId: string };
                spec: DraftSpec;
            };
            const namespace = call.params["namespace"]!;
            if (metadata.parentId !== parentOf(namespace)) {
                throw new Refusal(
                    400,
                    `folder ${metadata.parentId} does not exist in namespace ${namespace}`,
                );
            }
            refuseTaken(drafts, namespace, metadata.name, "draft");
            targetOf(namespace, spec.deploymentTargetId);
            const draft = newNamed(namespace, metadata, spec);
            drafts.push(draft);
            store.save();
            return { status: 201, body: show(draft) };
        },
        getDraft: (call) => ({ status: 200, body: show(find(call)) }),
        deleteDraft: (call) => {
            const draft = find(call);
            drafts.splice(drafts.indexOf(draft), 1);
            store.save();
            return { status: 200, body: show(draft) };
        },
        deployDraft: (call) => {
            const body = call.body as {
                draft: { metadata: { id?: string } };
                deploymentTargetInfo?: { deploymentTargetId?: string };
                skipValidate?: boolean;
            };
            const namespace = call.params["namespace"]!;
            const draft = find({
                ...call,
                params: { namespace, draftId: body.draft.metadata.id ?? "" },
            });
            const target = targetOf(
                namespace,
                body.deploymentTargetInfo?.deploymentTargetId ?? draft.spec.deploymentTargetId,
            );
            const fault = body.skipValidate ? undefined : deployFault(context, draft.spec);
            if (fault !== undefined) {
                const planValidation = { success: false, message: fault };
                return {
                    status: 200,
                    body: { success: false, validationResult: { success: false, planValidation } },
                };
            }
            const deployment = toDeployment(context, draft, target.name);
            deployments.push(deployment);
            store.save();
            const { deploymentId, body: definition } = deployment;
            return {
                status: 200,
                body: {
                    success: true,
                    commitResult: { success: true, deployment: { ...definition, deploymentId } },
                    validationResult: { success: true },
                },
            };
        },
        validateSql: (call) => {
            const { statement, versionName } = call.body as { statement: string; versionName?: string };
            const kinds = splitStatements(statement).map(kindOf);
            refuseUnknownEngine(context, versionName);
            const nonsense = splitStatements(statement).find(
                (text) => !/^\s*[a-z]+\b/i.test(text) || !KNOWN_VERB.test(text),
            );
            if (kinds.length === 0 || nonsense !== undefined) {
                const message = `Non-query expression encountered in illegal context: ${(nonsense ?? "").slice(0, 40)}`;
                const errorDetails = [{ message, lineNumber: 1, columnNumber: 1 }];
                return { status: 200, body: { validationResult: "VALIDATION_RESULT_INVALID", errorDetails } };
            }
            const result = kinds.includes("insert") ? "VALID_INSERT_QUERY" : "VALID_DDL_STATEMENT";
            return { status: 200, body: { validationResult: `VALIDATION_RESULT_${result}` } };
        },
    };
}

const KNOWN_VERB =
    /^\s*(create|drop|alter|insert|begin|end|execute|select|with|show|describe|desc|explain|use|set|reset|add|delete|update|truncate|analyze|call|load|unload)\b/i;

/** The one folder of a namespace; its id must stay the same over restarts. */
function folderId({ store }: Context, namespace: string): string {
    const known = store.state.folders[namespace];
    if (known !== undefined) return known;
    const id = randomUUID();
    store.state.folders[namespace] = id;
    store.save();
    return id;
}

function deployFault(context: Context, { template }: DraftSpec): string | undefined {
    const { artifact, engineVersionName } = template.spec;
    try {
        refuseUnknownEngine(context, artifact.versionName ?? engineVersionName);
        refuseUnknownDependencies(context, artifact.additionalDependencies ?? []);
    } catch (error) {
        if (error instanceof Refusal) return error.message;
        throw error;
    }
    return splitStatements(artifact.sqlScript ?? "").length > 0
        ? undefined
        : "there is no statement in the script";
}

function toDeployment(context: Context, draft: Draft, targetName: string): Deployment {
    const { artifact, engineVersionName, batchMode, flinkConfiguration, parallelism } =
        draft.spec.template.spec;
    const { sessionClusterName } = draft.spec;
    const now = Date.now();
    const basicResourceSetting = parallelism === undefined ? {} : { parallelism };
    return {
        deploymentId: randomUUID(),
        namespace: draft.namespace,
        createdAt: now,
        modifiedAt: now,
        draftId: draft.id,
        body: {
            name: draft.name,
            engineVersion:
                artifact.versionName ?? engineVersionName ?? context.engineVersions[0]?.engineVersion ?? "",
            executionMode: batchMode ? "BATCH" : "STREAMING",
            deploymentTarget: sessionClusterName
                ? { mode: "SESSION", name: sessionClusterName }
                : { mode: "PER_JOB", name: targetName },
            artifact: {
                kind: "SQLSCRIPT",
                sqlArtifact: {
                    sqlScript: artifact.sqlScript ?? "",
                    additionalDependencies: artifact.additionalDependencies ?? [],
                },
            },
            flinkConf: flinkConfiguration ?? {},
            [batchMode ? "batchResourceSetting" : "streamingResourceSetting"]: { basicResourceSetting },
        },
    };
}
