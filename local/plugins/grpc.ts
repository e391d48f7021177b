/** Serves a plugin of ours over the protocol of the Pulumi engine, in this process and on the loopback interface. */

import { Buffer } from "node:buffer";
import grpc from "@grpc/grpc-js";
import services, { type IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import statuses from "@pulumi/pulumi/proto/status_pb.js";
import anys from "google-protobuf/google/protobuf/any_pb.js";
import { Handlers, InitFailed } from "./handlers.ts";
import type { Plugin } from "./resource-type.ts";

export interface ServedPlugin {
    name: string;
    port: number;
    /** Ends open calls and frees the port. */
    close(): Promise<void>;
}

/** Starts to serve on a free port of 127.0.0.1. */
export async function servePlugin<Context>(plugin: Plugin<Context>): Promise<ServedPlugin> {
    const server = new grpc.Server();
    server.addService(services.ResourceProviderService, implementation(plugin));
    const port = await new Promise<number>((resolve, reject) => {
        server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
            error ? reject(error) : resolve(bound),
        );
    });
    return {
        name: plugin.name,
        port,
        close: async () => server.forceShutdown(),
    };
}

type Calls = Partial<IResourceProviderServer>;

function implementation<Context>(plugin: Plugin<Context>): grpc.UntypedServiceImplementation {
    const handlers = new Handlers(plugin);
    const configured = new Configurations<Context>();
    const answer =
        <Request, Response>(run: (request: Request, peer: string) => Response | Promise<Response>) =>
        async (call: grpc.ServerUnaryCall<Request, Response>, reply: grpc.sendUnaryData<Response>) => {
            try {
                reply(null, await run(call.request, call.getPeer()));
            } catch (error) {
                reply(
                    serviceError(error, (cause) => handlers.explain(cause, configured.find(call.getPeer()))),
                );
            }
        };
    const calls: Calls = {
        getPluginInfo: answer(() => handlers.pluginInfo()),
        getSchema: answer(() => handlers.schema()),
        attach: answer(() => handlers.nothing()),
        cancel: answer(() => handlers.nothing()),
        checkConfig: answer((request) => handlers.checkConfig(request)),
        diffConfig: answer((request) => handlers.diffConfig(request)),
        configure: answer((request, peer) => {
            const { context, response } = handlers.configure(request);
            configured.set(peer, context);
            return response;
        }),
        check: answer((request) => handlers.check(request)),
        diff: answer((request) => handlers.diff(request)),
        invoke: answer((request, peer) => handlers.invoke(configured.get(peer), request)),
        create: answer((request, peer) => handlers.create(configured.get(peer), request)),
        read: answer((request, peer) => handlers.read(configured.get(peer), request)),
        update: answer((request, peer) => handlers.update(configured.get(peer), request)),
        delete: answer((request, peer) => handlers.delete(configured.get(peer), request)),
    };
    return calls as grpc.UntypedServiceImplementation;
}

/**
 * The engine attaches every provider of a stack to the same port, each by a connection of its own. So the
 * connection tells whose configuration counts.
 */
class Configurations<Context> {
    readonly #byPeer = new Map<string, Context>();

    set(peer: string, context: Context): void {
        this.#byPeer.set(peer, context);
    }

    find(peer: string): Context | undefined {
        return this.#byPeer.get(peer);
    }

    get(peer: string): Context {
        const context = this.#byPeer.get(peer);
        if (context === undefined) throw new Error("the provider was not configured on this connection");
        return context;
    }
}

function serviceError(error: unknown, explain: (error: unknown) => string): Partial<grpc.StatusObject> {
    const code = grpc.status.UNKNOWN;
    if (!(error instanceof InitFailed)) return { code, details: explain(error) };
    const message = explain(error.cause);
    return { code, details: message, metadata: initFailedDetails(error, message) };
}

/** The engine reads structured errors from this binary trailer. */
function initFailedDetails(error: InitFailed, message: string): grpc.Metadata {
    const failed = new messages.ErrorResourceInitFailed()
        .setId(error.id)
        .setProperties(error.properties)
        .setReasonsList([message]);
    const detail = new anys.Any();
    detail.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
    const status = new statuses.Status()
        .setCode(grpc.status.UNKNOWN)
        .setMessage(message)
        .setDetailsList([detail]);
    const metadata = new grpc.Metadata();
    metadata.add("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
    return metadata;
}
