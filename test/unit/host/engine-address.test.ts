import { expect, test } from "vitest";
import { engineAddress } from "../../../host/engine-address.ts";

const address = "127.0.0.1:40123";
const endpoint = "http://localhost:9411/api/v1/spans";

test.each([
    [[address], address],
    [["--logtostderr", "-v=9", address], address],
    [["--tracing", endpoint, address], address],
    [["--logtostderr", "-v=9", "--tracing", endpoint, address], address],
    [[`--tracing=${endpoint}`, address], address],
    [["--tracing", endpoint], undefined],
    [[], undefined],
])("of the arguments %j the engine's address is %s", (args, expected) => {
    expect(engineAddress(args)).toBe(expected);
});
