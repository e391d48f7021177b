/** Rounds of random valid changes to the local lakehouse, on real servers, while rows flow. */

import { localCatalog } from "../../local/program.ts";
import { dropPartitions, dropTable, setOptions } from "../../model/ddl.ts";
import { database } from "../../stacks/quickstart-tables.ts";
import { calledPlatform } from "../platform-call.ts";
import {
    daily,
    desk,
    firstWish,
    names,
    newTable,
    type SoakLakehouse,
    startSoakLakehouse,
    type Wish,
} from "./soak-lakehouse.ts";
import { type Change, commonChanges, commonOutsides, Dice, makeRounds, type Outside } from "./soak-rounds.ts";
import { lakeReaches, lookAtRows } from "./soak-rows.ts";

const changes: Record<string, Change<Wish>> = {
    ...commonChanges,
    "another parallelism": (wish) => {
        wish.parallelism = (wish.parallelism % 3) + 1;
    },
    "another script of a job": (wish) => {
        wish.rowsPerSecond = (wish.rowsPerSecond % 9) + 1;
    },
    "another option of a job with state": (wish) => {
        wish.checkpointSeconds = (wish.checkpointSeconds % 9) + 1;
    },
    "another argument of the tiering job": (wish) => {
        wish.pollSeconds = (wish.pollSeconds % 5) + 1;
    },
    "another freshness of the lake": (wish) => {
        wish.freshnessSeconds = (wish.freshnessSeconds % 9) + 1;
    },
    "one column of accounts more": ({ accountColumns }, _, round) => void accountColumns.push(`a${round}`),
    "one table more": ({ tables }, _, round) => {
        tables[`t${round}`] = newTable();
    },
    "one table less, or the permission for it by name": ({ tables }, dice) => {
        const [free] = Object.entries(tables).find(([, table]) => table.free) ?? [];
        if (free !== undefined) delete tables[free];
        else if (Object.keys(tables).length > 1) tables[dice.oneOf(Object.keys(tables))]!.free = true;
    },
    "another option of a table": ({ tables }, dice) => {
        const table = tables[dice.oneOf(Object.keys(tables))]!;
        table.segments = (table.segments % 5) + 1;
    },
    "another property of a table": ({ tables }, dice, round) => {
        tables[dice.oneOf(Object.keys(tables))]!.owner = `owner-${round}`;
    },
    "one partition more": ({ days }, _, round) => void days.push(`d${round + 1}`),
    "one partition less, with the permission by name": (wish) => {
        if (wish.days.length > 1) wish.droppedDays = [wish.days.shift()!];
    },
    "another key of the store, or the old one away": (wish, _, round) => {
        wish.keys = wish.keys.length === 1 ? [`key-${round}`, wish.keys[0]!] : [wish.keys[0]!];
    },
};

/**
 * @param rounds how many
 * @param seed of the random changes: the same one makes the same rounds
 * @returns what was surprising; empty when nothing was
 */
export async function soakReal(rounds: number, seed: number, say: (line: string) => void): Promise<string[]> {
    const began = performance.now();
    const wish = firstWish();
    const lakehouse = await startSoakLakehouse(wish, say);
    const { stack } = lakehouse;
    let inLake = 0;
    try {
        const surprises = await makeRounds(
            {
                stack,
                wish,
                changes,
                outsides: { ...commonOutsides(lakehouse), ...outsidesOf(lakehouse) },
                alsoLook: async (round) => {
                    if (round % 5 !== 0) return [];
                    const before = inLake;
                    inLake = await lakeReaches(lakehouse, before + 1, 120);
                    say(`${inLake} rows are in the lake`);
                    return inLake > before ? [] : [`the lake has ${inLake} rows, as it had before`];
                },
            },
            rounds,
            new Dice(seed),
            say,
        );
        wish.flows = false;
        await stack.up();
        surprises.push(...(await lookAtRows(lakehouse, say)));
        say(`${((performance.now() - began) / 60_000).toFixed(1)} minutes in all`);
        return surprises;
    } finally {
        await lakehouse.stop();
    }
}

/** What somebody does on the real servers, past the stack. */
function outsidesOf(lakehouse: SoakLakehouse): Record<string, Outside<Wish>> {
    const { flink, lakekeeper } = lakehouse;
    const sql = async (statement: string) => {
        const session = await lakehouse.openSession();
        await session.execute(statement);
        await session.close();
    };
    const tableOf = ({ tables }: Wish, dice: Dice) => dice.oneOf(Object.keys(tables));
    const cancel = async (name: string) => {
        const running = (await flink.jobs()).filter((job) => job.name === name && job.state === "RUNNING");
        for (const { id } of running) await flink.cancel(id);
    };
    const warehouseCall = async (name: string, method: string, where = "", body?: object) => {
        const base = "/management/v1/warehouse";
        const call = (...rest: [method: string, where: string, body?: object]) =>
            calledPlatform(lakekeeper.url, lakekeeper.token, ...rest);
        const { warehouses } = await call("GET", base);
        const known = (warehouses as { id: string; name: string }[]).find((one) => one.name === name);
        await call(method, `${base}/${known?.id}${where}`, body);
        return `warehouse:${name}`;
    };
    const warehouseOf = ({ warehouses }: Wish, dice: Dice) => dice.oneOf(warehouses);
    return {
        "a table dropped": async (wish, dice) => {
            const name = tableOf(wish, dice);
            await sql(dropTable(localCatalog, { database: desk, name }));
            return names.deskTable(name);
        },
        "a table's option altered": async (wish, dice) => {
            const name = tableOf(wish, dice);
            const option: [string, string] = ["table.log.tiered.local-segments", "9"];
            await sql(setOptions(localCatalog, { database: desk, name }, [option]));
            return names.deskTable(name);
        },
        "a table's property altered": async (wish, dice) => {
            const name = tableOf(wish, dice);
            await sql(setOptions(localCatalog, { database: desk, name }, [["desk.owner", "somebody"]]));
            return names.deskTable(name);
        },
        "the freshness of trades altered": async () => {
            const option: [string, string] = ["table.datalake.freshness", "11s"];
            await sql(setOptions(localCatalog, { database, name: "trades" }, [option]));
            return names.trades;
        },
        "a partition dropped": async ({ days }, dice) => {
            const dt = dice.oneOf(days);
            await sql(dropPartitions(localCatalog, { database: desk, name: daily }, [{ dt }]));
            return names.deskTable(daily);
        },
        "a warehouse renamed": (wish, dice) =>
            warehouseCall(warehouseOf(wish, dice), "POST", "/rename", { "new-name": "renamed" }),
        "a warehouse deactivated": (wish, dice) =>
            warehouseCall(warehouseOf(wish, dice), "POST", "/deactivate"),
        "a warehouse deleted": (wish, dice) => warehouseCall(warehouseOf(wish, dice), "DELETE"),
        "the tiering job cancelled": async () => {
            await cancel("fluss-quickstart-tiering");
            return names.tiering;
        },
        "the job of accounts cancelled": async () => {
            await cancel("soak-accounts");
            return names.accountsJob;
        },
    };
}
