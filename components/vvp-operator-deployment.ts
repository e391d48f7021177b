import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { tieredCluster } from "../model/engine-rules.ts";
import { isSecretPath } from "../model/faults.ts";
import { type VvpDeploymentSpec, vvpDeploymentManifest } from "../model/vvp-deployment.ts";
import { tieringClaim } from "./tiering-claim.ts";

/** Arguments of {@link VvpOperatorDeployment}: those of the model's `VvpDeploymentSpec`, and what is beside the object. */
export type VvpOperatorDeploymentArgs = {
    [K in keyof VvpDeploymentSpec]: pulumi.Input<VvpDeploymentSpec[K]>;
} & {
    /**
     * API token of the role owner for the operator. Makes the Secret `apikeySecretName` with it under `apikey`; kept as a
     * secret. Default: the Secret exists.
     */
    apiKey?: pulumi.Input<string>;
    /**
     * The condition of the object that an `up` waits for: `Consistent` (default) when the platform has the deployment as
     * asked, `Healthy` when the operator finds nothing wrong; `false` waits for nothing.
     */
    waitFor?: "Consistent" | "Healthy" | false;
    /** Longest wait, in seconds. Default 600. */
    timeoutSeconds?: number;
};

/**
 * A deployment that VVP 3's Kubernetes operator makes and keeps as its `VvpDeployment` object says (documentation of VVP
 * 3, "Kubernetes Operator"; not run against an operator). For platforms whose API is not reachable from where Pulumi runs,
 * and for those who have all their deployments in Kubernetes. The platform refuses changes of it by its API and console.
 */
export class VvpOperatorDeployment extends pulumi.ComponentResource {
    /** The platform's id of the deployment; undefined until the operator has told it. */
    readonly deploymentId: pulumi.Output<string | undefined>;
    /** What the operator says of it: type, status, reason and message of each condition. */
    readonly conditions: pulumi.Output<VvpDeploymentCondition[]>;
    /** The Kubernetes object. */
    readonly object: k8s.apiextensions.CustomResource;

    /** A wrong argument is a `FaultsError` with every fault, once all of them are known. */
    constructor(name: string, args: VvpOperatorDeploymentArgs, opts?: pulumi.ComponentResourceOptions) {
        super("fluss:index:VvpOperatorDeployment", name, {}, opts);
        const { apiKey, waitFor = "Consistent", timeoutSeconds = 600, ...spec } = args;
        const secret =
            apiKey === undefined
                ? []
                : [
                      new k8s.core.v1.Secret(
                          `${name}-apikey`,
                          {
                              metadata: { name: args.apikeySecretName, namespace: args.kubernetesNamespace },
                              stringData: pulumi.secret({ apikey: apiKey }),
                          },
                          { parent: this },
                      ),
                  ];
        const claim = tieringClaim(this, name);
        const manifest = pulumi.output(spec).apply((given) => {
            const known = given as VvpDeploymentSpec;
            const tiered = tieredCluster(known.jarUri, known.mainArgs);
            if (tiered !== undefined) claim(tiered);
            for (const key of secretsInClear(known.mainArgs)) {
                const text = `${name}: mainArgs: --${key} holds its value in clear, which whoever may read the Kubernetes object sees. Write \${secret_values.<name>} in its place`;
                void pulumi.log.warn(text, this);
            }
            return vvpDeploymentManifest(awaited(known, waitFor));
        });
        const timeout = `${timeoutSeconds}s`;
        this.object = new k8s.apiextensions.CustomResource(
            `${name}-deployment`,
            {
                apiVersion: "ververica.platform/v1",
                kind: "VvpDeployment",
                metadata: manifest.metadata,
                spec: manifest.spec,
                // So that what the operator writes there is an output.
                status: undefined,
            },
            { parent: this, dependsOn: secret, customTimeouts: { create: timeout, update: timeout } },
        );
        const { status } = this.object as unknown as {
            status: pulumi.Output<VvpDeploymentStatus | undefined>;
        };
        this.deploymentId = status.apply((found) => found?.deploymentId);
        this.conditions = status.apply((found) => found?.conditions ?? []);
        this.registerOutputs({ deploymentId: this.deploymentId });
    }
}

/** One condition of the object: `Healthy`, `Consistent`, `SpecAligned`, `NonceAligned`, `ParallelismAligned` or `DeletionBlocked`. */
export interface VvpDeploymentCondition {
    type: string;
    status: "True" | "False" | "Unknown";
    reason?: string;
    message?: string;
}

interface VvpDeploymentStatus {
    deploymentId?: string;
    conditions?: VvpDeploymentCondition[];
}

/** Arguments that a secret is expected in, and that hold no name of one. */
function secretsInClear(mainArgs: string | undefined): string[] {
    const found = [...(mainArgs ?? "").matchAll(/(?:^|\s)--(\S+?)(?:=|\s+)(?!--)(\S+)/g)];
    return found
        .filter(
            ([, key, value]) =>
                isSecretPath(key!) && !/\.name$/.test(key!) && !value!.includes("${secret_values."),
        )
        .map(([, key]) => key!);
}

/** Pulumi's Kubernetes provider reads this annotation. */
function awaited(spec: VvpDeploymentSpec, waitFor: VvpOperatorDeploymentArgs["waitFor"]): VvpDeploymentSpec {
    if (waitFor === false) return spec;
    return { ...spec, annotations: { "pulumi.com/waitFor": `condition=${waitFor}`, ...spec.annotations } };
}
