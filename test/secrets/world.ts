/** All that a whole lakehouse needs, simulated but for S3 and IAM, with what each server tells about itself. */
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { choosePorts, type S3Admin, Supervisor, serviceNames, startS3 } from "../../local/services/index.ts";
import {
    type LakekeeperSimulator,
    startLakekeeperSimulator,
} from "../../local/simulators/lakekeeper/index.ts";
import { startMemoryCatalog } from "../../local/simulators/lakekeeper/memory-catalog.ts";
import { startVvpSimulator, type VvpSimulator } from "../../local/simulators/vvp/index.ts";
import type { Tools } from "../../local/toolchain/index.ts";
import { flinkBefore, SqlServer, startSqlGateway } from "../faults/sql-server.ts";
import { callPlatform } from "../platform-call.ts";
import { type StubFluss, type StubSettings, startStubFluss } from "../unit/fluss/stub-fluss.ts";
import { type Echo, startEcho } from "./echo.ts";
import { stems } from "./marks.ts";

export interface SecretsWorld {
    s3: S3Admin;
    lakekeeper: LakekeeperSimulator;
    oidc: string;
    vvp: VvpSimulator;
    /** What the program takes for the servers. */
    fronts: Record<"lakekeeper" | "vvp" | "gateway", Echo>;
    /** Its password is that of the present version. */
    fluss: StubFluss & { settings: StubSettings };
    /** Bodies that the simulated Lakekeeper got: they hold the secrets, and are no log. */
    readonly received: readonly string[];
    /** What the servers have written about their work. */
    logs(): { name: string; text: string }[];
    /** A call to the platform past the stack. */
    outside(method: string, where: string, body?: unknown): Promise<string>;
    close(): Promise<void>;
}

/** @param folder a new folder for the emulator's files */
export async function startWorld(tools: Tools, folder: string): Promise<SecretsWorld> {
    const lines: Record<string, string[]> = { Lakekeeper: [], VVP: [] };
    const received: string[] = [];
    const supervisor = new Supervisor(folder);
    const s3 = await startS3(supervisor, tools, await choosePorts(folder, () => false));
    const catalog = await startMemoryCatalog();
    const lakekeeper = await startLakekeeperSimulator({
        port: 0,
        token: stems.lakekeeperToken,
        accepts: (given) => given.startsWith(stems.lakekeeperToken) || given === accessToken,
        backendUrl: catalog.url,
        authzBackend: "openfga",
        onRequest: (request) => void lines["Lakekeeper"]?.push(JSON.stringify(request)),
        onExchange: ({ body }) => void received.push(body),
    });
    const vvp = await startVvpSimulator({
        port: 0,
        token: stems.vvpToken,
        flink: flinkBefore(new SqlServer()),
        kubernetesNamespaces: ["jobs"],
        flussConsole: true,
        transitionReads: 0,
        onRequest: (request) => void lines["VVP"]?.push(JSON.stringify(request)),
        report: (line) => void lines["VVP"]?.push(line),
    });
    const settings: StubSettings = {};
    const fluss = { ...(await startStubFluss(settings)), settings };
    const gateway = await startSqlGateway(new SqlServer());
    const oidc = await startOidc();
    const fronts = {
        lakekeeper: await startEcho(lakekeeper.url, /^\/management\/v1\/warehouse/),
        vvp: await startEcho(vvp.url, /secret-values|apitokens|fluss\/api|sqlscripts/),
        gateway: await startEcho(gateway.url, /statements/, 500),
    };
    return {
        s3,
        lakekeeper,
        oidc: oidc.url,
        vvp,
        fluss,
        fronts,
        received,
        logs: () => [
            ...Object.entries(lines).map(([name, told]) => ({ name, text: told.join("\n") })),
            ...filesBelow(path.join(folder, "logs")),
        ],
        outside: async (method, where, body) =>
            (await callPlatform(vvp.url, stems.vvpToken, method, where, body)).text,
        async close() {
            await oidc.close();
            for (const front of Object.values(fronts)) await front.close();
            await gateway.close();
            await fluss.close();
            await vvp.close();
            await lakekeeper.close();
            await catalog.close();
            await supervisor.stop(serviceNames.s3);
        },
    };
}

/** Every file below a folder, as text. */
export function filesBelow(folder: string): { name: string; text: string }[] {
    if (!fs.existsSync(folder)) return [];
    return fs
        .readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.join(entry.parentPath, entry.name))
        .map((file) => ({ name: path.relative(folder, file), text: fs.readFileSync(file, "latin1") }));
}

const accessToken = "MARK-access-token-of-oidc";

/** What a login of OpenID makes is a secret, too. */
export const madeByOidc = accessToken;

async function startOidc(): Promise<{ url: string; close: () => Promise<void> }> {
    const server = http.createServer(async (request, response) => {
        const form = new URLSearchParams(await text(request));
        const known = form.get("client_secret")?.startsWith(stems.oidcSecret) ?? false;
        const isToken = request.url === "/token";
        response.writeHead(isToken && !known ? 401 : 200, { "content-type": "application/json" });
        const answer = isToken
            ? known
                ? { access_token: accessToken, expires_in: 600 }
                : { error: "invalid_client" }
            : { token_endpoint: `http://${request.headers.host}/token` };
        response.end(JSON.stringify(answer));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        close: () => new Promise((done) => server.close(() => done())),
    };
}
