import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type FlussHelmArgs, flussHelmValues, lakeSetupOptions } from "../../../model/fluss-helm-values.ts";
import { defineLake } from "../../../model/lake.ts";
import { lakekeeperHelmValues } from "../../../model/lakekeeper-helm-values.ts";
import { faultsOf, pathsOf } from "./fixtures/faults.ts";
import { lake, remote } from "./fixtures/quickstart.ts";

const args: FlussHelmArgs = {
    release: "1.0.0-vv-3",
    cluster: { remote, lake },
    secrets: {
        FLUSS_S3_ACCESS_KEY: { secretName: "fluss-storage-credentials", key: "s3-access-key" },
        FLUSS_S3_SECRET_KEY: { secretName: "fluss-storage-credentials", key: "s3-secret-key" },
        FLUSS_DATALAKE_ICEBERG_TOKEN: { secretName: "fluss-lake-client-token", key: "token" },
    },
    storageClass: "gp3",
    zookeeper: { username: "zookeeper" },
};

/** The quickstart's values.yaml, with the probe's user and password by reference. */
function expectedValues() {
    const values = parse(readFileSync(new URL("./fixtures/fluss-values.yaml", import.meta.url), "utf8"));
    const reference = (name: string, key: string) => ({
        name,
        valueFrom: { secretKeyRef: { name: "fluss-sasl-credentials", key } },
    });
    const probe = values.fluss.tablet.readinessProbe;
    probe.healthCheckAuth = probe.healthCheckAuth
        .replace("fluss-client", "${FLUSS_PROBE_USERNAME}")
        .replace("in-clear", "${FLUSS_PROBE_PASSWORD}");
    values.fluss.tablet.extraEnv = [
        reference("FLUSS_PROBE_USERNAME", "client-0-username"),
        reference("FLUSS_PROBE_PASSWORD", "client-0-password"),
    ];
    return values;
}

/** Any part of the values, by its keys. */
function part(values: unknown, ...keys: (string | number)[]): unknown {
    return keys.reduce((at, key) => (at as Record<string | number, unknown>)[key], values);
}

describe("values of the Fluss chart", () => {
    it("are those of the quickstart, apart from the probe's password", () => {
        expect(flussHelmValues(args)).toEqual(expectedValues());
    });

    it("annotate the pods so that they restart with their secrets", () => {
        const values = flussHelmValues({ ...args, rolloutHash: "abc" });
        for (const server of ["tablet", "coordinator"]) {
            expect(part(values, "fluss", server, "podAnnotations")).toEqual({
                "pulumi-fluss/rollout": "abc",
            });
        }
    });

    it("list client users by position", () => {
        const values = flussHelmValues({ ...args, clientUsers: 2 });
        expect(part(values, "fluss", "security", "client", "sasl", "plain", "users", 1)).toEqual({
            existingSecret: {
                name: "fluss-sasl-credentials",
                usernameKey: "client-1-username",
                passwordKey: "client-1-password",
            },
        });
    });

    it("install no lake plugin without a lake", () => {
        const { FLUSS_DATALAKE_ICEBERG_TOKEN: _, ...secrets } = args.secrets;
        const values = flussHelmValues({ ...args, cluster: { remote }, secrets });
        expect(JSON.stringify(values)).not.toMatch(/iceberg/);
    });

    it("name secrets that are missing or not used", () => {
        const { FLUSS_S3_ACCESS_KEY: _, ...rest } = args.secrets;
        const secrets = { ...rest, OTHER: { secretName: "s", key: "k" } };
        expect(pathsOf(() => flussHelmValues({ ...args, secrets }))).toEqual([
            "secrets.FLUSS_S3_ACCESS_KEY",
            "secrets.OTHER",
        ]);
    });

    it("refuse secrets in clear", () => {
        const accessKey = { id: { value: "AKIA" }, secret: { value: "store-secret" } };
        const clear = { ...remote, accessKey } as typeof remote;
        const act = () => flussHelmValues({ ...args, cluster: { remote: clear, lake } });
        expect(pathsOf(act)).toEqual(["cluster.remote.accessKey.id", "cluster.remote.accessKey.secret"]);
        expect(act).not.toThrow(/store-secret/);
    });

    it("refuse overrides that the chart writes itself", () => {
        const overrides = { "metrics.reporters": "prometheus", "security.sasl.enabled.mechanisms": "PLAIN" };
        expect(pathsOf(() => flussHelmValues({ ...args, cluster: { remote, lake, overrides } }))).toEqual([
            'cluster.overrides["metrics.reporters"]',
            'cluster.overrides["security.sasl.enabled.mechanisms"]',
        ]);
    });

    it("refuse more copies than tablet servers, also by the chart's default of 3", () => {
        const act = (replicas: number, overrides: Record<string, number>) =>
            faultsOf(() =>
                flussHelmValues({ ...args, tablet: { replicas }, cluster: { remote, lake, overrides } }),
            );
        expect(act(2, {})).toEqual([
            {
                path: "tablet.replicas",
                value: "2",
                reason: "3 copies of each bucket cannot be placed on 2 tablet servers, and no table could be created",
                fix: "Start at least 3, which is the chart's default.replication.factor, or override that option with at most 2",
            },
        ]);
        expect(act(1, { "default.replication.factor": 1 })).toEqual([]);
        expect(act(3, { "default.replication.factor": 4 })).toMatchObject([
            {
                path: 'cluster.overrides["default.replication.factor"]',
                value: "4",
                fix: "Set it to at most 3, or start at least 4 tablet servers",
            },
        ]);
    });

    it.each([0, -1, 1.5])("refuse %s tablet servers by themselves", (replicas) => {
        const faults = faultsOf(() => flussHelmValues({ ...args, tablet: { replicas } }));
        expect(faults).toMatchObject([
            {
                path: "tablet.replicas",
                value: String(replicas),
                reason: "must be a whole number, at least 1",
            },
        ]);
    });

    it("tell every fault at once, also where the cluster itself is none", () => {
        const overrides = { "kv.snapshot.intervall": "5min", "metrics.reporters": "jmx" };
        const wrong = {
            ...args,
            tablet: { replicas: 0, storageSize: "20 GB" },
            zookeeper: { username: "zookeeper", storageSize: "4GB" },
        };
        const further = [
            'cluster.overrides["metrics.reporters"]',
            "tablet.replicas",
            "tablet.storageSize",
            "zookeeper.storageSize",
        ];
        expect(pathsOf(() => flussHelmValues({ ...wrong, cluster: { remote, lake, overrides } }))).toEqual([
            'cluster.overrides["kv.snapshot.intervall"]',
            ...further,
        ]);
        const none = { remote: { ...remote, bucket: "B" }, lake, overrides };
        expect(pathsOf(() => flussHelmValues({ ...wrong, cluster: none }))).toEqual([
            "cluster.remote.bucket",
            'cluster.overrides["kv.snapshot.intervall"]',
            ...further,
        ]);
    });

    it("refuse a lake in a folder of one machine", () => {
        const files = defineLake({
            catalog: { type: "hadoop" },
            storage: { type: "files", folder: "/var/lake" },
        });
        const act = () => flussHelmValues({ ...args, cluster: { remote, lake: files } });
        expect(pathsOf(act)).toContain("cluster.lake.storage.type");
    });

    it.each([
        ["rest", "s3", "--fs s3 --catalog rest"],
        ["rest", "s3Compatible", "--fs s3 --catalog rest"],
        ["jdbc", "s3", "--fs s3 --catalog jdbc-postgres"],
        ["jdbc", "adls", "--fs abs --catalog jdbc-postgres"],
        ["hadoop", "adls", "--fs abs"],
    ] as const)("set the lake plugin up for %s on %s", (catalog, storage, options) => {
        expect(lakeSetupOptions({ catalog: { type: catalog }, storage: { type: storage } })).toBe(options);
    });
});

describe("values of the Lakekeeper chart", () => {
    it("are those of the quickstart", () => {
        expect(lakekeeperHelmValues({ storageClass: "gp3" })).toEqual({
            postgresql: { storage: { className: "gp3" } },
            auth: { k8s: { enabled: true, legacyEnabled: true } },
        });
    });

    it("tell every fault at once", () => {
        const parts = { baseUri: "lake.example.com", ingres: { host: "h" } };
        expect(pathsOf(() => lakekeeperHelmValues({ storageSize: "5 GB", parts: parts as object }))).toEqual([
            "parts.baseUri",
            "parts.ingres",
            "storageClass",
            "storageSize",
        ]);
    });

    it("take a stable name, an encryption key and a database password of one's own", () => {
        expect(
            lakekeeperHelmValues({
                storageClass: "gp3",
                fullName: "fluss-lakekeeper",
                awaited: true,
                encryptionKey: { secretName: "lakekeeper-encryption", key: "encryptionKey" },
                databaseSecret: "lakekeeper-database",
            }),
        ).toEqual({
            fullnameOverride: "fluss-lakekeeper",
            helmWait: true,
            secretBackend: {
                type: "Postgres",
                postgres: {
                    encryptionKeySecret: "lakekeeper-encryption",
                    encryptionKeySecretKey: "encryptionKey",
                },
            },
            postgresql: {
                storage: { className: "gp3" },
                userDatabase: {
                    existingSecret: "lakekeeper-database",
                    name: { secretKey: "name" },
                    user: { secretKey: "user" },
                    password: { secretKey: "password" },
                },
            },
            auth: { k8s: { enabled: true, legacyEnabled: true } },
        });
    });
});
