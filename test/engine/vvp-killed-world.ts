/** One resource of each kind on a simulated platform, behind a proxy that holds back the answers to what changes something. */
import fs from "node:fs";
import path from "node:path";
import { FlussCatalog, FlussDatabase, FlussTable } from "../../dynamic-providers/flink-sql/resources.ts";
import {
    VvpApiToken,
    VvpArtifact,
    VvpDeployment,
    VvpDeploymentTarget,
    VvpDraft,
    VvpFlussConsoleCluster,
    VvpSavepoint,
    VvpSecretValue,
    VvpSessionCluster,
    VvpSqlScript,
} from "../../dynamic-providers/vvp/resources.ts";
import { rootVariable } from "../../local/resources/environment.ts";
import { startVvpSimulator, type VvpSimulator } from "../../local/simulators/vvp/index.ts";
import { trades } from "../../stacks/quickstart-tables.ts";
import { flinkBefore, SqlServer } from "../faults/sql-server.ts";
import { type Logged, startProxy } from "../lakekeeper/proxy.ts";
import { calledPlatform } from "../platform-call.ts";
import { type TestStack, testStack } from "./engine.ts";
import { engineVersion, token } from "./vvp-platform.ts";

/** What the program asks for. */
export interface Wish {
    /** Whether each resource is asked for as it was at first, or changed. */
    changed: boolean;
    adopt: boolean;
}

export interface KilledWorld {
    wish: Wish;
    platform: VvpSimulator;
    /** A new stack of the program on this platform. @param owner of its marks; default: organization, project and stack */
    open(owner?: string): Promise<TestStack>;
    /** Holds back, from now on, the answers to what makes or changes something. @param which by names; default: all */
    hold(milliseconds: number, which?: (name: string) => boolean): void;
    release(): void;
    /** What the platform has made and changed so far: names of the calls that did it. */
    work(): string[];
    /** How many there are of each kind. */
    counts(): Promise<Record<string, number>>;
    close(): Promise<void>;
}

/** What there is when the program has run, and nothing has changed: of each kind one; the draft is a deployment, too. */
export const one = {
    targets: 1,
    sessionClusters: 1,
    secretValues: 1,
    artifacts: 1,
    deployments: 3,
    drafts: 1,
    apiTokens: 1,
    registrations: 1,
    databases: 2,
    tables: 1,
    savepoints: 1,
    running: 2,
    "jobs of writer": 1,
    "jobs of reader": 1,
    "jobs of draft": 0,
};
/** @param mark by this the processes that the stacks start are known */
export async function startKilledWorld(mark: string): Promise<KilledWorld> {
    const server = new SqlServer();
    const platform = await startVvpSimulator({
        port: 0,
        token,
        flink: flinkBefore(server, { pollsUntilRunning: 0 }),
        kubernetesNamespaces: ["jobs"],
        flussConsole: true,
        transitionReads: 0,
    });
    const proxy = await startProxy(platform.url);
    const wish: Wish = { changed: false, adopt: false };
    const stacks: TestStack[] = [];
    return {
        wish,
        platform,
        async open(owner) {
            const stack: TestStack = await testStack({
                config: {
                    "pulumi-fluss:vvpToken": { value: token, secret: true },
                    ...(owner === undefined ? {} : { "pulumi-fluss:owner": { value: owner } }),
                },
                env: { VV_API_TOKEN: "", PULUMI_PARALLEL: "8", [rootVariable]: mark },
                program: async () => program(proxy.url, stack.folder, wish),
            });
            stacks.push(stack);
            for (const name of ["first", "second"])
                fs.writeFileSync(path.join(stack.folder, `${name}.jar`), `${name} content`);
            return stack;
        },
        hold(milliseconds, which = () => true) {
            const when = (request: Logged) => nameOf(request).some(which);
            const late = { path: /./, when, times: 1000, does: "delay answer" as const, milliseconds };
            for (const method of ["POST", "PUT", "PATCH", "DELETE"]) proxy.order({ ...late, method });
        },
        release: () => proxy.forget(),
        work: () => proxy.log.filter(({ served }) => served >= 200 && served < 300).flatMap(nameOf),
        counts: () => counts(platform.url, server),
        async close() {
            for (const stack of stacks) await stack.dispose();
            await proxy.close();
            await platform.close();
        },
    };
}

/** The name of a request that makes or changes something; none of another. */
function nameOf({ method, path, body }: Logged): string[] {
    if (method === "GET" || /validat/.test(path)) return [];
    if (path.includes("sqlscripts:execute")) {
        const [, statement] = /"statement":"((?:CREATE|ALTER|DROP)[^"]*)/.exec(body) ?? [];
        return statement === undefined ? [] : [statement.slice(0, 60)];
    }
    const place = path.replace(/\?.*/, "").replace(/^.*namespaces\/[^/]+\//, "");
    return [`${method} ${place.replace(/[0-9a-f-]{32,}|-[0-9a-f]{10}\b/g, "*")}`];
}

function program(url: string, folder: string, { changed, adopt }: Wish): void {
    const connection = { url };
    const common = { connection, adopt };
    const either = <T>(first: T, second: T) => (changed ? second : first);
    const target = new VvpDeploymentTarget("target", { ...common, name: "t", kubernetesNamespace: "jobs" });
    new VvpSessionCluster("session", {
        ...common,
        name: "session",
        deploymentTarget: target.name,
        engineVersion,
        flinkConfiguration: either<Record<string, string>>({ a: "1" }, { b: "2" }),
    });
    const secret = new VvpSecretValue("secret", {
        ...common,
        name: "pw",
        value: either("first-hush-7713", "second-hush-7713"),
        restartJobs: "WITH_STATE",
    });
    new VvpArtifact("artifact", {
        ...common,
        source: path.join(folder, either("first.jar", "second.jar")),
        uploadEndpoint: url,
    });
    const job = { ...common, deploymentTarget: target.name, engineVersion, healthySeconds: 0 };
    const writer = new VvpDeployment("writer", {
        ...job,
        name: "writer",
        sqlScript: insert("written"),
        parallelism: either(1, 2),
    });
    new VvpDeployment("reader", {
        ...job,
        name: "reader",
        sqlScript: secret.reference.apply((reference) => insert("read", reference)),
    });
    new VvpSavepoint("savepoint", {
        connection,
        deploymentId: writer.deploymentId,
        description: ours,
        trigger: either("1", "2"),
    });
    new VvpDraft("draft", {
        ...common,
        name: "draft",
        deploymentTargetId: target.targetId,
        engineVersion,
        sqlScript: either(insert("drafted"), insert("redrafted")),
        deploy: true,
    });
    new VvpApiToken("token", { connection, name: "ci", role: "viewer", rotation: either("1", "2") });
    new VvpFlussConsoleCluster("console", {
        connection,
        name: "fluss",
        bootstrapServers: either("a.fluss:9124", "b.fluss:9124"),
        username: "admin",
        password: "hush-console",
        required: true,
    });
    const runner = { kind: "vvp" as const, connection };
    const catalog = new FlussCatalog("catalog", {
        runner,
        adopt,
        name: "c",
        options: { type: "fluss", "bootstrap.servers": either("a.fluss:9124", "b.fluss:9124") },
    });
    const at = { runner, catalog: { name: catalog.name }, adopt, deletionProtection: false };
    const database = new FlussDatabase("database", { ...at, name: "finance" });
    new FlussTable("table", {
        ...at,
        spec: database.name.apply((name) => ({
            ...trades,
            database: name,
            options: { "table.log.ttl": either("7d", "30d") },
        })),
        capabilities: { server: "1.0", lake: "none" },
    });
    new VvpSqlScript(
        "script",
        {
            connection,
            statements: ["CREATE DATABASE IF NOT EXISTS `c`.`scripted`", ...either([], [more])],
            undo: [
                ...either([], [`DROP DATABASE IF EXISTS \`c\`.\`more\``]),
                "DROP DATABASE IF EXISTS `c`.`scripted`",
            ],
            probe: "SHOW DATABASES IN `c`",
        },
        { dependsOn: database },
    );
}

const more = "CREATE DATABASE IF NOT EXISTS `c`.`more`";

const insert = (to: string, option = "plain") =>
    `CREATE TEMPORARY TABLE numbers (n INT) WITH ('connector' = 'datagen', 'x' = '${option}');
CREATE TEMPORARY TABLE ${to} (n INT) WITH ('connector' = 'blackhole');
INSERT INTO ${to} SELECT n FROM numbers;`;

/** All that the platform's lists and the servers behind its catalogs hold, by kind; jobs by their deployment. */
async function counts(url: string, server: SqlServer): Promise<Record<string, number>> {
    const found: Record<string, number> = {
        databases: server.look("SHOW DATABASES IN `c`").filter((name) => name !== "fluss").length,
        tables: server.look("SHOW TABLES FROM `c`.`finance`").length,
    };
    for (const [kind, where] of Object.entries(lists)) found[kind] = (await listed(url, where)).length;
    found["savepoints"] = (await listed(url, savepoints)).filter(
        ({ description }) => description === ours,
    ).length;
    found["running"] = 0;
    for (const { name, deploymentId } of await listed(url, lists.deployments)) {
        const jobs = await listed(url, `${v2}/jobs?pageSize=100&deploymentId=${String(deploymentId)}`);
        found[`jobs of ${String(name)}`] = jobs.length;
        found["running"] += jobs.filter((job) =>
            JSON.stringify(job).includes('"currentJobStatus":"RUNNING"'),
        ).length;
    }
    return found;
}

/** Tells the resource's savepoints from those that jobs left when they were stopped. */
const ours = "of the resource";

async function listed(url: string, where: string): Promise<Record<string, unknown>[]> {
    const json = await calledPlatform(url, token, "GET", where);
    const answer = json["data"] ?? json;
    return (Array.isArray(answer) ? answer : Object.values(answer).find(Array.isArray)) ?? [];
}

const v1 = "/api/v1/namespaces/default";
const v2 = "/api/v2/namespaces/default";
const lists = {
    targets: `${v1}/deployment-targets`,
    sessionClusters: `${v1}/sessionclusters`,
    secretValues: `${v1}/secret-values`,
    artifacts: "/artifacts/v1/namespaces/default/artifacts:list",
    deployments: `${v2}/deployments?pageSize=100`,
    drafts: `${v1}/folders/search?keyword=&artifactKind=SQLSCRIPT`,
    apiTokens: "/apitokens/v1/namespaces/default/apitokens",
    registrations: "/fluss/api/v1/clusters",
};
const savepoints = `${v2}/savepoints?pageSize=100`;
