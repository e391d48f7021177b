/** Serves a provider over the protocol of the Pulumi engine, in this process and on the loopback interface. */

import { Buffer } from "node:buffer";
import grpc from "@grpc/grpc-js";
import services, { type IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import statuses from "@pulumi/pulumi/proto/status_pb.js";
import anys from "google-protobuf/google/protobuf/any_pb.js";
import type { toStruct } from "./values.ts";

/** A provider that runs. */
export interface Served {
    /** On 127.0.0.1. */
    port: number;
    /** Ends open calls and frees the port. */
    close(): Promise<void>;
}

/** The calls of the engine that a provider answers. */
export type Calls = Partial<IResourceProviderServer>;

/** Starts to serve on a free port of 127.0.0.1. */
export async function serve(calls: Calls): Promise<Served> {
    const server = new grpc.Server({ "grpc.max_receive_message_length": largestMessage });
    server.addService(services.ResourceProviderService, calls as grpc.UntypedServiceImplementation);
    const port = await new Promise<number>((resolve, reject) => {
        server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
            error ? reject(error) : resolve(bound),
        );
    });
    return { port, close: async () => server.forceShutdown() };
}

/** Makes of a function the answer to a call. `explain` gives the text of an error, as people shall read it. */
export function answering(explain: (error: unknown, peer: string) => string) {
    return <Request, Response>(run: (request: Request, peer: string) => Response | Promise<Response>) =>
        async (call: grpc.ServerUnaryCall<Request, Response>, reply: grpc.sendUnaryData<Response>) => {
            try {
                reply(null, await run(call.request, call.getPeer()));
            } catch (error) {
                reply(serviceError(error, (cause) => explain(cause, call.getPeer())));
            }
        };
}

/** Tells the engine that an object is to be kept in the state though its creation or update did not come to an end. */
export class InitFailed extends Error {
    readonly id: string;
    readonly properties: ReturnType<typeof toStruct>;
    /** What a refresh has found of the inputs; left out by a create. */
    readonly inputs: ReturnType<typeof toStruct> | undefined;

    constructor(
        id: string,
        properties: ReturnType<typeof toStruct>,
        cause: unknown,
        inputs?: ReturnType<typeof toStruct>,
    ) {
        super("initialization failed", { cause });
        this.id = id;
        this.properties = properties;
        this.inputs = inputs;
    }
}

/** As the engine itself takes them: a table's DDL or a job's SQL can be long. */
const largestMessage = 400 * 1024 * 1024;

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
        .setInputs(error.inputs)
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
