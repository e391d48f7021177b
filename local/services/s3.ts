import path from "node:path";
import type { Tools } from "../toolchain/types.ts";
import { foldersOf } from "./folders.ts";
import { serviceNames } from "./names.ts";
import type { Ports } from "./ports.ts";
import type { ServiceSpec } from "./spec.ts";

/** Region of everything in the local lakehouse; the emulator accepts any. */
export const s3Region = "us-east-1";

/** Requests that the emulator takes without a key after its start: those with which `startS3` makes the first user. */
export const openRequests = 3;

/** S3, IAM and STS in one emulator that enforces signatures and policies. Keeps everything in memory. */
export function s3(tools: Tools, ports: Ports, root: string): ServiceSpec {
    return {
        name: serviceNames.s3,
        command: tools.python,
        args: [tools.emulator, "--port", String(ports.s3)],
        env: {
            INITIAL_NO_AUTH_ACTION_COUNT: String(openRequests),
            PYTHONUNBUFFERED: "1",
            // Large objects are kept in temporary files.
            TMPDIR: path.join(foldersOf(root).run, serviceNames.s3, "tmp"),
        },
        files: {},
        // A request would be one of those that need no key.
        ready: { tcp: ports.s3 },
        deadlineSeconds: 60,
    };
}

/** Endpoint for S3, IAM and STS alike. */
export function s3Endpoint(ports: Ports): string {
    return `http://127.0.0.1:${ports.s3}`;
}
