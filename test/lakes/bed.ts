import fs from "node:fs";
import path from "node:path";
import {
    azurite,
    azuriteEndpoint,
    choosePorts,
    type DatabaseUser,
    flinkJobManager,
    flinkTaskManager,
    flinkUrl,
    flussBootstrap,
    icebergCatalog,
    icebergCatalogUrl,
    makeDatabase,
    type Ports,
    postgresql,
    postgresqlUri,
    rememberSecrets,
    type S3Admin,
    type ServiceSpec,
    type StorageAccount,
    type Supervisor,
    sqlGateway,
    sqlGatewayUrl,
    startS3,
    startTogether,
    zookeeper,
} from "../../local/services/index.ts";
import { ensureAzurite } from "../../local/toolchain/azurite.ts";
import { ensureTools, type Tools } from "../../local/toolchain/index.ts";
import { ensurePostgresql, type PostgresqlTools } from "../../local/toolchain/postgresql.ts";
import { makeBuckets, makeUser, placeOf } from "../fluss/buckets.ts";
import { secret } from "../fluss/lakehouse.ts";
import { allOrFirstFault, type Closing, startInOwnFolder, startTable } from "../fluss/own-folder.ts";
import { startTokenProxy } from "../fluss/token-proxy.ts";

/** An access key of the emulator. */
export interface S3Key {
    accessKeyId: string;
    secretAccessKey: string;
}

/**
 * What all lakes of this tier share (`inject("lakesBed")`): the store, two catalogs, Flink. Each lake gets Fluss servers of its own,
 * since a cluster has one lake.
 */
export interface Bed {
    /** State folder: `new Supervisor(root)` knows the services. */
    root: string;
    tools: Tools;
    ports: Ports;
    s3: S3Admin;
    /** IAM user with whose key Fluss and the lakes reach the buckets. */
    s3User: S3Key & { name: string; policy: string };
    /** Key of a user who may read the buckets and not write. */
    reader: S3Key;
    buckets: { remote: string; lake: string };
    /** REST catalog that demands the warehouse, and the token or one that the OAuth client got. */
    rest: {
        url: string;
        warehouse: string;
        token: string;
        oauth: { clientId: string; clientSecret: string; scope: string };
    };
    /** A storage account of the Azure emulator, which has no container yet. */
    azure: StorageAccount & { endpoint: string };
    /** JDBC catalog. */
    database: DatabaseUser & { uri: string };
    /** Where Flink and the servers of a lake by Hadoop look for core-site.xml; empty at first. */
    hadoopConf: string;
    /** SASL users. */
    fluss: { bootstrapServers: string; password: string; internalPassword: string };
    flinkUrl: string;
    gatewayUrl: string;
    /** Every secret value. */
    secrets: string[];
}

/** Starts what is shared, once. */
export async function startBed(report: (line: string) => void): Promise<Bed & { stop(): Promise<void> }> {
    const tools = await ensureTools(report);
    const database = await ensurePostgresql(report);
    const programs = { postgresql: database.bin, azurite: await ensureAzurite(report) };
    return startInOwnFolder((supervisor, closing) =>
        startShared(supervisor, lakeTools(tools, database, supervisor.root), programs, report, closing),
    );
}

async function startShared(
    supervisor: Supervisor,
    tools: Tools,
    programs: { postgresql: string; azurite: string },
    report: (line: string) => void,
    closing: Closing,
): Promise<Bed> {
    const began = performance.now();
    const { root } = supervisor;
    const ports = await choosePorts(root, (name) => supervisor.isRunning(name));
    const fluss = { password: secret(), internalPassword: secret() };
    // Whatever a password may hold that neither server.yaml nor a line of arguments changes.
    const user: DatabaseUser = { name: "iceberg", password: `p@ss:w/r'd"$&=?%+\\{}ü-${secret()}` };
    const oauth = { clientId: "fluss", clientSecret: secret(), scope: "PRINCIPAL_ROLE:ALL" };
    const token = secret();
    const azure = { name: "acme", key: Buffer.from(secret()).toString("base64") };
    const secrets = [...Object.values(fluss), user.password, oauth.clientSecret, token, azure.key];
    rememberSecrets(root, secrets);
    const warehouse = "fluss";
    const proxy = await startTokenProxy({ backend: icebergCatalogUrl(ports), token, warehouse, oauth });
    closing.push(() => proxy.close());

    fs.mkdirSync(hadoopConfOf(root), { recursive: true, mode: 0o700 });
    const flink = [flinkJobManager, flinkTaskManager, sqlGateway].map((service) => {
        const spec = service(tools, ports, root);
        return { ...spec, env: { ...spec.env, HADOOP_CONF_DIR: hadoopConfOf(root) } };
    });
    const flinkStarts = startTogether(supervisor, flink);
    const zoo = startTogether(supervisor, [zookeeper(tools, ports, root)]);
    const databaseStarts = makeDatabase(programs.postgresql, root, user).then(() =>
        startTogether(supervisor, [postgresql(programs.postgresql, ports, root, user)]),
    );
    const azureStarts = startTogether(supervisor, [azurite(programs.azurite, ports, azure)]);
    const admin = await startS3(supervisor, tools, ports);
    const buckets = { remote: "lakes-remote", lake: "lakes-lake" };
    const s3User = await makeBuckets(admin, buckets);
    const reader = await makeUser(
        admin,
        "reader",
        s3User.policy.replace('"s3:PutObject","s3:DeleteObject"', '"s3:GetObject"'),
    );
    const catalog = startTogether(supervisor, [
        restCatalog({ tools, ports, root, s3: admin, buckets }, s3User),
    ]);
    const seconds = {
        s3: admin.seconds,
        ...(await allOrFirstFault([zoo, databaseStarts, azureStarts, catalog, flinkStarts])),
    };
    report(startTable(seconds, supervisor, (performance.now() - began) / 1000));
    const { seconds: _, anew: __, ...s3 } = admin;
    return {
        root,
        tools,
        ports,
        s3,
        s3User,
        reader,
        buckets,
        rest: { url: proxy.url, warehouse, token, oauth },
        azure: { ...azure, endpoint: azuriteEndpoint(ports, azure.name) },
        database: { ...user, uri: postgresqlUri(ports) },
        hadoopConf: hadoopConfOf(root),
        fluss: { ...fluss, bootstrapServers: flussBootstrap(ports) },
        flinkUrl: flinkUrl(ports),
        gatewayUrl: sqlGatewayUrl(ports),
        secrets: [...secrets, admin.secretAccessKey, s3User.secretAccessKey, reader.secretAccessKey],
    };
}

/** The REST catalog, which reaches its files with that key and hands it out. */
export function restCatalog(
    bed: Pick<Bed, "tools" | "ports" | "root" | "s3" | "buckets">,
    key: S3Key,
): ServiceSpec {
    const storage = { ...key, bucket: bed.buckets.lake, prefix: "rest", ...placeOf(bed.s3) };
    return icebergCatalog(bed.tools, bed.ports, bed.root, storage);
}

/**
 * The tools with class paths for every lake. The servers load the lake with Fluss' S3 file system in place of Hadoop 3.4,
 * which has no S3A; JDBC needs its driver on both sides.
 */
function lakeTools(tools: Tools, { driver }: PostgresqlTools, root: string): Tools {
    const { plugins, flink, clientJars } = tools.classPaths;
    const ofServers = (jar: string) => !/hadoop-client-|commons-logging|fluss-flink|iceberg-flink/.test(jar);
    const iceberg = [...new Set([...plugins.iceberg, ...clientJars])].filter(ofServers);
    return {
        ...tools,
        classPaths: {
            ...tools.classPaths,
            plugins: { ...plugins, iceberg: [...iceberg, driver] },
            // Where Hadoop finds core-site.xml by itself, as Flink's own scripts put HADOOP_CONF_DIR.
            flink: [flink, driver, hadoopConfOf(root)].join(path.delimiter),
        },
    };
}

function hadoopConfOf(root: string): string {
    return path.join(root, "hadoop-conf");
}
