import { describe, expect, it } from "vitest";
import { SampleWriters } from "../../../stacks/sample-writers.ts";
import { build, misplaced } from "./harness.ts";

const make = (preview: boolean, generator: "faker" | "datagen" = "faker") =>
    build(
        preview,
        (opts) =>
            new SampleWriters(
                "desk",
                {
                    connection: { url: "https://vvp.example.com" },
                    deploymentTarget: "fluss-quickstart-target",
                    additionalDependencies: ["s3i://artifacts/fluss-flink-1.20-1.0.0-vv-3.jar"],
                    catalog: "fluss_quickstart",
                    generator,
                    rowsPerSecond: 7,
                },
                opts,
            ),
    );

describe.each([true, false])("SampleWriters, preview %s", (preview) => {
    it("are the quickstart's two SQL deployments", async () => {
        const { made, completed } = await make(preview);
        expect([...made.values()].map(({ name, inputs }) => [name, inputs.name])).toEqual([
            ["desk", undefined],
            ["desk-accounts", "fluss-quickstart-write-accounts"],
            ["desk-trades", "fluss-quickstart-write-trades"],
        ]);
        expect(made.get("desk-trades")?.inputs.sqlScript).toMatch(
            /'connector'\s*= 'faker'.*'rows-per-second'\s*= '7'.*INSERT INTO `fluss_quickstart`\.`finance`\.`trades`/s,
        );
        expect(made.get("desk-accounts")?.inputs).toMatchObject({
            engineVersion: "vera-4.5-jdk11-flink-1.20",
            deploymentTarget: "fluss-quickstart-target",
        });
        expect(misplaced(made, "desk")).toEqual([]);
        expect(completed).toEqual(["desk"]);
    });

    it("use the generator of open Flink when told", async () => {
        const { made } = await make(preview, "datagen");
        expect(made.get("desk-trades")?.inputs.sqlScript).toMatch(/'connector'\s*= 'datagen'/);
    });
});
