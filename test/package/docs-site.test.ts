import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as components from "../../components/index.ts";
import * as resources from "../../dynamic-providers/index.ts";

const root = path.resolve(import.meta.dirname, "../..");
const site = fs.mkdtempSync(path.join(os.tmpdir(), "docs-site-"));
let told = "";

beforeAll(() => {
    const typedoc = path.join(root, "node_modules/typedoc/bin/typedoc");
    const run = spawnSync(process.execPath, [typedoc, "--out", site], { cwd: root, encoding: "utf8" });
    told = run.stdout + run.stderr;
    expect(run.status, told).toBe(0);
}, 300_000);
afterAll(() => fs.rmSync(site, { recursive: true, force: true }));

test("the site has a page for each component and resource", () => {
    const exported = { ...components, ...resources };
    const classes = Object.entries(exported).filter(([, value]) => /^class /.test(String(value)));
    expect(classes.length).toBeGreaterThan(25);
    const pages = fs.readdirSync(path.join(site, "classes"));
    expect(
        classes.map(([name]) => name).filter((name) => !pages.some((page) => page.endsWith(`.${name}.html`))),
    ).toEqual([]);
});

test("the site has each page of the docs, under the name that its heading gives, and no broken link", () => {
    const docs = fs.readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" });
    const pages = fs.readdirSync(path.join(site, "documents"));
    // The changelog, too.
    expect(pages).toHaveLength(docs.filter((name) => name.endsWith(".md")).length + 1);
    expect(pages).toEqual(
        expect.arrayContaining([
            "Command_line.html",
            "Policy_pack.html",
            "LakeBuckets.html",
            "3._npm_run_local_down_drops_everything.html",
        ]),
    );
    expect(told).not.toMatch(/failed to resolve|does not exist|invalid link/i);
    const page = fs.readFileSync(path.join(site, "documents/Policy_pack.html"), "utf8");
    expect(page).toContain("<td><code>bucket-public-access</code></td>");
});
