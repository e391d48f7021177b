import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it, vi } from "vitest";
import {
    VvpOperatorDeployment,
    type VvpOperatorDeploymentArgs,
} from "../../../components/vvp-operator-deployment.ts";
import { vvpDeploymentManifest } from "../../../model/vvp-deployment.ts";
import { build, failuresOf, misplaced } from "./harness.ts";

const spec = {
    name: "tiering",
    kubernetesNamespace: "vvp",
    owner: "operator-1",
    apikeySecretName: "vvp-token",
    deploymentTarget: "jobs",
    engineVersion: "vera-4.5-jdk11-flink-1.20",
    jarUri: "s3i://vvp/tiering.jar",
    mainArgs: "--a b",
    restoreStrategy: "NONE",
} as const;
const make = (args: Partial<VvpOperatorDeploymentArgs> = {}, preview = false) =>
    build(preview, (opts) => new VvpOperatorDeployment("desk", { ...spec, ...args }, opts));

describe.each([true, false])("VvpOperatorDeployment, preview %s", (preview) => {
    it("makes the object of the model and waits until the operator finds it consistent", async () => {
        const { made, completed } = await make({}, preview);
        const { metadata, spec: body } = vvpDeploymentManifest({
            ...spec,
            annotations: { "pulumi.com/waitFor": "condition=Consistent" },
        });
        expect([...made.keys()]).toEqual(["desk", "desk-deployment"]);
        expect(made.get("desk-deployment")).toMatchObject({
            type: "kubernetes:ververica.platform/v1:VvpDeployment",
            inputs: { apiVersion: "ververica.platform/v1", kind: "VvpDeployment", metadata, spec: body },
        });
        expect(misplaced(made, "desk")).toEqual([]);
        expect(completed).toEqual(["desk"]);
    });

    it("warns of a secret in clear, which stands in the object, and not of one by its name", async () => {
        const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue(undefined);
        const secret = "--fluss.client.security.sasl.password";
        await make(
            { mainArgs: `--a b ${secret} \${secret_values.pw} --x.adls.auth.shared-key.account.name acme` },
            preview,
        );
        expect(warn).not.toHaveBeenCalled();
        await make({ mainArgs: `--a b ${secret} sesame` }, preview);
        expect(warn.mock.calls.map(([text]) => text)).toEqual([
            expect.stringMatching(
                /mainArgs: --fluss\.client\.security\.sasl\.password holds its value in clear/,
            ),
        ]);
        expect(JSON.stringify(warn.mock.calls[0]![0])).not.toContain("sesame");
        warn.mockRestore();
    });

    it("makes the Secret of the token before it, and nothing else holds the token", async () => {
        const { made } = await make({ apiKey: "token-of-the-owner" }, preview);
        const secret = made.get("desk-apikey");
        expect(secret?.inputs).toMatchObject({
            metadata: { name: "vvp-token", namespace: "vvp" },
            stringData: { apikey: "token-of-the-owner" },
        });
        expect(secret?.secrets).toEqual(["stringData"]);
        expect(made.get("desk-deployment")?.dependsOn).toEqual(["desk-apikey"]);
        const others = [...made.values()].filter(({ name }) => name !== "desk-apikey");
        expect(JSON.stringify(others)).not.toContain("token-of-the-owner");
    });
});

it("waits for what it is told to, or for nothing", async () => {
    const annotations = async (args: Partial<VvpOperatorDeploymentArgs>) =>
        ((await make(args)).made.get("desk-deployment")!.inputs.metadata as { annotations: object })
            .annotations;
    expect(await annotations({ waitFor: "Healthy", annotations: { team: "desk" } })).toEqual({
        "pulumi.com/waitFor": "condition=Healthy",
        team: "desk",
        apikeySecretName: "vvp-token",
    });
    expect(await annotations({ waitFor: false })).toEqual({ apikeySecretName: "vvp-token" });
});

it("tells all faults of its arguments", async () => {
    const told = await failuresOf(
        (opts) => new VvpOperatorDeployment("desk", { ...spec, name: "Tiering", owner: "" }, opts),
    );
    expect(told).toMatch(/2 faults in the VvpDeployment.*name.*owner/s);
});

it("refuses what is missing and what does not exist, all at once", async () => {
    const told = await failuresOf(
        (opts) =>
            new VvpOperatorDeployment(
                "desk",
                {
                    ...spec,
                    owner: "",
                    kubernetesNamespace: "My Jobs",
                    engineVersion: undefined as unknown as string,
                    state: "PAUSED" as "RUNNING",
                    restoreStrategy: "LATEST" as "NONE",
                    parallelism: 0,
                },
                opts,
            ),
    );
    expect(told).toMatch(/6 faults in the VvpDeployment/);
    expect(told).toMatch(/- owner: is empty/);
    expect(told).toMatch(/- engineVersion: is required and missing/);
    expect(told).toMatch(/- kubernetesNamespace = "My Jobs": is no name in Kubernetes/);
    expect(told).toMatch(/- state = "PAUSED": .*RUNNING, SUSPENDED, CANCELLED/);
    expect(told).toMatch(/- restoreStrategy = "LATEST": /);
    expect(told).toMatch(/- parallelism = 0: /);
});
