import type { Properties, Value } from "../../host/values.ts";

/** One input that is refused, with the reason as a sentence part ("must be …"). */
export interface Failure {
    property: string;
    reason: string;
}

/**
 * One resource type of a plugin. `Context` is what the provider's configuration was turned into. All values are
 * plain: the server takes marks of secrets off and puts them on again.
 */
export interface ResourceType<Context> {
    /** The type token that the SDK's class registers, such as `aws:s3/bucket:Bucket`. */
    token: string;
    /** Inputs that are acted on. An input of the SDK that is not named here is refused with that reason. */
    inputs: readonly string[];
    /** Inputs whose change needs a new resource; all others are updated in place. */
    forceNew: readonly string[];
    /** Outputs that the cloud gives, also where the input of that name is missing; not known before creation. */
    outputs: readonly string[];
    /** Outputs that an update may change, so that its preview does not know them. */
    unstableOutputs?: readonly string[];
    secretOutputs?: readonly string[];
    /** Values of inputs that are not given. */
    defaults?: Properties;
    /** Inputs that may be given as objects and are sent as JSON text. */
    jsonInputs?: readonly string[];
    /** The input that gets a name made of the resource's name and seven random hexadecimal digits. */
    autoName?: { property: string; prefixInput?: string; lowerCase?: boolean };
    /** Faults of inputs that their types do not show. Only called when no input that it may read is unknown. */
    validate?(inputs: Properties): Failure[];
    /** Creates; returns the id and the outputs that are not the inputs. */
    create(context: Context, inputs: Properties): Promise<Created>;
    /**
     * Returns what the resource has now, or nothing when it is gone. It goes over the last outputs, which are empty
     * on an import; `undefined` takes one away.
     */
    read(context: Context, id: string, outputs: Properties): Promise<Outputs | undefined>;
    /** Updates in place; returns the changed outputs that are not inputs. Missing: every input needs a new resource. */
    update?(context: Context, change: Change): Promise<Outputs>;
    /** Deletes; a resource that is gone already is no error. */
    delete(context: Context, id: string, outputs: Properties): Promise<void>;
}

export type Outputs = Record<string, Value | undefined>;

export interface Created {
    id: string;
    outputs: Outputs;
}

export interface Change {
    id: string;
    /** The outputs of the last operation. */
    olds: Properties;
    /** The new inputs. */
    news: Properties;
}

/** What the server needs to know about one package. */
export interface Plugin<Context> {
    /** The package as in type tokens: `aws`. */
    name: string;
    /** The npm package of the SDK: `@pulumi/aws`. Its version is the plugin's version. */
    sdk: string;
    /** Provider options that are acted on or make no difference here; others are refused. */
    options: readonly string[];
    types: readonly ResourceType<Context>[];
    /** Functions by token, such as `aws:index/getRegion:getRegion`. */
    functions: Record<string, (context: Context, args: Properties) => Promise<Outputs>>;
    /** Turns the provider's configuration into the context; throws an Error that says what is wrong with it. */
    configure(config: Properties): Context;
    /** The message of an error for the user, without secrets. `context` is missing before `configure`. */
    explain(error: unknown, context: Context | undefined): string;
}

/** Thrown by `create` when the resource exists but is not complete; the engine keeps it and updates it next time. */
export class IncompleteError extends Error {
    readonly created: Created;

    constructor(created: Created, cause: unknown) {
        super("the resource exists but could not be completed", { cause });
        this.created = created;
    }
}
