/** A running S3 and IAM emulator of its own for a test file. */

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { IAMClient } from "@aws-sdk/client-iam";
import { S3Client } from "@aws-sdk/client-s3";
import { Provider, type ProviderArgs } from "@pulumi/aws";
import { choosePorts, type S3Admin, Supervisor, serviceNames, startS3 } from "../../local/services/index.ts";
import { testTools } from "./engine.ts";

export interface Emulator {
    /** Address and a key that may do everything. */
    admin: S3Admin;
    /** Client with the administrator's key, or another one. */
    s3(key?: Key): S3Client;
    iam(): IAMClient;
    /** Options of a Pulumi provider that works here with the administrator's key. */
    providerArgs(): ProviderArgs;
    /** Such a provider, with some options changed; its name is `aws`. */
    provider(overrides?: ProviderArgs): Provider;
    stop(): Promise<void>;
}

export interface Key {
    accessKeyId: string;
    secretAccessKey: string;
}

/** Starts the emulator on free ports; signatures and policies are enforced. */
export async function startEmulator(): Promise<Emulator> {
    const tools = await testTools();
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-fluss-emulator-"));
    const supervisor = new Supervisor(folder);
    const stop = async () => {
        await supervisor.stop(serviceNames.s3);
        fs.rmSync(folder, { recursive: true, force: true });
    };
    try {
        const ports = await choosePorts(folder, () => false);
        return { ...accessTo(await startS3(supervisor, tools, ports)), stop };
    } catch (error) {
        await stop();
        throw error;
    }
}

function accessTo(admin: S3Admin): Omit<Emulator, "stop"> {
    const { endpoint, region, accessKeyId, secretAccessKey } = admin;
    const own = { accessKeyId, secretAccessKey };
    const providerArgs = () => ({
        region,
        accessKey: accessKeyId,
        secretKey: secretAccessKey,
        s3UsePathStyle: true,
        skipCredentialsValidation: true,
        skipRequestingAccountId: true,
        endpoints: [{ s3: endpoint, iam: endpoint, sts: endpoint }],
    });
    return {
        admin,
        s3: (key = own) => new S3Client({ endpoint, region, credentials: key, forcePathStyle: true }),
        iam: () => new IAMClient({ endpoint, region, credentials: own }),
        providerArgs,
        provider: (overrides = {}) => new Provider("aws", { ...providerArgs(), ...overrides }),
    };
}
