/** A type of a plugin's stand-in as the matrix drives a resource: by the messages that the engine would send. */
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import { InitFailed } from "../../host/serve.ts";
import { fromStruct, type Properties, toStruct } from "../../host/values.ts";
import { Handlers } from "../../local/plugins/handlers.ts";
import type { Plugin } from "../../local/plugins/resource-type.ts";
import type { Bag, Provider } from "./ledger.ts";

/** Beside the inputs of a resource: its name in the program, and where its provider calls. */
export interface Place {
    name: string;
    url: string;
}

/**
 * Inputs are `{ at: Place, ...inputs }`; the state is `{ at, inputs, outputs }`, as the engine keeps both.
 * @param contextAt the configuration of a provider that calls there
 */
export function standIn<Context>(
    plugin: Plugin<Context>,
    token: string,
    contextAt: (url: string) => Context,
): Provider {
    const handlers = new Handlers(plugin);
    const urnOf = ({ name }: Place) => `urn:pulumi:faults::faults::${token}::${name}`;
    const split = ({ at, ...inputs }: Bag) => ({ at: at as Place, inputs: toStruct(inputs as Properties) });
    const stateOf = (bag: Bag) => {
        const { at, inputs, outputs } = bag as unknown as {
            at: Place;
            inputs: Properties;
            outputs: Properties;
        };
        return { at, urn: urnOf(at), inputs: toStruct(inputs), outputs: toStruct(outputs) };
    };
    /** Runs a call whose errors are told as the engine would tell them. */
    const calling = async <T>(at: Place, bag: Bag, run: (context: Context) => Promise<T>): Promise<T> => {
        const context = contextAt(at.url);
        try {
            return await run(context);
        } catch (error) {
            if (!(error instanceof InitFailed)) throw new Error(handlers.explain(error, context));
            const properties = { at, inputs: bag, outputs: fromStruct(error.properties) };
            throw Object.assign(new Error(handlers.explain(error.cause, context)), {
                id: error.id,
                properties,
            });
        }
    };
    return {
        configure: async () => undefined,
        async check(olds, news) {
            const { at, inputs } = split(news);
            const request = new messages.CheckRequest().setUrn(urnOf(at)).setNews(inputs);
            if (olds) request.setOlds(split(olds).inputs);
            const answer = handlers.check(request);
            const failures = answer.getFailuresList().map((failure) => failure.toObject());
            return { inputs: { at, ...fromStruct(answer.getInputs()) }, failures };
        },
        async diff(id, olds, news) {
            const old = stateOf(olds);
            const answer = handlers.diff(
                new messages.DiffRequest()
                    .setId(id)
                    .setUrn(old.urn)
                    .setOlds(old.outputs)
                    .setOldInputs(old.inputs)
                    .setNews(split(news).inputs),
            );
            return {
                changes: answer.getChanges() === messages.DiffResponse.DiffChanges.DIFF_SOME,
                replaces: answer.getReplacesList(),
                deleteBeforeReplace: answer.getDeletebeforereplace(),
            };
        },
        async create(given) {
            const { at, inputs } = split(given);
            const request = new messages.CreateRequest().setUrn(urnOf(at)).setProperties(inputs);
            const kept = fromStruct(inputs);
            const answer = await calling(at, kept, (context) => handlers.create(context, request));
            const outs = { at, inputs: kept, outputs: fromStruct(answer.getProperties()) };
            return { id: answer.getId(), outs };
        },
        async read(id, props) {
            const { at, urn, inputs, outputs } = stateOf(props);
            const request = new messages.ReadRequest()
                .setId(id)
                .setUrn(urn)
                .setProperties(outputs)
                .setInputs(inputs);
            const answer = await calling(at, {}, (context) => handlers.read(context, request));
            if (answer.getId() === "") return {};
            const found = fromStruct(answer.getInputs());
            return {
                id,
                props: { at, inputs: found, outputs: fromStruct(answer.getProperties()) },
                inputs: { at, ...found },
            };
        },
        async update(id, olds, news) {
            const { at, inputs } = split(news);
            const request = new messages.UpdateRequest()
                .setId(id)
                .setUrn(urnOf(at))
                .setOlds(stateOf(olds).outputs)
                .setNews(inputs);
            const answer = await calling(at, {}, (context) => handlers.update(context, request));
            return { outs: { at, inputs: fromStruct(inputs), outputs: fromStruct(answer.getProperties()) } };
        },
        async delete(id, props) {
            const { at, urn, outputs } = stateOf(props);
            const request = new messages.DeleteRequest().setId(id).setUrn(urn).setProperties(outputs);
            await calling(at, {}, (context) => handlers.delete(context, request));
        },
    };
}
