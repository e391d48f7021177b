import { credentials } from "@grpc/grpc-js";
import { AnalyzerClient } from "@pulumi/pulumi/proto/analyzer_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/analyzer_pb.js";
import { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { configurationFaults } from "../../../policies/configuration.ts";
import { lakehousePolicyPack, rules } from "../../../policies/index.ts";

const told = (configuration: Record<string, Record<string, unknown>>) =>
    configurationFaults(rules, configuration).map(({ path, reason, fix }) => `${path}: ${reason}. ${fix}`);

describe("a configuration of the pack", () => {
    test("may name each rule, each remedy, each setting, and all of them at once", () => {
        const level = { enforcementLevel: "advisory" };
        const every = rules.flatMap(({ id, settings = {}, remedy }) => [
            [id, { ...level, ...Object.fromEntries(Object.keys(settings).map((key) => [key, 1])) }],
            ...(remedy ? [[`${id}-remedy`, level]] : []),
        ]);
        expect(told({ all: level, ...Object.fromEntries(every) })).toEqual([]);
    });

    test("is told of rules that do not exist, with the nearest name", () => {
        expect(told({ "client-jar": {}, "client-jars-remedy": {}, "our-own-rule": {} })).toEqual([
            "client-jar: the pack has no such rule. Did you mean client-jars?",
            expect.stringMatching(/^client-jars-remedy: the pack has no such rule\. /),
            "our-own-rule: the pack has no such rule. Take a name from docs/policies.md, or remove it",
        ]);
    });

    test("is told of values that would switch the rule off", () => {
        expect(
            told({
                "no-open-port": { ports: "9123,http, 9126-9123,70000,-1" },
                "service-not-public": { ports: "" },
                "platform-names": { pattern: "(" },
                "table-names": { pattern: "[" },
                "volume-size": { maximumGi: -1 },
                "fluss-replicas": { minimum: 3, constructor: 1 },
            }),
        ).toEqual([
            "no-open-port.ports: has what is no port and no range of ports: 'http', '9126-9123', '70000', '-1'. " +
                "Give ports that must not be open, with commas between, such as 9123-9126,2181,8181,8081,8083",
            expect.stringMatching(
                /^service-not-public\.ports: has what is no port and no range of ports: ''\. /,
            ),
            expect.stringMatching(/^platform-names\.pattern: is no regular expression\. Give regular expr/),
            expect.stringMatching(/^table-names\.pattern: is no regular expression/),
            "volume-size.maximumGi: is negative. Give largest volume that is no finding, in GiB, such as 500",
            expect.stringMatching(/^fluss-replicas\.constructor: the rule has no such setting/),
        ]);
        expect(told({ "no-open-port": { ports: " 9123 - 9126" } })).toHaveLength(1);
        expect(told({ "no-open-port": { ports: "22, 9123-9126" }, "volume-size": { maximumGi: 0 } })).toEqual(
            [],
        );
    });

    test("every default can be meant", () => {
        const defaults = rules.flatMap(({ id, settings = {} }) =>
            Object.entries(settings).map(([key, setting]) => [id, { [key]: setting.default }] as const),
        );
        for (const [id, settings] of defaults) expect(told({ [id]: settings })).toEqual([]);
    });

    test("is told of settings that the rule does not have", () => {
        expect(
            told({
                "volume-size": { maximumGib: 3, maximumGi: 3 },
                "client-jars": { strict: true },
                "fluss-replicas-remedy": {},
                "session-cluster-size-remedy": { enforcementlevel: "remediate" },
            }),
        ).toEqual([
            "volume-size.maximumGib: the rule has no such setting. Did you mean maximumGi?",
            "client-jars.strict: the rule has no such setting. Use only: enforcementLevel",
            expect.stringMatching(/^fluss-replicas-remedy: the pack has no such rule/),
            "session-cluster-size-remedy.enforcementlevel: the rule has no such setting. Did you mean enforcementLevel?",
        ]);
    });
});

describe("the pack's server, called as the engine calls it", () => {
    let client: AnalyzerClient;
    beforeAll(async () => {
        const log = vi.spyOn(console, "log").mockImplementation(() => {});
        lakehousePolicyPack(rules);
        await vi.waitFor(() => expect(log).toHaveBeenCalled());
        client = new AnalyzerClient(`127.0.0.1:${log.mock.calls[0]![0]}`, credentials.createInsecure());
        log.mockRestore();
    });
    afterAll(() => client?.close());

    const configure = (configuration: Record<string, Record<string, number>>) =>
        new Promise<string | undefined>((resolve) => {
            const request = new messages.ConfigureAnalyzerRequest();
            for (const [name, settings] of Object.entries(configuration)) {
                const one = new messages.PolicyConfig();
                one.setProperties(Struct.fromJavaScript(settings));
                request.getPolicyconfigMap().set(name, one);
            }
            client.configure(request, (error) => resolve(error?.details));
        });

    test("takes one that is right", async () => {
        expect(await configure({ "volume-size": { maximumGi: 3 }, "client-jars": {} })).toBeUndefined();
    });

    test("answers one that is not by an error with every fault", async () => {
        expect(await configure({ "volume-size": { maximumGib: 3 }, "client-jar": {} })).toBe(
            [
                "2 faults in the configuration of the policy pack:",
                "- client-jar: the pack has no such rule. Did you mean client-jars?",
                "- volume-size.maximumGib: the rule has no such setting. Did you mean maximumGi?",
            ].join("\n"),
        );
    });
});
