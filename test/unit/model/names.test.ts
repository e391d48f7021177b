import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { engineFaults, parseEngineVersion } from "../../../model/engine-version.ts";
import * as names from "../../../model/names.ts";

const cases: [string, z.ZodType, string[], string[]][] = [
    [
        "deploymentTargetName",
        names.deploymentTargetName,
        ["fluss-quickstart-target", "A_b", "x".repeat(250)],
        ["", "a b", "a.b", "x".repeat(251)],
    ],
    [
        "secretValueName",
        names.secretValueName,
        ["fluss-password", "Iceberg_Token"],
        ["", "a}", "fluss.password"],
    ],
    [
        "sessionClusterName",
        names.sessionClusterName,
        ["fluss-quickstart-session", "a", "x".repeat(63)],
        ["", "-a", "a-", "A", "a_b", "x".repeat(64)],
    ],
    [
        "deploymentName",
        names.deploymentName,
        ["fluss-quickstart-tiering", "A_1", "x".repeat(128)],
        ["", "a b", "x".repeat(129)],
    ],
    [
        "warehouseName",
        names.warehouseName,
        ["fluss", "ä", "x".repeat(128)],
        ["", "a/b", "a b", "s3://lake/x", "x".repeat(129), "ä".repeat(65), "a\n"],
    ],
    [
        "bucketName",
        names.bucketName,
        ["acme-fluss-lake", "a.b.c", "x".repeat(63)],
        ["ab", "A-bucket", "-abc", "abc-", "a..b", "192.168.1.1", "a_b", "x".repeat(64)],
    ],
    ["saslUsername", names.saslUsername, ["fluss-client", "a.b_c"], ["", "a@b", "a b", "a:b", "a/b", "a+b"]],
    ["saslPassword", names.saslPassword, ["p$`;#w", "x"], ["", 'a"b', "a\\b", "a\nb"]],
    ["environmentName", names.environmentName, ["FLUSS_S3_ACCESS_KEY", "_a1"], ["", "1A", "A-B", "A B"]],
];

describe.each(cases)("%s", (_, schema, good, bad) => {
    it.each(good)("takes %j", (text) => {
        expect(schema.safeParse(text).success).toBe(true);
    });

    it.each(bad)("refuses %j with a reason", (text) => {
        expect(schema.safeParse(text).error?.issues[0]?.message).toMatch(/.{8}/);
    });
});

describe("engine versions", () => {
    it("are taken apart", () => {
        expect(parseEngineVersion("vera-4.5-jdk11-flink-1.20")).toEqual({
            vera: "4.5",
            jdk: 11,
            flink: "1.20",
        });
    });

    it.each(["vera-4.5-flink-1.20", "1.20", "", "vera-4.5-jdk11-flink-1.20-x"])("refuse %j", (name) => {
        expect(() => parseEngineVersion(name)).toThrow(/is not the name of a VERA engine/);
        expect(engineFaults(name, "deployment")).toHaveLength(1);
    });

    it("with jdk17 start no session cluster", () => {
        const jdk17 = "vera-4.5-jdk17-flink-1.20";
        expect(engineFaults(jdk17, "sessionCluster")).toMatchObject([
            {
                path: "engineVersion",
                value: `"${jdk17}"`,
                reason: "a jdk17 engine does not start a session cluster",
            },
        ]);
        expect(engineFaults(jdk17, "deployment")).toEqual([]);
        expect(engineFaults("vera-4.5-jdk11-flink-1.20", "sessionCluster")).toEqual([]);
    });

    it("for another Flink do not fit the client JARs", () => {
        expect(engineFaults("vera-4.5-jdk11-flink-1.19", "deployment")).toMatchObject([
            { reason: expect.stringMatching(/not 1\.19/) },
        ]);
    });
});
