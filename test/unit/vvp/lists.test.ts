import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { VvpClient } from "../../../dynamic-providers/vvp/client.ts";
import { DeploymentCalls } from "../../../dynamic-providers/vvp/deployment-calls.ts";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { context, contextWith, fakePlatform, type Reply, type Seen, stackConfig } from "./fake-platform.ts";
import { type SimulatedPlatform, simulatedPlatform } from "./simulated-platform.ts";

/** How often lists are read, and what becomes of those that are long, moving, or none. */

const { vvpDeployment, vvpDeploymentTarget, vvpDraft, vvpFlussConsoleCluster, vvpSavepoint, vvpSecretValue } =
    vvpProviders;
type Provider = typeof vvpDeployment;
const engineVersion = "vera-4.5-jdk11-flink-1.20";
const sqlScript = "INSERT INTO a SELECT * FROM b";

describe("in one run", () => {
    let p: SimulatedPlatform;
    let deploymentId: string;
    let targetId: unknown;

    beforeEach(async () => {
        p = await simulatedPlatform({ flussConsole: true, transitionReads: 0 });
        const target = await p.up(vvpDeploymentTarget, { name: "t", kubernetesNamespace: "jobs" });
        targetId = target.state["targetId"];
        const job = { name: "writer", deploymentTarget: "t", engineVersion, sqlScript, healthySeconds: 0 };
        deploymentId = (await p.up(vvpDeployment, job)).id;
        await beginRun();
    });
    afterEach(() => p.close());

    const beginRun = async () => {
        for (const provider of Object.values(vvpProviders)) await provider.configure(stackConfig);
    };
    const make = async (provider: Provider, wish: object) => {
        const { inputs, failures } = await provider.check(undefined, { connection: p.connection, ...wish });
        expect(failures).toEqual([]);
        return provider.create(inputs);
    };
    const all = <T>(count: number, work: (n: number) => Promise<T>) =>
        Promise.all(Array.from({ length: count }, (_, n) => work(n)));

    test("savepoints are listed once, however many are taken", async () => {
        await all(6, (n) => make(vvpSavepoint, { deploymentId, description: `s-${n}` }));
        expect(p.calls("listSavepoints")).toBe(1);
    });

    test("a savepoint whose answer gets lost is found among those that are new, and is no other resource's", async () => {
        const first = await make(vvpSavepoint, { deploymentId });
        p.simulator.faults.loseNextAnswer("createSavepoint");
        const second = await make(vvpSavepoint, { deploymentId });
        expect(second.id).not.toBe(first.id);
        expect([p.calls("createSavepoint"), p.calls("listSavepoints")]).toEqual([2, 2]);
    });

    test("the Fluss Console is opened and listed once, for making, refreshing and deleting", async () => {
        const wish = (n: number) => ({ name: `f-${n}`, bootstrapServers: `f${n}:1`, required: true });
        const held = await all(5, (n) => make(vvpFlussConsoleCluster, wish(n)));
        const counts = () => [p.calls("openFlussConsole"), p.calls("listFlussClusters")];
        expect(counts()).toEqual([1, 1]);
        await beginRun();
        await all(5, (n) => vvpFlussConsoleCluster.read(held[n]?.id ?? "", held[n]?.outs ?? {}));
        expect(counts()).toEqual([2, 2]);
        await beginRun();
        for (const { id, outs } of held) await vvpFlussConsoleCluster.delete(id, outs);
        expect(counts()).toEqual([2, 2]);
        expect(await p.outside("GET", "/fluss/api/v1/clusters")).toMatchObject({ items: [] });
    });

    test("a cluster that the run itself registered, changed or deleted is known as it is then", async () => {
        const wish = { name: "f", bootstrapServers: "a:1", required: true };
        const held = await make(vvpFlussConsoleCluster, wish);
        const read = async () => (await vvpFlussConsoleCluster.read(held.id, held.outs)).props;
        expect(await read()).toMatchObject({ bootstrapServers: "a:1" });
        const { inputs } = await vvpFlussConsoleCluster.check(held.outs, {
            connection: p.connection,
            ...wish,
            bootstrapServers: "b:1",
        });
        await vvpFlussConsoleCluster.update(held.id, held.outs, inputs);
        expect(await read()).toMatchObject({ bootstrapServers: "b:1" });
        await vvpFlussConsoleCluster.delete(held.id, held.outs);
        expect(await read()).toBeUndefined();
    });

    test("whether the namespace can be seen is asked once, however many are missing", async () => {
        await all(10, (n) => make(vvpSecretValue, { name: `pw-${n}`, value: "hush-1234" }));
        expect(p.calls("listSecretValues")).toBe(1);
        await all(4, (n) =>
            make(vvpDraft, { name: `d-${n}`, deploymentTargetId: targetId, engineVersion, sqlScript }),
        );
        expect(p.calls("getRootFolder")).toBe(1);
    });
});

describe("a list", () => {
    let close: (() => Promise<void>) | undefined;
    afterEach(() => {
        vi.restoreAllMocks();
        return close?.();
    });

    async function platform(answer: (request: Seen, count: number) => Reply) {
        const server = await fakePlatform((request) => answer(request, server.seen.length));
        close = server.close;
        const connection = { url: server.url, workspace: "w", namespace: "ns" };
        return { seen: server.seen, connection, client: new VvpClient(connection, context) };
    }
    const get = { path: "/api/v2/things", action: "list the things" };
    const page = (query: URLSearchParams) => Number(query.get("pageIndex"));
    const numbers = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);

    test("of five thousand entries is read to its end", async () => {
        const { client, seen } = await platform(({ query }) => ({
            json: { success: true, data: numbers((page(query) - 1) * 100, 100), totalSize: 5000 },
        }));
        expect(await client.list(get, z.number())).toHaveLength(5000);
        expect(seen).toHaveLength(50);
    });

    test.each([
        [20, 47, 3],
        [25, 50, 3],
        [100, 47, 1],
    ])(
        "whose pages have %i entries, whatever is asked for, and no total, is read to its end",
        async (size, count, requests) => {
            const { client, seen } = await platform(({ query }) => ({
                json: { items: numbers(0, count).slice((page(query) - 1) * size, page(query) * size) },
            }));
            expect(await client.list(get, z.number())).toHaveLength(count);
            expect(seen).toHaveLength(requests);
        },
    );

    test("that shrinks while it is read is read again: what moved to a page before would be missing", async () => {
        const { client, seen } = await platform(({ query }, count) => {
            const all = count < 2 ? numbers(0, 150) : numbers(1, 149);
            const data = all.slice((page(query) - 1) * 100, page(query) * 100);
            return { json: { success: true, data, totalSize: all.length } };
        });
        expect(await client.list(get, z.number())).toEqual(numbers(1, 149));
        expect(seen).toHaveLength(4);
    });

    test("that never stands still is taken as it is in the end", async () => {
        let total = 150;
        const { client, seen } = await platform(({ query }) => {
            total += 1;
            const data = numbers(0, total).slice((page(query) - 1) * 100, page(query) * 100);
            return { json: { success: true, data, totalSize: total } };
        });
        expect((await client.list(get, z.number())).length).toBeGreaterThanOrEqual(150);
        expect(seen).toHaveLength(6);
    });

    test("without an end is told", async () => {
        const { client } = await platform((_, count) => ({ json: { items: numbers(count * 100, 100) } }));
        await expect(client.list(get, z.number())).rejects.toThrow(/1000 pages.*correct the dialect/);
    });

    test.each([
        ["an object of another form", { success: true, data: { deployments: [] } }],
        ["a text", "all is well"],
        ["nothing", {}],
    ])("that is none, but %s, is an error: it is no empty list", async (_, json) => {
        const { client } = await platform(() => ({ json }));
        await expect(client.list(get, z.number())).rejects.toThrow(/list the things.*but with no list/);
    });

    test.each([
        { success: true, data: null },
        { success: true, data: [], totalSize: 0 },
        { items: [] },
        { items: null, metadata: { totalSize: 0 } },
    ])("is empty as %j", async (json) => {
        const { client } = await platform(() => ({ json }));
        expect(await client.list(get, z.number())).toEqual([]);
    });

    test("that has a deployment on two pages, since another was made meanwhile, has it once", async () => {
        const one = (n: number) => ({
            deploymentId: `id-${n}`,
            name: `job-${n}`,
            executionMode: "STREAMING",
            engineVersion,
            deploymentTarget: { mode: "PER_JOB", name: "t" },
            artifact: { kind: "SQLSCRIPT", sqlArtifact: { sqlScript } },
        });
        const { connection } = await platform(({ query }) => ({
            json: {
                success: true,
                // The last of the first page is the first of the second.
                data: numbers((page(query) - 1) * 99, page(query) === 1 ? 100 : 20).map(one),
                totalSize: 120,
            },
        }));
        const calls = new DeploymentCalls(connection, contextWith({ vvpDialect: "vvp3-backend" }));
        expect((await calls.findByName("job-99"))?.id).toBe("id-99");
    });

    test("that holds deployments of kinds that are not known here serves those that are", async () => {
        const ours = {
            deploymentId: "id-1",
            name: "ours",
            executionMode: "STREAMING",
            engineVersion,
            deploymentTarget: { mode: "PER_JOB", name: "t" },
            artifact: { kind: "SQLSCRIPT", sqlArtifact: { sqlScript } },
        };
        const theirs = {
            ...ours,
            deploymentId: "id-2",
            name: "theirs",
            deploymentTarget: null,
            artifact: {},
        };
        const { connection } = await platform(({ path }) =>
            path.endsWith("/deployments")
                ? { json: { success: true, data: [theirs, ours], totalSize: 2 } }
                : { json: { success: true, data: theirs } },
        );
        const calls = new DeploymentCalls(connection, contextWith({ vvpDialect: "vvp3-backend" }));
        expect((await calls.findByName("ours"))?.id).toBe("id-1");
        expect((await calls.seen()).map(({ name }) => name)).toEqual(["ours"]);
        expect(await calls.findByName("nobody's")).toBeUndefined();
        await expect(calls.findByName("theirs")).rejects.toThrow(/read deployment id-2.*deploymentTarget/s);
    });

    test.each([
        ["the oldest first, the list is read to its end: the running one stands there", false, 1 + 3],
        ["the newest first, its first page is enough", true, 1],
    ])("of two hundred and fifty jobs, %s", async (_, newestFirst, requests) => {
        const jobs = numbers(0, 250).map((n) => ({
            jobId: `j-${n}`,
            startTime: 1000 + n,
            status: { currentJobStatus: n === 249 ? "RUNNING" : "CANCELLED" },
        }));
        if (newestFirst) jobs.reverse();
        const { connection, seen } = await platform(({ query }) => ({
            json: {
                success: true,
                data: jobs.slice((page(query) - 1) * 100, page(query) * 100),
                totalSize: jobs.length,
            },
        }));
        const found = await new DeploymentCalls(connection, context).jobs("d");
        expect(found[0]).toMatchObject({ id: "j-249", status: "RUNNING" });
        expect(seen).toHaveLength(requests);
    });
});
