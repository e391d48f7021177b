import fs from "node:fs";
import { expect, test } from "vitest";
import * as components from "../../../components/index.ts";

const folder = "docs/components";
const pages = fs.readdirSync(folder).map((file) => fs.readFileSync(`${folder}/${file}`, "utf8"));
const titleOf = (page: string) => /^# (\w+)$/m.exec(page)?.[1] ?? "";

test.each(pages.map((page) => [titleOf(page), page]))(
    "the page of %s has an example, arguments, outputs, rights and errors",
    (name, page) => {
        expect(page).toMatch(new RegExp(`\`\`\`ts\\n[\\s\\S]*?new ${name}\\(`));
        const sections = page.split(/^## /m).slice(1);
        for (const title of ["Arguments", "Outputs", "Rights", "Errors"]) {
            const found = sections.filter((section) => section.startsWith(`${title}\n`));
            expect([title, found.length]).toEqual([title, 1]);
            expect(found[0]!.trim().length).toBeGreaterThan(title.length + 40);
        }
    },
);

test("every component has a page, and no page is of another", () => {
    const classes = Object.entries(components).filter(([, value]) => /^class /.test(String(value)));
    expect(pages.map(titleOf).sort()).toEqual(classes.map(([name]) => name).sort());
});
