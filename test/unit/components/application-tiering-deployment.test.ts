import { expect, it } from "vitest";
import {
    ApplicationTieringDeployment,
    type ApplicationTieringDeploymentArgs,
} from "../../../components/application-tiering-deployment.ts";
import { build, misplaced } from "./harness.ts";
import { client, looksAtTable, native } from "./kubernetes-tiering.ts";

const make = (args: Partial<ApplicationTieringDeploymentArgs> = {}) =>
    build(
        false,
        (opts) =>
            new ApplicationTieringDeployment(
                "desk",
                {
                    namespace: "fluss",
                    image: "registry.example.com/flink-with-fluss:1.20",
                    lake: native,
                    client,
                    ...args,
                },
                opts,
            ),
    );

it("makes Service, JobManager, TaskManager and the Secret of their environment; no other object holds a secret", async () => {
    const { made, completed } = await make({ clusterRevision: "7" });
    expect([...made.values()].map(({ type, name }) => [type, name])).toEqual([
        ["fluss:index:ApplicationTieringDeployment", "desk"],
        ["kubernetes:core/v1:Secret", "desk-environment"],
        ["kubernetes:core/v1:Service", "desk-service"],
        ["kubernetes:apps/v1:Deployment", "desk-jobmanager"],
        ["kubernetes:apps/v1:Deployment", "desk-taskmanager"],
    ]);
    expect(made.get("desk-environment")?.inputs).toMatchObject({
        immutable: true,
        stringData: { FLUSS_PASSWORD: "password-value", ICEBERG_TOKEN: "token-value" },
    });
    const others = [...made.values()].filter(({ name }) => name !== "desk-environment");
    expect(JSON.stringify(others)).not.toMatch(/password-value|token-value/);
    const jobManager = JSON.stringify(made.get("desk-jobmanager")?.inputs);
    expect(jobManager).toContain('"annotations":{"pulumi-fluss/cluster-revision":"7"}');
    expect(jobManager).toContain("${env:FLUSS_PASSWORD}");
    expect(misplaced(made, "desk")).toEqual([]);
    expect(completed).toEqual(["desk"]);
});

it("lets Kubernetes fill in the arguments of a job of 0.9, and gives it a restart strategy", async () => {
    const { made } = await make({ version: "0.9" });
    const jobManager = JSON.stringify(made.get("desk-jobmanager")?.inputs);
    expect(jobManager).toContain('"$(FLUSS_PASSWORD)"');
    expect(jobManager).toContain("restart-strategy.type: exponential-delay");
});

it("looks at a table of the lake after each change of the job, where that is wanted", () =>
    looksAtTable(make, "desk-jobmanager"));
