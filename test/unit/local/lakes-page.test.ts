import fs from "node:fs";
import { expect, it } from "vitest";
import { lakesPage } from "../../../local/lakes-page.ts";

it("docs/lakes.md is what the model says; write it anew with npm run docs:lakes", () => {
    expect(fs.readFileSync(new URL("../../../docs/lakes.md", import.meta.url), "utf8")).toBe(lakesPage());
});
