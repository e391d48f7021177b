import { createRequire } from "node:module";
import { type Fault, FaultsError } from "../model/faults.ts";
import { nearest } from "../model/nearest.ts";
import type { Rule, Setting } from "./rule.ts";

/** What `--policy-pack-config` gives, as the engine hands it on: the settings of each policy by its name, defaults filled in. */
export type PackConfiguration = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Policies and settings of a configuration that do not exist or cannot be meant. Levels and types are checked by the engine. */
export function configurationFaults(rules: readonly Rule[], configuration: PackConfiguration): Fault[] {
    const settings = new Map<string, Readonly<Record<string, Setting>>>();
    for (const rule of rules) {
        settings.set(rule.id, rule.settings ?? {});
        if (rule.remedy) settings.set(remedyId(rule), {});
    }
    return Object.entries(configuration).flatMap(([name, given]) => {
        // Pulumi's own: the level of every policy.
        if (name === "all") return [];
        const known = settings.get(name);
        if (!known) {
            const near = nearest(name, settings.keys());
            const fix = near ? `Did you mean ${near}?` : "Take a name from docs/policies.md, or remove it";
            return [{ path: name, reason: "the pack has no such rule", fix }];
        }
        const names = [...Object.keys(known), level];
        return Object.entries(given).flatMap(([key, value]) => {
            if (key === level) return [];
            const path = `${name}.${key}`;
            const setting = Object.hasOwn(known, key) ? known[key] : undefined;
            if (setting) return valueFault(path, setting, value);
            const near = nearest(key, names);
            const fix = near ? `Did you mean ${near}?` : `Use only: ${names.join(", ")}`;
            return [{ path, reason: "the rule has no such setting", fix }];
        });
    });
}

function valueFault(path: string, setting: Setting, value: unknown): Fault[] {
    const negative = typeof value === "number" && value < 0 ? "is negative" : undefined;
    const reason = setting.fault?.(String(value)) ?? negative;
    if (reason === undefined) return [];
    const fix = `Give ${setting.what}, such as ${setting.default}`;
    return [{ path, value: JSON.stringify(value), reason, fix }];
}

const level = "enforcementLevel";

/** Name of the policy that sets right what breaks a rule. */
export function remedyId({ id }: Rule): string {
    return `${id}-remedy`;
}

/**
 * Runs `serve`, which starts the pack's server, so that the server answers a configuration with faults by an error: the engine
 * stops with it before it looks at any resource. The SDK keeps the configuration to itself, and shows each policy its own part
 * only (1.21.0); the engine hands on names that it does not know. So the call is read where the server takes it up.
 */
export function refusingConfigurations<T>(rules: readonly Rule[], serve: () => T): T {
    const sdk = createRequire(import.meta.url).resolve("@pulumi/policy");
    const { Server } = createRequire(sdk)("@grpc/grpc-js") as Grpc;
    const addService = Server.prototype.addService;
    Server.prototype.addService = function (service, handlers) {
        const { configure } = handlers;
        if (!configure) return addService.call(this, service, handlers);
        const checked: Handler = (call, callback) => {
            const faults = configurationFaults(rules, configurationOf(call));
            if (faults.length === 0) return configure(call, callback);
            const { message } = new FaultsError("the configuration of the policy pack", faults);
            return callback({ code: invalidArgument, details: message, message });
        };
        return addService.call(this, service, { ...handlers, configure: checked });
    };
    try {
        return serve();
    } finally {
        Server.prototype.addService = addService;
    }
}

const invalidArgument = 3;

/** As much of gRPC and of the engine's call as is used here. */
interface Grpc {
    Server: { prototype: { addService(service: unknown, handlers: Record<string, Handler>): unknown } };
}
type Handler = (call: ConfigureCall, callback: (error: object) => unknown) => unknown;
interface ConfigureCall {
    request: {
        getPolicyconfigMap(): {
            entries(): Iterable<[string, { getProperties(): Struct | undefined }]>;
        };
    };
}
interface Struct {
    toJavaScript(): Record<string, unknown>;
}

function configurationOf({ request }: ConfigureCall): PackConfiguration {
    const entries = [...request.getPolicyconfigMap().entries()];
    return Object.fromEntries(
        entries.map(([name, one]) => [name, one.getProperties()?.toJavaScript() ?? {}] as const),
    );
}
