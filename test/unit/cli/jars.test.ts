import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { run } from "../../../cli/run.ts";
import { fakeRegistry } from "../client-jars/fake-registry.ts";
import { quickstartImages, taken, temporaryFolder } from "../client-jars/jar-images.ts";

beforeEach(() => {
    for (const name of ["DOCKER_CONFIG", "HELM_REGISTRY_CONFIG"])
        vi.stubEnv(name, path.join(temporaryFolder(), "nowhere"));
});
afterEach(() => vi.unstubAllEnvs());

async function jars(...args: string[]) {
    const printed = { out: "", errors: [] as string[] };
    const code = await run(
        ["jars", ...args],
        {},
        {
            out: (text) => {
                printed.out += text;
            },
            error: (line) => printed.errors.push(line),
        },
    );
    return { code, ...printed };
}

const released = ["--release", "1.0.0-vv-3", "--from", "registry"];

describe("pulumi-fluss jars", () => {
    test("fetches the JARs of a release, says what it left out and what it cannot know, and fetches lost ones", async () => {
        const { repository } = await fakeRegistry(quickstartImages());
        const out = path.join(temporaryFolder(), "jars");
        const fetched = await jars(...released, "--repository", repository, "--out", out);
        expect(fetched.code).toBe(0);
        expect(fetched.out).toBe(taken.map((file) => `${file}\n`).join(""));
        const said = fetched.errors.join("\n");
        expect(said).toMatch(/left out: .*fluss-fs-s3-1\.0\.0-vv-3\.jar, which fails on .*getEnumSet/);
        expect(said).toMatch(/left out: .*fluss-flink-1\.20-0\.9\.1-vv-1\.jar, which is not of release/);
        expect(said).toMatch(/further JARs of the image, for --also: .*vendor-extra-1\.0\.jar/);
        expect(said).toMatch(/5 JARs and client-jars\.json written to/);
        expect(said).toMatch(/note: the quickstart uploads 7 JARs/);

        fs.rmSync(path.join(out, taken[0]!));
        expect(await jars("--out", out, "--json")).toMatchObject({
            code: 0,
            out: `${JSON.stringify({ fetched: [taken[0]] })}\n`,
        });
        expect((await jars("--out", out)).out).toBe("0 JARs fetched\n");
    });

    test("names what is missing, and exits with 1", async () => {
        const { "0.9.1-vv-1": image } = quickstartImages();
        const { repository } = await fakeRegistry({ "1.0.0-vv-3": image, "0.9.1-vv-1": image });
        const out = path.join(temporaryFolder(), "jars");
        const { code, errors } = await jars(...released, "--repository", repository, "--out", out);
        expect(code).toBe(1);
        expect(errors.at(-1)).toMatch(
            /faults in the client JARs:.*tiering service of version 1\.0\.0-vv-3 is missing/s,
        );
    });

    test("without a list and a release says what to do", async () => {
        const { code, errors } = await jars("--out", temporaryFolder());
        expect(code).toBe(1);
        expect(errors.join()).toMatch(/has no client-jars\.json.*pulumi-fluss jars --release/);
    });

    test.each([
        [["--release", "1.0.0-vv-3", "--from", "nexus"], /--from takes one of: docker, registry, maven/],
        [
            ["--release", "1.0.0-vv-3", "--storage", "nfs", "--catalog", "glue"],
            /--catalog takes.*--storage takes/s,
        ],
        [["--release", "0.9.1-incubating", "--also", "x"], /--also goes with --from registry only/],
        [["--release", "latest/.."], /--release takes a release such as/],
        [["--storage", "s3"], /--storage: only together with --release/],
    ])("called with %j says what is wrong with it", async (args, reason) => {
        const { code, errors } = await jars(...args);
        expect(code).toBe(2);
        expect(errors.join("\n")).toMatch(reason);
    });
});
