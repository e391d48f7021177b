import { randomUUID, timingSafeEqual } from "node:crypto";
import { type Call, type Handler, Refusal } from "../shared/index.ts";
import type { Context } from "./context.ts";
import { enveloped, problem, refuseTaken } from "./dialect.ts";
import type { ApiToken } from "./state.ts";

/** Namespaces, engine versions and API tokens. */
export function workspaceHandlers(context: Context): Record<string, Handler> {
    const { store } = context;
    const { apiTokens } = store.state;
    const key = ({ namespace, name }: ApiToken) => `${namespace}/${name}`;
    const show = ({ namespace, name, role, createTime, expireTime }: ApiToken) => ({
        name: `namespaces/${namespace}/apitokens/${name}`,
        role,
        createTime,
        expireTime,
    });
    const find = (call: Call) => {
        const { namespace, name } = call.params;
        const found = apiTokens.find((token) => token.namespace === namespace && token.name === name);
        if (!found) throw new Refusal(404, `API token ${name} not found in namespace ${namespace}`);
        return found;
    };
    const issue = (token: ApiToken) => {
        const secret = randomUUID();
        store.secrets.apiTokens[key(token)] = secret;
        store.save();
        return { apiToken: { ...show(token), secret } };
    };
    const showNamespace = (name: string) => ({
        name: `namespaces/${name}`,
        lifecyclePhase: "LIFECYCLE_PHASE_ACTIVE",
    });
    return {
        listNamespaces: () => ({ status: 200, body: { namespaces: context.namespaces.map(showNamespace) } }),
        getNamespace: (call) => ({
            status: 200,
            body: { namespace: showNamespace(call.params["namespace"]!) },
        }),
        listEngineVersions: () =>
            enveloped({
                defaultEngineVersion: context.engineVersions[0]?.engineVersion,
                engineVersionMetadata: context.engineVersions.map((version) => ({
                    ...version,
                    features: { useForSqlDeployments: true },
                })),
            }),
        listApiTokens: (call) => ({
            status: 200,
            body: { apiTokens: apiTokens.filter((t) => t.namespace === call.params["namespace"]).map(show) },
        }),
        createApiToken: (call) => {
            const body = call.body as { name: string; role: string; expireTime?: string };
            const [, namespace, , name] = body.name.split("/");
            if (namespace !== call.params["namespace"]) {
                throw new Refusal(
                    400,
                    `the name ${body.name} is not in namespace ${call.params["namespace"]}`,
                );
            }
            if (!ROLES.includes(body.role))
                throw new Refusal(400, `role ${body.role} is none of ${ROLES.join(", ")}`);
            refuseTaken(apiTokens, namespace!, name!, "API token");
            const token: ApiToken = {
                namespace: namespace!,
                name: name!,
                role: body.role,
                createTime: new Date().toISOString(),
                ...(body.expireTime === undefined ? {} : { expireTime: body.expireTime }),
            };
            apiTokens.push(token);
            return { status: 200, body: issue(token) };
        },
        getApiToken: (call) => ({ status: 200, body: { apiToken: show(find(call)) } }),
        regenerateApiToken: (call) => ({ status: 200, body: issue(find(call)) }),
        deleteApiToken: (call) => {
            const token = find(call);
            apiTokens.splice(apiTokens.indexOf(token), 1);
            delete store.secrets.apiTokens[key(token)];
            store.save();
            return { status: 200, body: {} };
        },
    };
}

/**
 * Checks token (401), workspace and role (403) and namespace (404). The simulator's own token is the workspace's admin;
 * a token made through the API is good for its namespace: viewers read, editors write all but targets and tokens,
 * owners write everything (VVP 2 authorization table).
 */
export function authorize(context: Context, adminToken: string, call: Omit<Call, "body">): void {
    if (call.operationId === "simPutBlob") return;
    const refuse = (status: number, message: string) =>
        new Refusal(status, message, problem(call.path, status, message));
    const presented = /^Bearer (.+)$/.exec(call.headers.authorization ?? "")?.[1];
    if (presented === undefined) throw refuse(401, "no bearer token was sent");
    const workspace = call.headers["workspace"] ?? context.workspace;
    const token = same(presented, adminToken) ? "admin" : findToken(context, presented);
    if (token === undefined) throw refuse(401, "the bearer token is unknown, expired or revoked");
    if (workspace !== context.workspace)
        throw refuse(403, `the token does not belong to workspace ${String(workspace)}`);
    const { namespace } = call.params;
    if (namespace !== undefined && !context.namespaces.includes(namespace)) {
        throw refuse(404, `namespace ${namespace} not found`);
    }
    if (token === "admin") return;
    if (namespace !== undefined && namespace !== token.namespace) {
        throw refuse(403, `the token belongs to namespace ${token.namespace}`);
    }
    const needed =
        call.method === "GET"
            ? "viewer"
            : /DeploymentTarget|ApiToken/.test(call.operationId)
              ? "owner"
              : "editor";
    if (ROLES.indexOf(token.role) < ROLES.indexOf(needed)) {
        throw refuse(403, `${call.operationId} needs the role ${needed}, the token has ${token.role}`);
    }
}

/** From the weakest to the strongest. */
const ROLES = ["viewer", "editor", "owner"];

function findToken({ store }: Context, presented: string): ApiToken | undefined {
    const token = store.state.apiTokens.find((candidate) =>
        same(presented, store.secrets.apiTokens[`${candidate.namespace}/${candidate.name}`] ?? ""),
    );
    if (token?.expireTime !== undefined && Date.parse(token.expireTime) < Date.now()) return undefined;
    return token;
}

function same(a: string, b: string): boolean {
    const [left, right] = [Buffer.from(a), Buffer.from(b)];
    return left.length === right.length && timingSafeEqual(left, right);
}
