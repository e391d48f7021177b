import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import {
    type LakekeeperSimulator,
    startLakekeeperSimulator,
} from "../../../local/simulators/lakekeeper/index.ts";
import type { Call, ServerStart } from "./recording.ts";
import { type CatalogStub, startCatalogStub } from "./stub-catalog.ts";
import { type S3Stub, startS3Stub } from "./stub-s3.ts";

export interface Reply {
    status: number;
    headers: Headers;
    text: string;
}

/** Nobody listens there. */
const closed = "http://127.0.0.1:1";

/** A simulated Lakekeeper that is started again and again, as the recorded one was, with what it talked to. */
export class ReplayServer {
    readonly #folder = mkdtempSync(join(tmpdir(), "lakekeeper-replay-"));
    readonly #catalog: CatalogStub;
    readonly #s3: S3Stub;
    readonly #hanging: Awaited<ReturnType<typeof startHanging>>;
    #simulator: LakekeeperSimulator | undefined;

    static async start(): Promise<ReplayServer> {
        const s3 = await startS3Stub({ keys: ["AKIAX"], buckets: ["lake", "lake2"] });
        return new ReplayServer(await startCatalogStub(), s3, await startHanging());
    }

    private constructor(catalog: CatalogStub, s3: S3Stub, hanging: Awaited<ReturnType<typeof startHanging>>) {
        this.#catalog = catalog;
        this.#s3 = s3;
        this.#hanging = hanging;
    }

    async restart(wanted: ServerStart): Promise<void> {
        await this.#simulator?.close();
        const { state, storage, meeting, authentication, maintenance, ...settings } = wanted;
        this.#s3.meeting = meeting;
        const users = ["me", "boss", "other"];
        this.#simulator = await startLakekeeperSimulator({
            port: 0,
            stateFile: join(this.#folder, `${state}.json`),
            token: authentication ? "nobody's" : null,
            accepts: (token) => users.includes(token) && `oidc~${token}`,
            backendUrl: this.#catalog.url,
            // Where AWS itself was meant, it could not be reached.
            ...(storage || meeting ? { s3: { endpoint: meeting ? this.#s3.endpoint : closed } } : {}),
            ...settings,
        });
        if (maintenance) this.#simulator.switches.maintenanceSeconds = maintenance;
    }

    /** Makes a call, whose ids must already be those of the simulator. */
    async send(call: Call): Promise<Reply> {
        const simulator = this.#running();
        simulator.switches.instanceAdmin = call.headers?.["authorization"] === "Bearer boss";
        if (call.http10) return http10(simulator.url, call);
        const body = call.bodyMegabytes
            ? Buffer.alloc(call.bodyMegabytes * 1024 * 1024, "k")
            : // Bytes, since a text would get a content type of its own.
              call.body !== undefined && Buffer.from(this.here(call.body));
        const answer = await fetch(new URL(simulator.url + call.path), {
            method: call.method,
            headers: {
                ...(call.contentType ? { "content-type": call.contentType } : {}),
                ...call.headers,
            },
            ...(body ? { body } : {}),
        });
        return { status: answer.status, headers: answer.headers, text: await answer.text() };
    }

    /** A recorded text with the addresses of what stands here for what was there. */
    here(recorded: string): string {
        return recorded
            .replaceAll("http://127.0.0.1:15500", this.#s3.endpoint)
            .replaceAll("http://127.0.0.1:15599", this.#hanging.endpoint)
            .replaceAll(/http:\/\/127\.0\.0\.1:181(81|82|90)\b/g, this.#running().url);
    }

    async close(): Promise<void> {
        await this.#simulator?.close();
        await Promise.all([this.#catalog.close(), this.#s3.close(), this.#hanging.close()]);
        rmSync(this.#folder, { recursive: true });
    }

    #running(): LakekeeperSimulator {
        if (!this.#simulator) throw new Error("The recording does not begin with the start of a server");
        return this.#simulator;
    }
}

/** An endpoint that takes requests and never answers. */
async function startHanging() {
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
        endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        close: () =>
            new Promise<void>((resolve) => {
                server.close(() => resolve());
                server.closeAllConnections();
            }),
    };
}

async function http10(url: string, { method, path }: Call): Promise<Reply> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(`${method} ${path} HTTP/1.0\r\n\r\n`);
    const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n");
    const [first = "", ...lines] = head.split("\r\n");
    const headers = new Headers(lines.map((line) => line.split(": ", 2) as [string, string]));
    return { status: Number(first.split(" ")[1]), headers, text: body };
}
