// `npm run test:tables:long -- [tables]`: what a stack of 1,000 tables takes on the real engine, Flink and Fluss, against
// what the engine takes for as many resources that do nothing. Ends with 1 when a limit is not kept.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { FlussTables } from "../../components/fluss-tables.ts";
import { GatewayRunner } from "../../dynamic-providers/flink-sql/gateway.ts";
import { ThinResource } from "../../dynamic-providers/thin-resource.ts";
import { Supervisor } from "../../local/services/index.ts";
import { createDatabase, createTable, dropDatabase, dropTable } from "../../model/ddl.ts";
import { type TableSpecArgs, tableSpec } from "../../model/table.ts";
import { changesOf, type TestStack, testStack } from "../engine/engine.ts";
import { type Lakehouse, startLakehouse } from "../fluss/lakehouse.ts";
import { catalogOptionsOf } from "../fluss/tables-catalog.ts";

const count = Number(process.argv[2] ?? 1000);
const sessions = 4;
const columns = [
    { name: "id", type: "BIGINT" },
    { name: "account_id", type: "INT" },
    { name: "symbol", type: "STRING", comment: "as the exchange spells it" },
    { name: "notional", type: "DECIMAL(15, 2)" },
    { name: "at", type: "TIMESTAMP(3)" },
];

/** Nine logs for each table with a primary key, one bucket each. */
function specs(of: number): TableSpecArgs[] {
    return Array.from({ length: of }, (_, index) => ({
        database: "many",
        name: `t${index}`,
        columns,
        bucketCount: 1,
        ...(index % 10 === 9 && { primaryKey: ["id"] }),
    }));
}

/** Does nothing, with inputs of the size that a table has, its secret among them: the state costs the engine most. */
class Floor extends ThinResource {
    constructor(spec: TableSpecArgs, { gatewayUrl, ...lakehouse }: Lakehouse) {
        const module = path.join(import.meta.dirname, "floor-provider.ts");
        const runner = { kind: "gateway", url: gatewayUrl };
        const catalog = { name: "c", options: pulumi.secret(catalogOptionsOf({ gatewayUrl, ...lakehouse })) };
        const ddl = createTable("c", tableSpec.parse(spec));
        const value = { runner, catalog, spec, ddl, capabilities: { server: "0.9", lake: "none" } };
        super({ provider: "floor", type: "test:Floor", outputs: [], module }, spec.name, { value });
    }
}

const declared = { tables: specs(count) };

async function measure(lakehouse: Lakehouse): Promise<boolean> {
    const { statement, session } = await statementSeconds(lakehouse);
    console.log(
        `one statement ${statement.toFixed(3)} s, a session with its catalog ${session.toFixed(1)} s`,
    );
    const floor = await testStack({
        name: "floor",
        program: async () => {
            for (const spec of specs(count)) new Floor(spec, lakehouse);
        },
    });
    const tables = await testStack({ name: "tables", program: () => program(lakehouse) });
    try {
        const [floorUp, floorSame, floorPreview] = [
            await timed("floor: first up", () => floor.up()),
            await timed("floor: no change", () => floor.up()),
            await timed("floor: preview", () => floor.preview()),
        ];
        const up = await timed("tables: first up", () => tables.up());
        report(lakehouse);
        const same = await timed("tables: no change", () => tables.up());
        declared.tables[count - 2] = {
            ...specs(count)[count - 2]!,
            columns: [...columns, { name: "note", type: "STRING" }],
        };
        const preview = await timed("tables: preview of one change", () => tables.preview());
        const again = await timed("tables: the change", () => tables.up());
        await timed("tables: refresh", () => tables.refresh());
        report(lakehouse);
        const statements = count + 2;
        return [
            within(
                "first up",
                up.seconds,
                1.2 * (session + (statements * statement) / sessions) + floorUp.seconds,
            ),
            within("no change", same.seconds, 1.5 * floorSame.seconds),
            within("preview of one change", preview.seconds, 1.3 * floorPreview.seconds),
            within("memory of the provider (MiB), last run to first", again.memory, 1.15 * up.memory, ""),
        ].every(Boolean);
    } finally {
        await tables.dispose();
        await floor.dispose();
    }
}

async function program(lakehouse: Lakehouse): Promise<void> {
    const { bootstrapServers, username, password } = lakehouse.fluss;
    new FlussTables("many", {
        runner: { kind: "gateway", url: lakehouse.gatewayUrl },
        catalog: "c",
        client: { bootstrapServers, sasl: { username, password: { value: password } } },
        version: "0.9",
        tables: declared.tables,
    });
}

/** The time of a statement in a warm session, and that of a session's start. */
async function statementSeconds(lakehouse: Lakehouse): Promise<{ statement: number; session: number }> {
    const catalogs = [{ name: "c", options: catalogOptionsOf(lakehouse) }];
    const runner = new GatewayRunner({ url: lakehouse.gatewayUrl, catalogs });
    const start = performance.now();
    await runner.execute("SHOW DATABASES IN `c`", "list");
    const opened = performance.now();
    await runner.execute(createDatabase("c", { name: "warm" }), "create");
    const spec = tableSpec.parse({ ...specs(1)[0], database: "warm" });
    const times: number[] = [];
    for (let index = 0; index < 20; index++) {
        const began = performance.now();
        await runner.execute(createTable("c", { ...spec, name: `w${index}` }), "create");
        times.push(performance.now() - began);
    }
    for (let index = 0; index < 20; index++) {
        await runner.execute(dropTable("c", { ...spec, name: `w${index}` }), "drop");
    }
    await runner.execute(dropDatabase("c", "warm"), "drop");
    times.sort((one, other) => one - other);
    return { statement: times[10]! / 1000, session: (opened - start) / 1000 };
}

interface Took {
    seconds: number;
    /** Most MiB of the dynamic provider's process. */
    memory: number;
}

async function timed(what: string, run: () => ReturnType<TestStack["up"]>): Promise<Took> {
    const memory = { most: 0 };
    const sampling = setInterval(() => {
        memory.most = Math.max(memory.most, providerMiB());
    }, 500);
    const began = performance.now();
    try {
        const outcome = await run();
        const seconds = (performance.now() - began) / 1000;
        const changed = changesOf(outcome).length;
        console.log(`${what}: ${seconds.toFixed(1)} s, ${changed} changes, provider ${memory.most} MiB`);
        return { seconds, memory: memory.most };
    } finally {
        clearInterval(sampling);
    }
}

/** Of the processes that run dynamic providers below this one. */
function providerMiB(): number {
    const lines = execFileSync("ps", ["-eo", "rss=,args="], { encoding: "utf8" }).split("\n");
    const sizes = lines
        .filter((line) => line.includes("cmd/dynamic-provider"))
        .map((line) => Number.parseInt(line, 10));
    return Math.round(Math.max(0, ...sizes) / 1024);
}

/** Memory of the services, and the largest folder of the tablet server. */
function report({ root }: Lakehouse): void {
    const services = new Supervisor(root).status();
    console.log(services.map(({ name, rssMiB }) => `${name} ${rssMiB} MiB`).join(", "));
    const failures = services.flatMap(({ name }) => {
        const log = path.join(root, "logs", `${name}.log`);
        return fs.existsSync(log) && fs.readFileSync(log, "utf8").includes("OutOfMemoryError") ? [name] : [];
    });
    if (failures.length > 0) console.log(`out of memory: ${failures.join(", ")}`);
}

function within(what: string, value: number, limit: number, unit = " s"): boolean {
    const kept = value <= limit;
    console.log(
        `${kept ? "kept" : "NOT KEPT"}: ${what} ${value.toFixed(1)}${unit}, limit ${limit.toFixed(1)}${unit}`,
    );
    return kept;
}

const { stop, ...lakehouse } = await startLakehouse((line) => console.log(line));
try {
    process.exitCode = (await measure(lakehouse)) ? 0 : 1;
} finally {
    await stop();
}
