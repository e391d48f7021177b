import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
    VvpDeployment,
    VvpDeploymentTarget,
    VvpSessionCluster,
} from "../../dynamic-providers/vvp/resources.ts";
import { type Outcome, type TestStack, testStack } from "./engine.ts";
import { type Effect, type Ground, kinds, otherEngine } from "./vvp-kinds.ts";
import { type Bag, look, settled } from "./vvp-look.ts";
import { engineVersion, token, vvpWorkspace, type Workspace, writeTokenFile } from "./vvp-platform.ts";

/**
 * Every class of the platform, an instance for each of its arguments: made, left alone, changed by that argument alone,
 * changed by somebody else, taken over, deleted. One run of the engine does it to all of them.
 */

const v1 = "/api/v1/namespaces/default";
const v2 = "/api/v2/namespaces/default";
const password = "first-hush-5521";
let w: Workspace;
let heir: TestStack;

const wish: { changed: (name: string, effect: Effect) => boolean; adopt: boolean } = {
    changed: () => false,
    adopt: false,
};
const instances = kinds.flatMap((kind) =>
    kind.fields.map((field, n) => ({ name: `${kind.name}-${n}`, kind, field })),
);
/** Clusters that stand still, which somebody else changes by one setting each. */
const idle: [name: string, change: Bag][] = [
    ["idle-0", { flinkConfiguration: { foreign: "1" } }],
    ["idle-1", { deploymentTargetName: "b" }],
    ["idle-2", { versionName: otherEngine }],
    ["idle-3", { resources: { taskmanager: { cpu: 4, memory: "4GiB" } } }],
    ["idle-4", { numberOfTaskManagers: 7 }],
];

/** @param adopting whether the ground, on which all stands, is taken over */
function program(connection: { url: string }, folder: string, adopting: boolean): void {
    const { adopt } = wish;
    const target = (name: string) =>
        new VvpDeploymentTarget(name, { connection, name, kubernetesNamespace: "jobs", adopt: adopting });
    const [a, b] = [target("a"), target("b")];
    const common = { connection, engineVersion, adopt: adopting };
    const host = new VvpSessionCluster("session-host", {
        ...common,
        name: "session-host",
        deploymentTarget: a.name,
    });
    const running = (name: string) =>
        new VvpDeployment(name, {
            ...common,
            name,
            deploymentTarget: a.name,
            sqlScript: `INSERT INTO a SELECT '${name}' FROM b`,
            healthySeconds: 0,
        });
    const [first, second] = [running("running-a"), running("running-b")];
    const ground: Ground = {
        connection,
        adopt,
        folder,
        targetIds: { a: a.targetId, b: b.targetId },
        running: { a: first.deploymentId, b: second.deploymentId },
        dependsOn: [a, b, host, first, second] satisfies pulumi.Resource[],
    };
    for (const { name, kind, field } of instances) {
        const [change, effect] = field;
        const given = typeof change === "function" ? change(ground) : change;
        const changed = wish.changed(name, effect) ? given : {};
        kind.make(name, { ...kind.base(name, ground), ...changed }, ground);
    }
    for (const [name] of idle) {
        new VvpSessionCluster(
            name,
            {
                ...common,
                adopt,
                name,
                deploymentTarget: "a",
                state: "STOPPED",
                resources: { taskManager: { cpu: 1, memory: "2Gi" } },
            },
            { dependsOn: ground.dependsOn },
        );
    }
}

/** What the last operation did to the instance of that name. */
const opsOf = ({ steps }: Outcome, name: string) =>
    steps.filter((step) => step.name === name).map(({ op }) => op);
const all = instances.length + idle.length + 6;
const writes = (from: number) =>
    w.platform.requests.slice(from).filter(({ method }) => method !== "GET" && method !== "HEAD").length;

/** The token is read from vvctl's configuration file, which changes between runs. */
const tokenFile = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "vvp-fields-")), "config.yml");
const useToken = (value: string) => writeTokenFile(tokenFile, w.platform.url, value);

async function expiredToken(): Promise<string> {
    const { apiToken } = await w.outside("POST", "/apitokens/v1/namespaces/default/apitokens", {
        name: "namespaces/default/apitokens/expired",
        role: "owner",
        expireTime: new Date(Date.now() - 1000).toISOString(),
    });
    return String((apiToken as Bag)["secret"]);
}

beforeAll(async () => {
    let folder = "";
    w = await vvpWorkspace(
        (connection) => {
            program(connection, folder, false);
            return {};
        },
        {},
        {
            env: { VV_CONFIG: tokenFile },
            flussConsole: true,
            kubernetesNamespaces: ["jobs", "jobs-2"],
            engineVersions: [engineVersion, otherEngine].map((version) => ({
                engineVersion: version,
                status: "STABLE" as const,
            })),
        },
    );
    folder = w.stack.folder;
    useToken(token);
    for (const content of ["first", "second"]) fs.writeFileSync(path.join(folder, `${content}.jar`), content);
    const { presignedUrlForPut } = await w.outside(
        "GET",
        "/artifacts/v1/namespaces/default/artifacts:signature?fileName=base.jar&fileType=ARTIFACT",
    );
    await fetch(String(presignedUrlForPut), { method: "PUT", body: "base" });
    heir = await testStack({
        name: "heir",
        env: { VV_API_TOKEN: "", VV_CONFIG: tokenFile },
        program: async () => program({ url: w.platform.url }, folder, true),
    });
});
afterAll(async () => {
    await heir.dispose();
    await w.dispose();
    fs.rmSync(path.dirname(tokenFile), { recursive: true, force: true });
});

/** An operation that makes something, and how often it is called when one answer of it gets lost. */
const made: [operation: string, kind: string[], more: number][] = [
    ["createDeploymentTarget", ["target"], 2],
    ["createSessionCluster", ["session"], 1 + idle.length],
    ["createSecretValue", ["secret"], 0],
    ["createDeployment", ["python", "sql"], 2],
    ["createSavepoint", ["savepoint"], 0],
    ["createDraft", ["draft"], 0],
    ["registerFlussCluster", ["console"], 0],
    // Its secret was in the answer, so that another one is made; bytes and statements are sent again.
    ["createApiToken", ["token"], 1],
    ["simPutBlob", ["artifact"], 2],
];

describe("every class", () => {
    test("is made once, although an answer of each kind gets lost, and no secret is in clear", async () => {
        for (const [operation] of made) w.platform.faults.loseNextAnswer(operation);
        w.platform.faults.loseNextAnswer("executeSql");
        w.platform.faults.loseNextAnswer("startJob");
        expect((await w.stack.up()).changes).toEqual({ create: all });
        for (const [operation, of, more] of made) {
            const count = instances.filter(({ kind }) => of.includes(kind.name)).length;
            expect(w.calls(operation), operation).toBe(count + more);
        }
        expect(w.calls("startJob")).toBe(2 + instances.filter(({ kind }) => kind.name === "sql").length);
        expect(JSON.stringify(await w.stack.export())).not.toContain(password);
    });

    test("stays as it is: a run makes no call, a refresh writes nothing", async () => {
        const from = w.platform.requests.length;
        expect((await w.stack.up()).changes).toEqual({ same: all });
        expect(w.platform.requests.length).toBe(from);
        expect((await w.stack.refresh()).changes).toEqual({ same: all });
        expect(writes(from)).toBe(0);
    });

    test("is left as it is by a run whose token has expired; the error says so, and never shows it", async () => {
        const expired = await expiredToken();
        const before = await look(w);
        const from = w.platform.requests.length;
        // Without the replacements: the engine waits for ever for one whose delete failed, when it goes on after an error.
        // Without the two that say nothing to the platform, or may fail without an error.
        wish.changed = (name, effect) => effect === "update" && !["script-1", "console-5"].includes(name);
        useToken(expired);
        const failed = (run: Promise<unknown>) => run.then(String, (caught: Error) => String(caught));
        const error = await failed(w.stack.up({ continueOnError: true }));
        const refreshed = await failed(w.stack.refresh());
        useToken(token);
        expect(refreshed).toMatch(/401.*wrong, expired, revoked/s);
        for (const { name } of kinds.filter(({ fields }) =>
            fields.some(([, effect]) => effect === "update"),
        )) {
            const told = new RegExp(`dynamic/vvp:\\w+::${name}-\\d+ [^\\0]{0,400}401`);
            expect(error, name).toMatch(told);
        }
        expect(error).toMatch(/check the API token: it is wrong, expired, revoked.*VV_API_TOKEN/s);
        expect(error).not.toContain(expired);
        const done = w.platform.requests.slice(from).filter(({ status }) => status < 400);
        expect(done).toEqual([]);
        expect(await look(w)).toEqual(before);
        await w.outside("DELETE", "/apitokens/v1/namespaces/default/apitokens/expired");
    });

    test("takes each changed argument alone, and nothing else of it changes", async () => {
        const before = await look(w);
        wish.changed = () => true;
        const done = await w.stack.up();
        const after = await look(w);
        const wrong: string[] = [];
        for (const { name, kind, field } of instances) {
            const [change, effect, where, value] = field;
            const what = `${name} ${typeof change === "function" ? "" : JSON.stringify(change)}`;
            const expected = { update: "update", replace: "create-replacement", none: "same" }[effect];
            const ops = opsOf(done, name);
            if (!ops.includes(expected)) wrong.push(`${what}: ${ops.join()} and not ${expected}`);
            if (where === undefined) continue;
            const seen = at(after[name], where);
            if (!isDeepStrictEqual(seen, value)) wrong.push(`${what}: ${where} is ${JSON.stringify(seen)}`);
            if (effect !== "update") continue;
            const strange = differences(settled(before[name]), settled(after[name])).filter(
                (place) => !place.startsWith(where) && !(where === "status.state" && place === "spec.state"),
            );
            if (strange.length > 0) wrong.push(`${what}: ${kind.name} changed at ${strange.join()}`);
        }
        expect(wrong).toEqual([]);
        expect((await w.stack.up()).changes).toEqual({ same: all });
    });

    test("shows what somebody else changed, and is brought back", async () => {
        const before = await look(w);
        const id = (name: string, key = "deploymentId") => String(at(before[name], key));
        const put = (name: string, body: Bag) => w.outside("PUT", `${v2}/deployments/${id(name)}`, body);
        const artifact = (name: string) => at(before[name], "artifact") as Bag;
        const changed = ["secret-1", "console-1", "target-1", ...idle.map(([name]) => name)];
        for (const [name, spec] of idle) await w.outside("PATCH", `${v1}/sessionclusters/${name}`, { spec });
        await w.outside("PATCH", `${v1}/secret-values/secret-1`, {
            spec: { kind: "PLAIN", value: "theirs" },
        });
        await w.outside("PUT", `/fluss/api/v1/clusters/${id("console-1", "id")}`, {
            name: "console-1",
            bootstrapEndpoint: "theirs:1",
            authProtocol: "SASL",
            username: "admin",
            password,
        });
        await w.outside("DELETE", `${v1}/deployment-targets/target-1`);
        await w.outside("POST", `${v1}/deployment-targets`, {
            metadata: { name: "target-1" },
            spec: { kubernetes: { namespace: "jobs" } },
        });
        const edits: [string, Bag][] = [
            ["python-0", { flinkConf: { foreign: "1" } }],
            ["python-1", { engineVersion: otherEngine }],
            ["python-3", { deploymentTarget: { mode: "PER_JOB", name: "b" } }],
            [
                "python-2",
                {
                    artifact: {
                        ...artifact("python-2"),
                        pythonArtifact: { pythonArtifactUri: "s3i://x/y.py" },
                    },
                },
            ],
            [
                "sql-0",
                {
                    artifact: {
                        kind: "SQLSCRIPT",
                        sqlArtifact: { sqlScript: "INSERT INTO a SELECT 'theirs' FROM b" },
                    },
                },
            ],
        ];
        for (const [name, body] of edits) await put(name, body);
        changed.push(...edits.map(([name]) => name), "sql-4");
        const jobs = (await w.outside("GET", `${v2}/jobs?deploymentId=${id("sql-4")}`)) as unknown as Bag[];
        await w.outside("POST", `${v2}/jobs/${String(jobs[0]?.["jobId"])}:stop`, { stopStrategy: "NONE" });
        const gone = ["token-1", "savepoint-3", "draft-3", "console-2", "artifact-1", "script-2", "secret-2"];
        await w.outside(
            "DELETE",
            `/apitokens/v1/namespaces/default/apitokens/${id("token-1", "name").split("/").at(-1)}`,
        );
        await w.outside("DELETE", `${v2}/savepoints/${id("savepoint-3", "savepointId")}`);
        await w.outside("DELETE", `${v1}/deployment-drafts/${id("draft-3", "metadata.id")}`);
        await w.outside("DELETE", `/fluss/api/v1/clusters/${id("console-2", "id")}`);
        await w.outside(
            "DELETE",
            "/artifacts/v1/namespaces/default/artifacts:delete?filename=artifact-1.jar",
        );
        await w.outside("DELETE", `${v1}/secret-values/secret-2`);
        await w.outside("POST", "/sql/v1beta1/namespaces/default/sqlscripts:execute", {
            statement: "DROP CATALOG script_2",
        });

        const { steps } = await w.stack.refresh();
        const seen = (op: string) => steps.filter((step) => step.op === op).map(({ name }) => name);
        expect(seen("delete").sort()).toEqual(gone.sort());
        expect(seen("update").sort()).toEqual(changed.sort());
        await w.stack.up();
        const after = await look(w);
        const wrong = Object.keys(before).filter(
            (name) => !isDeepStrictEqual(settled(before[name], true), settled(after[name], true)),
        );
        expect(wrong).toEqual([]);
        expect((await w.stack.up()).changes).toEqual({ same: all });
    });
});

describe("another stack", () => {
    const adoptable = ["target", "session", "secret", "artifact", "python", "sql", "draft"];
    const creates = () => made.slice(0, 5).map(([operation]) => w.calls(operation));

    test("is refused what exists, with the way to take it over, and makes none of it", async () => {
        const before = creates().slice(0, 4);
        const error = await heir.up({ continueOnError: true }).catch((caught: Error) => caught);
        const told = String(error);
        for (const kind of adoptable) {
            const shown = { artifact: "first-", target: "target-1" }[kind] ?? `${kind}-2`;
            expect(told, kind).toMatch(
                new RegExp(`'${shown}[^']*' in namespace 'default' exists already.*adopt: true`, "s"),
            );
        }
        expect(creates().slice(0, 4)).toEqual(before);
    });

    test("takes it over with adopt, makes none anew, and nothing changes afterwards", async () => {
        wish.adopt = true;
        const before = creates().slice(0, 4);
        const then = await look(w);
        await heir.up();
        expect(creates().slice(0, 4)).toEqual(before);
        const now = await look(w);
        const wrong = instances
            .filter(({ kind }) => adoptable.includes(kind.name))
            .filter(({ name }) => !isDeepStrictEqual(settled(then[name], true), settled(now[name], true)));
        expect(wrong.map(({ name }) => name)).toEqual([]);
        expect((await heir.up()).changes).toEqual({ same: all });
    });

    test("deletes all of it in an order that the platform never refuses", async () => {
        await w.stack.refresh();
        const from = w.platform.requests.length;
        await heir.destroy();
        const refused = w.platform.requests
            .slice(from)
            .filter(({ status }) => status >= 400 && status !== 404);
        expect(refused).toEqual([]);
        await w.stack.destroy();
        expect(Object.keys(await look(w)).filter((name) => name !== "base")).toEqual([]);
        expect(w.platform.violations).toEqual([]);
    });
});

function at(bag: unknown, where: string): unknown {
    return where.split(".").reduce<unknown>((value, key) => (value as Bag | undefined)?.[key], bag);
}

/** Paths of the leaves that differ. */
function differences(before: unknown, after: unknown, where = ""): string[] {
    if (isDeepStrictEqual(before, after)) return [];
    if (!isBag(before) || !isBag(after)) return [where];
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => differences(before[key], after[key], where ? `${where}.${key}` : key));
}

function isBag(value: unknown): value is Bag {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}
