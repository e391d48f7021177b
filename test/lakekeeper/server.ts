import { startLakekeeperSimulator } from "../../local/simulators/lakekeeper/index.ts";
import type { Version } from "../../local/simulators/lakekeeper/version.ts";
import { startCatalogStub } from "../unit/simulators-lakekeeper/stub-catalog.ts";
import type { Bag } from "./lead.ts";
import { holdAgainstContract } from "./openapi.ts";

/** The server under test, and the storage on which it can make warehouses. */
export interface Reached {
    connection: { url: string; token?: string };
    /** As an argument of the resource, without a folder. */
    storage: Bag;
    credential: Bag;
    /** Both as the API writes them. */
    profile: Bag;
    rawCredential: Bag;
    close: () => Promise<void>;
}

/**
 * `LAKEKEEPER_URL` (with `LAKEKEEPER_TOKEN`) names a real server, on which everything is made in projects of its own.
 * A real server tries the storage: `LAKEKEEPER_TEST_BUCKET`, `…_REGION`, `…_ENDPOINT`, `…_ACCESS_KEY_ID` and
 * `…_SECRET_ACCESS_KEY` say which, as the server reaches it. Without a URL the tests run on the simulated one.
 * @param version of the simulated server
 */
export async function reach(version?: Version): Promise<Reached> {
    const env = (name: string, absent: string) => process.env[`LAKEKEEPER_TEST_${name}`] || absent;
    const endpoint = process.env["LAKEKEEPER_TEST_ENDPOINT"];
    const [bucket, region] = [env("BUCKET", "lakekeeper-test"), env("REGION", "us-east-1")];
    const key = env("ACCESS_KEY_ID", "AKIAEXAMPLE");
    const secret = env("SECRET_ACCESS_KEY", "secret-of-the-test");
    return {
        ...(await connect(version)),
        storage: {
            type: "s3",
            bucket,
            region,
            ...(endpoint ? { endpoint, flavor: "s3-compat", pathStyleAccess: true } : {}),
        },
        credential: { type: "s3-access-key", accessKeyId: key, secretAccessKey: secret },
        profile: {
            type: "s3",
            bucket,
            region,
            "sts-enabled": false,
            ...(endpoint ? { endpoint, flavor: "s3-compat", "path-style-access": true } : {}),
        },
        rawCredential: {
            type: "s3",
            "credential-type": "access-key",
            "aws-access-key-id": key,
            "aws-secret-access-key": secret,
        },
    };
}

/** Servers on which the cases live: the one that is named, or the simulated newest release and the ends of what is supported. */
export const servers: (Version | undefined)[] = process.env["LAKEKEEPER_URL"]
    ? [undefined]
    : [undefined, "0.10.4", "0.14.0"];

async function connect(version: Version | undefined) {
    const url = process.env["LAKEKEEPER_URL"];
    const token = process.env["LAKEKEEPER_TOKEN"];
    if (url) return { connection: { url, ...(token ? { token } : {}) }, close: async () => {} };
    const catalog = await startCatalogStub();
    const simulated = token ?? "token-of-the-test";
    const simulator = await startLakekeeperSimulator({
        port: 0,
        token: simulated,
        backendUrl: catalog.url,
        authzBackend: "openfga",
        systemIdentities: true,
        instanceAdmin: true,
        // The document is that of the newest release.
        ...(version === undefined ? { onExchange: holdAgainstContract } : { version }),
    });
    return {
        connection: { url: simulator.url, token: simulated },
        close: async () => {
            await simulator.close();
            await catalog.close();
        },
    };
}
