import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import {
    flinkJobManager,
    flinkTaskManager,
    flussCoordinator,
    flussTablet,
    icebergCatalog,
    type Ports,
    readSecrets,
    redact,
    rememberSecrets,
    type ServiceSpec,
    s3,
    saslOptions,
    secretsFile,
    secretValues,
    sqlGateway,
    zookeeper,
} from "../../../local/services/index.ts";
import type { Tools } from "../../../local/toolchain/types.ts";
import { temporaryRoot } from "./fixture.ts";

const ports: Ports = {
    s3: 1,
    zookeeper: 2,
    flussCoordinatorInternal: 3,
    flussCoordinator: 4,
    flussTabletInternal: 5,
    flussTablet: 6,
    catalog: 7,
    lakekeeper: 8,
    flinkRest: 9,
    flinkRpc: 10,
    flinkBlobs: 11,
    sqlGateway: 12,
    vvp: 13,
    postgresql: 14,
    azurite: 15,
};
const tools: Tools = {
    cacheDir: "/cache",
    java: "/jdk/bin/java",
    python: "/venv/bin/python",
    emulator: "/s3/launch.py",
    pulumi: { binDir: "/pulumi", version: "3.0.0", home: "/home" },
    classPaths: {
        server: "/server.jar",
        plugins: { s3: ["/jars/s3.jar"], iceberg: ["/jars/iceberg.jar"] },
        flink: "/flink.jar",
        flinkLib: "/flink",
        catalog: "/catalog.jar",
        logging: "/logging.jar",
        tieringJar: "/tiering.jar",
        clientJars: [],
    },
};
const serverOptions = {
    "remote.data.dir": "s3://remote/data",
    "s3.access.key": "AKIDEXAMPLE",
    "s3.secret.key": "s3-sesame",
    "datalake.iceberg.token": "lake-sesame",
    ...saslOptions({
        clients: { admin: "admin-sesame" },
        internal: { username: "servers", password: "servers-sesame" },
    }),
};
const storage = {
    bucket: "lake",
    prefix: "fluss-lake-storage",
    region: "us-east-1",
    endpoint: "http://127.0.0.1:1",
    accessKeyId: "AKIDEXAMPLE",
    secretAccessKey: "s3 sesame\\=",
};
const everySpec = (): ServiceSpec[] => [
    s3(tools, ports, "/root"),
    zookeeper(tools, ports, "/root"),
    flussCoordinator(tools, ports, "/root", serverOptions),
    flussTablet(tools, ports, "/root", serverOptions),
    icebergCatalog(tools, ports, "/root", storage),
    flinkJobManager(tools, ports, "/root"),
    flinkTaskManager(tools, ports, "/root"),
    sqlGateway(tools, ports, "/root"),
];

test("no argument of any service holds a secret", () => {
    for (const spec of everySpec()) expect(spec.args.join(" "), spec.name).not.toMatch(/sesame/);
});

test("every Java service has a bounded heap and knows the file of secrets", () => {
    const java = everySpec().filter((spec) => spec.command === tools.java);
    expect(java).toHaveLength(7);
    for (const spec of java) {
        expect(spec.args, spec.name).toContainEqual(expect.stringMatching(/^-Xmx\d+m$/));
        expect(spec.args, spec.name).toContain(`-Dfluss.local.secrets=${secretsFile("/root")}`);
    }
});

test("Fluss' servers get the model's options, and what is local wins", () => {
    const spec = flussTablet(tools, ports, "/root", { ...serverOptions, "default.replication.factor": "3" });
    const lines = spec.files["conf/server.yaml"]?.trim().split("\n");
    expect(lines).toContain("remote.data.dir: s3://remote/data");
    expect(lines).toContain("default.replication.factor: 1");
    expect(lines).toContain("bind.listeners: FLUSS://127.0.0.1:5, CLIENT://127.0.0.1:6");
    expect(lines).toContain("tablet-server.id: 0");
    expect(spec.links).toEqual({
        "plugins/s3/s3.jar": "/jars/s3.jar",
        "plugins/iceberg/iceberg.jar": "/jars/iceberg.jar",
    });
    expect(spec.secrets).toEqual(
        expect.arrayContaining(["s3-sesame", "lake-sesame", "admin-sesame", "servers-sesame"]),
    );
});

test("options that Fluss would misread are refused all at once, without showing secrets", () => {
    const bad = {
        "s3.secret.key": "ab#cd",
        "client.a": "",
        "client.b": "x\ny: z",
        "client.c": " x",
        "datalake.iceberg.token": "${env:TOKEN}",
        "client d": "x",
    };
    const start = () => flussCoordinator(tools, ports, "/root", bad);
    for (const key of Object.keys(bad)) expect(start).toThrow(key);
    expect(start).not.toThrow(/ab#cd/);
});

test("users that a JAAS line cannot hold are refused all at once", () => {
    const users = {
        clients: { "a b": "fine", ok: 'sesame"' },
        internal: { username: "in", password: "pass" },
    };
    expect(() => saslOptions(users)).toThrow(/user a b: .*; user ok: /);
    expect(() => saslOptions(users)).not.toThrow(/sesame/);
});

test("the catalog's settings survive Java's escapes", () => {
    const text = icebergCatalog(tools, ports, "/root", storage).files["catalog.properties"] ?? "";
    expect(text).toContain("catalog.s3.secret-access-key=s3 sesame\\\\\\=\n");
    expect(text).toContain("catalog.warehouse=s3\\://lake/fluss-lake-storage\n");
    expect(text).toContain(
        "vend=client.region,s3.endpoint,s3.path-style-access,s3.access-key-id,s3.secret-access-key\n",
    );
});

test("Flink's three share one configuration on loopback with 16 slots and 512m metaspace", () => {
    const options = parse(flinkTaskManager(tools, ports, "/root").files["conf/config.yaml"] ?? "");
    expect(options).toMatchObject({
        "taskmanager.numberOfTaskSlots": 16,
        "taskmanager.memory.jvm-metaspace.size": "512m",
        "rest.bind-address": "127.0.0.1",
        "taskmanager.bind-host": "127.0.0.1",
        "jobmanager.bind-host": "127.0.0.1",
        "sql-gateway.endpoint.rest.bind-address": "127.0.0.1",
    });
});

test("secrets are remembered line by line, once, in a file of their owner", () => {
    const root = temporaryRoot();
    rememberSecrets(root, ["one-secret", "ab", "first line\nsecond line"]);
    rememberSecrets(root, ["one-secret", "other-secret"]);
    expect(readSecrets(root)).toEqual(["one-secret", "first line", "second line", "other-secret"]);
    expect(fs.statSync(secretsFile(root)).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(path.dirname(secretsFile(root)))).toEqual(["secrets.txt"]);
});

test("a switch or number behind a telling name is no secret", () => {
    expect(
        secretValues({ "security.token.on": "true", "token.lifetime": "12 h", "a.password": "pass" }),
    ).toEqual(["pass"]);
});

test.each([
    ["s3.secret.key=abc, next", "s3.secret.key=***, next"],
    [
        "'client.security.sasl.password' = 'it is', 'x'='y'",
        "'client.security.sasl.password' = '***', 'x'='y'",
    ],
    ['{"token": "abc", "name": "n"}', '{"token": "***", "name": "n"}'],
    ['required user_admin="pw" user_b="pw2";', 'required user_admin="***" user_b="***";'],
    ["--datalake.iceberg.token abc --x y", "--datalake.iceberg.token *** --x y"],
    ["Authorization: Bearer abc.def", "Authorization: Bearer ***"],
    ["'a.password' = 'cut off he", "'a.password' = '***"],
    ["the tokens ran out", "the tokens ran out"],
])("redact %s", (text, expected) => {
    expect(redact(text)).toBe(expected);
});

test("known values are hidden wherever they stand, the longest first", () => {
    expect(redact("a/sesame-open/b sesame", ["sesame", "sesame-open"])).toBe("a/***/b ***");
});
