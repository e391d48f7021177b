import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { hostedComponents } from "../../../host/components/index.ts";
import { packageSchema, type SchemaType } from "../../../host/schema.ts";
import { hostedTypes } from "../../../host/types.ts";

const schema = packageSchema(hostedTypes(), hostedComponents(), "1.2.3");

describe("the schema of the provider", () => {
    test("says of a resource what is needed, what is secret and what replaces", () => {
        const warehouse = schema.resources["fluss:lakekeeper:Warehouse"]!;
        expect(warehouse.requiredInputs).toEqual(["connection", "name", "storage"]);
        expect(warehouse.inputProperties["credential"]).toMatchObject({ secret: true });
        expect(warehouse.inputProperties["projectId"]).toMatchObject({
            type: "string",
            willReplaceOnChanges: true,
        });
        expect(warehouse.properties["catalogUri"]).toEqual({ $ref: "pulumi.json#/Any" });
    });

    test("names each form of an input that has several by what tells them apart", () => {
        expect(
            schema.resources["fluss:lakekeeper:Warehouse"]!.inputProperties["storage"]?.oneOf,
        ).toContainEqual({
            $ref: "#/types/fluss:lakekeeper:WarehouseStorageS3",
        });
        expect(schema.types["fluss:lakekeeper:WarehouseStorageS3"]?.required).toEqual(
            expect.arrayContaining(["type", "bucket", "region"]),
        );
    });

    test("knows the connection of Ververica Platform, which is filled from the environment", () => {
        expect(schema.resources["fluss:vvp:Deployment"]!.inputProperties["connection"]).toMatchObject({
            $ref: "#/types/fluss:vvp:DeploymentConnection",
        });
        expect(Object.keys(schema.types["fluss:vvp:DeploymentConnection"]!.properties)).toContain(
            "workspace",
        );
    });

    test("refers only to types that it has", () => {
        const references = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!);
        const known = new Set([
            "pulumi.json#/Any",
            ...Object.keys(schema.types).map((type) => `#/types/${type}`),
        ]);
        expect(references.filter((ref) => !known.has(ref))).toEqual([]);
        expect(references.length).toBeGreaterThan(100);
    });

    test("has no property by a name that every resource has", () => {
        const names = Object.values(schema.resources).flatMap(({ properties }) => Object.keys(properties));
        expect(names.filter((name) => name === "id" || name === "urn")).toEqual([]);
    });

    test("has the components, with what may be an output and what may not", () => {
        const { inputProperties, requiredInputs, isComponent } = schema.resources["fluss:index:FlussTables"]!;
        expect(isComponent).toBe(true);
        expect(requiredInputs).toEqual(["runner", "catalog", "client", "tables"]);
        expect(inputProperties["catalog"]).toEqual({ type: "string", plain: true });
        expect(inputProperties["client"]).toEqual({ $ref: "#/types/fluss:index:FlussTablesClient" });
        const { bootstrapServers } = schema.types["fluss:index:FlussTablesClient"]!.properties;
        expect(bootstrapServers).toEqual({ type: "string" });
    });

    test("has every setting that the resources ask for", () => {
        const folder = path.resolve(import.meta.dirname, "../../../dynamic-providers");
        const files = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
        const sources = files.filter((file) => file.endsWith(".ts"));
        const texts = sources.map((file) => fs.readFileSync(path.join(folder, file), "utf8")).join("\n");
        const asked = [...texts.matchAll(/"pulumi-fluss:(\w+)"/g)].map(([, name]) => name!);
        expect(asked).toContain("vvpToken");
        expect(Object.keys(schema.provider.inputProperties)).toEqual(expect.arrayContaining(asked));
    });

    test("marks the provider's secrets", () => {
        const settings = schema.provider.inputProperties as Record<string, SchemaType>;
        const { vvpToken, lakekeeperToken, owner } = settings;
        expect(vvpToken).toMatchObject({ type: "string", secret: true });
        expect(lakekeeperToken).toMatchObject({ type: "string", secret: true });
        expect(owner).toEqual({ type: "string" });
    });
});
