import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { table } from "../../dynamic-providers/flink-sql/table.ts";
import { hosted } from "../../dynamic-providers/resource.ts";
import { Supervisor, serviceNames } from "../../local/services/index.ts";
import { createTable, dropTable } from "../../model/ddl.ts";
import type { TableSpec } from "../../model/table.ts";
import { ownDatabase } from "./own-database.ts";
import { catalogOptionsOf } from "./tables-catalog.ts";

const { lakehouse, runner, database, specsOf } = ownDatabase("trouble");
const columns = [
    { name: "id", type: "INT" },
    { name: "note", type: "STRING" },
];
const table1 = specsOf(columns);
const provider = hosted(table);
const supervisor = new Supervisor(lakehouse.root);

/** What the engine gives a provider; the password is that of the catalog. */
function inputsOf(spec: TableSpec, more: { url?: string; password?: string; adopt?: boolean } = {}) {
    const { url = lakehouse.gatewayUrl, password = lakehouse.fluss.password, adopt = false } = more;
    const options = { ...catalogOptionsOf(lakehouse), "client.security.sasl.password": password };
    return {
        runner: { kind: "gateway", url },
        catalog: { name: "c", options },
        spec,
        capabilities: { server: "0.9", lake: "iceberg" },
        adopt,
    };
}

/** Kills a service and starts it anew after some time. */
async function restart(name: string, between: () => Promise<unknown>): Promise<void> {
    const spec = supervisor.spec(name)!;
    await supervisor.stop(name);
    try {
        await between();
    } finally {
        await supervisor.start(spec);
    }
}

test("of two runs that make one table at the same time one does, and the other says that it exists", async () => {
    const spec = table1();
    // Another spelling of the address has sessions of its own, as another run has.
    const other = lakehouse.gatewayUrl.replace("127.0.0.1", "localhost");
    const made = await Promise.allSettled([
        provider.create(inputsOf(spec)),
        provider.create(inputsOf(spec, { url: other })),
    ]);
    expect(made.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const [refused] = made.filter((one) => one.status === "rejected");
    expect(String(refused?.reason)).toMatch(
        /exists already, and this resource did not make it.*adopt: true/s,
    );
    // The same is left by a run that was cut off before its record, and this is the way on.
    const { id } = await provider.create(inputsOf(spec, { adopt: true }));
    expect(id).toBe(`c.${database}.${spec.name}`);
});

test("a table that was made anew outside with another type is seen by a refresh, and not touched", async () => {
    const spec = table1();
    const { inputs } = await provider.check({}, inputsOf(spec));
    const { id, outs } = await provider.create(inputs);
    await runner.execute(dropTable("c", spec), "drop");
    const foreign = { ...spec, columns: [{ name: "id", type: "BIGINT" }, columns[1]!] };
    await runner.execute(createTable("c", foreign), "make anew");
    // Without a refresh the next change meets it.
    const wider = { ...spec, columns: [...columns, { name: "more", type: "INT" }] };
    await expect(provider.update(id, outs, { ...inputs, spec: wider })).rejects.toThrow(
        /was changed outside of this stack, and its change is refused:\n- .*id/,
    );
    const seen = await provider.read(id, outs);
    expect(seen.inputs).toMatchObject({ spec: { columns: [{ name: "id", type: "BIGINT" }, columns[1]] } });
    const { failures } = await provider.check(seen.inputs, inputs);
    expect(failures.map(({ reason }) => reason)).toEqual([
        expect.stringMatching(/INT.*would lose all its rows/),
    ]);
});

test("a wrong password changes nothing and is told with what to do, also by a refresh", async () => {
    const spec = table1();
    const { inputs } = await provider.check({}, inputsOf(spec));
    const { id, outs } = await provider.create(inputs);
    const wrong = inputsOf(spec, { password: "rotated-away" });
    for (const attempt of [
        () => provider.create(wrong),
        () => provider.update(id, outs, { ...inputs, ...wrong }),
        () => provider.read(id, { ...outs, ...wrong }),
        () => provider.delete(id, { ...outs, ...wrong, deletionProtection: false }),
    ]) {
        const message = await attempt().then(String, String);
        expect(message).toMatch(/Authentication failed.*What to do: check client\.security\.sasl/s);
        expect(message).not.toContain("rotated-away");
    }
    // With the right one again, all goes on.
    expect(await provider.read(id, outs)).toMatchObject({ id, inputs: { spec } });
});

test("a SQL gateway that is killed midway is waited for, and every table is made once", async () => {
    const specs = Array.from({ length: 12 }, () => table1());
    await provider.create(inputsOf(table1()));
    const creates = specs.map((spec) => provider.create(inputsOf(spec)));
    const settled = Promise.allSettled(creates);
    await sleep(150);
    await restart(serviceNames.sqlGateway, async () => undefined);
    expect((await settled).flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []))).toEqual(
        [],
    );
    for (const spec of specs) {
        const { spec: seen } = (await provider.read("x", inputsOf(spec))).inputs as { spec: TableSpec };
        expect(seen).toEqual(spec);
    }
});

test("without a tablet server a new table is refused with what to do, and a change waits until it is back", async () => {
    const spec = table1();
    const { inputs } = await provider.check({}, inputsOf(spec));
    const { id, outs } = await provider.create(inputs);
    const wider = { ...spec, columns: [...columns, { name: "more", type: "INT" }] };
    let change: Promise<unknown> | undefined;
    await restart(serviceNames.flussTablet, async () => {
        const fresh = provider.create(inputsOf(table1()));
        await expect(fresh).rejects.toThrow(
            /larger than available tablet servers.*What to do: .*add tablet servers/s,
        );
        change = provider.update(id, outs, { ...inputs, spec: wider }).then(() => "changed", String);
    });
    expect(await change).toBe("changed");
    expect((await provider.read(id, { ...outs, spec: wider })).inputs).toMatchObject({ spec: wider });
});
