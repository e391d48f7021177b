import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FaultsError } from "../../../model/faults.ts";
import { type ClusterInput, serverOptions } from "../../../model/fluss-config.ts";
import { flussOptions } from "../../../model/fluss-options.ts";
import { optionValueFault } from "../../../model/option-values.ts";
import { faultsOf, pathsOf } from "./fixtures/faults.ts";
import { catalogUri, cluster, lakeInput, remote } from "./fixtures/quickstart.ts";

/** A cluster of plain 0.9 processes on an S3-compatible store, as it was seen to run. */
const local = {
    version: "0.9",
    remote: {
        type: "s3Compatible",
        endpoint: "http://127.0.0.1:9000",
        stsEndpoint: "http://127.0.0.1:9000",
        bucket: "acme-fluss-remote",
        region: "us-east-1",
        prefix: "fluss-remote-storage",
        accessKey: { id: { value: "AKIA" }, secret: { value: "store-secret" } },
    },
    lake: {
        catalog: {
            ...lakeInput.catalog,
            uri: "http://127.0.0.1:8181/catalog",
            auth: { type: "token", token: { value: "lake-token" } },
        },
        storage: {
            type: "s3Compatible",
            endpoint: "http://127.0.0.1:9000",
            bucket: "acme-fluss-lake",
            region: "us-east-1",
        },
    },
    sasl: {
        users: [{ username: "fluss", password: { value: "fluss-pass" } }],
        internal: { username: "admin", password: { value: "admin-pass" } },
    },
    overrides: { "log.segment.file-size": "64kb", "max.bucket.num": 1234567890 },
} satisfies ClusterInput;

const withOverrides = (overrides: ClusterInput["overrides"]) => () =>
    serverOptions({ ...cluster, overrides }, "env");

describe("server options", () => {
    it("are those of the quickstart, in its order", () => {
        expect(Object.entries(serverOptions(cluster, "env"))).toEqual([
            ["remote.data.dir", "s3://acme-fluss-remote/fluss-remote-storage"],
            ["s3.access.key", "${env:FLUSS_S3_ACCESS_KEY}"],
            ["s3.secret.key", "${env:FLUSS_S3_SECRET_KEY}"],
            ["s3.region", "eu-central-1"],
            ["datalake.enabled", "true"],
            ["datalake.format", "iceberg"],
            ["datalake.iceberg.type", "rest"],
            ["datalake.iceberg.uri", catalogUri],
            ["datalake.iceberg.warehouse", "fluss"],
            ["datalake.iceberg.token", "${env:FLUSS_DATALAKE_ICEBERG_TOKEN}"],
            ["datalake.iceberg.io-impl", "org.apache.iceberg.aws.s3.S3FileIO"],
            ["datalake.iceberg.client.region", "eu-central-1"],
        ]);
    });

    it("are those of plain 0.9 processes, without markers and without datalake.enabled", () => {
        expect(serverOptions(local, "value")).toEqual({
            "remote.data.dir": "s3://acme-fluss-remote/fluss-remote-storage",
            "s3.access.key": "AKIA",
            "s3.secret.key": "store-secret",
            "s3.region": "us-east-1",
            "s3.endpoint": "http://127.0.0.1:9000",
            "s3.path.style.access": "true",
            "s3.assumed.role.sts.endpoint": "http://127.0.0.1:9000",
            "datalake.format": "iceberg",
            "datalake.iceberg.type": "rest",
            "datalake.iceberg.uri": "http://127.0.0.1:8181/catalog",
            "datalake.iceberg.warehouse": "fluss",
            "datalake.iceberg.token": "lake-token",
            "datalake.iceberg.io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
            "datalake.iceberg.client.region": "us-east-1",
            "datalake.iceberg.s3.endpoint": "http://127.0.0.1:9000",
            "datalake.iceberg.s3.path-style-access": "true",
            "internal.listener.name": "FLUSS",
            "security.protocol.map": "FLUSS:SASL, CLIENT:SASL",
            "security.sasl.enabled.mechanisms": "PLAIN",
            "security.sasl.plain.jaas.config":
                'org.apache.fluss.security.auth.sasl.plain.PlainLoginModule required user_fluss="fluss-pass" user_admin="admin-pass";',
            "client.security.protocol": "SASL",
            "client.security.sasl.mechanism": "PLAIN",
            "client.security.sasl.username": "admin",
            "client.security.sasl.password": "admin-pass",
            "log.segment.file-size": "64kb",
            "max.bucket.num": "1234567890",
        });
    });

    it("reach Azure by the account's key", () => {
        const azure = {
            type: "adls",
            account: "acme",
            container: "remote",
            accountKey: { env: "AZURE_KEY" },
        } as const;
        expect(serverOptions({ version: "1.0", remote: azure }, "env")).toEqual({
            "remote.data.dir": "abfss://remote@acme.dfs.core.windows.net",
            "fs.azure.account.key": "${env:AZURE_KEY}",
        });
    });

    it("leave the internal listener open when only clients log in", () => {
        const { internal: _, ...sasl } = local.sasl;
        const options = serverOptions({ ...local, sasl }, "value");
        expect(options["security.protocol.map"]).toBe("FLUSS:PLAINTEXT, CLIENT:SASL");
        expect(options).not.toHaveProperty("client.security.protocol");
    });
});

describe("faults of server options", () => {
    it.each([
        ["log.segment.file-sise", "1gb", /no option/, "Write log.segment.file-size"],
        ["max.bucket.num", "many", /32-bit integer/, "Write it like 3"],
        ["max.bucket.num", "2147483648", /32-bit integer/, "Write it like 3"],
        ["kv.snapshot.interval", "15 parsecs", /duration/, "Write it like 30s"],
        ["remote.fs.write-buffer-size", "4 kilo", /size/, "Write it like 64mb"],
        ["authorizer.enabled", "yes", /true or false/, "Write it like true"],
        ["table.log.ttl", "1d", /option of a table/, "Set it in the table's options"],
        ["data.dir", "/data/fluss", /lost with the pod/, "Remove it, or set it there"],
        ["advertised.listeners", "CLIENT://host:9124", /differs by process/, "Remove it, or set it there"],
        ["s3.region", "us-east-1", /derived/, "Remove it, or set it there"],
        ["datalake.iceberg.cache-enabled", "false", /must be the same/, "Remove it, or set it there"],
        ["super.users", "User:a#b", /contains #/, "Avoid #"],
        ["super.users", "{{ .Values }}", /template/, "Avoid {{"],
        ["super.users", "a\nb", /line break/, "Use one line"],
        ["super.users", " a", /blanks at its ends/, "Remove the blanks"],
        ["super.users", "", /empty/, "Give a value"],
    ])("refuses %s = %j", (key, value, reason, fix) => {
        expect(faultsOf(withOverrides({ [key]: value }))).toContainEqual(
            expect.objectContaining({
                path: `cluster.overrides["${key}"]`,
                reason: expect.stringMatching(reason),
                fix,
            }),
        );
    });

    it("come all at once", () => {
        const overrides = { "max.bucket.num": "many", "kv.snapshot.intervall": "1 min", "data.dir": "/x" };
        expect(pathsOf(withOverrides(overrides)).sort()).toEqual([
            'cluster.overrides["data.dir"]',
            'cluster.overrides["kv.snapshot.intervall"]',
            'cluster.overrides["max.bucket.num"]',
        ]);
    });

    it("know what 0.9 does not have", () => {
        const overrides = { "remote.data.dirs": "s3://a/b" };
        expect(faultsOf(() => serverOptions({ ...local, overrides }, "value"))).toMatchObject([
            { reason: expect.stringMatching(/since Fluss 1.0/) },
        ]);
        expect(withOverrides(overrides)).not.toThrow();
    });

    it("refuse markers for 0.9, which sends them to the store as they are", () => {
        expect(pathsOf(() => serverOptions({ version: "0.9", remote }, "env"))).toEqual(["cluster.version"]);
    });

    it("name each secret that lacks the form in which it is needed", () => {
        expect(pathsOf(() => serverOptions(cluster, "value"))).toEqual([
            "cluster.remote.accessKey.id",
            "cluster.remote.accessKey.secret",
            "cluster.lake.catalog.auth.token",
        ]);
    });

    it("refuse remote storage without keys", () => {
        const { accessKey: _, ...keyless } = remote as Extract<typeof remote, { type: "s3" }>;
        expect(pathsOf(() => serverOptions({ version: "1.0", remote: keyless }, "env"))).toEqual([
            "cluster.remote.accessKey",
        ]);
    });

    it.each([
        [
            "a quote in a password",
            { username: "a", password: { value: 'x"y' } },
            "cluster.sasl.users[0].password",
        ],
        ["a password by marker", { username: "a", password: { env: "X" } }, "cluster.sasl.users[0].password"],
        [
            "an address as user",
            { username: "a@b", password: { value: "x" } },
            "cluster.sasl.users[0].username",
        ],
        ["a user twice", { username: "admin", password: { value: "x" } }, "cluster.sasl"],
        ["# in a password", { username: "a", password: { value: "x#y" } }, "cluster.sasl.users"],
    ])("refuse %s", (_, user, path) => {
        const sasl = { ...local.sasl, users: [user] };
        expect(pathsOf(() => serverOptions({ ...local, sasl }, "value"))).toContain(path);
    });

    it("never show a secret", () => {
        const secret = "not#for {{eyes";
        const accessKey = { id: { value: secret }, secret: { value: secret } };
        const sasl = { users: [{ username: "a", password: { value: secret } }] };
        const overrides = {
            "metrics.reporter.influxdb.token": secret,
            "client.security.sasl.pasword": secret,
        };
        const act = () =>
            serverOptions(
                { version: "1.0", remote: { ...local.remote, accessKey }, sasl, overrides },
                "value",
            );
        expect(pathsOf(act).length).toBeGreaterThan(5);
        expect(act).toThrow(FaultsError);
        expect(act).not.toThrow(/not#for/);
    });

    it("hold for any text: what is rendered is one line that no parser changes", () => {
        const nasty = fc.string({
            unit: fc.constantFrom("a", "#", "{", "\n", " ", "$", "\t", "é", '"', "\\"),
        });
        let rendered = 0;
        fc.assert(
            fc.property(nasty, nasty, (user, key) => {
                const accessKey = { id: { value: key }, secret: { value: `k${key}` } };
                const input = {
                    ...local,
                    remote: { ...local.remote, accessKey },
                    overrides: { "super.users": user },
                };
                let options: Record<string, string>;
                try {
                    options = serverOptions(input, "value");
                } catch (error) {
                    expect(error).toBeInstanceOf(FaultsError);
                    return;
                }
                rendered++;
                for (const value of Object.values(options)) {
                    expect(value).not.toMatch(/[#\n\t]|\{\{|^\s|\s$|^$/);
                }
                expect(options["super.users"]).toBe(user);
            }),
            { numRuns: 1000 },
        );
        expect(rendered).toBeGreaterThan(10);
    });
});

describe("option values", () => {
    it("take every default of every option", () => {
        for (const [key, { type, default: text, values }] of Object.entries(flussOptions)) {
            if (text === undefined) continue;
            expect(optionValueFault(type, text, values), `${key} = ${text}`).toBeUndefined();
        }
    });

    it.each([
        ["int", "-1", true],
        ["int", "1.5", false],
        ["long", "9223372036854775807", true],
        ["long", "9223372036854775808", false],
        ["double", "0.75", true],
        ["double", "three", false],
        ["boolean", "TRUE", true],
        ["duration", "30 s", true],
        ["duration", "500", true],
        ["duration", "-1 s", false],
        ["memory", "128kb", true],
        ["memory", "128kib", false],
        ["int[]", "1,2", true],
        ["int[]", "1,b", false],
        ["map", "a:b,c:d", true],
        ["map", "a", false],
        ["string", "anything", true],
    ])("of type %s: %j is fine: %s", (type, text, fine) => {
        expect(optionValueFault(type, text) === undefined).toBe(fine);
    });

    it("of an enum are known by any case", () => {
        expect(optionValueFault("enum", "FIRST_ROW", ["first_row"])).toBeUndefined();
        expect(optionValueFault("enum", "last_row", ["first_row"])).toMatchObject({
            fix: "Use one of: first_row",
        });
    });
});
