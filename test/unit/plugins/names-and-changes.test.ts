import { describe, expect, test } from "vitest";
import { unknownValue } from "../../../host/values.ts";
import { bucket } from "../../../local/plugins/aws/bucket.ts";
import { userPolicy } from "../../../local/plugins/aws/user-policy.ts";
import { difference } from "../../../local/plugins/diff.ts";
import { completeInputs } from "../../../local/plugins/naming.ts";
import { readInputs, updatedState } from "../../../local/plugins/state.ts";

const hints = { name: "My-Lake", olds: {}, seed: new Uint8Array() };

describe("names", () => {
    test("a bucket gets the resource's name in lower case and seven digits", () => {
        const inputs = completeInputs(bucket, {}, hints);
        expect(inputs["bucket"]).toMatch(/^my-lake-[0-9a-f]{7}$/);
        expect(inputs["__defaults"]).toEqual(["bucket", "forceDestroy"]);
    });

    test("a prefix is taken as it is, and an unknown one makes the name unknown", () => {
        expect(completeInputs(bucket, { bucketPrefix: "of-" }, hints)["bucket"]).toMatch(/^of-[0-9a-f]{7}$/);
        expect(completeInputs(bucket, { bucketPrefix: unknownValue }, hints)["bucket"]).toBe(unknownValue);
    });

    test("a generated name stays, one that the program took back does not", () => {
        const generated = { bucket: "my-lake-1234567", __defaults: ["bucket"] };
        expect(completeInputs(bucket, {}, { ...hints, olds: generated })["bucket"]).toBe("my-lake-1234567");
        const given = { bucket: "given", __defaults: [] };
        expect(completeInputs(bucket, {}, { ...hints, olds: given })["bucket"]).toMatch(/^my-lake-/);
    });

    test("the engine's seed decides the digits", () => {
        const seeded = { ...hints, seed: new Uint8Array([1, 2, 3]) };
        expect(completeInputs(bucket, {}, seeded)).toEqual(completeInputs(bucket, {}, seeded));
        expect(completeInputs(bucket, {}, hints)).not.toEqual(completeInputs(bucket, {}, hints));
    });

    test("a policy that is an object becomes text, or unknown when a part of it is", () => {
        const given = { user: "u", policy: { Statement: ["a"] } };
        expect(completeInputs(userPolicy, given, hints)["policy"]).toBe('{"Statement":["a"]}');
        const partly = { user: "u", policy: { Statement: [unknownValue] } };
        expect(completeInputs(userPolicy, partly, hints)["policy"]).toBe(unknownValue);
    });
});

describe("changes", () => {
    test("paths are written as the engine writes them", () => {
        const old = { inputs: { tags: { a: "1", "b.c": "2", d: "3" } }, outputs: {} };
        const found = difference(bucket, old, { tags: { a: "9", d: "3", e: "4" } });
        expect(found.changes).toEqual([
            { path: "tags.a", kind: "update", replaces: false },
            { path: 'tags["b.c"]', kind: "delete", replaces: false },
            { path: "tags.e", kind: "add", replaces: false },
        ]);
        expect(found).toMatchObject({ names: ["tags"], replaces: [], deleteBeforeReplace: false });
    });

    test("naming the region that the bucket has is no change, another one replaces it", () => {
        const old = { inputs: { bucket: "b" }, outputs: { bucket: "b", region: "us-east-1" } };
        expect(difference(bucket, old, { bucket: "b", region: "us-east-1" }).names).toEqual([]);
        const moved = difference(bucket, old, { bucket: "b", region: "eu-central-1" });
        expect(moved).toMatchObject({ replaces: ["region"], deleteBeforeReplace: true });
        const named = { inputs: { bucket: "b", region: "us-east-1" }, outputs: old.outputs };
        expect(difference(bucket, named, { bucket: "b" }).names).toEqual([]);
    });

    test("the old one goes first only when the program's own name stays", () => {
        const old = { inputs: { name: "p", user: "a", policy: "{}" }, outputs: {} };
        const given = difference(userPolicy, old, { name: "p", user: "b", policy: "{}", __defaults: [] });
        expect(given.deleteBeforeReplace).toBe(true);
        const generated = difference(userPolicy, old, {
            name: "p",
            user: "b",
            policy: "{}",
            __defaults: ["name"],
        });
        expect(generated.deleteBeforeReplace).toBe(false);
    });
});

describe("state", () => {
    const last = {
        bucket: "b",
        forceDestroy: true,
        tags: { a: "1" },
        tagsAll: { a: "1" },
        region: "us-east-1",
    };

    test("after an update, inputs that are no longer given are gone and the cloud's values stay", () => {
        const state = updatedState(bucket, last, { bucket: "b", __defaults: [] }, { tagsAll: {} });
        expect(state).toEqual({ bucket: "b", region: "us-east-1", tagsAll: {} });
    });

    test("after a read, given inputs have their present values and new ones appear", () => {
        const given = { inputs: { bucket: "b", __defaults: ["bucket"] }, outputs: { ...last, tags: {} } };
        expect(readInputs(bucket, given, last)).toEqual({
            bucket: "b",
            tags: { a: "1" },
            __defaults: ["bucket"],
        });
        const tagged = { inputs: { bucket: "b", tags: { a: "1" } }, outputs: last };
        expect(readInputs(bucket, tagged, { ...last, tags: undefined })).toEqual({ bucket: "b" });
    });

    test("after an import, all that differ from the defaults are inputs", () => {
        const state = { bucket: "b", forceDestroy: false, tags: { a: "1" } };
        expect(readInputs(bucket, { inputs: {}, outputs: {} }, state)).toEqual({
            bucket: "b",
            tags: { a: "1" },
        });
    });
});
