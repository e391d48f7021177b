import http from "node:http";
import net, { type AddressInfo } from "node:net";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { LakekeeperCatalog } from "../../components/lakekeeper-catalog.ts";
import type { LakekeeperChartArgs } from "../../components/lakekeeper-catalog-chart.ts";
import { type TestStack, testStack } from "../engine/engine.ts";
import type { TestBed } from "./bed.ts";

/** A stack with Lakekeeper by Helm in a namespace of its own. */
export interface LakekeeperStack extends TestStack {
    /** What the program asks for beyond namespace and access; tests change it. */
    wish: Partial<LakekeeperChartArgs>;
    /** Whether Lakekeeper keeps its warehouse when the stack is destroyed. */
    keepWarehouse: boolean;
    /** Something else that the program makes instead. */
    instead?: (provider: k8s.Provider) => void;
}

export async function lakekeeperStack(
    bed: TestBed,
    namespace: string,
    wish: Partial<LakekeeperChartArgs>,
): Promise<LakekeeperStack> {
    if (!(await bed.get(`/api/v1/namespaces/${namespace}`))) await bed.makeNamespace(namespace);
    const program = async () => {
        const kubernetes = new k8s.Provider("bed", { kubeconfig: bed.access.kubeconfig });
        if (own.instead) {
            own.instead(kubernetes);
            return {};
        }
        const catalog = new LakekeeperCatalog(
            "desk",
            {
                chart: { namespace, access: bed.access, ...chartSource(bed), ...own.wish },
                storage: {
                    bucket: "acme-fluss-lake",
                    region: "eu-central-1",
                    key: {
                        accessKeyId: pulumi.output("AKIAEXAMPLE"),
                        secretAccessKey: pulumi.secret("store-in-clear"),
                    },
                },
                deletionProtection: false,
            },
            {
                providers: { kubernetes },
                transformations: [
                    ({ type, props, opts }) =>
                        own.keepWarehouse && type.endsWith("lakekeeper:Warehouse")
                            ? { props, opts: { ...opts, retainOnDelete: true } }
                            : undefined,
                ],
            },
        );
        return { uri: catalog.catalogUri, token: catalog.token, warehouse: catalog.warehouse };
    };
    const own = { wish, keepWarehouse: false } as LakekeeperStack;
    return Object.assign(own, await testStack({ env: bed.env, program }));
}

export function chartSource({ registry: { repository, username, password } }: TestBed) {
    return { repository, login: { username, password } };
}

/** What the named resource keeps in the state. */
export async function outputsOf(stack: TestStack, type: string): Promise<Record<string, unknown>> {
    const { deployment } = await stack.export();
    const resources = deployment.resources as { type: string; outputs: Record<string, unknown> }[];
    return resources.find((resource) => resource.type.endsWith(type))?.outputs ?? {};
}

/** Counts the connections to a server behind it, all of them and those that are open now, at the port `own`. */
export async function countingProxy(
    port: number,
    own = 0,
): Promise<{ port: number; opened(): number; open(): number; cut(): void; close(): Promise<void> }> {
    const sockets = new Set<net.Socket>();
    let opened = 0;
    const server = net.createServer((socket) => {
        opened++;
        sockets.add(socket);
        const behind = net.connect(port, "127.0.0.1");
        for (const [one, other] of [
            [socket, behind],
            [behind, socket],
        ] as const) {
            one.pipe(other);
            one.on("error", () => other.destroy());
            one.on("close", () => other.destroy());
        }
        socket.on("close", () => sockets.delete(socket));
    });
    await new Promise<void>((done) => server.listen(own, "127.0.0.1", done));
    return {
        port: (server.address() as AddressInfo).port,
        opened: () => opened,
        open: () => sockets.size,
        /** Ends every connection that is open. */
        cut: () => {
            for (const socket of sockets) socket.destroy();
        },
        close: () => {
            for (const socket of sockets) socket.destroy();
            return new Promise((done) => server.close(() => done()));
        },
    };
}

/** Stands for an ingress controller: takes the folder away, and says so in a header. Anything else is not found. */
export async function ingressController(
    folder: string,
    behind: string,
): Promise<{ port: number; requests: string[]; close(): Promise<void> }> {
    const requests: string[] = [];
    const server = http.createServer((request, response) => {
        const path = request.url ?? "";
        requests.push(path);
        if (!path.startsWith(`${folder}/`)) return void response.writeHead(404).end();
        const headers = { ...request.headers, "x-forwarded-prefix": folder };
        const onwards = http.request(
            `${behind}${path.slice(folder.length)}`,
            { method: request.method, headers },
            (answer) => {
                response.writeHead(answer.statusCode ?? 502, answer.headers);
                answer.pipe(response);
            },
        );
        onwards.on("error", () => response.writeHead(502).end());
        request.pipe(onwards);
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return {
        port: (server.address() as AddressInfo).port,
        requests,
        close: () => {
            server.closeAllConnections();
            return new Promise((done) => server.close(() => done()));
        },
    };
}
