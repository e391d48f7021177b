import { type Handler, Refusal } from "../shared/index.ts";
import type { Context } from "./context.ts";
import { findNamed, mergePatch, metadataOf, refuseTaken, v1List } from "./dialect.ts";
import { type Named, newNamed, type Store, touch } from "./state.ts";

/** Secret values: written and replaced, never returned; kept apart from the state. */
export function secretValueHandlers(context: Context): Record<string, Handler> {
    const { store } = context;
    const { secretValues } = store.state;
    const key = (record: { namespace: string; name: string }) => `${record.namespace}/${record.name}`;
    const show = (record: Named<{ kind: "PLAIN" }>) => ({
        apiVersion: "v1",
        kind: "SecretValue",
        metadata: metadataOf(record, context.workspace),
        spec: { kind: record.spec.kind },
    });
    return {
        listSecretValues: (call) =>
            v1List(
                "SecretValue",
                secretValues.filter((s) => s.namespace === call.params["namespace"]).map(show),
            ),
        createSecretValue: (call) => {
            const { metadata, spec } = call.body as { metadata: { name: string }; spec: { value: string } };
            refuseTaken(secretValues, call.params["namespace"]!, metadata.name, "secret value");
            const record = newNamed(call.params["namespace"]!, metadata, { kind: "PLAIN" as const });
            secretValues.push(record);
            store.secrets.secretValues[key(record)] = spec.value;
            store.save();
            return { status: 201, body: show(record) };
        },
        getSecretValue: (call) => ({
            status: 200,
            body: show(findNamed(secretValues, call, "secret value")),
        }),
        patchSecretValue: (call) => {
            const record = findNamed(secretValues, call, "secret value");
            const { metadata, spec } = call.body as {
                metadata?: { annotations?: Record<string, string> | null };
                spec: { value: string };
            };
            store.secrets.secretValues[key(record)] = spec.value;
            record.annotations = mergePatch(record.annotations, metadata?.annotations ?? {}) as Record<
                string,
                string
            >;
            touch(record);
            store.save();
            return { status: 200, body: show(record) };
        },
        deleteSecretValue: (call) => {
            const record = findNamed(secretValues, call, "secret value");
            secretValues.splice(secretValues.indexOf(record), 1);
            delete store.secrets.secretValues[key(record)];
            store.save();
            return { status: 200, body: show(record) };
        },
    };
}

/**
 * The text with `${secret_values.<name>}` replaced, also inside longer values; `quote` prepares a value for its place.
 * Refuses (400) with every name that has no secret value.
 */
export function substituteSecrets(
    store: Store,
    namespace: string,
    text: string,
    quote: (value: string) => string = (value) => value,
): string {
    const missing = new Set<string>();
    const replaced = text.replace(/\$\{secret_values\.([^}]*)\}/g, (reference, name: string) => {
        const value = store.secrets.secretValues[`${namespace}/${name}`];
        if (value === undefined) missing.add(name);
        return value === undefined ? reference : quote(value);
    });
    if (missing.size === 0) return replaced;
    const names = [...missing].join(", ");
    throw new Refusal(400, `no secret value ${names} in namespace ${namespace}`);
}
