import { isDeepStrictEqual } from "node:util";
import { type Call, type Handler, Refusal } from "../shared/index.ts";
import type { Context } from "./context.ts";
import { findNamed, mergePatch, metadataOf, refuseTaken, v1List } from "./dialect.ts";
import { type Named, newNamed, type TargetSpec, touch } from "./state.ts";

interface Body {
    metadata: {
        name: string;
        labels?: Record<string, string> | null;
        annotations?: Record<string, string> | null;
    };
    spec: TargetSpec;
}

/** Deployment targets: the spec is fixed, and one that is referenced cannot be deleted (VVP 2 documentation). */
export function targetHandlers(context: Context): Record<string, Handler> {
    const { store } = context;
    const { targets } = store.state;
    const show = (target: Named<TargetSpec>) => ({
        apiVersion: "v1",
        kind: "DeploymentTarget",
        metadata: {
            ...metadataOf(target, context.workspace),
            isDefault: false,
            deploymentTargetResourceType: "DEFAULT",
        },
        spec: { kind: "kubernetes", state: "ONLINE", ...target.spec },
    });
    return {
        listDeploymentTargets: (call) =>
            v1List(
                "DeploymentTarget",
                targets.filter((t) => t.namespace === call.params["namespace"]).map(show),
            ),
        createDeploymentTarget: (call) => {
            const { metadata, spec } = call.body as Body;
            const namespace = call.params["namespace"]!;
            refuseTaken(targets, namespace, metadata.name, "deployment target");
            if (!context.kubernetesNamespaces.includes(spec.kubernetes.namespace)) {
                throw new Refusal(
                    400,
                    `Kubernetes namespace ${spec.kubernetes.namespace} does not exist or the platform has no access to it ` +
                        "(global.rbac.additionalNamespaces of the chart)",
                );
            }
            const target = newNamed(namespace, metadata, spec);
            targets.push(target);
            store.save();
            return { status: 201, body: show(target) };
        },
        getDeploymentTarget: (call) => ({
            status: 200,
            body: show(findNamed(targets, call, "deployment target")),
        }),
        patchDeploymentTarget: (call) => {
            const target = findNamed(targets, call, "deployment target");
            const body = call.body as Partial<Body>;
            if (body.spec && !isDeepStrictEqual(mergePatch(target.spec, body.spec), target.spec)) {
                throw new Refusal(400, `the spec of deployment target ${target.name} cannot be changed`);
            }
            target.labels = mergePatch(target.labels, body.metadata?.labels ?? {}) as Record<string, string>;
            target.annotations = mergePatch(target.annotations, body.metadata?.annotations ?? {}) as Record<
                string,
                string
            >;
            touch(target);
            store.save();
            return { status: 200, body: show(target) };
        },
        deleteDeploymentTarget: (call) => {
            const target = findNamed(targets, call, "deployment target");
            const users = usersOf(context, call, target.name);
            if (users.length > 0) {
                throw new Refusal(409, `deployment target ${target.name} is used by ${users.join(", ")}`);
            }
            targets.splice(targets.indexOf(target), 1);
            store.save();
            return { status: 200, body: show(target) };
        },
    };
}

function usersOf({ store }: Context, call: Call, target: string): string[] {
    const { namespace } = call.params;
    return [
        ...store.state.sessionClusters
            .filter(
                (cluster) => cluster.namespace === namespace && cluster.spec.deploymentTargetName === target,
            )
            .map((cluster) => `session cluster ${cluster.name}`),
        ...store.state.deployments
            .filter(({ namespace: ns, body }) => ns === namespace && body.deploymentTarget.mode === "PER_JOB")
            .filter(({ body }) => body.deploymentTarget.name === target)
            .map(({ body }) => `deployment ${body.name}`),
    ];
}
