import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Hosted } from "../../dynamic-providers/resource.ts";
import { vvpProviders } from "../../dynamic-providers/vvp/index.ts";
import { simulatedFlink, startVvpSimulator } from "../../local/simulators/vvp/index.ts";
import { type Bag, Ledger } from "./ledger.ts";
import type { Scenario, World } from "./matrix.ts";

const token = "token-of-the-fault-matrix";
const engineVersion = "vera-4.5-jdk11-flink-1.20";
const v1 = "/api/v1/namespaces/default";
const v2 = "/api/v2/namespaces/default";
const mark = "faults-test-resource-1";
/** So long a wait asks on when the platform does not answer, since that is longer. */
const timeoutSeconds = 15;

const stackConfig = { get: (key: string) => (key === "pulumi-fluss:vvpToken" ? token : undefined) };

/** Every VVP resource on a simulated platform of its own, with a simulated Flink behind it. */
export const vvpScenarios: Scenario[] = [
    {
        ...scenario("vvpDeploymentTarget"),
        first: (_, url) => ({ ...target(url), name: "made" }),
        count: (world) => countNamed(world, `${v1}/deployment-targets`, "made"),
    },
    {
        ...scenario("vvpSessionCluster", makeTarget),
        first: (_, url) => sessionCluster(url, 1),
        changed: (_, url) => sessionCluster(url, 2),
        count: (world) => countNamed(world, `${v1}/sessionclusters`, "session"),
    },
    {
        ...scenario("vvpSecretValue"),
        first: (_, url) => secretValue(url, "hush-1"),
        changed: (_, url) => secretValue(url, "hush-2"),
        count: (world) => countNamed(world, `${v1}/secret-values`, "password"),
    },
    {
        ...scenario("vvpArtifact"),
        first: (_, url) => ({ connection: { url }, source: artifactFile() }),
        adopting: (inputs) => ({ ...inputs, adopt: true }),
        count: (world) => countArtifacts(world),
    },
    {
        ...scenario("vvpDeployment", makeTarget),
        first: (_, url) => deployment(url, 1),
        changed: (_, url) => deployment(url, 2),
        count: (world) => countNamed(world, `${v2}/deployments`, "writer"),
        wrong: async (world, wanted) => {
            const [found] = listOf(await world.outside("GET", `${v2}/deployments`));
            const id = String(found?.["deploymentId"]);
            const jobs = listOf(await world.outside("GET", `${v2}/jobs?deploymentId=${id}`));
            const running = jobs.filter((job) => JSON.stringify(job).includes('"RUNNING"')).length;
            return running === 1 ? undefined : `${wanted}: ${running} jobs are running`;
        },
    },
    {
        ...scenario("vvpApiToken"),
        first: (_, url) => ({ connection: { url }, name: "ci", role: "viewer", mark }),
        count: async (world) => listOf(await world.outside("GET", tokens)).filter(isOfCi).length,
    },
    {
        ...scenario("vvpDraft", makeTarget),
        first: (world, url) => ({
            connection: { url },
            name: "writer",
            deploymentTargetId: world.facts["target"],
            sqlScript: "INSERT INTO a SELECT * FROM b",
            mark,
        }),
        count: (world) => countNamed(world, `${v1}/folders/search?keyword=writer`, "writer"),
    },
    {
        ...scenario("vvpSavepoint", makeJob),
        spare: "the platform keeps no mark of ours with a savepoint, so one whose answer never came is taken again",
        first: (world, url) => ({
            connection: { url },
            deploymentId: world.facts["deployment"],
            description: "first",
            timeoutSeconds,
        }),
        count: async (world) => listOf(await world.outside("GET", `${v2}/savepoints`)).length,
    },
    {
        ...scenario("vvpFlussConsoleCluster"),
        first: (_, url) => console_(url, "a.fluss:9124"),
        changed: (_, url) => console_(url, "b.fluss:9124"),
        count: (world) => countNamed(world, "/fluss/api/v1/clusters", "fluss"),
    },
];

const tokens = "/apitokens/v1/namespaces/default/apitokens";
const isOfCi = (token: Bag) => /\bci-/.test(JSON.stringify(token));

/** The name of an artifact holds a part of its hash. */
async function countArtifacts(world: World): Promise<number> {
    const list = listOf(await world.outside("GET", "/artifacts/v1/namespaces/default/artifacts:list"));
    return list.filter((entry) => JSON.stringify(entry).includes("job-")).length;
}

function scenario(
    name: keyof typeof vvpProviders,
    prepare: (world: World) => Promise<void> = async () => undefined,
): Pick<Scenario, "name" | "provider" | "config" | "start"> {
    const provider = vvpProviders[name];
    return {
        name,
        provider: inRuns(provider),
        config: stackConfig,
        async start() {
            const simulator = await startVvpSimulator({
                port: 0,
                token,
                flink: simulatedFlink(),
                kubernetesNamespaces: ["jobs"],
                flussConsole: true,
                transitionReads: 0,
            });
            const world: World = {
                url: simulator.url,
                facts: {},
                outside: async (method, where, json) => {
                    const answer = await fetch(simulator.url + where, {
                        method,
                        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
                        body: json === undefined ? null : JSON.stringify(json),
                    });
                    const text = await answer.text();
                    if (!answer.ok) throw new Error(`${method} ${where}: ${answer.status} ${text}`);
                    const body = text === "" ? undefined : (JSON.parse(text) as Bag);
                    return body && "data" in body ? body["data"] : body;
                },
                close: async () => {
                    const { violations } = simulator;
                    await simulator.close();
                    if (violations.length > 0)
                        throw new Error(`against the contract: ${violations.join("\n")}`);
                },
            };
            await prepare(world);
            return world;
        },
    };
}

/** As the engine does it: each run begins with the configuration, and what is remembered for a run ends there. */
function inRuns(provider: Hosted): Hosted {
    const inRun =
        <A extends unknown[], R>(method: (...given: A) => Promise<R>) =>
        async (...given: A): Promise<R> => {
            await provider.configure({ config: stackConfig });
            return method(...given);
        };
    return {
        ...provider,
        check: inRun(provider.check),
        read: inRun(provider.read),
        delete: inRun(provider.delete),
    };
}

async function make(name: keyof typeof vvpProviders, inputs: Bag): Promise<{ id: string; state: Bag }> {
    const provider = vvpProviders[name];
    await provider.configure({ config: stackConfig });
    const ledger = new Ledger(provider);
    await ledger.up(inputs);
    return ledger.held ?? { id: "", state: {} };
}

async function makeTarget(world: World): Promise<void> {
    const made = await make("vvpDeploymentTarget", target(world.url));
    world.facts["target"] = String(made.state["targetId"]);
}

async function makeJob(world: World): Promise<void> {
    await makeTarget(world);
    world.facts["deployment"] = (await make("vvpDeployment", deployment(world.url, 1))).id;
}

/** Lists come as an array, in `items`, or in `content`. */
function listOf(answer: unknown): Bag[] {
    if (Array.isArray(answer)) return answer as Bag[];
    const bag = answer as Record<string, unknown>;
    const list = Object.values(bag).find(Array.isArray);
    return (list ?? []) as Bag[];
}

async function countNamed(world: World, where: string, name: string, key = "name"): Promise<number> {
    const list = listOf(await world.outside("GET", where));
    return list.filter(
        (entry) => entry[key] === name || (entry["metadata"] as Bag | undefined)?.[key] === name,
    ).length;
}

const target = (url: string) => ({ connection: { url }, name: "t", kubernetesNamespace: "jobs", mark });

const sessionCluster = (url: string, numberOfTaskManagers: number) => ({
    connection: { url },
    name: "session",
    deploymentTarget: "t",
    engineVersion,
    numberOfTaskManagers,
    timeoutSeconds,
    mark,
});

const secretValue = (url: string, value: string) => ({ connection: { url }, name: "password", value, mark });

const deployment = (url: string, parallelism: number) => ({
    connection: { url },
    name: "writer",
    deploymentTarget: "t",
    engineVersion,
    sqlScript: "INSERT INTO a SELECT * FROM b",
    parallelism,
    healthySeconds: 0,
    timeoutSeconds,
    restart: "WITHOUT_STATE",
    mark,
});

const console_ = (url: string, bootstrapServers: string) => ({
    connection: { url },
    name: "fluss",
    bootstrapServers,
    username: "admin",
    password: "hush-console",
    healthSeconds: 5,
    required: true,
});

let artifact: string | undefined;

/** A small file, made once. */
function artifactFile(): string {
    if (artifact === undefined) {
        const folder = fs.mkdtempSync(path.join(os.tmpdir(), "faults-"));
        process.once("exit", () => fs.rmSync(folder, { recursive: true, force: true }));
        artifact = path.join(folder, "job.jar");
        fs.writeFileSync(artifact, "not really a jar, but uploaded as one");
    }
    return artifact;
}
