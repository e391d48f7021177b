import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { FlussCluster } from "../../components/fluss-cluster.ts";
import type { FlussChartArgs } from "../../components/fluss-cluster-chart.ts";
import { type TestStack, testStack } from "../engine/engine.ts";
import { lake } from "../unit/model/fixtures/quickstart.ts";
import type { TestBed } from "./bed.ts";

/** A stack with one Fluss cluster on the bed. */
export interface FlussStack {
    stack: TestStack;
    /** What the program asks for beside the quickstart's; tests change it. */
    wish: Partial<FlussChartArgs>;
    /** The kubeconfig of guard and Kubernetes provider; called while the program runs. */
    kubeconfig: () => pulumi.Input<string>;
    /** Another file with the login at the registry of charts. */
    registryConfig?: string;
}

/** The remote storage of the tests; its secret key may be found in Secrets only. */
export const remote: FlussChartArgs["remote"] = {
    storage: {
        type: "s3",
        bucket: "acme-fluss-remote",
        region: "eu-central-1",
        prefix: "fluss-remote-storage",
    },
    accessKeyId: "AKIAEXAMPLE",
    secretAccessKey: pulumi.secret("key-in-clear"),
};

/** Makes namespace and stack; nothing is installed yet. */
export async function flussStack(bed: TestBed, namespace: string): Promise<FlussStack> {
    if (!(await bed.get(`/api/v1/namespaces/${namespace}`))) await bed.makeNamespace(namespace);
    const made: FlussStack = {
        stack: await testStack({
            standIns: true,
            env: bed.env,
            program: async () => {
                const kubeconfig = made.kubeconfig();
                const kubernetes = new k8s.Provider("bed", {
                    kubeconfig: pulumi.secret(kubeconfig),
                    ...(made.registryConfig && {
                        helmReleaseSettings: { registryConfigPath: made.registryConfig },
                    }),
                });
                const cluster = new FlussCluster(
                    "desk",
                    {
                        chart: {
                            namespace,
                            access: { kubeconfig },
                            chart: { location: `oci://${bed.registry.charts}/fluss-bundle` },
                            remote,
                            lake,
                            storageClass: "kwok-volume",
                            ...made.wish,
                        },
                    },
                    { providers: { kubernetes } },
                );
                return { bootstrap: cluster.bootstrapServers, tiering: cluster.installed?.tiering };
            },
        }),
        wish: {},
        kubeconfig: () => bed.access.kubeconfig,
    };
    return made;
}
