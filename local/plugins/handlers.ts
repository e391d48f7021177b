/** What each call of the engine does, on plain messages; `grpc.ts` serves them. */

import plugins from "@pulumi/pulumi/proto/plugin_pb.js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import empties from "google-protobuf/google/protobuf/empty_pb.js";
import { InitFailed } from "../../host/serve.ts";
import { nameOf, typeTokenOf } from "../../host/urn.ts";
import { engineOptions, fromStruct, isNote, markLike, plainProperties, toStruct } from "../../host/values.ts";
import { inputFailures } from "./check.ts";
import { type ChangeKind, difference, type PropertyChange } from "./diff.ts";
import { completeInputs } from "./naming.ts";
import { type Failure, IncompleteError, type Plugin, type ResourceType } from "./resource-type.ts";
import { SdkInputs } from "./sdk-inputs.ts";
import {
    createdState,
    definedOnly,
    readInputs,
    secretPattern,
    unknownOutputs,
    updatedState,
} from "./state.ts";

/** The calls of one plugin. `context` is the configuration of the provider that the calling connection is for. */
export class Handlers<Context> {
    readonly #plugin: Plugin<Context>;
    readonly #sdk: SdkInputs;
    readonly #types: ReadonlyMap<string, ResourceType<Context>>;

    constructor(plugin: Plugin<Context>) {
        this.#plugin = plugin;
        this.#sdk = new SdkInputs(plugin.sdk);
        this.#types = new Map(plugin.types.map((type) => [type.token, type]));
    }

    pluginInfo() {
        return new plugins.PluginInfo().setVersion(this.#sdk.version);
    }

    schema() {
        return new messages.GetSchemaResponse().setSchema("{}");
    }

    nothing() {
        return new empties.Empty();
    }

    /** Refuses options that the SDK does not know or that the stand-in would not act on. */
    checkConfig(request: messages.CheckRequest) {
        const { sdk, options } = this.#plugin;
        const known = this.#sdk.ofProvider();
        const reasonAgainst = (name: string) => {
            if (isNote(name) || engineOptions.has(name) || options.includes(name)) return undefined;
            return known.has(name)
                ? `the stand-in for the plugin of ${sdk} does not act on '${name}'`
                : `${sdk} has no provider option '${name}'`;
        };
        const failures = Object.keys(fromStruct(request.getNews())).flatMap((property) => {
            const reason = reasonAgainst(property);
            return reason ? [{ property, reason }] : [];
        });
        return new messages.CheckResponse()
            .setInputs(request.getNews())
            .setFailuresList(failures.map(failureMessage));
    }

    /** A provider whose configuration changed is configured anew, never replaced. */
    diffConfig(request: messages.DiffRequest) {
        const olds = JSON.stringify(fromStruct(request.getOldInputs() ?? request.getOlds()));
        const same = olds === JSON.stringify(fromStruct(request.getNews()));
        const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;
        return new messages.DiffResponse().setChanges(same ? DIFF_NONE : DIFF_SOME);
    }

    configure(request: messages.ConfigureRequest) {
        const context = this.#plugin.configure(plainProperties(fromStruct(request.getArgs())));
        const response = new messages.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
        return { context, response };
    }

    async invoke(context: Context, request: messages.InvokeRequest) {
        const run = this.#plugin.functions[request.getTok()];
        if (!run) throw new Error(`the stand-in for ${this.#plugin.sdk} has no function ${request.getTok()}`);
        const result = await run(context, plainProperties(fromStruct(request.getArgs())));
        return new messages.InvokeResponse().setReturn(toStruct(result));
    }

    check(request: messages.CheckRequest) {
        const type = this.#typeOf(request.getUrn());
        const marked = fromStruct(request.getNews());
        const inputs = plainProperties(marked);
        const failures = inputFailures(type, this.#sdk.ofType(type.token), inputs);
        if (failures.length > 0) {
            return new messages.CheckResponse()
                .setInputs(request.getNews())
                .setFailuresList(failures.map(failureMessage));
        }
        const complete = completeInputs(type, inputs, {
            name: nameOf(request.getUrn()),
            olds: plainProperties(fromStruct(request.getOlds())),
            seed: request.getRandomseed_asU8(),
        });
        return new messages.CheckResponse().setInputs(toStruct(markLike(complete, marked)));
    }

    diff(request: messages.DiffRequest) {
        const type = this.#typeOf(request.getUrn());
        const old = {
            inputs: plainProperties(fromStruct(request.getOldInputs())),
            outputs: plainProperties(fromStruct(request.getOlds())),
        };
        const found = difference(type, old, plainProperties(fromStruct(request.getNews())));
        const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;
        const response = new messages.DiffResponse()
            .setChanges(found.names.length > 0 ? DIFF_SOME : DIFF_NONE)
            .setDiffsList(found.names)
            .setReplacesList(found.replaces)
            .setDeletebeforereplace(found.deleteBeforeReplace)
            .setHasdetaileddiff(true);
        for (const change of found.changes) {
            response.getDetaileddiffMap().set(change.path, changeMessage(change));
        }
        return response;
    }

    async create(context: Context, request: messages.CreateRequest) {
        const type = this.#typeOf(request.getUrn());
        const marked = fromStruct(request.getProperties());
        const inputs = plainProperties(marked);
        const pattern = secretPattern(type, marked);
        const stateOf = (outputs: Parameters<typeof createdState>[1]) =>
            toStruct(markLike(definedOnly(createdState(inputs, outputs)), pattern));
        if (request.getPreview()) {
            const outputs = unknownOutputs(type.outputs, inputs);
            return new messages.CreateResponse().setProperties(stateOf(outputs));
        }
        try {
            const created = await type.create(context, inputs);
            return new messages.CreateResponse().setId(created.id).setProperties(stateOf(created.outputs));
        } catch (error) {
            if (!(error instanceof IncompleteError)) throw error;
            throw new InitFailed(error.created.id, stateOf(error.created.outputs), error.cause);
        }
    }

    async read(context: Context, request: messages.ReadRequest) {
        const type = this.#typeOf(request.getUrn());
        const marked = {
            outputs: fromStruct(request.getProperties()),
            inputs: fromStruct(request.getInputs()),
        };
        const old = { outputs: plainProperties(marked.outputs), inputs: plainProperties(marked.inputs) };
        const found = await type.read(context, request.getId(), old.outputs);
        if (!found) return new messages.ReadResponse();
        const state = definedOnly({ ...old.outputs, ...found });
        const inputs = markLike(readInputs(type, old, state), { ...marked.outputs, ...marked.inputs });
        return new messages.ReadResponse()
            .setId(request.getId())
            .setProperties(toStruct(markLike(state, secretPattern(type, marked.outputs))))
            .setInputs(toStruct(inputs));
    }

    async update(context: Context, request: messages.UpdateRequest) {
        const type = this.#typeOf(request.getUrn());
        const marked = { olds: fromStruct(request.getOlds()), news: fromStruct(request.getNews()) };
        const olds = plainProperties(marked.olds);
        const news = plainProperties(marked.news);
        const outputs = request.getPreview()
            ? unknownOutputs(type.unstableOutputs ?? [], news)
            : ((await type.update?.(context, { id: request.getId(), olds, news })) ?? {});
        const state = definedOnly(updatedState(type, olds, news, outputs));
        const pattern = secretPattern(type, { ...marked.olds, ...marked.news });
        return new messages.UpdateResponse().setProperties(toStruct(markLike(state, pattern)));
    }

    async delete(context: Context, request: messages.DeleteRequest) {
        const type = this.#typeOf(request.getUrn());
        await type.delete(context, request.getId(), plainProperties(fromStruct(request.getProperties())));
        return new empties.Empty();
    }

    /** The message for an error of a call, with the resource that it was about. */
    explain(error: unknown, context: Context | undefined): string {
        return this.#plugin.explain(error, context);
    }

    #typeOf(urn: string): ResourceType<Context> {
        const token = typeTokenOf(urn);
        const type = this.#types.get(token);
        if (type) return type;
        throw new Error(
            `the stand-in for the plugin of ${this.#plugin.sdk} has no type ${token}; ` +
                `it has ${[...this.#types.keys()].join(", ")}. Use the real plugin for others.`,
        );
    }
}

const changeKinds: Record<
    ChangeKind,
    { inPlace: messages.PropertyDiff.Kind; replace: messages.PropertyDiff.Kind }
> = {
    add: { inPlace: 0, replace: 1 },
    delete: { inPlace: 2, replace: 3 },
    update: { inPlace: 4, replace: 5 },
};

function changeMessage({ kind, replaces }: PropertyChange): messages.PropertyDiff {
    return new messages.PropertyDiff()
        .setInputdiff(true)
        .setKind(replaces ? changeKinds[kind].replace : changeKinds[kind].inPlace);
}

function failureMessage({ property, reason }: Failure): messages.CheckFailure {
    return new messages.CheckFailure().setProperty(property).setReason(reason);
}
