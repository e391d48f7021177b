import { describe, expect, it } from "vitest";
import { flussHelmExtras } from "../../../model/fluss-helm-extras.ts";
import { type FlussHelmArgs, flussHelmValues, withRollout } from "../../../model/fluss-helm-values.ts";
import { faultsOf } from "./fixtures/faults.ts";
import { remote } from "./fixtures/quickstart.ts";

const args: FlussHelmArgs = {
    release: "1.0.0",
    imageRepository: "apache/fluss",
    cluster: { remote },
    secrets: {
        FLUSS_S3_ACCESS_KEY: { secretName: "fluss-storage-credentials", key: "s3-access-key" },
        FLUSS_S3_SECRET_KEY: { secretName: "fluss-storage-credentials", key: "s3-secret-key" },
    },
    storageClass: "gp3",
    zookeeper: { username: "zookeeper", address: "zk-0.zk:2181" },
    extras: {
        coordinators: 2,
        coordinatorStorageSize: "5Gi",
        plugins: "image",
        resources: { tabletServer: { requests: { cpu: "500m", memory: "4Gi" } } },
        spread: "zone",
        disruptionBudget: { tablet: { maxUnavailable: 1 } },
        metrics: ["prometheus", "jmx"],
        authorizer: { superUsers: ["admin", "ops"] },
        healthCheckTimeoutSeconds: 300,
    },
};

describe("further settings of the Fluss chart", () => {
    it("become the values that the chart reads, at the root for Apache's chart", () => {
        const values = flussHelmValues(args);
        expect(values).toMatchObject({
            image: { repository: "apache/fluss", tag: "1.0.0" },
            configurationOverrides: {
                "zookeeper.address": "zk-0.zk:2181",
                "authorizer.enabled": "true",
                "super.users": "User:admin;User:ops",
            },
            resources: { tabletServer: { requests: { cpu: "500m", memory: "4Gi" } } },
            metrics: { reporters: "prometheus,jmx" },
            coordinator: {
                numberOfReplicas: 2,
                storage: { enabled: true, size: "5Gi", storageClass: "gp3" },
            },
            tablet: {
                podDisruptionBudget: { enabled: true, maxUnavailable: 1 },
                topologySpreadConstraints: [{ topologyKey: "topology.kubernetes.io/zone" }],
            },
        });
        expect(values["tablet"]).not.toHaveProperty("initContainers");
        expect(values).not.toHaveProperty("zookeeper");
    });

    it("let the probe outlast the health check", () => {
        const { readinessProbe } = flussHelmValues(args)["tablet"] as {
            readinessProbe: Record<string, number>;
        };
        expect(readinessProbe["failureThreshold"]! * readinessProbe["periodSeconds"]!).toBeGreaterThan(300);
        expect(readinessProbe["healthCheckTimeoutSeconds"]).toBe(300);
    });

    it("annotate the pods in both shapes of the values", () => {
        const annotations = { "pulumi-fluss/rollout": "abc" };
        expect(withRollout(flussHelmValues(args), "abc", "def")).toMatchObject({
            tablet: { podAnnotations: annotations },
            coordinator: { podAnnotations: annotations },
        });
    });

    it("are refused where they are misspelt or contradict each other", () => {
        const parsed = flussHelmExtras.safeParse({
            metric: [],
            disruptionBudget: { tablet: { minAvailable: 1, maxUnavailable: 1 } },
        });
        expect(parsed.error?.issues.map(({ path }) => path.join("."))).toEqual(
            expect.arrayContaining(["", "disruptionBudget.tablet"]),
        );
        const twice = { ...args, cluster: { remote, overrides: { "super.users": "User:x" } } };
        expect(faultsOf(() => flussHelmValues(twice)).map(({ reason }) => reason)).toContain(
            'super.users comes from "authorizer"',
        );
    });
});
