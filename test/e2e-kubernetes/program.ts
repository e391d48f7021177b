import fs from "node:fs";
import path from "node:path";
import type { ConfigMap, PulumiFn } from "@pulumi/pulumi/automation/index.js";
import { vi } from "vitest";
import { localFlussVersion } from "../../local/program.ts";
import { jobNamespace } from "../../local/simulators/services.ts";
import type { Tools } from "../../local/toolchain/types.ts";
import { isSecretPath } from "../../model/faults.ts";
import { type BedLakehouse, lakeBucket, namespace } from "./lakehouse.ts";

/** The Fluss catalog of the stack. */
export const catalog = "fluss_quickstart";

/** The program of the quickstart stack itself, run anew each time as an engine does. */
export const program: PulumiFn = async () => {
    vi.resetModules();
    return { ...(await import("../../stacks/quickstart.ts")) };
};

/**
 * A stack's configuration with both servers installed by Helm. What differs from a real one: S3 and the charts are reached at
 * addresses of this machine, one tablet server does for three, segments are small, the sample rows come from `datagen`, and
 * the jobs' JARs are those of the release that runs here.
 */
export function configOf({ bed, s3, ports }: BedLakehouse, jarsFolder: string): ConfigMap {
    const { repository, username, password, charts } = bed.registry;
    const values = {
        awsRegion: s3.region,
        s3Endpoint: s3.endpoint,
        lakeBucket,
        lakekeeperSource: "chart",
        flussSource: "chart",
        kubernetesNamespace: namespace,
        kubeconfig: bed.access.kubeconfig,
        storageClass: "kwok-volume",
        lakekeeperChartRepository: repository,
        lakekeeperChartUsername: username,
        lakekeeperChartPassword: password,
        flussChartLocation: `oci://${charts}/fluss-bundle`,
        flussChartVersion: "1.0.0-vv-3",
        tabletServers: "1",
        flussOverrides: JSON.stringify({
            "default.bucket.number": 1,
            "default.replication.factor": 1,
            "log.segment.file-size": "64kb",
            "remote.log.task-interval-duration": "5s",
            "kv.snapshot.interval": "15s",
        }),
        flussVersion: localFlussVersion,
        vvpUrl: `http://127.0.0.1:${ports.vvp}`,
        jobNamespace,
        jarsFolder,
        tieringArguments: JSON.stringify({ "fluss.tiering.poll.table.interval": "5s" }),
        sampleGenerator: "datagen",
        deletionProtection: "false",
        destroyContents: "true",
    };
    return Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, { value, secret: isSecretPath(key) }]),
    );
}

/** A folder with the JARs, as the installer of the image leaves one. */
export function jarsFolderOf({ classPaths }: Tools, root: string): string {
    const folder = path.join(root, "jars");
    fs.mkdirSync(folder, { recursive: true });
    for (const jar of [classPaths.tieringJar, ...classPaths.clientJars])
        fs.copyFileSync(jar, path.join(folder, path.basename(jar)));
    return folder;
}
