import { expect, test } from "vitest";
import {
    fromStruct,
    holdsUnknown,
    markLike,
    plainProperties,
    sameValue,
    secret,
    toStruct,
    unknownValue,
} from "../../../host/values.ts";

test("secrets and unknowns survive the message as the engine writes them", () => {
    const marked = { key: secret("s"), list: [secret({ deep: 1 }), unknownValue], none: null };
    expect(fromStruct(toStruct(marked))).toEqual(marked);
    expect(marked.key).toEqual({
        "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
        value: "s",
    });
    expect(plainProperties(marked)).toEqual({ key: "s", list: [{ deep: 1 }, unknownValue], none: null });
});

test("entries that are undefined are left out of the message, nested ones too", () => {
    expect(fromStruct(toStruct({ a: undefined, b: { c: undefined as never, d: 1 } }))).toEqual({
        b: { d: 1 },
    });
});

test("marks are put where they were, and on the whole where an object became a text", () => {
    const pattern = {
        tags: { a: secret("1"), b: "2" },
        policy: { statement: [secret("x")] },
        list: [secret(1), 2],
    };
    expect(
        markLike({ tags: { a: "9", b: "8", c: "7" }, policy: '{"s":"x"}', list: [1, 2, 3] }, pattern),
    ).toEqual({
        tags: { a: secret("9"), b: "8", c: "7" },
        policy: secret('{"s":"x"}'),
        list: [secret(1), 2, 3],
    });
});

test("unknowns are found inside", () => {
    expect(holdsUnknown({ a: [{ b: unknownValue }] })).toBe(true);
    expect(holdsUnknown({ a: ["known"] })).toBe(false);
});

test("equality goes by content, and absent is null", () => {
    expect(sameValue({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
    expect(sameValue(undefined, null)).toBe(true);
    expect(sameValue(undefined, false)).toBe(false);
});
