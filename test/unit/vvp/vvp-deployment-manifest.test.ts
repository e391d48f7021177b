import { expect, test } from "vitest";
import { type VvpDeploymentSpec, vvpDeploymentManifest } from "../../../model/vvp-deployment.ts";

const spec: VvpDeploymentSpec = {
    name: "tiering",
    kubernetesNamespace: "vvp",
    owner: "operator-1",
    apikeySecretName: "vvp-token",
    deploymentTarget: "jobs",
    engineVersion: "vera-4.5-jdk11-flink-1.20",
    jarUri: "s3i://vvp/tiering.jar",
    mainArgs: "--a b",
};

test("has the owner label and the token's secret, and nothing that was not given", () => {
    expect(vvpDeploymentManifest({ ...spec, restoreStrategy: "NONE", annotations: { x: "y" } })).toEqual({
        apiVersion: "ververica.platform/v1",
        kind: "VvpDeployment",
        metadata: {
            name: "tiering",
            namespace: "vvp",
            labels: { "ververica.platform/owner": "operator-1" },
            annotations: { x: "y", apikeySecretName: "vvp-token" },
        },
        spec: {
            syncingMode: "PATCH",
            deployment: {
                metadata: { name: "tiering", namespace: "default" },
                spec: {
                    state: "RUNNING",
                    deploymentTargetName: "jobs",
                    upgradeStrategy: { kind: "STATEFUL" },
                    restoreStrategy: { kind: "NONE" },
                    template: {
                        spec: {
                            artifact: { kind: "JAR", jarUri: "s3i://vvp/tiering.jar", mainArgs: "--a b" },
                            engineVersionName: "vera-4.5-jdk11-flink-1.20",
                        },
                    },
                },
            },
        },
    });
});

test("resources, logging, script, mode and nonces have the operator's names", () => {
    const { jarUri: _jar, mainArgs: _args, ...rest } = spec;
    const made = vvpDeploymentManifest({
        ...rest,
        sqlScript: "INSERT INTO a SELECT 1",
        syncingMode: "PUT",
        savepointNonce: 2,
        restartNonce: 3,
        resources: { taskManager: { cpu: 2, memory: "4Gi" } },
        logging: { loggers: { "": "INFO" } },
    });
    expect(made.spec).toMatchObject({
        syncingMode: "PUT",
        savepointNonce: 2,
        restartNonce: 3,
        deployment: {
            spec: {
                template: {
                    spec: {
                        artifact: { kind: "SQLSCRIPT", sqlScript: "INSERT INTO a SELECT 1" },
                        resources: { taskmanager: { cpu: 2, memory: "4Gi" } },
                        logging: { log4jLoggers: { "": "INFO" } },
                    },
                },
            },
        },
    });
});

test("a batch job, a first savepoint, and what is sent once have the operator's names", () => {
    const made = vvpDeploymentManifest({
        ...spec,
        state: "CANCELLED",
        batchMode: true,
        displayName: "Tiering",
        initialSavepointLocation: "s3://lake/savepoint-1",
        initFields: { spec: { template: { spec: { parallelism: 2 } } } },
    });
    expect(made.spec).toMatchObject({
        initialSavepointSpec: { savepointLocation: "s3://lake/savepoint-1" },
        initFields: { spec: { template: { spec: { parallelism: 2 } } } },
        deployment: {
            metadata: { name: "tiering", namespace: "default", displayName: "Tiering" },
            spec: { state: "CANCELLED", template: { spec: { batchMode: true } } },
        },
    });
});

test("all faults are told at once", () => {
    const wrong: VvpDeploymentSpec = {
        ...spec,
        name: "Tiering",
        owner: "",
        mainArgs: "a\nb",
        sqlScript: "INSERT",
        syncingMode: "PUT",
        initFields: {},
        initialSavepointLocation: "s3://x",
    };
    expect(() => vvpDeploymentManifest(wrong)).toThrow(
        /exactly one.*name.*owner.*one line.*PATCH only.*while the deployment is CANCELLED/is,
    );
});
