import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FlinkTieringDeployment } from "../../components/flink-tiering-deployment.ts";
import { applicationClusterObjects } from "../../model/application-cluster.ts";
import { flinkDeploymentManifest } from "../../model/flink-deployment.ts";
import { defineLake } from "../../model/lake.ts";
import { changesOf, type TestStack, testStack } from "../engine/engine.ts";
import { sharedBed } from "./shared-bed.ts";

/**
 * A FlinkDeployment and its Secrets on a real API server, under a schema of ours from the operator's list of fields.
 * No operator runs.
 */
const namespace = "default";
const objects = `/apis/flink.apache.org/v1beta1/namespaces/${namespace}/flinkdeployments`;
const secrets = `/api/v1/namespaces/${namespace}/secrets`;
const bed = sharedBed();
let stack: TestStack;
let password = "first-password";

beforeAll(async () => {
    await bed.define("flinkdeployments.json");
    stack = await testStack({ env: bed.env, program });
});

afterAll(() => stack?.dispose());

async function program(): Promise<void> {
    const lake = defineLake({
        catalog: {
            type: "rest",
            uri: "http://catalog:8181/catalog",
            warehouse: "fluss",
            auth: { type: "token", token: { env: "ICEBERG_TOKEN", value: "token-in-clear" } },
            fileIo: "hadoop",
        },
        storage: {
            type: "s3",
            bucket: "lake",
            region: "eu-central-1",
            accessKey: { id: { value: "AKIA" }, secret: { value: "key-in-clear" } },
        },
    });
    new FlinkTieringDeployment(
        "desk",
        {
            namespace,
            lake: pulumi.secret(lake),
            client: pulumi.secret({
                bootstrapServers: "coordinator:9124",
                sasl: { username: "fluss-client", password: { env: "FLUSS_PASSWORD", value: password } },
            }),
            coreSite: true,
            installer: {
                image: "registry.example.com/fluss:1.0.0-vv-3",
                clients: [["fs-s3"], ["lake-tiering-service"]],
            },
            jarUri: "local:///opt/flink/usrlib/fluss-flink-tiering-1.0.0-vv-3.jar",
        },
        { provider: new k8s.Provider("bed", { kubeconfig: bed.access.kubeconfig }) },
    );
}

interface Deployed {
    job: { args: string[] };
    podTemplate: { spec: { containers: { envFrom: { secretRef: { name: string } }[] }[] } };
}

const deployed = async () => (await bed.get(`${objects}/fluss-tiering`))?.spec as unknown as Deployed;
const environmentOf = ({ podTemplate }: Deployed) =>
    podTemplate.spec.containers[0]?.envFrom[0]?.secretRef.name ?? "";

/** What both kinds of objects are made from, with every part that may be left out. */
const everyField = {
    name: "all-fields",
    namespace,
    entryClass: "org.example.Job",
    environmentSecret: "environment",
    coreSiteSecret: "core-site",
    imagePullSecret: "registry",
    installer: { image: "fluss", clients: [["fs-s3"]] },
};

test("the API server takes every field, and knows that it could refuse one", async () => {
    const manifest = flinkDeploymentManifest(
        {
            ...everyField,
            jarUri: "local:///opt/flink/usrlib/job.jar",
            restartNonce: 1,
        },
        [["datalake.format", "iceberg"]],
    );
    const strict = `${objects}?fieldValidation=Strict&dryRun=All`;
    await bed.send("POST", strict, manifest);
    const spec = { ...manifest.spec, imagePullSecrets: [{ name: "registry" }] };
    await expect(bed.send("POST", strict, { ...manifest, spec })).rejects.toThrow(/imagePullSecrets/);
    const { serviceAccount: _, ...without } = manifest.spec;
    await expect(bed.send("POST", strict, { ...manifest, spec: without })).rejects.toThrow(/serviceAccount/);
});

test("the API server takes every field of an application cluster's objects", async () => {
    const objects = applicationClusterObjects({ ...everyField, serviceAccount: "flink" }, [
        ["datalake.format", "iceberg"],
    ]);
    const strict = "?fieldValidation=Strict&dryRun=All";
    const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await bed.send("POST", `/api/v1/namespaces/${namespace}/services${strict}`, objects.service);
    for (const object of [objects.jobManager, objects.taskManager])
        await bed.send("POST", deployments + strict, object);
    const spec = { ...objects.jobManager.spec, replica: 1 };
    const wrong = { ...objects.jobManager, spec };
    await expect(bed.send("POST", deployments + strict, wrong)).rejects.toThrow(/replica/);
});

test("the job's Secrets hold what its arguments name, and no other object and no state does", async () => {
    await stack.up();
    const made = await deployed();
    expect(made.job.args).toContain("${env:FLUSS_PASSWORD}");
    const secret = await bed.get(`${secrets}/${environmentOf(made)}`);
    const content = (key: string) => Buffer.from(secret?.data[key] ?? "", "base64").toString();
    expect(content("FLUSS_PASSWORD")).toBe("first-password");
    expect(content("ICEBERG_TOKEN")).toBe("token-in-clear");
    for (const text of [JSON.stringify(made), JSON.stringify(await stack.export())]) {
        expect(text).not.toMatch(/first-password|token-in-clear|key-in-clear/);
    }
    expect(changesOf(await stack.up())).toEqual([]);
});

test("a new password makes a new Secret, and so another job", async () => {
    const before = environmentOf(await deployed());
    password = "second-password";
    const changes = changesOf(await stack.up());
    expect(new Set(changes.map(({ name }) => name))).toEqual(
        new Set(["desk-deployment", "desk-environment"]),
    );
    const after = environmentOf(await deployed());
    expect(after).not.toBe(before);
    expect(await bed.get(`${secrets}/${before}`)).toBeUndefined();
    const secret = await bed.get(`${secrets}/${after}`);
    expect(Buffer.from(secret?.data["FLUSS_PASSWORD"] ?? "", "base64").toString()).toBe("second-password");
});
