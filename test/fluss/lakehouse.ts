import { randomBytes } from "node:crypto";
import {
    choosePorts,
    flinkUrl,
    flussBootstrap,
    icebergCatalog,
    icebergCatalogUrl,
    type Ports,
    rememberSecrets,
    type S3Admin,
    type Supervisor,
    saslOptions,
    sqlGatewayUrl,
    startFlink,
    startFluss,
    startS3,
    startTogether,
    zookeeper,
} from "../../local/services/index.ts";
import { ensureTools, type Tools } from "../../local/toolchain/index.ts";
import { makeBuckets, placeOf } from "./buckets.ts";
import { allOrFirstFault, type Closing, startInOwnFolder, startTable } from "./own-folder.ts";
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
    return startInOwnFolder((supervisor, closing) => startAll(supervisor, tools, report, closing));
}

async function startAll(
    supervisor: Supervisor,
    tools: Tools,
    report: (line: string) => void,
    closing: Closing,
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
    report(startTable(seconds, supervisor, (performance.now() - began) / 1000));
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

function flinkPlaces(ports: Ports, tools: Tools) {
    return {
        flinkUrl: flinkUrl(ports),
        gatewayUrl: sqlGatewayUrl(ports),
        tieringJar: tools.classPaths.tieringJar,
    };
}

/** A password or token of this run. */
export function secret(): string {
    return randomBytes(18).toString("hex");
}
