import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { flinkProviders } from "../../dynamic-providers/flink/index.ts";
import { type StubFlink, startStubFlink } from "../unit/flink/stub-flink.ts";
import { startStubGateway } from "../unit/flink-sql/stub-gateway.ts";
import type { Bag } from "./ledger.ts";
import type { Scenario, World } from "./matrix.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "faults-flink-"));
const jar = path.join(folder, "job.jar");
fs.writeFileSync(jar, "a program");
process.once("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

/** The cluster behind each world: it has no state of its own that could be asked for past the provider. */
const clusters = new WeakMap<World, StubFlink>();

const common = { name: "numbers", healthySeconds: 0, timeoutSeconds: 5, mark: "stack/numbers" };
const sql = "INSERT INTO `c`.`d`.`t` SELECT 1";

/** Jobs that hold slots: never two, and none after a delete. */
async function count(world: World): Promise<number> {
    return clusters.get(world)!.jobs.filter(({ state }) => state === "RUNNING").length;
}

/** A changed job goes on from a savepoint of the one before it. */
async function wrong(world: World, wanted: "first" | "changed"): Promise<string | undefined> {
    const running = clusters.get(world)!.jobs.find(({ state }) => state === "RUNNING");
    if (wanted === "first" || running?.savepoint) return undefined;
    return "the changed job has lost the state of the one before it";
}

/** Jobs of a session cluster: the stub of its REST API, and of a SQL gateway that submits to it. */
export const flinkScenarios: Scenario[] = [
    {
        name: "flinkJarJob",
        provider: flinkProviders.flinkJarJob,
        start: () => world(),
        first: (_, url) => ({ ...common, cluster: { url }, jar, args: ["--password", "hush-of-the-job"] }),
        changed: (_, url) => ({ ...common, cluster: { url }, jar, args: ["--password", "hush-of-another"] }),
        count,
        wrong,
    },
    {
        name: "flinkSqlJob, faults of the gateway",
        provider: flinkProviders.flinkSqlJob,
        start: () => world("gateway"),
        first: ({ facts }, url) => sqlJob(url, facts["flink"]!, sql),
        changed: ({ facts }, url) => sqlJob(url, facts["flink"]!, `${sql} WHERE TRUE`),
        count,
        wrong,
    },
    {
        name: "flinkSqlJob, faults of the cluster",
        provider: flinkProviders.flinkSqlJob,
        start: () => world(),
        first: ({ facts }, url) => sqlJob(facts["gateway"]!, url, sql),
        changed: ({ facts }, url) => sqlJob(facts["gateway"]!, url, `${sql} WHERE TRUE`),
        count,
        wrong,
    },
];

function sqlJob(gateway: string, cluster: string, script: string): Bag {
    const options = { type: "fluss", "client.security.sasl.password": "hush-of-the-catalog" };
    return {
        ...common,
        gateway: { url: gateway },
        cluster: { url: cluster },
        catalogs: [{ name: "c", options }],
        sql: script,
    };
}

async function world(front: "flink" | "gateway" = "flink"): Promise<World> {
    const flink = await startStubFlink();
    const gateway = await startStubGateway((statement, options) => {
        if (statement.startsWith("INSERT")) {
            flink.submit({
                id: options["$internal.pipeline.job-id"] ?? "",
                name: options["pipeline.name"] ?? "",
                savepoint: options["execution.state-recovery.path"],
            });
        }
        return { rows: [["OK"]] };
    });
    const made: World = {
        url: front === "flink" ? flink.url : gateway.url,
        facts: { flink: flink.url, gateway: gateway.url },
        outside: async () => undefined,
        close: async () => {
            await gateway.close();
            await flink.close();
        },
    };
    clusters.set(made, flink);
    return made;
}
