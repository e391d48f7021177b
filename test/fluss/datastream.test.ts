import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { flinkProviders } from "../../dynamic-providers/flink/index.ts";
import { runCommand } from "../../local/toolchain/command.ts";
import { ensureTools } from "../../local/toolchain/index.ts";
import { jdkTool } from "../../local/toolchain/jdk.ts";
import { createTable, qualified } from "../../model/ddl.ts";
import { defineReaders } from "../../model/readers.ts";
import { ownDatabase } from "./own-database.ts";
import { clientsOf, openCatalog } from "./quickstart.ts";
import { flussClientOf } from "./tables-catalog.ts";

/** The example job of `examples/datastream`, compiled here and run on the real Flink with a lakehouse's exported settings. */
const { lakehouse, runner, database } = ownDatabase("datastream");
const { flink } = clientsOf(lakehouse);
const provider = flinkProviders.flinkJarJob;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "datastream-"));
const jar = path.join(folder, "fluss-datastream-job.jar");

beforeAll(async () => {
    const columns = [
        { name: "id", type: "INT", nullable: false },
        { name: "name", type: "STRING" },
        { name: "amount", type: "INT" },
    ];
    for (const name of ["orders", "capitals"]) {
        const table = { database, name, columns, primaryKey: ["id"], bucketCount: 1, options: {} };
        await runner.execute(createTable("c", table), `create ${name}`);
    }
    await build();
});

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

async function build(): Promise<void> {
    const { java, classPaths } = await ensureTools(() => undefined);
    const source = path.resolve(import.meta.dirname, "../../examples/datastream/FlussDataStreamJob.java");
    const classes = path.join(folder, "classes");
    const hint = "The example does not compile with the JARs of the local Flink.";
    const compile = ["--release", "11", "-proc:none", "-d", classes, "-cp", classPaths.flink, source];
    await runCommand(jdkTool(java, "javac"), compile, { hint });
    const pack = ["--create", "--file", jar, "--main-class", "FlussDataStreamJob", "-C", classes, "."];
    await runCommand(jdkTool(java, "jar"), pack, { hint });
}

test("rows go through the example job, changed ones and deletions too; it ends with its resource", async () => {
    const { readers } = defineReaders({ catalog: "fluss_quickstart", client: flussClientOf(lakehouse) });
    const settings = Object.entries(readers.dataStream!.settings).flatMap(([key, value]) => [
        `--${key}`,
        value,
    ]);
    const tables = ["--database", database, "--input-table", "orders", "--output-table", "capitals"];
    const { inputs, failures } = await provider.check(undefined, {
        cluster: { url: lakehouse.flinkUrl },
        name: "capitals",
        jar,
        args: [...tables, ...settings],
        healthySeconds: 0,
        timeoutSeconds: 60,
        mark: database,
    });
    expect(failures).toEqual([]);
    const { id, outs } = await provider.create(inputs);
    expect(outs).toMatchObject({ jobStatus: "RUNNING", restarts: 0 });

    const batch = await openCatalog(lakehouse, {
        "execution.runtime-mode": "batch",
        "table.dml-sync": "true",
    });
    const orders = qualified("fluss_quickstart", database, "orders");
    const capitals = qualified("fluss_quickstart", database, "capitals");
    await batch.execute(`INSERT INTO ${orders} VALUES (1, 'ann', 10), (2, 'bob', 20)`);
    await batch.execute(`DELETE FROM ${orders} WHERE id = 1`);
    const read = async (key: number) => {
        const { rows } = await batch.execute(`SELECT name, amount FROM ${capitals} WHERE id = ${key}`);
        return rows.map(({ fields }) => fields);
    };
    await expect.poll(() => read(2), { timeout: 30_000, interval: 500 }).toEqual([["BOB", 20]]);
    await expect.poll(() => read(1), { timeout: 30_000, interval: 500 }).toEqual([]);
    await batch.close();
    await provider.delete(id, outs);
    expect(await flink.state(String(outs["jobId"]))).toBe("CANCELED");
});
