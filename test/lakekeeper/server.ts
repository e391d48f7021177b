import { randomBytes } from "node:crypto";
import { LakekeeperClient } from "../../dynamic-providers/lakekeeper/client.ts";
import { type Info, readInfo } from "../../dynamic-providers/lakekeeper/server-info.ts";
import { startLakekeeperSimulator } from "../../local/simulators/lakekeeper/index.ts";
import { startCatalogStub } from "../unit/simulators-lakekeeper/stub-catalog.ts";

/** The server under test, and what the tests may use of it. */
export interface ServerUnderTest {
    connection: { url: string; token?: string };
    info: Info;
    /** A storage on which warehouses can be made; its folders are the tests' own. */
    storage: Record<string, unknown>;
    credential: Record<string, unknown>;
    /** Different in each run, so that two runs and leftovers do not meet. */
    run: string;
    close: () => Promise<void>;
}

/**
 * `LAKEKEEPER_URL` (with `LAKEKEEPER_TOKEN`) names a real server, on which everything is made in a project of its own.
 * A real server tries the storage: `LAKEKEEPER_TEST_BUCKET`, `…_REGION`, `…_ENDPOINT`, `…_ACCESS_KEY_ID` and
 * `…_SECRET_ACCESS_KEY` say which, as the server reaches it. Without a URL the tests run on the simulated one.
 */
export async function serverUnderTest(): Promise<ServerUnderTest> {
    const { connection, close } = await reach();
    const info = await readInfo(new LakekeeperClient(connection, { config: () => undefined }));
    const env = (name: string, absent: string) => process.env[`LAKEKEEPER_TEST_${name}`] || absent;
    const endpoint = process.env["LAKEKEEPER_TEST_ENDPOINT"];
    return {
        connection,
        info,
        storage: {
            type: "s3",
            bucket: env("BUCKET", "lakekeeper-test"),
            region: env("REGION", "us-east-1"),
            ...(endpoint ? { endpoint, flavor: "s3-compat", pathStyleAccess: true } : {}),
        },
        credential: {
            type: "s3-access-key",
            accessKeyId: env("ACCESS_KEY_ID", "AKIAEXAMPLE"),
            secretAccessKey: env("SECRET_ACCESS_KEY", "secret-of-the-test"),
        },
        run: `pulumi-fluss-${randomBytes(4).toString("hex")}`,
        close,
    };
}

async function reach() {
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
    });
    return {
        connection: { url: simulator.url, token: simulated },
        close: async () => {
            await simulator.close();
            await catalog.close();
        },
    };
}
