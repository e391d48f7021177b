import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { ListBucketsCommand, S3Client } from "@aws-sdk/client-s3";
import { beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { choosePorts, type S3Admin, Supervisor, startFlink, startS3 } from "../../local/services/index.ts";
import { ensureTools, type Tools } from "../../local/toolchain/index.ts";
import { keyOf } from "./buckets.ts";

let tools: Tools;

beforeAll(async () => {
    tools = await ensureTools(() => undefined);
});

test("a second start keeps ports, processes, buckets and key", async () => {
    const { root, s3, flinkUrl } = inject("lakehouse");
    const supervisor = new Supervisor(root);
    const pids = supervisor.status().map(({ pid }) => pid);
    const ports = await choosePorts(root, (name) => supervisor.isRunning(name));
    expect(flinkUrl).toBe(`http://127.0.0.1:${ports.flinkRest}`);
    expect(await startS3(supervisor, tools, ports)).toMatchObject({ ...s3, anew: false });
    await startFlink(supervisor, tools, ports);
    expect(supervisor.status().map(({ pid }) => pid)).toEqual(pids);
});

test("an emulator whose first user was never noted begins anew", async () => {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), "services-s3-"));
    const supervisor = new Supervisor(root);
    onTestFinished(async () => {
        await supervisor.stopAll();
        fs.rmSync(root, { recursive: true, force: true });
    });
    const ports = await choosePorts(root, () => false);
    const first = await startS3(supervisor, tools, ports);
    expect(first.anew).toBe(true);
    expect(await buckets(first)).toEqual([]);
    // As if the starter had been killed right after the first three requests.
    fs.rmSync(path.join(root, "run", "s3-admin.json"));
    const second = await startS3(supervisor, tools, ports);
    expect(second.anew).toBe(true);
    expect(await buckets(second)).toEqual([]);
    await expect(buckets(first)).rejects.toThrow();
});

async function buckets(admin: S3Admin): Promise<unknown[]> {
    const s3 = new S3Client({ ...admin, credentials: keyOf(admin), forcePathStyle: true });
    return (await s3.send(new ListBucketsCommand())).Buckets ?? [];
}
