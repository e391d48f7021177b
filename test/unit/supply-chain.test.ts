import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8");
const manifest = JSON.parse(read("package.json")) as Record<string, Record<string, string>>;
const lock = JSON.parse(read("package-lock.json")) as { packages: Record<string, Locked> };

interface Locked {
    version?: string;
    integrity?: string;
    hasInstallScript?: boolean;
    dev?: boolean;
    peer?: boolean;
}

/** They must be the copies that Pulumi's SDK has, whose versions it chooses. */
const ofPulumi = ["@grpc/grpc-js", "google-protobuf"];

/** What a project that installs the library gets, beside the peers that it chooses itself. */
const installed = Object.entries(lock.packages).filter(([name, one]) => name !== "" && !one.dev && !one.peer);

describe("what an installation brings", () => {
    test("is locked by content, and each version of ours is exact", () => {
        const open = Object.entries(lock.packages).filter(([name, one]) => name !== "" && !one.integrity);
        expect(open.map(([name]) => name)).toEqual([]);
        const loose = ["dependencies", "devDependencies"].flatMap((kind) =>
            Object.entries(manifest[kind]!).filter(
                ([name, version]) =>
                    !/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+$/.test(version) && !ofPulumi.includes(name),
            ),
        );
        expect(loose).toEqual([]);
    });

    test("is what SECURITY.md names", () => {
        const [, named = ""] =
            /## Dependencies\n+Eight at run time: (.*?); the Pulumi SDKs/s.exec(read("SECURITY.md")) ?? [];
        const names = [...named.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
        expect(names.toSorted()).toEqual(Object.keys(manifest["dependencies"]!).toSorted());
        expect(names).toHaveLength(8);
    });

    test("needs no script: it has none itself, and the only one below it looks at version numbers", () => {
        expect(installed.length).toBeGreaterThanOrEqual(Object.keys(manifest["dependencies"]!).length);
        // Of gRPC. It changes nothing; `npm run test:package` installs without any script.
        const scripted = installed.filter(([, one]) => one.hasInstallScript).map(([name]) => name);
        expect(scripted.filter((name) => name !== "node_modules/protobufjs")).toEqual([]);
        // `prepare` runs in a checkout only.
        const scripts = Object.keys(manifest["scripts"]!);
        expect(scripts.filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
    });

    // Everything, since `--omit=dev` leaves out `yaml`, which a tool of the development can use, too (npm 11.19 observed).
    test("is listed by `npm run sbom`, and what development alone needs is marked so", () => {
        const [program = "", ...args] = manifest["scripts"]!["sbom"]!.split(" ");
        const text = execFileSync(program, args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
        const sbom = JSON.parse(text) as {
            bomFormat: string;
            components: { name: string; version: string; properties?: { name: string; value: string }[] }[];
        };
        expect(sbom.bomFormat).toBe("CycloneDX");
        const isForDevelopment = (name: string, version: string) => {
            const found = sbom.components.find((one) => one.name === name && one.version === version);
            if (!found) return "not listed";
            return found.properties?.some(({ name }) => name === "cdx:npm:package:development") ?? false;
        };
        for (const [name, one] of installed)
            expect([name, isForDevelopment(name.split("node_modules/").at(-1)!, one.version!)]).toEqual([
                name,
                false,
            ]);
        expect(isForDevelopment("vitest", manifest["devDependencies"]!["vitest"]!)).toBe(true);
    });
});

describe("the release workflow", () => {
    const workflow = parse(read("docs/workflows/release.yml")) as {
        permissions: object;
        jobs: { publish: { permissions: object; steps: { name?: string; run?: string; uses?: string }[] } };
    };
    const { permissions, steps } = workflow.jobs.publish;
    const text = steps.map(({ run, uses }) => run ?? uses).join("\n");

    test("publishes with provenance and needs no kept token", () => {
        expect(workflow.permissions).toEqual({ contents: "read" });
        expect(permissions).toMatchObject({ "id-token": "write", attestations: "write" });
        expect(text).toContain("npm publish ./*.tgz --provenance");
        expect(text).toContain("attest-build-provenance");
        expect(read("docs/workflows/release.yml")).not.toMatch(/secrets\./);
    });

    test("installs by the lock file without scripts, audits, and checks before it publishes", () => {
        const at = (part: string) => text.indexOf(part);
        expect(at("npm ci --ignore-scripts")).toBeGreaterThanOrEqual(0);
        for (const part of [
            "npm audit --omit=dev",
            "npm run check",
            "npm run test:unit",
            "npm run --silent sbom",
        ])
            expect(at(part), part).toBeGreaterThan(at("npm ci"));
        expect(at("npm publish")).toBeGreaterThan(at("npm run --silent sbom"));
        for (const [, script = ""] of text.matchAll(/npm run (?:--silent )?([\w:]+)/g))
            expect(manifest["scripts"]).toHaveProperty([script]);
    });

    test.each(steps.flatMap(({ name, run }) => (run ? [[name, run]] : [])))(
        "%s is sound for bash",
        (_, run) => {
            const { status, stderr } = spawnSync("bash", ["-n"], { input: run, encoding: "utf8" });
            expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
        },
    );
});
