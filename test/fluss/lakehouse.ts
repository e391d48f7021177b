import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import {
    CreateAccessKeyCommand,
    CreateUserCommand,
    IAMClient,
    PutUserPolicyCommand,
} from "@aws-sdk/client-iam";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import {
    choosePorts,
    flinkUrl,
    flussBootstrap,
    icebergCatalog,
    icebergCatalogUrl,
    isAlive,
    type Ports,
    processRecord,
    readIfThere,
    recordOf,
    rememberSecrets,
    type S3Admin,
    type Seconds,
    Supervisor,
    saslOptions,
    sqlGatewayUrl,
    startFlink,
    startFluss,
    startS3,
    startTogether,
    writePrivate,
    zookeeper,
} from "../../local/services/index.ts";
import { ensureTools, type Tools } from "../../local/toolchain/index.ts";
import { startTokenProxy } from "./token-proxy.ts";

/** The running services of this tier, as tests see them (`inject("lakehouse")`): data only. */
export interface Lakehouse {
    /** State folder: `new Supervisor(root)` knows the services. */
    root: string;
    s3: S3Admin;
    /** IAM user with whose key Fluss and the lake reach the buckets. */
    s3User: {
        name: string;
        policyName: string;
        policy: string;
        accessKeyId: string;
        secretAccessKey: string;
    };
    buckets: { remote: string; lake: string };
    /** Iceberg catalog that demands `token` and `warehouse`. */
    catalog: { url: string; token: string; warehouse: string };
    /** SASL user of Fluss' clients. */
    fluss: { bootstrapServers: string; username: string; password: string };
    flinkUrl: string;
    gatewayUrl: string;
    tieringJar: string;
    /** Server options that the tiering job repeats as arguments. */
    lakeOptions: Record<string, string>;
    /** Every secret value. */
    secrets: string[];
}

/** Starts all services once, in an empty folder below the system's temporary folder. */
export async function startLakehouse(
    report: (line: string) => void,
): Promise<Lakehouse & { stop(): Promise<void> }> {
    const tools = await ensureTools(report);
    await removeLeftOvers();
    const root = fs.mkdtempSync(path.join(os.tmpdir(), folderPrefix));
    writePrivate(path.join(root, ownerFile), JSON.stringify(recordOf(process.pid, "owner")));
    const supervisor = new Supervisor(root);
    const closing: (() => Promise<unknown>)[] = [() => discard(supervisor)];
    const stop = async () => {
        for (const close of closing.toReversed()) await close();
    };
    try {
        return { ...(await startAll(supervisor, tools, report, closing)), stop };
    } catch (error) {
        await stop();
        throw error;
    }
}

const folderPrefix = "pulumi-fluss-test-";
const ownerFile = "owner.json";

/** What a killed run of this tier has left behind: its services still run. */
async function removeLeftOvers(): Promise<void> {
    for (const name of fs.readdirSync(os.tmpdir()).filter((entry) => entry.startsWith(folderPrefix))) {
        const root = path.join(os.tmpdir(), name);
        const owner = processRecord.safeParse(JSON.parse(readIfThere(path.join(root, ownerFile)) ?? "{}"));
        if (owner.success && !isAlive(owner.data)) await discard(new Supervisor(root));
    }
}

async function discard(supervisor: Supervisor): Promise<void> {
    await supervisor.stopAll();
    fs.rmSync(supervisor.root, { recursive: true, force: true });
}

async function startAll(
    supervisor: Supervisor,
    tools: Tools,
    report: (line: string) => void,
    closing: (() => Promise<unknown>)[],
): Promise<Lakehouse> {
    const began = performance.now();
    const ports = await choosePorts(supervisor.root, (name) => supervisor.isRunning(name));
    const token = secret();
    const sasl = { clients: { fluss: secret() }, internal: { username: "internal", password: secret() } };
    rememberSecrets(supervisor.root, [token, sasl.clients.fluss, sasl.internal.password]);
    const warehouse = "fluss";
    const proxy = await startTokenProxy({ backend: icebergCatalogUrl(ports), token, warehouse });
    closing.push(() => proxy.close());

    const flink = startFlink(supervisor, tools, ports);
    const zoo = startTogether(supervisor, [zookeeper(tools, ports, supervisor.root)]);
    const admin = await startS3(supervisor, tools, ports);
    const buckets = { remote: "quickstart-remote", lake: "quickstart-lake" };
    const s3User = await makeBuckets(admin, buckets);
    const storage = { ...s3User, bucket: buckets.lake, prefix: "fluss-lake-storage", ...placeOf(admin) };
    const catalog = startTogether(supervisor, [icebergCatalog(tools, ports, supervisor.root, storage)]);
    const lakeOptions = {
        "datalake.format": "iceberg",
        "datalake.iceberg.type": "rest",
        "datalake.iceberg.uri": proxy.url,
        "datalake.iceberg.warehouse": warehouse,
        "datalake.iceberg.token": token,
        "datalake.iceberg.io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
        "datalake.iceberg.client.region": admin.region,
    };
    const serverOptions = {
        ...remoteStorage(admin, s3User, buckets.remote),
        ...saslOptions(sasl),
        ...lakeOptions,
        ...fastRemoteStorage,
    };
    const settled = [
        zoo,
        catalog,
        zoo.then(() => startFluss(supervisor, tools, ports, serverOptions)),
        flink,
    ];
    const seconds = { s3: admin.seconds, ...(await allOrFirstFault(settled)) };
    report(table(seconds, supervisor, (performance.now() - began) / 1000));
    const { seconds: _, anew: __, ...s3 } = admin;
    return {
        root: supervisor.root,
        s3,
        s3User,
        buckets,
        catalog: { url: proxy.url, token, warehouse },
        fluss: { bootstrapServers: flussBootstrap(ports), username: "fluss", password: sasl.clients.fluss },
        ...flinkPlaces(ports, tools),
        lakeOptions,
        secrets: [
            token,
            sasl.clients.fluss,
            sasl.internal.password,
            admin.secretAccessKey,
            s3User.secretAccessKey,
        ],
    };
}

/** With Fluss' own periods nothing would reach the remote bucket during a test. */
const fastRemoteStorage = {
    "log.segment.file-size": "64kb",
    "remote.log.task-interval-duration": "5s",
    "kv.snapshot.interval": "15s",
};

function remoteStorage(
    admin: S3Admin,
    key: { accessKeyId: string; secretAccessKey: string },
    bucket: string,
) {
    return {
        "remote.data.dir": `s3://${bucket}/fluss-remote-storage`,
        "s3.endpoint": admin.endpoint,
        "s3.path.style.access": "true",
        "s3.region": admin.region,
        "s3.access.key": key.accessKeyId,
        "s3.secret.key": key.secretAccessKey,
        "s3.assumed.role.sts.endpoint": admin.endpoint,
    };
}

/** The buckets, and the quickstart's IAM user with the quickstart's policy. */
async function makeBuckets(admin: S3Admin, buckets: { remote: string; lake: string }) {
    const access = { ...placeOf(admin), credentials: keyOf(admin) };
    const s3 = new S3Client({ ...access, forcePathStyle: true });
    for (const Bucket of Object.values(buckets)) await s3.send(new CreateBucketCommand({ Bucket }));
    const iam = new IAMClient(access);
    const name = "fluss";
    const policyName = "fluss-buckets";
    const arns = Object.values(buckets).map((bucket) => `arn:aws:s3:::${bucket}`);
    const policy = JSON.stringify({
        Version: "2012-10-17",
        Statement: [
            { Effect: "Allow", Action: ["s3:ListBucket", "s3:GetBucketLocation"], Resource: arns },
            {
                Effect: "Allow",
                Action: ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"],
                Resource: arns.map((arn) => `${arn}/*`),
            },
        ],
    });
    await iam.send(new CreateUserCommand({ UserName: name }));
    await iam.send(
        new PutUserPolicyCommand({ UserName: name, PolicyName: policyName, PolicyDocument: policy }),
    );
    const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName: name }));
    return {
        name,
        policyName,
        policy,
        accessKeyId: AccessKey?.AccessKeyId ?? "",
        secretAccessKey: AccessKey?.SecretAccessKey ?? "",
    };
}

/** A new object: the AWS SDK writes into the one that it is given. */
export function keyOf({ accessKeyId, secretAccessKey }: S3Admin) {
    return { accessKeyId, secretAccessKey };
}

function placeOf({ endpoint, region }: S3Admin) {
    return { endpoint, region };
}

function flinkPlaces(ports: Ports, tools: Tools) {
    return {
        flinkUrl: flinkUrl(ports),
        gatewayUrl: sqlGatewayUrl(ports),
        tieringJar: tools.classPaths.tieringJar,
    };
}

/** Waits for all, so that nothing still starts when the fault is told. */
async function allOrFirstFault(starts: Promise<Seconds>[]): Promise<Seconds> {
    await Promise.allSettled(starts);
    return Object.assign({}, ...(await Promise.all(starts)));
}

function table(seconds: Seconds, supervisor: Supervisor, all: number): string {
    const memory = new Map(supervisor.status().map((service) => [service.name, service.rssMiB ?? 0]));
    const lines = Object.entries(seconds).map(
        ([name, taken]) =>
            `${name.padEnd(20)} ${taken.toFixed(1).padStart(5)} s ${String(memory.get(name)).padStart(5)} MiB`,
    );
    const sum = [...memory.values()].reduce((total, mib) => total + mib, 0);
    return [
        ...lines,
        `${"all".padEnd(20)} ${all.toFixed(1).padStart(5)} s ${String(sum).padStart(5)} MiB`,
    ].join("\n");
}

function secret(): string {
    return randomBytes(18).toString("hex");
}
