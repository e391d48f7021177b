/** What stacks of many tables take. */

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
import type { Rows } from "./bench-rows.ts";
import { type Cost, cost, least } from "./engine-cost.ts";

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

/**
 * Measures stacks of so many tables on the real engine, Flink and Fluss, against what the engine takes for as many resources with the
 * same inputs that do nothing, and against the statements that they need.
 */
export async function measureTables(counts: readonly number[], rows: Rows): Promise<void> {
    if (counts.length === 0) return;
    const { stop, ...lakehouse } = await startLakehouse((line) => console.log(line));
    try {
        const byHand = await measureByHand(lakehouse);
        console.log(
            `one statement ${byHand.statement.toFixed(3)} s, a session with its catalog ${byHand.session.toFixed(1)} s`,
        );
        for (const count of counts) await measureCount(lakehouse, count, byHand, rows);
    } finally {
        await stop();
    }
}

/** Nine logs for each table with a primary key, one bucket each. */
function specs(count: number): TableSpecArgs[] {
    return Array.from({ length: count }, (_, index) => ({
        database: `many${count}`,
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

function floorStack(
    name: string,
    tables: readonly TableSpecArgs[],
    inputsOf: (spec: TableSpecArgs) => object,
): Promise<TestStack> {
    const program = async () => {
        for (const spec of tables) new Floor(spec.name, inputsOf(spec));
    };
    return testStack({ name, program });
}

/** What a statement takes that a user would send by hand, in seconds. */
interface ByHand {
    /** In a warm session. */
    statement: number;
    /** Start of a session with its catalog. */
    session: number;
}

async function measureCount(lakehouse: Lakehouse, count: number, { statement, session }: ByHand, rows: Rows) {
    const first = specs(count);
    let declared = first;
    const what = `${count} tables`;
    const floor = await floorStack("floor", first, (spec) => sameInputs(spec, lakehouse));
    const tables = await testStack({ name: "tables", program: () => program(lakehouse, declared) });
    try {
        const floorUp = await cost(`${what}, floor: first up`, () => floor.up());
        const up = await cost(`${what}: first up`, () => tables.up());
        report(lakehouse);
        const [floorSame, same] = await inTurn(`${what}, no change`, floor, tables, (stack) => stack.up());
        const note = { name: "note", type: "STRING" };
        declared = first.with(count - 2, { ...first[count - 2]!, columns: [...columns, note] });
        const [floorPreview, preview] = await inTurn(`${what}, preview`, floor, tables, (stack) =>
            stack.preview(),
        );
        const again = await cost(`${what}: the change`, () => tables.up());
        await cost(`${what}: refresh`, () => tables.refresh());
        report(lakehouse);
        const statements = session + ((count + 2) * statement) / sessions;
        rows.add(
            `${what}: first up, times its statements by hand and the floor`,
            up.seconds / (1.2 * statements + floorUp.seconds),
            // The start of four sessions at once counts with few tables.
            count < 1000 ? null : 1,
        );
        rows.compare(`${what}: preview of one change`, preview, floorPreview, 1.3);
        rows.compare(`${what}: no-change up`, same, floorSame, 1.5);
        rows.add(
            `${what}: memory of the provider, last run times first`,
            again.providerMiB / up.providerMiB,
            1.15,
        );
        await compareWithSmall(what, first, { same, preview }, rows);
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
async function compareWithSmall(
    what: string,
    tables: readonly TableSpecArgs[],
    { same, preview }: Record<"same" | "preview", Cost>,
    rows: Rows,
): Promise<void> {
    const small = await floorStack("small", tables, ({ name }) => ({ spec: name }));
    try {
        await cost(`${what}, floor of small inputs: first up`, () => small.up());
        const floorSame = await cost(`${what}, floor of small inputs: no change`, () => small.up());
        const floorPreview = await cost(`${what}, floor of small inputs: preview`, () => small.preview());
        rows.add(
            `${what}: preview of one change, times a floor of small inputs`,
            preview.seconds / floorPreview.seconds,
        );
        rows.add(`${what}: no-change up, times a floor of small inputs`, same.seconds / floorSame.seconds);
    } finally {
        await small.dispose();
    }
}

async function program(lakehouse: Lakehouse, tables: TableSpecArgs[]): Promise<void> {
    new FlussTables("many", {
        runner: { kind: "gateway", url: lakehouse.gatewayUrl },
        catalog: "c",
        client: flussClientOf(lakehouse),
        version: "0.9",
        tables,
    });
}

async function measureByHand(lakehouse: Lakehouse): Promise<ByHand> {
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
