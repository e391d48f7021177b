import { readPreview } from "../../../cli/preview/read-preview.ts";
import { summarize } from "../../../cli/preview/summary.ts";
import { providers } from "../../../dynamic-providers/index.ts";
import { resourceTypes } from "../../../dynamic-providers/resource-types.ts";

const parent = "urn:pulumi:prod::lake::fluss:index:StreamingLakehouse::lh";
/** As the engine stores one. */
export const secret = {
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    ciphertext: "x",
};

/** A step of a preview. */
export interface Change {
    op?: string;
    type: string;
    old?: object;
    new?: object;
    keys?: string[];
    /** Outputs before. */
    state?: object;
    /** Whether Pulumi leaves the object where it is. */
    retainOnDelete?: boolean;
    /** Why the engine refuses it. */
    error?: string;
}

/** What is summed up of a stream of events about one resource. */
export function summaryOf(...changes: Change[]) {
    const events = changes.flatMap(({ op = "update", type, old, new: now, keys, state, ...rest }, index) => {
        const urn = `urn:pulumi:prod::lake::fluss:index:StreamingLakehouse$${type}::it`;
        const { retainOnDelete, error } = rest;
        const outputs = state && { outputs: { ...old, ...state } };
        const metadata = {
            op,
            urn,
            keys,
            old: old && { parent, inputs: old, retainOnDelete, ...outputs },
            new: now && { parent, inputs: now },
        };
        return [
            { sequence: index, resourcePreEvent: { metadata } },
            ...(error === undefined
                ? []
                : [{ sequence: index, diagnosticEvent: { urn, severity: "error", message: error } }]),
        ];
    });
    const end = { sequence: 99, summaryEvent: { resourceChanges: {}, result: "succeeded" } };
    return summarize(readPreview([...events, end].map((event) => JSON.stringify(event)).join("\n")));
}

/** Every resource of the library with the names of its inputs. */
export const resourceInputs = () =>
    resourceTypes().map(({ type, provider }) => ({
        type,
        inputs: Object.keys(providers[provider]!.definition.fields),
    }));

/** Type of a resource of Ververica Platform. */
export const vvp = (kind: string) => `pulumi-nodejs:dynamic/vvp:${kind}`;
/** What it says of restarts. */
export const restartOf = (change: Change) => summaryOf(change).restarts.map(({ text }) => text);
