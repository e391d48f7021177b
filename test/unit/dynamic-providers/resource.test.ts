import { describe, expect, it } from "vitest";
import { z } from "zod";
import { hosted, PartialCreateError, type ResourceDefinition } from "../../../dynamic-providers/resource.ts";
import { unknown } from "../../../dynamic-providers/unknown.ts";

interface Inputs {
    name: string;
    size: number;
    key: string;
    token?: string;
}

const __provider = "text";

function thing(changes: Partial<ResourceDefinition<Inputs, { url: string }>> = {}) {
    return hosted<Inputs, { url: string }>({
        kind: "thing",
        inputs: z.strictObject({
            name: z.string().min(1),
            size: z.int().default(1),
            key: z.string(),
            token: z.string().optional(),
        }),
        fields: { name: "replace", size: "update", key: "update", token: "ignore" },
        secretInputs: ["key", "token"],
        create: async (inputs) => ({ id: inputs.name, outputs: { url: `http://${inputs.name}` } }),
        read: async (_, state) => ({ outputs: { url: state.url } }),
        update: async (_, state) => ({ url: state.url }),
        delete: async () => {},
        ...changes,
    });
}

describe("check", () => {
    it("reports every fault at once and prints no value", async () => {
        const { failures } = await thing().check(undefined, { name: "", key: 7, colour: "red", __provider });
        const text = failures.map((failure) => failure.reason).join("\n");
        expect(text).toContain("name");
        expect(text).toContain("key");
        expect(text).toContain("colour");
        expect(failures.every((failure) => failure.property === "")).toBe(true);
    });

    it("says of a value that no schema has words for what it is and what to do", async () => {
        // The engine has null for what a program left out.
        const { failures } = await thing().check(undefined, { name: "", size: "7", key: null, __provider });
        expect(failures.map(({ reason }) => reason)).toEqual([
            'thing: name: is empty; it is "". Correct the value',
            "thing: size: must be of type number, but is string. Give a value of type number",
            "thing: key: is required and missing. Give a value of type string",
        ]);
    });

    it("names the argument that does not exist, also beside what may have been meant", async () => {
        const error = () => "Did you mean size?";
        const inputs = z.strictObject({ name: z.string(), size: z.int(), key: z.string() }, { error });
        const { failures } = await thing({ inputs }).check(undefined, {
            name: "a",
            size: 1,
            key: "k",
            sise: 2,
        });
        expect(failures[0]?.reason).toBe("thing: sise: there is no such argument. Did you mean size?");
    });

    it("fills in defaults", async () => {
        const { inputs, failures } = await thing().check(undefined, { name: "a", key: "k", __provider });
        expect(failures).toEqual([]);
        expect(inputs).toEqual({ name: "a", size: 1, key: "k" });
    });

    it("passes unknown values through and still checks the others", async () => {
        const { inputs, failures } = await thing().check(undefined, { name: "", key: unknown, __provider });
        expect(failures).toHaveLength(1);
        const good = await thing().check(undefined, { name: "a", key: unknown, __provider });
        expect(good).toEqual({ inputs: { name: "a", size: 1, key: unknown }, failures: [] });
        expect(inputs.key).toBe(unknown);
    });

    it("shows old and new inputs to a review, which refuses or adds inputs", async () => {
        const refusing = thing({
            review: ({ old, new: wanted }) =>
                old && old.size > wanted.size ? { faults: ["cannot shrink"] } : { inputs: { size: 10 } },
        });
        const old = { name: "a", size: 5, key: "k" };
        expect((await refusing.check(old, { ...old, size: 2 })).failures[0]?.reason).toBe(
            "thing: cannot shrink",
        );
        expect((await refusing.check(undefined, old)).inputs.size).toBe(10);
    });
});

describe("diff", () => {
    const state = { name: "a", size: 1, key: "k", token: "t", url: "u", __provider };

    it("is empty when nothing changed, and when only an ignored input changed", async () => {
        expect((await thing().diff("a", state, { ...state, token: "other" })).changes).toBe(false);
    });

    it("updates or replaces as the table of fields says", async () => {
        const updated = await thing().diff("a", state, { ...state, size: 2 });
        expect(updated).toEqual({ changes: true, replaces: [], deleteBeforeReplace: true });
        expect((await thing().diff("a", state, { ...state, name: "b" })).replaces).toEqual(["name"]);
    });

    it("asks the resource whether the observed state demands an update", async () => {
        const stale = thing({ needsUpdate: (observed) => observed.url === "u" });
        expect((await stale.diff("a", state, state)).changes).toBe(true);
    });
});

describe("create, read, update", () => {
    it("returns plain JSON: undefined is left out", async () => {
        const odd = thing({
            create: async () => ({ id: "a", outputs: { url: undefined as unknown as string } }),
        });
        const { outs } = await odd.create({ name: "a", size: 1, key: "k", __provider });
        expect(outs).toEqual({ name: "a", size: 1, key: "k" });
    });

    it("keeps an object that exists but is not as asked, with its provider", async () => {
        const failing = thing({
            create: async () => {
                throw new PartialCreateError("a", { url: "u" }, "job failed");
            },
        });
        await expect(failing.create({ name: "a", size: 1, key: "k", __provider })).rejects.toMatchObject({
            message: "job failed",
            id: "a",
            properties: { name: "a", size: 1, key: "k", url: "u", __provider },
            reasons: ["job failed"],
        });
    });

    it("gives a secret input back as it was, whatever a refresh found", async () => {
        const state = { name: "a", size: 1, key: "k", token: "t", url: "u", __provider };
        const { inputs, props } = await thing().read("a", state);
        expect(inputs).toEqual({ name: "a", size: 1, key: "k", token: "t", __provider });
        expect(props).toEqual(state);
        const found = thing({
            read: async () => ({ inputs: { size: 2, token: "seen" }, outputs: { url: "u" } }),
        });
        expect((await found.read("a", state)).inputs).toMatchObject({ size: 2, token: "t" });
    });

    it("keeps what is made of other inputs out of the outputs, and gives it back among the inputs", async () => {
        const derived = thing({
            derivedInputs: ["token"],
            create: async () => ({ id: "a", outputs: { url: "u" } }),
            read: async () => ({ inputs: { token: "made of name" }, outputs: { url: "u" } }),
            secretInputs: [],
        });
        const inputs = { name: "a", size: 1, key: "k", token: "made of name", __provider };
        const state = { name: "a", size: 1, key: "k", url: "u" };
        expect((await derived.create(inputs)).outs).toEqual(state);
        expect((await derived.update("a", { ...state, __provider }, inputs)).outs).toEqual(state);
        expect((await derived.diff("a", { ...state, __provider }, inputs)).changes).toBe(false);
        const read = await derived.read("a", { ...state, __provider });
        expect(read.props).toEqual({ ...state, __provider });
        expect(read.inputs).toEqual(inputs);
        const failing = thing({
            derivedInputs: ["token"],
            create: async () => {
                throw new PartialCreateError("a", { url: "u" }, "job failed");
            },
        });
        await expect(failing.create(inputs)).rejects.toMatchObject({
            properties: expect.not.objectContaining({ token: "made of name" }),
        });
    });

    it("says that a resource is gone", async () => {
        expect(await thing({ read: async () => undefined }).read("a", {})).toEqual({});
    });

    it("keeps outputs that an update does not mention", async () => {
        const silent = thing({ update: async () => ({}) as { url: string } });
        const state = { name: "a", size: 1, key: "k", url: "u", __provider };
        const { outs } = await silent.update("a", state, { name: "a", size: 2, key: "k", __provider });
        expect(outs).toEqual({ name: "a", size: 2, key: "k", url: "u" });
    });
});

describe("an error", () => {
    const refusing = (error: Error) => {
        const refuse = async () => {
            throw error;
        };
        return thing({ create: refuse, read: refuse, update: refuse, delete: refuse });
    };
    const state = { name: "a", size: 1, key: "k", url: "u", __provider };
    const calls = {
        create: (it: ReturnType<typeof thing>) => it.create({ name: "a", size: 1, key: "k", __provider }),
        read: (it: ReturnType<typeof thing>) => it.read("a", state),
        update: (it: ReturnType<typeof thing>) =>
            it.update("a", state, { name: "a", size: 2, key: "k", __provider }),
        delete: (it: ReturnType<typeof thing>) => it.delete("a", state),
    };

    it.each(Object.entries(calls))(
        "of %s comes without the stack that Pulumi would print",
        async (_, call) => {
            const error = await call(refusing(new Error("VVP: it is down"))).catch((caught: Error) => caught);
            expect(error).toMatchObject({ message: "VVP: it is down", stack: "" });
        },
    );

    it("that is a mistake of the code keeps it", async () => {
        const error = await refusing(new TypeError("x is undefined"))
            .delete("a", state)
            .catch((caught: Error) => caught);
        expect((error as Error).stack).toContain("resource.test.ts");
    });
});
