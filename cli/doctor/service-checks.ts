import * as z from "zod";
import { findingOf } from "../../dynamic-providers/fluss/endpoint.ts";
import { ApiError } from "../../dynamic-providers/http/api-error.ts";
import { LakekeeperClient } from "../../dynamic-providers/lakekeeper/client.ts";
import { identify } from "../../dynamic-providers/lakekeeper/identity.ts";
import { versionOf } from "../../dynamic-providers/lakekeeper/server-info.ts";
import { listWarehouses, sameName } from "../../dynamic-providers/lakekeeper/warehouse-api.ts";
import type { Context } from "../../dynamic-providers/resource.ts";
import { VvpClient } from "../../dynamic-providers/vvp/client.ts";
import { connectionSchema } from "../../dynamic-providers/vvp/connection.ts";
import { dialect } from "../../dynamic-providers/vvp/dialect.ts";
import { executeSql } from "../../dynamic-providers/vvp/sql.ts";
import type { StackConfig } from "../../model/stack-config.ts";
import type { Check } from "./report.ts";

/** What of the configuration is right; services whose part is not are left out. */
export type Config = Partial<StackConfig>;

const deadlineSeconds = 20;
const named = z.looseObject({ metadata: z.looseObject({ name: z.string() }) });

/** Looks at the platform with the token that an `up` would use: does it answer, does it let in, what may the token read. */
export async function checkVvp(config: Config, context: Context): Promise<Check[]> {
    const area = "vvp";
    const { vvpUrl: url, vvpWorkspace: workspace, vvpNamespace: namespace } = config;
    if (url === undefined || workspace === undefined || namespace === undefined)
        return [skipped(area, "vvpUrl")];
    const connection = connectionSchema.parse({ url, workspace, namespace });
    let client: VvpClient;
    try {
        client = new VvpClient(connection, context);
    } catch (error) {
        return [failed(area, error)];
    }
    const list = (what: string, path: string) =>
        client
            .list({ path, action: `list the ${what}`, deadlineSeconds }, named)
            .then((entries) => entries.map(({ metadata }) => metadata.name));
    // The first call shows whether anything can be called at all.
    let targets: string[];
    try {
        targets = await list("deployment targets", dialect.deploymentTarget.collection(namespace));
    } catch (error) {
        return [failed(area, error)];
    }
    const looks = await Promise.all([
        list("session clusters", dialect.sessionCluster.collection(namespace)).catch(failure(area)),
        list("secret values", dialect.secretValue.collection(namespace)).catch(failure(area)),
        client
            .list(
                {
                    path: dialect.deployment.collection(namespace),
                    action: "list the deployments",
                    deadlineSeconds,
                },
                z.looseObject({ name: z.string() }),
            )
            .then((found) => found.map(({ name }) => name))
            .catch(failure(area)),
        executeSql(connection, context)
            .execute("SHOW CATALOGS", {
                deadlineSeconds,
                ...(config.engineVersion !== undefined && { engineVersion: config.engineVersion }),
            })
            .then(({ rows }) => rows.map(([name]) => name ?? ""))
            .catch(failure(area)),
    ]);
    const faults = looks.flatMap((look) => (Array.isArray(look) ? [] : [look]));
    const there = (names: string[] | Check, ...wanted: string[]) =>
        Array.isArray(names) ? wanted.filter((name) => names.includes(name)) : [];
    const [sessions, secrets, deployments, catalogs] = looks;
    const existing = [
        ...there(targets, config.deploymentTarget ?? "").map((name) => `deployment target ${name}`),
        ...there(sessions, "fluss-quickstart-session").map((name) => `session cluster ${name}`),
        ...there(secrets, "fluss-password", "fluss-iceberg-token").map((name) => `secret value ${name}`),
        ...there(deployments, "fluss-quickstart-tiering").map((name) => `deployment ${name}`),
        ...there(catalogs, "fluss_quickstart").map((name) => `catalog ${name}`),
    ];
    return [
        ...(faults.length === 0
            ? [
                  {
                      area,
                      status: "ok" as const,
                      text: `namespace '${namespace}' at ${url} lets the token read all that the stack makes, and runs SQL`,
                  },
              ]
            : faults),
        ...existingOnes(area, existing, config),
        {
            area,
            status: "note",
            text: "deployment targets and API tokens need a token of an owner; what a token may write is seen at the first write",
        },
    ];
}

/** Looks at Lakekeeper: its version, whether it lets in, and the warehouse. */
export async function checkLakekeeper(config: Config, context: Context): Promise<Check[]> {
    const area = "lakekeeper";
    const { lakekeeperUrl: url, lakekeeperToken: token, warehouse = "fluss" } = config;
    if (config.lakekeeperSource === "chart") return [installed(area, "Lakekeeper")];
    if (url === undefined || token === undefined) return [skipped(area, "lakekeeperUrl and lakekeeperToken")];
    const client = new LakekeeperClient({ url, token, timeoutSeconds: deadlineSeconds }, context);
    try {
        const info = await identify(client);
        const checks: Check[] = [
            { area, status: "ok", text: `Lakekeeper ${versionOf(info)} at ${url} takes the token` },
        ];
        if (!info.bootstrapped)
            return [
                ...checks,
                { area, status: "note", text: "the server is not bootstrapped; the stack does it" },
            ];
        if (info["authz-backend"] === "allow-all")
            checks.push({ area, status: "note", text: "every token may do everything there (allow-all)" });
        const found = (await listWarehouses(client)).filter(({ name }) => sameName(name, warehouse));
        return [
            ...checks,
            ...existingOnes(
                area,
                found.map(({ name }) => `warehouse ${name}`),
                config,
            ),
        ];
    } catch (error) {
        return [failed(area, error)];
    }
}

/** Looks at the Fluss cluster: who answers, and whether the user may log in. */
export async function checkFluss(config: Config): Promise<Check[]> {
    const area = "fluss";
    const {
        flussBootstrapServers: bootstrapServers,
        clientUsername: username,
        clientPassword: password,
    } = config;
    if (config.flussSource === "chart") return [installed(area, "Fluss")];
    if (bootstrapServers === undefined || username === undefined || password === undefined)
        return [skipped(area, "flussBootstrapServers, clientUsername and clientPassword")];
    const found = await findingOf({ bootstrapServers, username, password, timeoutSeconds: 10 });
    if (found.kind === "fluss") {
        const databases = found.databases === 1 ? "1 database" : `${found.databases} databases`;
        return [
            {
                area,
                status: "ok",
                text: `a ${found.server} at ${bootstrapServers} lets ${username} in and shows ${databases}`,
            },
        ];
    }
    const [text = "", fix] = found.text.split("\nWhat to do: ");
    const wrong = found.kind === "wrong";
    return [
        {
            area,
            status: wrong ? "fault" : "warning",
            text: wrong ? text : `${text}, so it is not checked; the jobs may reach it all the same`,
            ...(fix !== undefined && { fix }),
        },
    ];
}

function existingOnes(area: string, existing: readonly string[], { adopt = false }: Config): Check[] {
    if (existing.length === 0) return [];
    const text = `there already: ${existing.join(", ")}`;
    return [
        adopt
            ? { area, status: "note", text: `${text}; the stack takes it over (adopt)` }
            : {
                  area,
                  status: "note",
                  text,
                  fix: "nothing, when this stack made it; otherwise set adopt to true, or choose other names",
              },
    ];
}

function installed(area: string, what: string): Check {
    return { area, status: "note", text: `the stack installs ${what} by Helm` };
}

function skipped(area: string, keys: string): Check {
    const are = keys.includes(" and ") ? "are" : "is";
    return { area, status: "warning", text: `not looked at, since ${keys} ${are} missing or wrong` };
}

const failure = (area: string) => (error: unknown) => failed(area, error);

/** A failure as a fault, its advice apart. */
export function failed(area: string, error: unknown): Check {
    const message = error instanceof Error ? error.message : String(error);
    const [text = "", ...fix] = message.split(/\.?\s*What to do: /);
    const advice = error instanceof ApiError || fix.length > 0 ? fix.join(" ") : "";
    return { area, status: "fault", text: text.trim(), ...(advice !== "" && { fix: advice }) };
}
