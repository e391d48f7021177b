import messages from "@pulumi/pulumi/proto/provider_pb.js";
import { describe, expect, test } from "vitest";
import { flussProvider } from "../../../host/provider.ts";
import { hostedTypes } from "../../../host/types.ts";
import { fromStruct, type Properties, plainProperties, secret, toStruct } from "../../../host/values.ts";
import { accounts } from "../model-table/tables.ts";

const calls = flussProvider({ types: hostedTypes(), components: new Map(), version: "1.0.0" });

/** What the provider answers to one call. */
function answerOf(call: "check" | "create", request: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
        const answer = calls[call] as unknown as (
            call: object,
            reply: (error: { details: string } | null, response?: unknown) => void,
        ) => void;
        answer({ request, getPeer: () => "engine" }, (error, response) =>
            error ? reject(new Error(error.details)) : resolve(response),
        );
    });
}

async function checked(type: string, inputs: Properties): Promise<Properties> {
    const request = new messages.CheckRequest()
        .setUrn(`urn:pulumi:dev::lake::${type}::mine`)
        .setNews(toStruct(inputs));
    const response = (await answerOf("check", request)) as messages.CheckResponse;
    expect(response.getFailuresList().map((failure) => failure.getReason())).toEqual([]);
    return fromStruct(response.getInputs());
}

async function previewed(type: string, inputs: Properties): Promise<Properties> {
    const request = new messages.CreateRequest()
        .setUrn(`urn:pulumi:dev::lake::${type}::mine`)
        .setPreview(true)
        .setProperties(toStruct(inputs));
    const response = (await answerOf("create", request)) as messages.CreateResponse;
    return fromStruct(response.getProperties());
}

describe("the options of a catalog, given in clear by a program in another language,", () => {
    const options = { "bootstrap.servers": "h:1", "client.security.sasl.password": "in-clear" };
    const common = {
        runner: { kind: "gateway", url: "http://localhost:8083" },
        catalog: { name: "c", options },
    };
    const database = { ...common, name: "finance" };
    const table = { ...common, capabilities: { server: "0.9", lake: "none" }, spec: accounts as never };

    test.each([
        ["fluss:fluss:Database", database],
        ["fluss:fluss:Table", table],
    ])("are secrets of %s, and its name is none", async (type, inputs) => {
        const sealed = { name: "c", options: secret(options) };
        const known = await checked(type, inputs);
        expect(known["catalog"]).toEqual(sealed);
        expect((await previewed(type, known))["catalog"]).toEqual(sealed);
    });

    test("are no second secret in a catalog that is one as a whole", async () => {
        const known = await checked("fluss:fluss:Database", { ...database, catalog: secret(common.catalog) });
        expect(known["catalog"]).toEqual(secret(common.catalog));
        expect(plainProperties(known)["catalog"]).toEqual(common.catalog);
    });
});
