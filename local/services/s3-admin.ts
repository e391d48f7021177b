import path from "node:path";
import {
    CreateAccessKeyCommand,
    CreateUserCommand,
    IAMClient,
    PutUserPolicyCommand,
} from "@aws-sdk/client-iam";
import { z } from "zod";
import type { Tools } from "../toolchain/types.ts";
import { foldersOf, readIfThere, writePrivate } from "./folders.ts";
import { serviceNames } from "./names.ts";
import type { Ports } from "./ports.ts";
import { s3, s3Endpoint, s3Region } from "./s3.ts";
import { rememberSecrets } from "./secrets.ts";
import type { Supervisor } from "./supervisor.ts";

/** Access to the emulator with every permission. */
export interface S3Admin {
    endpoint: string;
    region: string;
    accessKeyId: string;
    secretAccessKey: string;
}

/**
 * Starts the emulator and makes sure that there is an administrator, whose key is kept in `run/s3-admin.json`.
 * @returns `anew: true` when the emulator is empty because it was started just now: buckets, users and keys of an
 * earlier run are gone with it
 */
export async function startS3(
    supervisor: Supervisor,
    tools: Tools,
    ports: Ports,
): Promise<S3Admin & { anew: boolean; seconds: number }> {
    const began = performance.now();
    const spec = s3(tools, ports, supervisor.root);
    const file = path.join(foldersOf(supervisor.root).run, "s3-admin.json");
    const { kept } = await supervisor.start(spec);
    const known = readAdmin(file);
    const place = { endpoint: s3Endpoint(ports), region: s3Region };
    const seconds = () => (performance.now() - began) / 1000;
    if (kept && known !== undefined && known.emulator === supervisor.identity(spec.name)) {
        const { accessKeyId, secretAccessKey } = known;
        return { ...place, accessKeyId, secretAccessKey, anew: false, seconds: seconds() };
    }
    if (kept) {
        // A starter was killed before it had noted the key: the requests that need none may be used up.
        await supervisor.stop(spec.name);
        await supervisor.start(spec);
    }
    const key = await makeAdmin(place);
    rememberSecrets(supervisor.root, [key.secretAccessKey]);
    const admin: StoredAdmin = { ...key, emulator: supervisor.identity(serviceNames.s3) ?? "" };
    writePrivate(file, JSON.stringify(admin));
    return { ...place, ...key, anew: true, seconds: seconds() };
}

const storedAdmin = z.object({ accessKeyId: z.string(), secretAccessKey: z.string(), emulator: z.string() });
type StoredAdmin = z.infer<typeof storedAdmin>;

function readAdmin(file: string): StoredAdmin | undefined {
    try {
        return storedAdmin.parse(JSON.parse(readIfThere(file) ?? ""));
    } catch {
        return undefined;
    }
}

/** Exactly the three requests that need no key; a repetition would use up one more. */
async function makeAdmin(place: { endpoint: string; region: string }) {
    const nobody = { accessKeyId: "nobody", secretAccessKey: "nobody" };
    const iam = new IAMClient({ ...place, credentials: nobody, maxAttempts: 1 });
    const user = { UserName: "local-admin" };
    const everything = {
        Version: "2012-10-17",
        Statement: [{ Effect: "Allow", Action: "*", Resource: "*" }],
    };
    try {
        await iam.send(new CreateUserCommand(user));
        const policy = { ...user, PolicyName: "everything", PolicyDocument: JSON.stringify(everything) };
        await iam.send(new PutUserPolicyCommand(policy));
        const { AccessKey } = await iam.send(new CreateAccessKeyCommand(user));
        return z
            .object({ AccessKeyId: z.string(), SecretAccessKey: z.string() })
            .transform((key) => ({ accessKeyId: key.AccessKeyId, secretAccessKey: key.SecretAccessKey }))
            .parse(AccessKey);
    } catch (error) {
        throw new Error(
            `The S3 emulator at ${place.endpoint} did not take its first user: ${error instanceof Error ? error.message : error}. ` +
                "Stop the local lakehouse and start it again.",
        );
    } finally {
        iam.destroy();
    }
}
