import { expect, it } from "vitest";
import * as model from "../../../model/index.ts";

it("the package's model entry offers what programs start from", () => {
    expect(Object.keys(model)).toEqual(
        expect.arrayContaining([
            "FaultsError",
            "catalogOptions",
            "defineLake",
            "flussHelmValues",
            "lakekeeperHelmValues",
            "mainArgs",
            "readHints",
            "selectJars",
            "serverOptions",
            "tieringArguments",
        ]),
    );
});
