import { serviceNames } from "./names.ts";
import type { Ports } from "./ports.ts";
import type { ServiceSpec } from "./spec.ts";

/** A storage account of the emulator. */
export interface StorageAccount {
    name: string;
    /** Base64. */
    key: string;
}

/** Azure's blob service, emulated, with one storage account that its key opens. Keeps everything in memory. */
export function azurite(program: string, ports: Ports, { name, key }: StorageAccount): ServiceSpec {
    const place = ["--blobHost", "127.0.0.1", "--blobPort", String(ports.azurite)];
    return {
        name: serviceNames.azurite,
        command: process.execPath,
        args: [program, ...place, "--inMemoryPersistence", "--skipApiVersionCheck", "--disableTelemetry"],
        env: { AZURITE_ACCOUNTS: `${name}:${key}` },
        files: {},
        secrets: [key],
        ready: { tcp: ports.azurite },
        deadlineSeconds: 60,
    };
}

/** Where the account's blob service answers. */
export function azuriteEndpoint(ports: Ports, account: string): string {
    return `http://127.0.0.1:${ports.azurite}/${account}`;
}
