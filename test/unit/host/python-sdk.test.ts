import { describe, expect, test } from "vitest";
import { hostedComponents } from "../../../host/components/index.ts";
import { docstring, identifier, literal } from "../../../host/python/names.ts";
import { pythonPackage } from "../../../host/python/sdk.ts";
import { shapeOfFields } from "../../../host/python/shapes.ts";
import { packageSchema } from "../../../host/schema.ts";
import { hostedTypes } from "../../../host/types.ts";
import { pythonFiles } from "./python-files.ts";

const schema = packageSchema(hostedTypes(), hostedComponents(), "1.2.3");
const files = pythonPackage(schema);

describe("names in Python", () => {
    test.each([
        ["keyPrefix", "key_prefix"],
        ["maximumMiB", "maximum_mi_b"],
        ["caCertificate", "ca_certificate"],
        ["flinkConf", "flink_conf"],
        ["from", "from_"],
        ["isURLOf", "is_url_of"],
    ])("%s is %s", (name, python) => expect(identifier(name)).toBe(python));

    test("of one resource or type are all different, and none is that of the constructor's own arguments", () => {
        const objects = [...Object.values(schema.resources), ...Object.values(schema.types)];
        for (const { properties } of objects) {
            const names = Object.keys(properties).map(identifier);
            expect(new Set(names).size).toBe(names.length);
            expect(names).not.toContain("opts");
            expect(names).not.toContain("resource_name");
        }
    });
});

describe("values of JSON in Python", () => {
    test("are expressions of Python", () => {
        expect(literal({ a: [true, null, 1, 'x"'], b: false })).toBe(
            '{"a": [True, None, 1, "x\\""], "b": False}',
        );
    });

    test("documentation cannot end its own text", () => {
        expect(docstring(['says """ and \\n'])).toEqual(['"""says \\"\\"\\" and \\\\n"""']);
    });
});

test("names are changed in objects, lists and every form of a value, and keys of maps are not", () => {
    const shape = shapeOfFields(
        {
            same: { type: "string" },
            flinkConf: { type: "object", additionalProperties: { type: "string" } },
            places: { type: "array", items: { oneOf: [{ $ref: "#/types/a" }, { $ref: "#/types/b" }] } },
        },
        {
            a: { type: "object", properties: { oneName: { type: "string" } }, required: [] },
            b: { type: "object", properties: { otherName: { type: "string" } }, required: [] },
        },
    );
    expect(shape).toEqual({
        fields: {
            flink_conf: ["flinkConf", null],
            places: [
                "places",
                { items: { fields: { one_name: ["oneName", null], other_name: ["otherName", null] } } },
            ],
        },
    });
});

test("every resource and component is a class of its module", () => {
    expect([...files.keys()].sort()).toEqual(pythonFiles);
    for (const token of Object.keys(schema.resources)) {
        const [, module = "", name = ""] = token.split(":");
        const text = files.get(module === "index" ? "components.py" : `${module}.py`)!;
        expect(text).toMatch(new RegExp(`^class ${name}\\(pulumi\\.(Custom|Component)Resource\\):`, "m"));
        expect(text).toContain(`"${token}"`);
    }
});

test("a secret argument of a resource is sealed, and a component's stays a plain value", () => {
    expect(files.get("lakekeeper.py")).toMatch(/"credential": wire\(credential, .*, secret=True\)/);
    expect(files.get("components.py")).not.toContain("secret=True");
    expect(files.get("components.py")).toContain("remote=True");
    expect(files.get("components.py")).toMatch(/^ {8}catalog: str,$/m);
    expect(files.get("components.py")).toMatch(/^ {8}client: pulumi\.Input\[FlussTablesClient\],$/m);
});
