import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FlinkRest, type JobException, SqlGateway, type SqlSession } from "../../local/flink/index.ts";
import {
    flussCoordinator,
    flussTablet,
    foldersOf,
    type ServiceSpec,
    Supervisor,
    startTogether,
} from "../../local/services/index.ts";
import { createCatalog } from "../../model/ddl.ts";
import type { FlussClient } from "../../model/fluss-client.ts";
import { serverOptions } from "../../model/fluss-config.ts";
import type { Lake } from "../../model/lake.ts";
import { coreSiteXml } from "../../model/lake-core-site.ts";
import { defineReaders } from "../../model/readers.ts";
import { argumentTokens, tieringArguments, tieringFlinkConfiguration } from "../../model/tiering.ts";
import type { Bed } from "./bed.ts";
import { remoteOf } from "./lakes.ts";

/** With Fluss' own periods nothing would reach the remote bucket during a test. */
const fastRemoteStorage = { "log.segment.file-size": "64kb", "remote.log.task-interval-duration": "5s" };

/** Name of the catalog in SQL, unless the lake has its own. */
const catalogName = "lakehouse";

const servers = ["fluss-tablet", "fluss-coordinator"];

/** A SASL user. */
export interface Login {
    username: string;
    password: string;
}

/** What servers prove themselves with, and what they ask of others. */
export interface Logins {
    s3User: Bed["s3User"];
    /** Users of clients. */
    users: Login[];
    /** As whom servers talk to each other. */
    internal: Login;
    lake: Lake;
    /** More for the Java command of each server. */
    java: (server: ServiceSpec) => ServiceSpec;
}

/** Fluss servers with one lake, configured by the model, and the clients of the rest. */
export class LakeCluster {
    /** As whom sessions and jobs come. */
    user: Login;
    readonly flink: FlinkRest;
    readonly #name: string;
    readonly #bed: Bed;
    #logins: Logins;
    readonly #gateway: SqlGateway;
    readonly #supervisor: Supervisor;
    readonly #jobs: string[] = [];

    private constructor(bed: Bed, lake: Lake, name: string) {
        this.#bed = bed;
        this.#name = name;
        const { password, internalPassword } = bed.fluss;
        this.user = { username: "fluss", password };
        this.#logins = {
            s3User: bed.s3User,
            users: [this.user],
            internal: { username: "internal", password: internalPassword },
            lake,
            java: (server) => server,
        };
        const options = { secrets: () => bed.secrets };
        this.flink = new FlinkRest(bed.flinkUrl, options);
        this.#gateway = new SqlGateway(bed.gatewayUrl, this.flink, options);
        // What the servers would still write is thrown away.
        this.#supervisor = new Supervisor(bed.root, { stopSeconds: 1 });
    }

    /** @param name of the cluster in ZooKeeper: each starts empty */
    static async start(bed: Bed, lake: Lake, name: string): Promise<LakeCluster> {
        const cluster = new LakeCluster(bed, lake, name);
        const xml = coreSiteXml(lake);
        const file = path.join(bed.hadoopConf, "core-site.xml");
        if (xml === undefined) fs.rmSync(file, { force: true });
        else fs.writeFileSync(file, xml, { mode: 0o600 });
        await cluster.#startServers(cluster.#supervisor);
        return cluster;
    }

    get lake(): Lake {
        return this.#logins.lake;
    }

    /**
     * Starts the servers again with other logins and their own data, as a Secret's change does.
     * @param whileDown what happens while none of them runs
     */
    async rotate(change: Partial<Logins>, whileDown?: () => Promise<unknown>): Promise<void> {
        this.#logins = { ...this.#logins, ...change };
        const supervisor = new Supervisor(this.#bed.root);
        if (whileDown) {
            await Promise.all(servers.map((name) => supervisor.stop(name)));
            await whileDown();
        }
        await this.#startServers(supervisor);
    }

    /** Ends its jobs and servers, and forgets their data. */
    async stop(): Promise<void> {
        for (const job of this.#jobs) await this.flink.cancel(job);
        await Promise.all(servers.map((name) => this.#supervisor.stop(name)));
        const { data } = foldersOf(this.#bed.root);
        for (const name of servers) fs.rmSync(path.join(data, name), { recursive: true, force: true });
    }

    get client(): FlussClient {
        const { bootstrapServers } = this.#bed.fluss;
        const { username, password } = this.user;
        return { bootstrapServers, sasl: { username, password: { value: password } } };
    }

    /** Name of the catalog for Fluss and for Flink's own Iceberg catalog. */
    get catalog(): string {
        return this.lake.catalog.type === "jdbc" ? this.lake.catalog.name : catalogName;
    }

    /** A session whose catalog is one of the model's readers: Fluss, or the lake alone without Fluss. */
    async openSession(
        reader: "flussCatalog" | "flink",
        properties: Record<string, string> = {},
    ): Promise<SqlSession> {
        const { readers } = defineReaders({
            catalog: catalogName,
            client: this.client,
            lake: this.lake,
            remote: remoteOf({ ...this.#bed, s3User: this.#logins.s3User }),
        });
        const session = await this.#gateway.openSession({ "table.dml-sync": "true", ...properties });
        const create = createCatalog({ name: this.catalog, options: readers[reader]!.settings });
        await onceInitialized(() => session.execute(create));
        return session;
    }

    /** A session of that user. @throws when the servers do not know him */
    async openAs(user: Login): Promise<SqlSession> {
        const own = this.user;
        this.user = user;
        try {
            return await this.openSession("flussCatalog");
        } finally {
            this.user = own;
        }
    }

    /** Submits the tiering job with the model's arguments, for another lake where a fault is wanted. */
    async tier(lake: Lake = this.lake): Promise<string> {
        const args = tieringArguments(lake, this.client, "value", {
            version: "0.9",
            extra: { "fluss.tiering.poll.table.interval": "1s" },
        });
        const jar = await this.flink.uploadJar(this.#bed.tools.classPaths.tieringJar);
        const job = await this.flink.runJar(jar, {
            args: argumentTokens(args),
            parallelism: 1,
            configuration: tieringFlinkConfiguration(lake, "0.9"),
        });
        this.#jobs.push(job);
        return job;
    }

    /** The first failure of a job. */
    async failureOf(job: string): Promise<JobException> {
        for (const began = performance.now(); performance.now() - began < 60_000; await sleep(300)) {
            const failure = (await this.flink.exceptions(job)).at(-1);
            if (failure) return failure;
        }
        throw new Error(`Job ${job} did not fail within 60 s`);
    }

    /** The rows of a table with trades, in order, once there are that many. @throws with what the tiering job says */
    async waitForRows(session: SqlSession, table: string, count: number): Promise<unknown[][]> {
        for (const began = performance.now(); ; await sleep(500)) {
            const { rows } = await session.execute(
                `SELECT trade_id, symbol, notional FROM ${table} ORDER BY trade_id`,
            );
            if (rows.length >= count) return rows.map(({ fields }) => fields);
            if (performance.now() - began < 60_000) continue;
            const [failure] = await this.flink.exceptions(this.#jobs.at(-1)!);
            throw new Error(`${table} has ${rows.length} rows after 60 s; tiering: ${failure?.reason}`);
        }
    }

    async #startServers(supervisor: Supervisor): Promise<void> {
        const { tools, ports, root, hadoopConf } = this.#bed;
        const { s3User, users, internal, lake, java } = this.#logins;
        const login = ({ username, password }: Login) => ({ username, password: { value: password } });
        const options = serverOptions(
            {
                version: "0.9",
                remote: remoteOf({ ...this.#bed, s3User }),
                lake,
                sasl: { users: users.map(login), internal: login(internal) },
                overrides: { "zookeeper.path.root": `/${this.#name}`, ...fastRemoteStorage },
            },
            "value",
        );
        const specs = [flussCoordinator, flussTablet].map((server) => {
            const spec = server(tools, ports, root, options);
            return java({ ...spec, env: { ...spec.env, HADOOP_CONF_DIR: hadoopConf } });
        });
        await startTogether(supervisor, specs);
    }
}

/** The coordinator listens a moment before it answers, and answers a moment before it made its first database. */
async function onceInitialized<T>(ask: () => Promise<T>): Promise<T> {
    for (const began = performance.now(); ; await sleep(300)) {
        try {
            return await ask();
        } catch (error) {
            const early = /is not initialized yet|default-database 'fluss' does not exist/.test(
                String(error),
            );
            if (!early || performance.now() - began > 30_000) throw error;
        }
    }
}
