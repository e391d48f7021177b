// `npm run test:tables:long -- [tables]`: what a stack of 1,000 tables takes on the real engine, Flink and Fluss, against
// what the engine takes for as many resources that do nothing: with the same inputs, which the limits are about, and with
// next to none, for comparison. Ends with 1 when a limit is not kept.
import fs from "node:fs";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { FlussTables } from "../../components/fluss-tables.ts";
import { GatewayRunner } from "../../dynamic-providers/flink-sql/gateway.ts";
import { ThinResource } from "../../dynamic-providers/thin-resource.ts";
import { Supervisor } from "../../local/services/index.ts";
import { createDatabase, createTable, dropDatabase, dropTable } from "../../model/ddl.ts";
import { type TableSpecArgs, tableSpec } from "../../model/table.ts";
import { type TestStack, testStack } from "../engine/engine.ts";
import { type Lakehouse, startLakehouse } from "../fluss/lakehouse.ts";
import { catalogOptionsOf, flussClientOf } from "../fluss/tables-catalog.ts";
import { type Cost, cost, least } from "./engine-cost.ts";

const count = Number(process.argv[2] ?? 1000);
const sessions = 4;
/** Runs of what can be repeated; the least of them counts, since others use the machine, too. */
const rounds = 3;
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

/** Does nothing. */
class Floor extends ThinResource {
    constructor(name: string, inputs: object) {
        const module = path.join(import.meta.dirname, "floor-provider.ts");
        super({ provider: "floor", type: "test:Floor", outputs: [], module }, name, inputs);
    }
}

/** Those of a table, its secret among them: the engine is at work with the state above all. */
function sameInputs(spec: TableSpecArgs, { gatewayUrl, ...lakehouse }: Lakehouse): object {
    const runner = { kind: "gateway", url: gatewayUrl };
    const catalog = { name: "c", options: pulumi.secret(catalogOptionsOf({ gatewayUrl, ...lakehouse })) };
    const ddl = createTable("c", tableSpec.parse(spec));
    const capabilities = { server: "0.9", lake: "none" };
    return { runner, catalog, spec, ddl, capabilities, deletionProtection: true };
}

function floorStack(name: string, inputsOf: (spec: TableSpecArgs) => object): Promise<TestStack> {
    const program = async () => {
        for (const spec of specs(count)) new Floor(spec.name, inputsOf(spec));
    };
    return testStack({ name, program });
}

const declared = { tables: specs(count) };

async function measure(lakehouse: Lakehouse): Promise<boolean> {
    const { statement, session } = await statementSeconds(lakehouse);
    console.log(
        `one statement ${statement.toFixed(3)} s, a session with its catalog ${session.toFixed(1)} s`,
    );
    const floor = await floorStack("floor", (spec) => sameInputs(spec, lakehouse));
    const tables = await testStack({ name: "tables", program: () => program(lakehouse) });
    try {
        const floorUp = await cost("floor: first up", () => floor.up());
        const up = await cost("tables: first up", () => tables.up());
        report(lakehouse);
        const [floorSame, same] = await inTurn("no change", floor, tables, (stack) => stack.up());
        declared.tables[count - 2] = {
            ...specs(count)[count - 2]!,
            columns: [...columns, { name: "note", type: "STRING" }],
        };
        const [floorPreview, preview] = await inTurn("preview", floor, tables, (stack) => stack.preview());
        const again = await cost("tables: the change", () => tables.up());
        await cost("tables: refresh", () => tables.refresh());
        report(lakehouse);
        const statements = 1.2 * (session + ((count + 2) * statement) / sessions);
        const verdicts = [
            within("first up", up.seconds, statements + floorUp.seconds),
            ...compared("no change", same, floorSame, 1.5),
            ...compared("preview of one change", preview, floorPreview, 1.3),
            within(
                "memory of the provider (MiB), last run to first",
                again.providerMiB,
                1.15 * up.providerMiB,
                "",
            ),
        ];
        await compareWithSmall(same, preview);
        return verdicts.every(Boolean);
    } finally {
        await tables.dispose();
        await floor.dispose();
    }
}

/** The same of both stacks, one after the other so that both meet the same load: the least cost of each. */
async function inTurn(
    what: string,
    floor: TestStack,
    tables: TestStack,
    run: (stack: TestStack) => ReturnType<TestStack["up"]>,
): Promise<[Cost, Cost]> {
    const [floors, costs]: [Cost[], Cost[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
        floors.push(await cost(`floor: ${what}`, () => run(floor)));
        costs.push(await cost(`tables: ${what}`, () => run(tables)));
    }
    return [least(floors), least(costs)];
}

/** No verdict: tables have inputs. */
async function compareWithSmall(same: Cost, preview: Cost): Promise<void> {
    const small = await floorStack("small", ({ name }) => ({ spec: name }));
    try {
        await cost("floor of small inputs: first up", () => small.up());
        const floorSame = await cost("floor of small inputs: no change", () => small.up());
        const floorPreview = await cost("floor of small inputs: preview", () => small.preview());
        const ratio = (one: number, other: number) => (one / other).toFixed(2);
        console.log(
            `against the floor of small inputs: no change ${ratio(same.seconds, floorSame.seconds)} times (processors ` +
                `${ratio(same.cpuSeconds, floorSame.cpuSeconds)}), preview ${ratio(preview.seconds, floorPreview.seconds)} times ` +
                `(processors ${ratio(preview.cpuSeconds, floorPreview.cpuSeconds)})`,
        );
    } finally {
        await small.dispose();
    }
}

async function program(lakehouse: Lakehouse): Promise<void> {
    new FlussTables("many", {
        runner: { kind: "gateway", url: lakehouse.gatewayUrl },
        catalog: "c",
        client: flussClientOf(lakehouse),
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

/** On the clock and by the processors' time, which others on the machine do not lengthen. */
function compared(what: string, tables: Cost, floor: Cost, factor: number): boolean[] {
    return [
        within(what, tables.seconds, factor * floor.seconds),
        within(`${what}, processors`, tables.cpuSeconds, factor * floor.cpuSeconds),
    ];
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
