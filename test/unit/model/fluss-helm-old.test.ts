import { describe, expect, it } from "vitest";
import { type FlussHelmArgs, flussHelmValues } from "../../../model/fluss-helm-values.ts";
import { faultsOf } from "./fixtures/faults.ts";
import { lake, remote } from "./fixtures/quickstart.ts";

const args: FlussHelmArgs = {
    release: "0.9.1-incubating",
    imageRepository: "apache/fluss",
    extras: { plugins: "image" },
    cluster: { remote, lake },
    secrets: {
        FLUSS_S3_ACCESS_KEY: { secretName: "fluss-storage-credentials", key: "s3-access-key" },
        FLUSS_S3_SECRET_KEY: { secretName: "fluss-storage-credentials", key: "s3-secret-key" },
        FLUSS_DATALAKE_ICEBERG_TOKEN: { secretName: "fluss-lake-client-token", key: "token" },
    },
    storageClass: "gp3",
    zookeeper: { username: "zookeeper", address: "zk:2181" },
};

type Values = Record<"tablet" | "coordinator", Record<string, unknown>> & Record<string, unknown>;

describe("values of Apache's chart 0.9.1", () => {
    const values = flussHelmValues(args) as Values;

    it("have none of the keys that came with 1.0", () => {
        expect(values).not.toHaveProperty("secrets");
        expect(values.tablet).not.toHaveProperty("readinessProbe");
        expect(values.tablet).not.toHaveProperty("extraEnv");
        expect(values["configurationOverrides"]).not.toHaveProperty(["datalake.enabled"]);
    });

    it("name the secrets as variables of a shell, in no other option", () => {
        expect(values["configurationOverrides"]).toMatchObject({
            "s3.access.key": "${FLUSS_S3_ACCESS_KEY}",
            "s3.secret.key": "${FLUSS_S3_SECRET_KEY}",
            "datalake.format": "iceberg",
            "datalake.iceberg.token": "${FLUSS_DATALAKE_ICEBERG_TOKEN}",
        });
    });

    it.each(["tablet", "coordinator"] as const)(
        "fill them in before a %s server starts, in memory",
        (server) => {
            expect(values[server]).toMatchObject({
                extraVolumes: [{ name: "fluss-filled-conf", emptyDir: { medium: "Memory" } }],
                extraVolumeMounts: [
                    {
                        name: "fluss-filled-conf",
                        mountPath: "/opt/conf/server.yaml",
                        subPath: "server.yaml",
                    },
                ],
                initContainers: [
                    {
                        name: "fill-server-config",
                        image: "apache/fluss:0.9.1-incubating",
                        command: [
                            "/bin/sh",
                            "-c",
                            "envsubst '${FLUSS_S3_ACCESS_KEY} ${FLUSS_S3_SECRET_KEY} ${FLUSS_DATALAKE_ICEBERG_TOKEN}' < /template/server.yaml > /filled/server.yaml",
                        ],
                        env: expect.arrayContaining([
                            {
                                name: "FLUSS_DATALAKE_ICEBERG_TOKEN",
                                valueFrom: {
                                    secretKeyRef: { name: "fluss-lake-client-token", key: "token" },
                                },
                            },
                        ]),
                    },
                ],
            });
        },
    );

    it("keep the plugins' init container beside it", () => {
        const both = flussHelmValues({ ...args, extras: {} }) as Values;
        expect(both.tablet["initContainers"]).toMatchObject([
            { name: "install-plugins" },
            { name: "fill-server-config" },
        ]);
    });

    it("refuse a health check, which the chart does not have", () => {
        const wanted = { ...args, extras: { healthCheckTimeoutSeconds: 60 } };
        expect(faultsOf(() => flussHelmValues(wanted)).map(({ reason }) => reason)).toEqual([
            "the chart of 0.9.1-incubating has no health check",
        ]);
    });
});
