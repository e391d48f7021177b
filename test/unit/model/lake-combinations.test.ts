import { describe, expect, it } from "vitest";
import { lakeCombinations } from "../../../model/lake-combinations.ts";

describe("combinations of lakes", () => {
    const all = lakeCombinations();

    it("are the whole product of catalogs, stores and keys", () => {
        const names = new Set(all.map(({ catalog, storage, keys }) => `${catalog} ${storage} ${keys}`));
        expect([all.length, names.size]).toEqual([42, 42]);
    });

    it("take files with a Hadoop catalog only", () => {
        const files = all.filter(({ storage }) => storage === "Files");
        const [refused, accepted] = [files.filter(({ lake }) => !lake), files.filter(({ lake }) => lake)];
        expect(accepted.map(({ catalog }) => catalog)).toEqual(["Hadoop"]);
        for (const { refusal } of refused) expect(refusal).toMatch(/only a Hadoop catalog/);
    });

    it("refuse JDBC without the store's keys, and nothing else on a store", () => {
        const refused = all.filter(({ lake, storage }) => !lake && storage !== "Files");
        expect(refused.map(({ catalog, storage, keys }) => [catalog, storage, keys])).toEqual([
            ["JDBC", "Amazon S3", false],
            ["JDBC", "S3-compatible", false],
            ["JDBC", "Azure", false],
        ]);
        for (const { refusal } of refused) expect(refusal).toMatch(/hands out no store keys/);
    });

    it("doubt REST on Azure with any release, and tell what was seen to fail on 0.9", () => {
        const doubted = (line: "0.9" | "1.0") => [
            ...new Set(
                all
                    .filter(({ warnings }) => warnings[line].length > 0)
                    .map(({ catalog, storage }) => `${catalog.split(",")[0]}, ${storage}`),
            ),
        ];
        expect(doubted("0.9")).toEqual(["REST, Azure", "Hadoop, Amazon S3", "Hadoop, S3-compatible"]);
        expect(doubted("1.0")).toEqual([
            "REST, Azure",
            ...["Amazon S3", "S3-compatible", "Azure", "Files"].map((storage) => `Hadoop, ${storage}`),
        ]);
    });
});
