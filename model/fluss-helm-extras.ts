import * as z from "zod";
import { type Fault, joinPath, strict } from "./faults.ts";
import { saslUsername } from "./names.ts";
import { storageSize } from "./quantity.ts";

const kubernetesQuantity = z.string().regex(/^\d+(\.\d+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$/, {
    error: "is not a quantity of Kubernetes, like 500m or 4Gi",
});

const resourceList = strict({ cpu: kubernetesQuantity.optional(), memory: kubernetesQuantity.optional() });

/** Requests and limits of one container. */
const resources = strict({ requests: resourceList.optional(), limits: resourceList.optional() });

/** Exactly one of the two, as Kubernetes demands. A number of pods or a percentage. */
const disruptionBudget = strict({
    minAvailable: z.union([z.int().nonnegative(), z.string().regex(/^\d+%$/)]).optional(),
    maxUnavailable: z.union([z.int().nonnegative(), z.string().regex(/^\d+%$/)]).optional(),
}).refine(
    ({ minAvailable, maxUnavailable }) => (minAvailable === undefined) !== (maxUnavailable === undefined),
    {
        error: "must have exactly one of minAvailable and maxUnavailable",
        params: { fix: "Remove one of the two" },
    },
);

/** Schema of {@link FlussHelmExtras}. */
export const flussHelmExtras = strict({
    /** Number of coordinators. Default 1. More are possible, but not first-class (apache/fluss#4105). */
    coordinators: z.int().positive().optional(),
    /** Volume of each coordinator. Default: none, as in the quickstart. */
    coordinatorStorageSize: storageSize.optional(),
    /**
     * `init`: an init container fetches the plugins at every start of a pod, which needs a way to the internet
     * (quickstart). `image`: the image has them. Default `init`; of `FlussCluster` with Apache's chart `image`, since Apache's
     * image has no installer.
     */
    plugins: z.enum(["init", "image"]).optional(),
    /** Of the containers. */
    resources: strict({
        coordinatorServer: resources.optional(),
        tabletServer: resources.optional(),
    }).optional(),
    /** Places the tablet servers on different `zone`s or `host`s as far as that is possible. Default: no rule. */
    spread: z.enum(["host", "zone"]).optional(),
    /** How many pods may be taken away at once. */
    disruptionBudget: strict({
        tablet: disruptionBudget.optional(),
        coordinator: disruptionBudget.optional(),
    }).optional(),
    /** Reporters of metrics. Prometheus scrapes the chart's metrics Services, port 9249. */
    metrics: z.array(z.enum(["prometheus", "jmx"])).optional(),
    /**
     * Checks what each user may do; without it any user that can log in is an administrator. `superUsers` may do all.
     */
    authorizer: strict({ superUsers: z.array(saslUsername).min(1) }).optional(),
    /**
     * How long a tablet server may take until its buckets are in order before its probe gives up, in seconds. Default:
     * the chart's, 1200. After a restart of all servers they may come up one after the other, each as late as that.
     */
    healthCheckTimeoutSeconds: z.int().positive().optional(),
});

/** Further settings of the Fluss charts, all optional; unknown keys are refused, which the charts do not do. */
export type FlussHelmExtras = z.output<typeof flussHelmExtras>;

/** Server options that the extras stand for. */
export function extraOptions({ authorizer }: FlussHelmExtras): Record<string, string> {
    if (!authorizer) return {};
    return {
        "authorizer.enabled": "true",
        "super.users": authorizer.superUsers.map((user) => `User:${user}`).join(";"),
    };
}

/** Values at the chart's root. */
export function rootValues(extras: FlussHelmExtras): Record<string, unknown> {
    return {
        ...(extras.resources ? { resources: extras.resources } : {}),
        ...(extras.metrics?.length ? { metrics: { reporters: extras.metrics.join(",") } } : {}),
    };
}

/** Values of tablet servers or coordinators. */
export function podValues(
    extras: FlussHelmExtras,
    component: "tablet" | "coordinator",
    release: string,
): Record<string, unknown> {
    const budget = extras.disruptionBudget?.[component];
    return {
        ...(budget ? { podDisruptionBudget: { enabled: true, ...budget } } : {}),
        ...(extras.spread && component === "tablet"
            ? { topologySpreadConstraints: [spreadConstraint(extras.spread, release)] }
            : {}),
    };
}

/** The probe must outlast the health check: it would fail a server that the check still waits for. */
export function probeValues({ healthCheckTimeoutSeconds }: FlussHelmExtras): Record<string, unknown> {
    if (healthCheckTimeoutSeconds === undefined) return {};
    const failureThreshold = Math.ceil(healthCheckTimeoutSeconds / probePeriod) + 1;
    return { healthCheckTimeoutSeconds, periodSeconds: probePeriod, failureThreshold };
}

/** What the chart would do wrong with these together. */
export function extraFaults(extras: FlussHelmExtras, overrides: Record<string, unknown>): Fault[] {
    const taken = Object.keys(extraOptions({ ...extras, authorizer: { superUsers: ["x"] } }));
    return Object.keys(overrides)
        .filter((key) => taken.includes(key))
        .map((key) => ({
            path: joinPath("cluster.overrides", [key]),
            reason: `${key} comes from "authorizer"`,
            fix: "Set it there",
        }));
}

const probePeriod = 5;

function spreadConstraint(over: "host" | "zone", release: string): Record<string, unknown> {
    return {
        maxSkew: 1,
        topologyKey: over === "host" ? "kubernetes.io/hostname" : "topology.kubernetes.io/zone",
        whenUnsatisfiable: "ScheduleAnyway",
        labelSelector: {
            matchLabels: {
                "app.kubernetes.io/instance": release,
                "app.kubernetes.io/component": "tablet",
            },
        },
    };
}
