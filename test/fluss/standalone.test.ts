import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { flussEndpoint } from "../../dynamic-providers/fluss/endpoint.ts";
import { FlinkRest, SqlGateway } from "../../local/flink/index.ts";
import {
    choosePorts,
    flussCoordinator,
    flussTablet,
    type Ports,
    Supervisor,
    startTogether,
} from "../../local/services/index.ts";
import { ensureTools } from "../../local/toolchain/index.ts";
import { catalogOptions } from "../../model/catalog-options.ts";
import { createCatalog } from "../../model/ddl.ts";
import {
    standaloneConfig,
    standalonePorts,
    standaloneTabletArguments,
    standaloneUserData,
} from "../../model/fluss-standalone.ts";
import { lead } from "../lakekeeper/lead.ts";
import { type Machine, machine } from "../unit/model/fixtures/boot.ts";
import { placeOf } from "./buckets.ts";
import { secret } from "./lakehouse.ts";

/**
 * The real servers with the very files and arguments that the user data of one machine leaves. Two things differ: the ports, which
 * are free ones, all on the loopback; and ZooKeeper is the one of this tier.
 */
const lakehouse = inject("lakehouse");
const release = "0.9.1-incubating";
const archive = "https://archive.example.org/fluss.tgz";
const user = { username: "fluss", password: secret() };
const internalPassword = secret();
const root = fs.mkdtempSync(path.join(os.tmpdir(), "standalone-fluss-"));
const supervisor = new Supervisor(root, { stopSeconds: 1 });
let booted: Machine;
let bootstrapServers: string;

beforeAll(async () => {
    const tools = await ensureTools(() => undefined);
    const running = new Supervisor(lakehouse.root);
    const { zookeeper } = await choosePorts(lakehouse.root, (name) => running.isRunning(name));
    const ports = await choosePorts(root, () => false);
    const here = (text: string) => onLoopback(text, ports, zookeeper);
    bootstrapServers = here(`127.0.0.1:${standalonePorts.coordinator}`);

    booted = machine({ [archive]: "distribution" });
    const software = { release, archive: { url: archive, sha512: booted.sha512[archive]! } };
    const userData = standaloneUserData({
        software,
        region: lakehouse.s3.region,
        secretArn: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:config",
        secretVersion: "v1",
        host: "127.0.0.1",
    });
    const { status, said } = booted.boot(userData, here(configuration()));
    expect([status, said]).toEqual([0, ""]);

    const files = {
        "conf/server.yaml": fs.readFileSync(path.join(booted.software, "conf/server.yaml"), "utf8"),
    };
    const own = standaloneTabletArguments("127.0.0.1").map((argument) =>
        here(argument).replaceAll("/var/lib/fluss", booted.data),
    );
    const coordinator = flussCoordinator(tools, ports, root, {});
    const tablet = flussTablet(tools, ports, root, {});
    const secrets = [user.password, internalPassword, lakehouse.s3User.secretAccessKey];
    await startTogether(supervisor, [
        { ...coordinator, files, secrets },
        { ...tablet, files, secrets, args: [...tablet.args, ...own] },
    ]);
});

afterAll(async () => {
    await supervisor.stopAll();
    booted?.remove();
    fs.rmSync(root, { recursive: true, force: true });
});

test("the servers let the user in, and nobody without his password", async () => {
    const made = lead(flussEndpoint);
    await onceInitialized(() => made.create({ bootstrapServers, ...user }));
    expect(made.state).toMatchObject({ checked: true, server: "coordinator" });
    await expect(lead(flussEndpoint).check({ bootstrapServers, ...user, password: "guess" })).rejects.toThrow(
        /does not let user "fluss" in/,
    );
});

test("rows are written and read over the client listeners, as in seed 003", async () => {
    const client = {
        bootstrapServers,
        sasl: { username: user.username, password: { value: user.password } },
    };
    const secrets = { secrets: () => [user.password] };
    const flink = new FlinkRest(lakehouse.flinkUrl, secrets);
    const gateway = new SqlGateway(lakehouse.gatewayUrl, flink, secrets);
    const session = await gateway.openSession({
        "table.dml-sync": "true",
        "execution.runtime-mode": "batch",
    });
    const options = catalogOptions("fluss_catalog", client, undefined, "value");
    const create = createCatalog({ name: "fluss_catalog", options });
    await onceInitialized(() => session.execute(create));
    await session.execute("CREATE DATABASE fluss_catalog.desk");
    const table = "fluss_catalog.desk.inputTable";
    await session.execute(`CREATE TABLE ${table} (id INT, name STRING, amount INT)`);
    await session.execute(`INSERT INTO ${table} VALUES (1, 'sam', 1), (2, 'ric', 2)`);
    const { rows } = await session.execute(`SELECT * FROM ${table} LIMIT 10`);
    expect(rows.map(({ fields }) => fields).toSorted()).toEqual([
        [1, "sam", 1],
        [2, "ric", 2],
    ]);
});

/** The coordinator listens a moment before it answers, and answers a moment before it made its first database. */
function onceInitialized<T>(ask: () => Promise<T>): Promise<T> {
    return vi.waitFor(ask, { timeout: 30_000, interval: 300 });
}

function configuration(): string {
    const { s3, s3User, buckets } = lakehouse;
    const { accessKeyId, secretAccessKey } = s3User;
    return standaloneConfig(
        release,
        {
            remote: {
                type: "s3Compatible",
                ...placeOf(s3),
                stsEndpoint: s3.endpoint,
                bucket: buckets.remote,
                prefix: "standalone",
                accessKey: { id: { value: accessKeyId }, secret: { value: secretAccessKey } },
            },
            sasl: {
                users: [{ username: user.username, password: { value: user.password } }],
                internal: { username: "fluss-internal", password: { value: internalPassword } },
            },
            overrides: { "zookeeper.path.root": "/standalone" },
        },
        "127.0.0.1",
    );
}

/** The ports of the one machine as free ones of this machine. */
function onLoopback(text: string, ports: Ports, zookeeper: number): string {
    const { coordinatorInternal, coordinator, tablet, tabletInternal } = standalonePorts;
    return text
        .replaceAll("0.0.0.0", "127.0.0.1")
        .replaceAll(":2181", `:${zookeeper}`)
        .replaceAll(`:${coordinatorInternal}`, `:${ports.flussCoordinatorInternal}`)
        .replaceAll(`:${coordinator}`, `:${ports.flussCoordinator}`)
        .replaceAll(`:${tablet}`, `:${ports.flussTablet}`)
        .replaceAll(`:${tabletInternal}`, `:${ports.flussTabletInternal}`);
}
