/** What each call of the engine does: the same logic as in Pulumi's dynamic provider process, with what that cannot do. */

import { isDeepStrictEqual } from "node:util";
import plugins from "@pulumi/pulumi/proto/plugin_pb.js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import empties from "google-protobuf/google/protobuf/empty_pb.js";
import type { HostedComponent } from "./components/index.ts";
import { Configuration, configurationFaults } from "./configuration.ts";
import { construct } from "./construct.ts";
import { importedInputs } from "./importing.ts";
import { withMark } from "./mark.ts";
import { packageSchema } from "./schema.ts";
import { answering, type Calls, InitFailed } from "./serve.ts";
import type { HostedType } from "./types.ts";
import { nameOf, typeTokenOf } from "./urn.ts";
import {
    fromStruct,
    isMarked,
    isNote,
    isObject,
    markLike,
    type Properties,
    plainProperties,
    secret,
    toStruct,
    unknownValue,
} from "./values.ts";

/** What the provider `fluss` offers. */
export interface Offer {
    types: ReadonlyMap<string, HostedType>;
    components: ReadonlyMap<string, HostedComponent>;
    /** Of this library. */
    version: string;
    /** Address of the engine that started this process; left out where an engine attaches and says it then. */
    engine?: string;
}

/**
 * The provider `fluss`, as the engine calls it. Beyond the dynamic provider it takes secrets as secrets, shows what is
 * known in a preview, tells which input changes what, imports, and makes components for programs in other languages.
 */
export function flussProvider({ types, components, version, engine = "" }: Offer): Calls {
    let engineAddress = engine;
    let configuration = new Configuration({});
    let cancelled = false;
    const answer = answering((error) => (error instanceof Error ? error.message : String(error)));
    const typeOf = (urn: string): HostedType => {
        const token = typeTokenOf(urn);
        const type = types.get(token);
        if (!type) {
            throw new Error(
                `pulumi-fluss ${version} has no resource type ${token}; it has ${[...types.keys()].join(", ")}`,
            );
        }
        return type;
    };
    /** A run that people have ended begins nothing more; what has begun goes on to its end, so that it is recorded. */
    const unlessCancelled = (urn: string) => {
        if (cancelled) throw new Error(`${nameOf(urn)}: not begun, since the run was cancelled`);
    };
    return {
        getPluginInfo: answer(() => new plugins.PluginInfo().setVersion(version)),
        getSchema: answer(() =>
            new messages.GetSchemaResponse().setSchema(
                JSON.stringify(packageSchema(types, components, version)),
            ),
        ),
        attach: answer((request: plugins.PluginAttach) => {
            engineAddress = request.getAddress();
            return new empties.Empty();
        }),
        cancel: answer(() => {
            cancelled = true;
            return new empties.Empty();
        }),
        checkConfig: answer((request: messages.CheckRequest) => {
            const news = fromStruct(request.getNews());
            return checkResponse(news, configurationFaults(plainProperties(news)));
        }),
        diffConfig: answer((request: messages.DiffRequest) => {
            const same = isDeepStrictEqual(
                fromStruct(request.getOldInputs() ?? request.getOlds()),
                fromStruct(request.getNews()),
            );
            return new messages.DiffResponse().setChanges(changesOf(!same));
        }),
        configure: answer(async (request: messages.ConfigureRequest) => {
            // An engine that attaches to a provider that runs begins a new run with this.
            cancelled = false;
            configuration = new Configuration(plainProperties(fromStruct(request.getArgs())));
            for (const { hosted } of types.values()) await hosted.configure({ config: configuration });
            return (
                new messages.ConfigureResponse()
                    .setAcceptsecrets(true)
                    .setSupportspreview(true)
                    // Of a component's arguments only those that may be outputs come as such.
                    .setAcceptoutputs(true)
            );
        }),
        check: answer(async (request: messages.CheckRequest) => {
            const type = typeOf(request.getUrn());
            const marked = fromStruct(request.getNews());
            const given = withMark(type, plainProperties(marked), request.getUrn(), configuration);
            const olds = plainProperties(fromStruct(request.getOlds()));
            const { inputs, failures } = await type.hosted.check(olds, given);
            return checkResponse(markLike(inputs as Properties, secretsOf(type, marked)), failures);
        }),
        diff: answer(async (request: messages.DiffRequest) => {
            const type = typeOf(request.getUrn());
            const olds = plainProperties(fromStruct(request.getOlds()));
            const news = plainProperties(fromStruct(request.getNews()));
            const found = await type.hosted.diff(request.getId(), olds, news);
            const response = new messages.DiffResponse()
                .setChanges(changesOf(found.changes || found.replaces.length > 0))
                .setReplacesList(found.replaces)
                .setDeletebeforereplace(found.deleteBeforeReplace)
                .setHasdetaileddiff(true);
            const oldInputs = plainProperties(fromStruct(request.getOldInputs()));
            for (const name of changedNames(oldInputs, news)) {
                const kind = kindOf(name in oldInputs, name in news, found.replaces.includes(name));
                response
                    .getDetaileddiffMap()
                    .set(name, new messages.PropertyDiff().setInputdiff(true).setKind(kind));
            }
            return response;
        }),
        create: answer(async (request: messages.CreateRequest) => {
            const type = typeOf(request.getUrn());
            const marked = fromStruct(request.getProperties());
            if (request.getPreview()) {
                return new messages.CreateResponse().setProperties(foreseen(type, marked));
            }
            unlessCancelled(request.getUrn());
            const pattern = secretsOf(type, marked);
            const { id, outs } = await recording(pattern, () => type.hosted.create(plainProperties(marked)));
            return new messages.CreateResponse().setId(id).setProperties(marking(outs, pattern));
        }),
        read: answer(async (request: messages.ReadRequest) => {
            const type = typeOf(request.getUrn());
            const state = fromStruct(request.getProperties());
            const marked = { ...fromStruct(request.getInputs()), ...state };
            const known = plainProperties(marked);
            // An import knows nothing but the id.
            const props =
                Object.keys(known).length > 0
                    ? known
                    : await importedInputs(type, request.getId(), request.getUrn(), configuration);
            const found = await type.hosted.read(request.getId(), props);
            if (!found.id) return new messages.ReadResponse();
            const { __provider: _, ...inputs } = found.inputs ?? {};
            const pattern = secretsOf(type, marked);
            return new messages.ReadResponse()
                .setId(found.id)
                .setProperties(marking(found.props ?? {}, pattern))
                .setInputs(marking(inputs, pattern));
        }),
        update: answer(async (request: messages.UpdateRequest) => {
            const type = typeOf(request.getUrn());
            const marked = fromStruct(request.getNews());
            if (request.getPreview()) {
                return new messages.UpdateResponse().setProperties(foreseen(type, marked));
            }
            unlessCancelled(request.getUrn());
            const pattern = secretsOf(type, marked);
            const olds = plainProperties(fromStruct(request.getOlds()));
            const { outs } = await recording(
                pattern,
                () => type.hosted.update(request.getId(), olds, plainProperties(marked)),
                request.getId(),
            );
            return new messages.UpdateResponse().setProperties(marking(outs, pattern));
        }),
        construct: answer((request: messages.ConstructRequest) => {
            const component = components.get(request.getType());
            if (component) return construct(component, request, engineAddress);
            throw new Error(
                `pulumi-fluss ${version} has no component ${request.getType()} for other languages; it has ${[...components.keys()].join(", ")}`,
            );
        }),
        delete: answer(async (request: messages.DeleteRequest) => {
            const type = typeOf(request.getUrn());
            unlessCancelled(request.getUrn());
            await type.hosted.delete(request.getId(), plainProperties(fromStruct(request.getProperties())));
            return new empties.Empty();
        }),
    };
}

/** What is secret: what the program marked, and what is so by its kind. */
function secretsOf(type: HostedType, marked: Properties): Properties {
    const pattern = { ...marked, ...Object.fromEntries(type.secrets.map((name) => [name, secret(null)])) };
    if (!type.hasSecretOptions || isMarked(pattern["catalog"])) return pattern;
    const catalog = isObject(pattern["catalog"]) ? pattern["catalog"] : {};
    return { ...pattern, catalog: { ...catalog, options: secret(null) } };
}

function marking(properties: object, pattern: Properties) {
    const notes = Object.entries(properties as Properties).filter(([name]) => !isNote(name));
    return toStruct(markLike(Object.fromEntries(notes), pattern));
}

/** In a preview the inputs are known as far as they are given; what the API adds is not. */
function foreseen(type: HostedType, inputs: Properties) {
    const unknown = type.outputs.filter((name) => !(name in inputs)).map((name) => [name, unknownValue]);
    const outputs = { ...Object.fromEntries(unknown), ...plainProperties(inputs) };
    return marking(outputs, secretsOf(type, inputs));
}

/** An object that was made, but not as asked, is kept in the state, and the run fails with the reason. */
async function recording<T>(pattern: Properties, call: () => Promise<T>, knownId?: string): Promise<T> {
    try {
        return await call();
    } catch (error) {
        const { id = knownId, properties } = error as { id?: string; properties?: object };
        if (!id || !properties) throw error;
        throw new InitFailed(id, marking(properties, pattern), error);
    }
}

function checkResponse(inputs: Properties, failures: { property: string; reason: string }[]) {
    const list = failures.map(({ property, reason }) =>
        new messages.CheckFailure().setProperty(property).setReason(reason),
    );
    return new messages.CheckResponse().setInputs(toStruct(inputs)).setFailuresList(list);
}

function changesOf(changed: boolean): messages.DiffResponse.DiffChanges {
    const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;
    return changed ? DIFF_SOME : DIFF_NONE;
}

function changedNames(olds: Properties, news: Properties): string[] {
    const names = new Set([...Object.keys(olds), ...Object.keys(news)]);
    return [...names].filter((name) => !isNote(name) && !isDeepStrictEqual(olds[name], news[name]));
}

function kindOf(was: boolean, is: boolean, replaces: boolean): messages.PropertyDiff.Kind {
    const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = messages.PropertyDiff.Kind;
    if (!was) return replaces ? ADD_REPLACE : ADD;
    if (!is) return replaces ? DELETE_REPLACE : DELETE;
    return replaces ? UPDATE_REPLACE : UPDATE;
}
