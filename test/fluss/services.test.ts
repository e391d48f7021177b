import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DeleteUserPolicyCommand, IAMClient, PutUserPolicyCommand } from "@aws-sdk/client-iam";
import { ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { SqlSession } from "../../local/flink/index.ts";
import { Supervisor } from "../../local/services/index.ts";
import { keyOf } from "./buckets.ts";
import { clientsOf, openCatalog, tieringArgs, tieringConfiguration } from "./quickstart.ts";

const lakehouse = inject("lakehouse");
const { flink } = clientsOf(lakehouse);
const finance = "fluss_quickstart.finance";
let batch: SqlSession;
let streaming: SqlSession;
let tieringJar: string;
let tiering: string;

beforeAll(async () => {
    batch = await openCatalog(lakehouse, { "execution.runtime-mode": "batch", "table.dml-sync": "true" });
    streaming = await openCatalog(lakehouse, { "table.dml-sync": "true" });
    await streaming.execute(`CREATE DATABASE ${finance}`);
    await streaming.execute(`CREATE TABLE ${finance}.accounts (
        account_id INT NOT NULL, client_name STRING, risk_rating STRING, currency STRING, balance DECIMAL(15, 2),
        PRIMARY KEY (account_id) NOT ENFORCED) WITH ('bucket.num' = '3')`);
    await streaming.execute(`CREATE TABLE ${finance}.trades (
        trade_id BIGINT, account_id INT NOT NULL, notional DECIMAL(15, 2), trade_date DATE, side STRING, symbol STRING)
        WITH ('bucket.num' = '3', 'table.datalake.enabled' = 'true', 'table.datalake.freshness' = '5s')`);
    tieringJar = await flink.uploadJar(lakehouse.tieringJar);
});

afterAll(async () => {
    if (tiering !== undefined) await flink.cancel(tiering);
    await streaming.execute(`DROP DATABASE ${finance} CASCADE`);
    await Promise.all([batch.close(), streaming.close()]);
});

test("between the writes of a new table its coordinator has time to notice the first (apache/fluss issue 1018)", () => {
    const log = fs
        .readFileSync(path.join(lakehouse.root, "logs", "fluss-coordinator.log"), "utf8")
        .split("\n");
    // The last one: another file may have made tables of the same name.
    const lineOf = (text: string) => log.findLast((line) => line.includes(text)) ?? "";
    const at = (line: string) =>
        Date.parse(line.slice(0, "yyyy-mm-dd hh:mm:ss,sss".length).replace(",", "."));
    for (const table of ["accounts", "trades"]) {
        const first = lineOf(`Registered new schema version 1 for table finance.${table}.`);
        const last = lineOf(`Registered table ${table} for database finance`);
        expect(at(last) - at(first)).toBeGreaterThan(20);
        expect(at(lineOf(`New table: finance.${table} with id`))).toBeGreaterThan(at(first));
    }
});

test("an uploaded JAR is listed with its main class; an unknown one does not run", async () => {
    const jar = (await flink.listJars()).find(({ id }) => id === tieringJar);
    expect(jar?.entryClasses).toEqual(["org.apache.fluss.flink.tiering.FlussLakeTieringEntrypoint"]);
    await expect(flink.runJar("nope.jar", { args: [] })).rejects.toThrow(
        /Jar file .*nope\.jar does not exist/,
    );
    const other = await flink.uploadJar(lakehouse.tieringJar, "copy.jar");
    await flink.deleteJar(other);
    expect((await flink.listJars()).map(({ name }) => name)).not.toContain("copy.jar");
});

test("a tiering job with a wrong token keeps RUNNING; only its exceptions tell", async () => {
    // A table of its own, and no other tiering job that Fluss could hand it to.
    await streaming.execute(`CREATE TABLE ${finance}.refused (id INT)
        WITH ('table.datalake.enabled' = 'true', 'table.datalake.freshness' = '5s')`);
    await streaming.execute(`INSERT INTO ${finance}.refused VALUES (1)`);
    const job = await runTiering({ "datalake.iceberg.token": "not-the-token" });
    const reason = await waitFor(async () => (await flink.exceptions(job))[0]);
    expect(reason).toMatchObject({
        type: expect.stringMatching(/NotAuthorizedException$/),
        reason: "Not authorized: The token is not valid",
    });
    expect(["RUNNING", "RESTARTING"]).toContain(await flink.state(job));
    await flink.cancel(job);
    await streaming.execute(`DROP TABLE ${finance}.refused`);
});

test("rows inserted into trades reach the lake", async () => {
    tiering = await runTiering();
    const { hasContent } = await streaming.execute(
        `INSERT INTO ${finance}.accounts VALUES ${Array.from({ length: 19 }, (_, i) => `(${i + 1}, 'Client ${i + 1}', 'low', 'USD', 10.5)`).join()}`,
    );
    expect(hasContent).toBe(true);
    await insertTrades(6000);
    const inserted = performance.now();
    await waitForLakeRows(6000);
    console.log(`insert to lake: ${((performance.now() - inserted) / 1000).toFixed(1)} s`);
    expect((await lakeFiles()).length).toBeGreaterThan(0);
    const snapshots = await batch.execute(`SELECT operation FROM ${finance}.\`trades$lake$snapshots\``);
    expect(snapshots.rows.length).toBeGreaterThan(0);
    expect(new Set(snapshots.rows.map(({ fields }) => fields[0]))).toEqual(new Set(["append"]));
});

test("a lake of many small files is read by a few tasks: each takes 512 of the network buffers", async () => {
    const settings = (await batch.execute("SET")).rows.map(({ fields }) => fields);
    expect(settings).toContainEqual(["table.exec.iceberg.infer-source-parallelism.max", "4"]);
});

test("a streaming lookup join reads trades from the beginning, and ending it frees its slots", async () => {
    const before = await flink.slots();
    const result = await streaming.execute(
        `SELECT t.trade_id, a.client_name
         FROM (SELECT *, PROCTIME() AS ptime FROM ${finance}.trades /*+ OPTIONS('scan.startup.mode' = 'earliest') */) AS t
         LEFT JOIN ${finance}.accounts FOR SYSTEM_TIME AS OF t.ptime AS a ON t.account_id = a.account_id`,
        { until: (rows) => rows.length >= 100 },
    );
    expect(result.complete).toBe(false);
    for (const { fields } of result.rows) expect(fields[1]).toMatch(/^Client \d+$/);
    expect(await flink.slots()).toEqual(before);
});

test("a statement that runs too long is ended, job and all", async () => {
    const before = await flink.slots();
    const never = `SELECT * FROM ${finance}.trades /*+ OPTIONS('scan.startup.mode' = 'latest') */`;
    await expect(streaming.execute(never, { deadlineSeconds: 6 })).rejects.toThrow("not finished within 6 s");
    expect(await flink.slots()).toEqual(before);
});

test("a mistake is told by its innermost cause, without the password", async () => {
    const again = streaming.execute(`CREATE DATABASE ${finance}`);
    await expect(again).rejects.toMatchObject({
        type: expect.stringMatching(/DatabaseAlreadyExistException$/),
        reason: "Database finance already exists in Catalog fluss_quickstart.",
    });
    const other = { ...lakehouse, fluss: { ...lakehouse.fluss, password: "not-the-password" } };
    await expect(openCatalog(other)).rejects.toThrow(/Authentication failed: Invalid username or password/);
    await expect(openCatalog(other)).rejects.not.toThrow(/not-the-password/);
});

test("without its permissions the key stops tiering: silently when it may not even read; given back they cure it", async () => {
    const iam = new IAMClient({ ...lakehouse.s3, credentials: keyOf(lakehouse.s3) });
    const { name: UserName, policyName: PolicyName, policy: PolicyDocument } = lakehouse.s3User;
    const user = { UserName, PolicyName };
    const rows = await lakeRows();
    const refusals = refusedRequests();
    const known = (await flink.exceptions(tiering)).length;
    await iam.send(new DeleteUserPolicyCommand(user));
    try {
        await insertTrades(3000);
        const files = await lakeFiles();
        // Fluss may not even read how far the lake is: it asks again with each poll of the job, and nobody says so.
        await waitFor(async () => (refusedRequests() > refusals + 2 ? true : undefined));
        expect(await lakeFiles()).toEqual(files);
        expect(await flink.state(tiering)).toBe("RUNNING");
        const readOnly = PolicyDocument.replace('"s3:PutObject","s3:DeleteObject"', '"s3:GetObject"');
        await iam.send(new PutUserPolicyCommand({ ...user, PolicyDocument: readOnly }));
        const failures = await waitFor(async () => {
            const all = await flink.exceptions(tiering);
            return all.length > known ? all : undefined;
        });
        expect(failures[0]?.reason).toMatch(/Access Denied/);
        expect(await lakeFiles()).toEqual(files);
    } finally {
        await iam.send(new PutUserPolicyCommand({ ...user, PolicyDocument }));
    }
    await waitForLakeRows(rows + 3000);
});

test("a savepoint is told with its place, and a cancelled job ends", async () => {
    expect(await flink.savepoint(tiering)).toMatch(/^file:.*savepoints\/savepoint-/);
    await flink.cancel(tiering);
    expect(await flink.state(tiering)).toBe("CANCELED");
});

test("all services together stay within 4 GiB", () => {
    const services = new Supervisor(lakehouse.root).status();
    console.log(
        services.map(({ name, rssMiB, peakMiB }) => `${name} ${rssMiB} (peak ${peakMiB}) MiB`).join("\n"),
    );
    expect(services).toHaveLength(8);
    expect(services.reduce((sum, { peakMiB }) => sum + (peakMiB ?? 0), 0)).toBeLessThan(4096);
});

test.runIf(process.platform === "linux")("nothing listens beyond loopback", () => {
    const addresses = new Supervisor(lakehouse.root).status().flatMap(({ pid }) => listenersOf(pid!));
    expect(addresses.length).toBeGreaterThan(8);
    for (const address of addresses)
        expect(address).toMatch(/^(?:0100007F|0+FFFF00000100007F|0{24}01000000):/);
});

test("no secret is in a log or among the arguments of a process", () => {
    const { logs, run } = {
        logs: path.join(lakehouse.root, "logs"),
        run: new Supervisor(lakehouse.root).status(),
    };
    const files = fs.readdirSync(logs).map((name) => path.join(logs, name));
    const commands = run.map(({ pid }) => `/proc/${pid}/cmdline`).filter((file) => fs.existsSync(file));
    expect(files).toHaveLength(8);
    for (const file of [...files, ...commands]) {
        const text = fs.readFileSync(file, "utf8");
        for (const secret of lakehouse.secrets) expect(text.includes(secret), file).toBe(false);
    }
    // They were there to be hidden.
    for (const name of ["fluss-coordinator", "fluss-tablet"]) {
        expect(fs.readFileSync(path.join(logs, `${name}.log`), "utf8")).toMatch(/s3\.secret\.key.*\*\*\*/);
    }
});

async function runTiering(overrides: Record<string, string> = {}): Promise<string> {
    const job = await flink.runJar(tieringJar, {
        args: tieringArgs(lakehouse, overrides),
        parallelism: 1,
        configuration: tieringConfiguration,
    });
    await flink.waitUntilRunning(job);
    return job;
}

/** In all three buckets: a batch union read hangs on an empty one. */
async function insertTrades(count: number): Promise<void> {
    await streaming.execute(`CREATE TEMPORARY TABLE IF NOT EXISTS feed_${count} (
        trade_id BIGINT, account_id INT NOT NULL, notional DOUBLE) WITH ('connector' = 'datagen',
        'number-of-rows' = '${count}', 'rows-per-second' = '20000',
        'fields.trade_id.kind' = 'sequence', 'fields.trade_id.start' = '1', 'fields.trade_id.end' = '${count}',
        'fields.account_id.min' = '1', 'fields.account_id.max' = '19', 'fields.notional.min' = '100')`);
    await streaming.execute(
        `INSERT INTO ${finance}.trades /*+ OPTIONS('client.writer.bucket.no-key-assigner' = 'round_robin') */
         SELECT trade_id, account_id, CAST(9.5 AS DECIMAL(15, 2)), CURRENT_DATE, 'BUY', 'AAPL' FROM feed_${count}`,
    );
}

async function lakeRows(): Promise<number> {
    const { rows } = await batch.execute(`SELECT count(*) FROM ${finance}.\`trades$lake\``);
    return Number(rows[0]?.fields[0] ?? 0);
}

async function waitForLakeRows(count: number): Promise<void> {
    const seen = await waitFor(async () => {
        const rows = await lakeRows();
        return rows >= count ? rows : undefined;
    });
    expect(seen).toBe(count);
}

async function waitFor<T>(ask: () => Promise<T | undefined>): Promise<T> {
    for (const began = performance.now(); performance.now() - began < 90_000; await sleep(500)) {
        const answer = await ask();
        if (answer !== undefined) return answer;
    }
    throw new Error("It did not happen within 90 s");
}

/** Requests that the emulator has refused so far, by its log. */
function refusedRequests(): number {
    const log = fs.readFileSync(path.join(lakehouse.root, "logs", "s3.log"), "utf8");
    return log.split("\n").filter((line) => / 403 -?$/.test(line)).length;
}

async function lakeFiles(): Promise<string[]> {
    const s3 = new S3Client({ ...lakehouse.s3, credentials: keyOf(lakehouse.s3), forcePathStyle: true });
    const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket: lakehouse.buckets.lake }));
    return (Contents ?? []).map(({ Key }) => Key ?? "");
}

/** Addresses, as the kernel writes them, on which the process listens. */
function listenersOf(pid: number): string[] {
    const sockets = fs.readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
        const target = fs.readlinkSync(`/proc/${pid}/fd/${fd}`, { encoding: "utf8" });
        return /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? [];
    });
    const lines = ["tcp", "tcp6"].flatMap((name) =>
        fs.readFileSync(`/proc/${pid}/net/${name}`, "utf8").split("\n"),
    );
    const listening = lines.map((line) => line.trim().split(/\s+/)).filter((fields) => fields[3] === "0A");
    return listening.filter((fields) => sockets.includes(fields[9] ?? "")).map((fields) => fields[1] ?? "");
}
