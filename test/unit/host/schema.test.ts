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

    test("marks the provider's secrets", () => {
        const { vvpToken, owner } = schema.provider.inputProperties as Record<string, SchemaType>;
        expect(vvpToken).toMatchObject({ type: "string", secret: true });
        expect(owner).toEqual({ type: "string" });
    });
});
