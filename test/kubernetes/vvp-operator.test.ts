import { setTimeout as sleep } from "node:timers/promises";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
    VvpOperatorDeployment,
    type VvpOperatorDeploymentArgs,
} from "../../components/vvp-operator-deployment.ts";
import { type VvpDeploymentSpec, vvpDeploymentManifest } from "../../model/vvp-deployment.ts";
import { changesOf, type TestStack, testStack } from "../engine/engine.ts";
import type { KubeObject } from "./bed.ts";
import { sharedBed } from "./shared-bed.ts";

/**
 * The operator's objects on a real API server under a schema of ours. The operator itself is closed: an admission policy
 * stands in for its webhook, and the loop below for its reconciliation.
 */
const namespace = "operator-jobs";
const owner = "operator-1";
const admission = "/apis/admissionregistration.k8s.io/v1";
const policy = "owner";
const objects = `/apis/ververica.platform/v1/namespaces/${namespace}/vvpdeployments`;
const spec: VvpDeploymentSpec = {
    name: "fluss-quickstart-tiering",
    kubernetesNamespace: namespace,
    owner,
    apikeySecretName: "vvp-token",
    deploymentTarget: "fluss-quickstart-target",
    engineVersion: "vera-4.5-jdk11-flink-1.20",
    jarUri: "s3i://vvp/fluss-flink-tiering.jar",
    mainArgs: "--datalake.format iceberg",
    restoreStrategy: "NONE",
};
const bed = sharedBed();
let stack: TestStack;
let wish: Partial<VvpOperatorDeploymentArgs> = {};
let operator: StandIn;

beforeAll(async () => {
    await bed.makeNamespace(namespace);
    await bed.define("vvpdeployments.json");
    await webhook();
    operator = standIn();
    stack = await testStack({
        env: bed.env,
        program: async () => {
            const provider = new k8s.Provider("bed", { kubeconfig: bed.access.kubeconfig });
            const made = new VvpOperatorDeployment(
                "tiering",
                { ...spec, apiKey: pulumi.secret("token-of-the-owner"), timeoutSeconds: 60, ...wish },
                { providers: { kubernetes: provider } },
            );
            return { deploymentId: made.deploymentId, conditions: made.conditions };
        },
    });
});

afterAll(async () => {
    await operator?.stop();
    await stack?.dispose();
    // The policy is one of the cluster, and other files make such objects.
    for (const kind of ["validatingadmissionpolicybindings", "validatingadmissionpolicies"])
        await bed.send("DELETE", `${admission}/${kind}/${policy}`);
});

test("the object and the Secret of its token are made, and the operator's answer is waited for", async () => {
    const { outputs } = await stack.up();
    expect(outputs["deploymentId"]?.value).toBe("id-of-fluss-quickstart-tiering");
    expect(outputs["conditions"]?.value).toContainEqual(
        expect.objectContaining({ type: "Consistent", status: "True" }),
    );
    const secret = await bed.get(`/api/v1/namespaces/${namespace}/secrets/vvp-token`);
    expect(Buffer.from(secret?.data["apikey"] ?? "", "base64").toString()).toBe("token-of-the-owner");
    const { spec: body, metadata } = vvpDeploymentManifest(spec);
    const found = await bed.get(`${objects}/${spec.name}`);
    expect(found?.spec).toEqual(body);
    expect(found?.metadata.labels).toMatchObject(metadata.labels);
    for (const text of [JSON.stringify(await stack.export()), JSON.stringify(found)]) {
        expect(text).not.toContain("token-of-the-owner");
    }
});

test("no change is no change; a nonce is an update in place", async () => {
    expect(changesOf(await stack.up())).toEqual([]);
    wish = { restartNonce: 1, state: "SUSPENDED" };
    const changed = changesOf(await stack.up());
    expect(changed.map(({ op, name }) => [op, name])).toEqual([["update", "tiering-deployment"]]);
    expect((await bed.get(`${objects}/${spec.name}`))?.spec).toMatchObject({
        restartNonce: 1,
        deployment: { spec: { state: "SUSPENDED" } },
    });
});

test("an object of another operator is refused as by the webhook", async () => {
    wish = { owner: "operator-2" };
    await expect(stack.up()).rejects.toThrow(/ververica\.platform\/owner must be operator-1/);
});

test("an operator that does not answer ends the wait at the deadline, with what it said last", async () => {
    await operator.stop();
    wish = { name: "late", timeoutSeconds: 4 };
    await expect(stack.up()).rejects.toThrow(/Consistent|timed? ?out/i);
    operator = standIn();
    wish = { name: "late" };
    expect((await stack.up()).outputs["deploymentId"]?.value).toBe("id-of-late");
});

test("it is deleted with the stack", async () => {
    await stack.destroy();
    expect((await bed.get(objects))?.items).toEqual([]);
});

interface StandIn {
    stop(): Promise<void>;
}

/** Says of every object that it is consistent and healthy, and gives it an id. */
function standIn(): StandIn {
    let running = true;
    const loop = (async () => {
        while (running) {
            const { items } = (await bed.get(objects)) as KubeObject;
            for (const one of items.filter(({ status }) => !status)) {
                const conditions = ["Consistent", "Healthy"].map((type) => ({ type, status: "True" }));
                const status = { deploymentId: `id-of-${one.metadata.name}`, conditions };
                // Somebody may have changed or deleted it since.
                await bed
                    .send("PUT", `${objects}/${one.metadata.name}/status`, { ...one, status })
                    .catch(() => undefined);
            }
            await sleep(200);
        }
    })();
    return {
        async stop() {
            running = false;
            await loop;
        },
    };
}

/** Refuses objects without the operator's label; policies count a moment after they were made. */
async function webhook(): Promise<void> {
    const rules = [
        {
            apiGroups: ["ververica.platform"],
            apiVersions: ["v1"],
            operations: ["CREATE", "UPDATE"],
            resources: ["vvpdeployments"],
        },
    ];
    const label = "ververica.platform/owner";
    await bed.send("POST", `${admission}/validatingadmissionpolicies`, {
        metadata: { name: policy },
        spec: {
            failurePolicy: "Fail",
            matchConstraints: { resourceRules: rules },
            validations: [
                {
                    expression: `has(object.metadata.labels) && '${label}' in object.metadata.labels && object.metadata.labels['${label}'] == '${owner}'`,
                    message: `label ${label} must be ${owner}`,
                },
            ],
        },
    });
    await bed.send("POST", `${admission}/validatingadmissionpolicybindings`, {
        metadata: { name: policy },
        spec: { policyName: policy, validationActions: ["Deny"] },
    });
    const foreign = vvpDeploymentManifest({ ...spec, owner: "nobody" });
    for (let refused = false; !refused; await sleep(200)) {
        const asked = bed.send("POST", `${objects}?dryRun=All`, foreign);
        refused = await asked.then(
            () => false,
            (error: unknown) => String(error).includes(label),
        );
    }
}
