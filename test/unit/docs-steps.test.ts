import fs from "node:fs";
import { expect, test } from "vitest";
import * as components from "../../components/index.ts";
import * as resources from "../../dynamic-providers/index.ts";

test("every class in the table of the quickstart's steps is exported", () => {
    const rows = fs
        .readFileSync("docs/steps.md", "utf8")
        .split("\n")
        .filter((line) => line.startsWith("| "));
    const names = rows.flatMap((row) => [...row.matchAll(/`([A-Z]\w+)`/g)].map(([, name = ""]) => name));
    expect(new Set(names).size).toBeGreaterThan(15);
    const known = { ...components, ...resources, SampleWriters: "of the quickstart stack" };
    expect(names.filter((name) => !(name in known))).toEqual([]);
});
