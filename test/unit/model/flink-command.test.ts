import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flinkRunCommand } from "../../../model/flink-command.ts";
import { pathsOf } from "./fixtures/faults.ts";

describe("the command that submits a job", () => {
    it("has Flink's options before the JAR and the job's arguments after it, one on each line", () => {
        expect(
            flinkRunCommand({
                jar: "fluss-flink-tiering-1.0.0-vv-3.jar",
                parallelism: 2,
                flinkConfiguration: { "restart-strategy.type": "exponential-delay" },
                arguments: [
                    ["datalake.format", "iceberg"],
                    ["datalake.iceberg.token", "${env:TOKEN}"],
                ],
            }),
        ).toBe(
            [
                "flink run --detached --parallelism 2 -Drestart-strategy.type=exponential-delay fluss-flink-tiering-1.0.0-vv-3.jar",
                "  --datalake.format iceberg",
                "  --datalake.iceberg.token '${env:TOKEN}'",
            ].join(" \\\n"),
        );
    });

    it("is refused where Flink would read something else, with every fault", () => {
        const act = () =>
            flinkRunCommand({
                jar: "-tiering.jar",
                entryClass: "",
                parallelism: 0,
                flinkConfiguration: { "a b": "c", "rest.port": "8081" },
                arguments: [],
            });
        expect(pathsOf(act)).toEqual(["jar", "entryClass", "parallelism", 'flinkConfiguration["a b"]']);
    });

    it("reaches the program as it was given, whatever is in it", () => {
        const text = fc.string({ unit: "grapheme-ascii", maxLength: 30 });
        const hostile = fc.oneof(
            text,
            fc.constantFrom("'; rm -rf /; '", "$(id)", "`id`", "a\nb", "\\", "''", ""),
        );
        const key = fc.stringMatching(/^[a-z.]{1,10}$/);
        fc.assert(
            fc.property(fc.array(fc.tuple(key, hostile), { minLength: 1, maxLength: 20 }), (list) => {
                const command = flinkRunCommand({ jar: "job.jar", arguments: list });
                const shown = execFileSync("/bin/sh", [
                    "-c",
                    `flink() { printf '%s\\0' "$@"; }\n${command}`,
                ]).toString();
                expect(shown.split("\0").slice(0, -1)).toEqual([
                    "run",
                    "--detached",
                    "job.jar",
                    ...list.flatMap(([name, value]) => [`--${name}`, value]),
                ]);
            }),
            { numRuns: 100 },
        );
    });
});
