import { beforeAll, expect, test } from "vitest";
import { type VvpDeploymentSpec, vvpDeploymentManifest } from "../../model/vvp-deployment.ts";
import { sharedBed } from "./shared-bed.ts";

/** The operator's objects, judged by a real API server under a schema of ours from the published lists of fields. */
const objects = "/apis/ververica.platform/v1/namespaces/default/vvpdeployments";
const strict = `${objects}?fieldValidation=Strict&dryRun=All`;
const spec: Required<Omit<VvpDeploymentSpec, "sqlScript">> = {
    name: "all-fields",
    kubernetesNamespace: "default",
    namespace: "default",
    owner: "operator-1",
    apikeySecretName: "vvp-token",
    displayName: "All",
    syncingMode: "PATCH",
    state: "CANCELLED",
    deploymentTarget: "fluss-quickstart-target",
    engineVersion: "vera-4.5-jdk11-flink-1.20",
    jarUri: "s3i://vvp/fluss-flink-tiering.jar",
    entryClass: "org.example.Main",
    mainArgs: "--a b",
    batchMode: true,
    additionalDependencies: ["s3i://vvp/a.jar"],
    flinkConf: { "taskmanager.numberOfTaskSlots": "2" },
    parallelism: 2,
    numberOfTaskManagers: 1,
    resources: { jobManager: { cpu: 0.5, memory: "1Gi" }, taskManager: { cpu: 2, memory: "4Gi" } },
    logging: { profile: "default", loggers: { "": "INFO" } },
    upgradeStrategy: "STATELESS",
    restoreStrategy: "LATEST_SAVEPOINT",
    savepointNonce: 1,
    restartNonce: 1,
    initialSavepointLocation: "s3://lake/savepoint-1",
    initFields: { spec: { template: { spec: { parallelism: 4 } } } },
    annotations: { team: "desk" },
};
const bed = sharedBed();

beforeAll(() => bed.define("vvpdeployments.json"));

test("every field of the typed spec is on the lists, for a JAR and for a script", async () => {
    await bed.send("POST", strict, vvpDeploymentManifest(spec));
    const { jarUri: _, entryClass: __, mainArgs: ___, ...rest } = spec;
    const script = vvpDeploymentManifest({ ...rest, sqlScript: "INSERT INTO a SELECT 1" });
    await bed.send("POST", strict, script);
});

test("an object is kept as it was given", async () => {
    const manifest = vvpDeploymentManifest(spec);
    await bed.send("POST", objects, manifest);
    expect((await bed.get(`${objects}/${spec.name}`))?.spec).toEqual(manifest.spec);
});

test("a misspelt field and an unknown word are refused: the schema can say no", async () => {
    const misspelt = vvpDeploymentManifest(spec);
    (misspelt.spec["deployment"] as Record<string, unknown>)["specs"] = {};
    await expect(bed.send("POST", strict, misspelt)).rejects.toThrow(
        /unknown field.*spec\.deployment\.specs/,
    );
    const unknown = vvpDeploymentManifest(spec);
    unknown.spec["syncingMode"] = "MERGE";
    await expect(bed.send("POST", strict, unknown)).rejects.toThrow(/syncingMode: Unsupported value/);
});
