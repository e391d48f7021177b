import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolders } from "../../../local/services/folders.ts";
import { addColumn, addedColumns, checkColumn } from "../../../local/settings.ts";
import { temporaryRoot } from "../services/fixture.ts";

describe("columns that were added to accounts", () => {
    it("are none before the first", () => {
        expect(addedColumns(temporaryRoot())).toEqual([]);
    });

    it("are remembered in their order, each once", () => {
        const root = temporaryRoot();
        makeFolders(root);
        for (const column of ["email", "phone", "email"]) addColumn(root, column);
        expect(addedColumns(root)).toEqual(["email", "phone"]);
    });

    it("live in the folder that goes with the data", () => {
        const root = temporaryRoot();
        const { run } = makeFolders(root);
        addColumn(root, "email");
        expect(fs.readdirSync(run)).toEqual(["added-columns.json"]);
        expect(fs.statSync(path.join(run, "added-columns.json")).mode & 0o777).toBe(0o600);
    });

    it("are refused by name before anything starts", () => {
        const root = temporaryRoot();
        expect(() => checkColumn(root, "email")).not.toThrow();
        for (const [name, reason] of [
            ["account_id", /account_id/],
            ["__offset", /__offset/],
            ["weird name; DROP TABLE x", /letters, digits and _/],
        ] as const) {
            expect(() => checkColumn(root, name)).toThrow(/^--add-column /);
            expect(() => checkColumn(root, name)).toThrow(reason);
        }
    });

    it("may be given again", () => {
        const root = temporaryRoot();
        makeFolders(root);
        addColumn(root, "email");
        expect(() => checkColumn(root, "email")).not.toThrow();
    });
});
