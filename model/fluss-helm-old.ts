import { type Fault, joinPath } from "./faults.ts";
import type { FlussHelmExtras } from "./fluss-helm-extras.ts";
import type { SecretKey } from "./fluss-helm-values.ts";

/** True for releases before 1.0: their servers replace no markers, and their chart has neither `secrets` nor a probe. */
export function isOldRelease(release: string): boolean {
    return release.startsWith("0.");
}

/**
 * What the pods of such a release need, so that no secret stands in the ConfigMap: an init container copies server.yaml
 * into memory and fills in the variables, as the chart's own init container does with the JAAS file; the copy is laid
 * over the ConfigMap's file, from which the server's start script reads.
 * @param names variables that server.yaml names
 */
export function filledConfig(image: string, names: string[], secrets: Record<string, SecretKey>) {
    const volume = "fluss-filled-conf";
    // Only these: another $ in the file stays as it is.
    const list = names.map((name) => `\${${name}}`).join(" ");
    return {
        volumes: [{ name: volume, emptyDir: { medium: "Memory", sizeLimit: "1Mi" } }],
        mounts: [{ name: volume, mountPath: "/opt/conf/server.yaml", subPath: "server.yaml" }],
        initContainers: [
            {
                name: "fill-server-config",
                image,
                command: [
                    "/bin/sh",
                    "-c",
                    `envsubst '${list}' < /template/server.yaml > /filled/server.yaml`,
                ],
                env: names.map((name) => ({
                    name,
                    valueFrom: {
                        secretKeyRef: { name: secrets[name]?.secretName, key: secrets[name]?.key },
                    },
                })),
                volumeMounts: [
                    // The chart's own volume, with its ConfigMap.
                    { name: "fluss-conf", mountPath: "/template" },
                    { name: volume, mountPath: "/filled" },
                ],
            },
        ],
    };
}

/** Settings that the chart of such a release does not have and would ignore in silence. */
export function oldReleaseFaults(release: string, extras: FlussHelmExtras): Fault[] {
    if (!isOldRelease(release) || extras.healthCheckTimeoutSeconds === undefined) return [];
    return [
        {
            path: joinPath("settings", ["healthCheckTimeoutSeconds"]),
            reason: `the chart of ${release} has no health check`,
            fix: "Remove it, or install 1.0",
        },
    ];
}
