import fs from "node:fs";
import path from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { z } from "zod";
import { flussHelmExtras } from "../../../model/fluss-helm-extras.ts";
import { root } from "./examples.ts";

/** The tables of a page hold what the types hold: a new argument is missing here until it is described. */
const rows = rowsOf("docs/components/fluss-cluster.md");
const members = membersOf("components/fluss-cluster-chart.ts", "FlussChartArgs", "chart");

test("every argument of FlussCluster's chart has a row, and every row an argument", () => {
    expect(members.length).toBeGreaterThan(25);
    const told = [...rows.keys()].filter((name) => name.startsWith("chart."));
    expect(told.toSorted()).toEqual(members.map(({ name }) => name).toSorted());
});

test("rows say what is required, and the defaults of the doc comments", () => {
    const wrong = members
        .map(({ name, required, fallback }) => ({ name, cell: rows.get(name) ?? "", required, fallback }))
        .filter(({ cell, required, fallback }) =>
            fallback
                ? !cell.replaceAll("`", "").startsWith(fallback)
                : cell.startsWith("required") !== required,
        );
    expect(members.filter(({ fallback }) => fallback).length).toBeGreaterThan(8);
    expect(wrong).toEqual([]);
});

test("every setting of the chart has a row, and every row a setting", () => {
    const { properties = {} } = z.toJSONSchema(flussHelmExtras, { unrepresentable: "any" }) as Schema;
    const settings = Object.entries(properties).flatMap(([name, { properties: parts }]) =>
        parts ? Object.keys(parts).map((part) => `settings.${name}.${part}`) : [`settings.${name}`],
    );
    expect(settings.length).toBeGreaterThan(8);
    const told = [...rows.keys()].filter((name) => name.startsWith("settings."));
    expect(told.toSorted()).toEqual(settings.toSorted());
});

interface Schema {
    properties?: Record<string, Schema>;
}

interface Member {
    name: string;
    required: boolean;
    /** The default that the doc comment names as a value. */
    fallback: string | undefined;
}

/** Names in the first column of the page's tables, each with the third one, the default. */
function rowsOf(page: string): Map<string, string> {
    const lines = fs.readFileSync(path.join(root, page), "utf8").split("\n");
    const cells = lines
        .filter((line) => line.startsWith("| `"))
        .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
    return new Map(
        cells.flatMap(([, names = "", , fallback = ""]) =>
            [...names.matchAll(/`([\w.]+)`/g)].map(([, name = ""]) => [name, fallback] as const),
        ),
    );
}

/** Members of an interface; in the place of one whose type is an interface of the same file stand that one's. */
function membersOf(file: string, type: string, prefix: string): Member[] {
    const source = ts.createSourceFile(
        file,
        fs.readFileSync(path.join(root, file), "utf8"),
        ts.ScriptTarget.ES2023,
        true,
    );
    const found = new Map(
        source.statements.filter(ts.isInterfaceDeclaration).map((one) => [one.name.text, one] as const),
    );
    const visit = (name: string, before: string): Member[] =>
        found
            .get(name)!
            .members.filter(ts.isPropertySignature)
            .flatMap((member) => {
                const own = `${before}.${member.name.getText()}`;
                const inner = member
                    .type!.getText()
                    .match(/\w+/g)!
                    .filter((word) => found.has(word));
                if (inner.length > 0) return inner.flatMap((word) => visit(word, own));
                const comment = ts
                    .getJSDocCommentsAndTags(member)
                    .map((doc) => doc.getText())
                    .join(" ");
                const [, fallback] =
                    /Default (?:`([^`]+)`|(\d+|true|false))/.exec(comment)?.filter(Boolean) ?? [];
                return [{ name: own, required: !member.questionToken, fallback }];
            });
    // A bucket and a container are alternatives that share a name.
    return [...new Map(visit(type, prefix).map((member) => [member.name, member])).values()];
}
