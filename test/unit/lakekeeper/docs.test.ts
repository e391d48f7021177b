import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { lakekeeperProviders } from "../../../dynamic-providers/lakekeeper/index.ts";
import { storageFields } from "../../../dynamic-providers/lakekeeper/storage/index.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");

const pages = readdirSync(path.join(root, "docs/lakekeeper")).map((file) => file.replace(/\.md$/, ""));

/** `lakekeeperRoleMembers` → `role-members`. */
const pageOf = (provider: string) =>
    provider
        .replace(/^lakekeeper/, "")
        .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`)
        .toLowerCase();

describe("pages of the Lakekeeper resources", () => {
    it("are one for each resource, and the overview leads to all of them", () => {
        expect(pages.toSorted()).toEqual(Object.keys(lakekeeperProviders).map(pageOf).sort());
        const overview = read("docs/lakekeeper.md");
        for (const page of pages) expect(overview).toContain(`(lakekeeper/${page}.md)`);
    });

    it.each(pages)("%s: its example is the program that is compiled and run by tests", (page) => {
        const examples = [...read(`docs/lakekeeper/${page}.md`).matchAll(/```ts\n(.*?)```/gs)];
        // Another one would be run by nobody.
        expect(examples).toHaveLength(1);
        const shown = examples[0]?.[1];
        const program = read(`test/lakekeeper/examples/${page}.ts`);
        expect(shown).toBe(
            program.replace('"../../../dynamic-providers/index.ts"', '"pulumi-fluss/dynamic-providers"'),
        );
    });

    it("warehouse: each field of each storage is listed with what a change of it does, and since when it is known", () => {
        const page = read("docs/lakekeeper/warehouse.md");
        for (const [kind, fields] of Object.entries(storageFields)) {
            const [, section = ""] = new RegExp(`\n### ${kind}\n(.*?)\n(?=\n[^|])`, "s").exec(page) ?? [];
            const rows = section.split("\n").filter((line) => line.startsWith("| `"));
            const told = rows.map((row) =>
                row
                    .split("|")
                    .slice(1, -1)
                    .map((cell) => cell.trim()),
            );
            const known = Object.entries(fields).map(([name, { change, since = "" }]) => [
                `\`${name}\``,
                typeof change === "function"
                    ? "another warehouse, in place with an `endpoint`"
                    : change === "replace"
                      ? "another warehouse"
                      : "in place",
                since,
            ]);
            expect(told, kind).toEqual(known);
        }
    });

    it("have a counterpart for each resource of the Terraform provider", () => {
        const theirs = [
            "namespace",
            "project",
            "project_role_assignment",
            "project_user_assignment",
            "role",
            "role_role_assignment",
            "role_user_assignment",
            "server_role_assignment",
            "server_user_assignment",
            "user",
            "warehouse",
            "warehouse_role_assignment",
            "warehouse_user_assignment",
        ];
        const overview = read("docs/lakekeeper.md");
        for (const name of theirs)
            expect(overview).toMatch(new RegExp(`\\| \`lakekeeper_${name}\` +\\| \\S`));
    });
});
