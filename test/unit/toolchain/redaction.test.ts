import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cacheFolder, fill } from "../../../local/toolchain/cache.ts";
import { tryCommand } from "../../../local/toolchain/command.ts";
import { ownJar, ownJarFilling } from "../../../local/toolchain/java-jars.ts";
import { findJava } from "../../../local/toolchain/jdk.ts";
import { jarFolders, listJars, mavenFilling } from "../../../local/toolchain/maven.ts";

/** A logged line, and the same line as it must reach the file. */
const LINES: [logged: string, written: string][] = [
    // Fluss 0.9.1 and Flink 1.20 at their start.
    [
        "Loading configuration property: s3.secret.key=wJal+rX/Utn, FEMI",
        "Loading configuration property: s3.secret.key=***",
    ],
    ["Loading configuration property: rest.port=8081", "Loading configuration property: rest.port=8081"],
    [
        "Loading configuration property: iceberg.token, abc def",
        "Loading configuration property: iceberg.token, ***",
    ],
    [
        'Loading configuration property: security.sasl.plain.jaas.config=x.PlainLoginModule required user_a="p w";',
        "Loading configuration property: security.sasl.plain.jaas.config=***",
    ],
    [
        'PlainLoginModule required user_admin="ad\\"min" user_fluss="x y";',
        "PlainLoginModule required user_admin=*** user_fluss=***;",
    ],
    // Configuration as a map, JSON, YAML, SQL, XML, arguments.
    ["{s3.access.key=AKIAABCDEFGHIJKLMNOP, region=eu}", "{s3.access.key=***, region=eu}"],
    ['{"secret-access-key":"a\\"b","n":1}', '{"secret-access-key":***,"n":1}'],
    ['"{\\"token\\":\\"abc\\",\\"n\\":1}"', '"{\\"token\\":***,\\"n\\":1}"'],
    ["client.security.sasl.password: pass,word", "client.security.sasl.password: ***"],
    ["'iceberg.token' = 'it''s', 'type' = 'fluss'", "'iceberg.token' = ***, 'type' = 'fluss'"],
    ["token = 'begins here", "token = ***"],
    ["<SecretAccessKey>abc/def</SecretAccessKey>", "<SecretAccessKey>***</SecretAccessKey>"],
    ["args [--datalake.iceberg.token, abc, --x, y]", "args [--datalake.iceberg.token, ***, --x, y]"],
    [
        "run --fluss.client.security.sasl.password abc --x y",
        "run --fluss.client.security.sasl.password *** --x y",
    ],
    ["jdbc:postgresql://user:pa:ss@host/db", "jdbc:postgresql://user:***@host/db"],
    // Requests.
    ["Authorization: AWS4-HMAC-SHA256 Credential=AKIA/x, Signature=ab", "Authorization: ***"],
    ["headers={authorization=[Bearer abc.def], host=[h]}", "headers={authorization=[***], host=[h]}"],
    ["sent bearer abcdefgh", "sent bearer ***"],
    ["GET /b?X-Amz-Security-Token=abc&X-Amz-Date=1", "GET /b?X-Amz-Security-Token=***&X-Amz-Date=1"],
    ["got eyJhbGciOiJub25l.eyJzdWIiOiJ4In0.c2ln back", "got *** back"],
    ["Session credentials updated for ASIAABCDEFGHIJKLMNOP", "Session credentials updated for ASIA***MNOP"],
    // Harmless: must stay as it is.
    ["x.InvalidTokenException: The text stays", "x.InvalidTokenException: The text stays"],
    [
        "\tat org.x.DelegationTokenManager.start(DelegationTokenManager.java:12)",
        "\tat org.x.DelegationTokenManager.start(DelegationTokenManager.java:12)",
    ],
    [
        "Obtained a new security token from s3://bucket/path",
        "Obtained a new security token from s3://bucket/path",
    ],
    [
        "listening on http://127.0.0.1:8081/v1 at user@host",
        "listening on http://127.0.0.1:8081/v1 at user@host",
    ],
];

const java = findJava();
const cacheDir = cacheFolder();
let folder: string;

describe.skipIf(java === undefined)(`log redaction${java ? "" : " (skipped: there is no java)"}`, () => {
    beforeAll(async () => {
        folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-fluss-log-"));
        await fill(cacheDir, mavenFilling(cacheDir, ["logging-slf4j1", "logging-slf4j2"]), () => {});
        await fill(cacheDir, ownJarFilling(cacheDir, "logging", java ?? ""), () => {});
    }, 180_000);

    afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

    describe.each(["logging-slf4j1", "logging-slf4j2"] as const)("with %s", (binding) => {
        let output: string;

        beforeAll(async () => {
            output = await runWith(binding);
        }, 60_000);

        it("hides secrets by their surroundings and leaves the rest", () => {
            const written = output.split("\n").slice(0, LINES.length);
            expect(written.map((line) => line.replace(/^.*? LogSecrets - /, ""))).toEqual(
                LINES.map((line) => line[1]),
            );
        });

        it("hides values of the file, from the moment on at which it lists them", () => {
            expect(output).toContain("before: first-known-value second-known-value\n");
            expect(output).toContain("after: *** *** ***s\n");
        });

        it("hides secrets in stack traces, once each, with their frames", () => {
            expect(output).toContain("java.lang.IllegalStateException: outer ***\n\tat LogSecrets.main(");
            expect(output).toContain("Caused by: java.io.IOException: token=***\n");
            expect(output.match(/Caused by:/g)).toHaveLength(1);
        });

        it("hides secrets in what is written past Log4j", () => {
            expect(output).toContain("secret.key=***");
            expect(output).toContain("password=***\n");
            expect(output).toContain("Authorization: ***\n");
            expect(output).toContain("uncaught credential=***\n");
            expect(output).not.toMatch(/(jul|printed|stream|uncaught)-secret/);
        });
    });
});

async function runWith(binding: "logging-slf4j1" | "logging-slf4j2"): Promise<string> {
    const input = path.join(folder, "lines");
    const secrets = path.join(folder, `secrets-${binding}`);
    fs.writeFileSync(input, LINES.map((line) => line[0]).join("\n"));
    const jars = listJars(jarFolders(cacheDir)[binding]).map((jar) =>
        path.join(jarFolders(cacheDir)[binding], jar),
    );
    const classPath = [ownJar(cacheDir, "logging"), ...jars].join(path.delimiter);
    const program = fileURLToPath(new URL("LogSecrets.java", import.meta.url));
    const { output } = await tryCommand(java ?? "", [
        ...["-XX:TieredStopAtLevel=1", `-Dfluss.local.secrets=${secrets}`],
        ...["-cp", classPath, program, input],
    ]);
    return output;
}
