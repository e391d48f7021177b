import { expect, test } from "vitest";
import { pathSegment } from "../../../dynamic-providers/http/path-segment.ts";

test.each([
    ["a/b c", "a%2Fb%20c"],
    ["\u00e9\u{1f600}", "%C3%A9%F0%9F%98%80"],
    ["half \ud83d of one", "half%20%EF%BF%BD%20of%20one"],
])("%j is one segment of a path", (text, segment) => {
    expect(pathSegment(text)).toBe(segment);
});
