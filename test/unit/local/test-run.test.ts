import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { isAlive, recordOf } from "../../../local/services/index.ts";
import { runNode, smallCheckout } from "./checkout.ts";

interface Tier {
    /** What the test runner reports; nothing when it died before. */
    report?: { passed: number; failed: number; skipped?: number; brokenFiles?: number; failure?: string };
    exitCode?: number;
    milliseconds?: number;
    /** What else must have happened before it ends: `e2e begins`. Otherwise it fails after some seconds. */
    after?: string;
    /** Leaves a server behind that works in its temporary folder, and writes its number to `left`. */
    leaves?: boolean;
    /** What it leaves to be said at the end. */
    notes?: string;
}

/** Runs `test/run.ts` in a checkout whose test runner reports what is given, tier by tier or two at a time. */
function runTiers(tiers: Record<string, Tier>, wanted: string[] = Object.keys(tiers), lanes = "1") {
    const root = checkoutOf(tiers);
    const { status, stdout, stderr } = runNode(root, ["test/run.ts", ...wanted], {
        PULUMI_FLUSS_TEST_LANES: lanes,
    });
    return { root, status, stderr, last: stdout.trim().split("\n").at(-1), stdout };
}

function checkoutOf(tiers: Record<string, Tier>): string {
    const programs = ["run", "tiers", "tier-process", "tier-folder", "notes"];
    const copied = programs.map((name) => `test/${name}.ts`);
    return smallCheckout([...copied, "local/processes.ts"], {
        "local/toolchain/index.ts":
            "export const ensureTools = async (report) => (report('tools are ready'), {});",
        "local/toolchain/kubernetes.ts":
            "export const ensureKubernetesTools = async () => { throw new Error('there is no Go'); };",
        "tiers.json": JSON.stringify(tiers),
        "test/check.ts": 'console.log("2 passed, 1 failed"); process.exitCode = 1;',
        "test/unit/here.test.ts": "",
        "node_modules/vitest/vitest.mjs": `
            import { spawn } from "node:child_process";
            import fs from "node:fs";
            const argument = (flag) => process.argv.find((text) => text.startsWith(flag)).slice(flag.length);
            const tier = JSON.parse(fs.readFileSync("tiers.json", "utf8"))[process.argv[process.argv.indexOf("--project") + 1]];
            const name = process.argv[process.argv.indexOf("--project") + 1];
            const { passed, failed, skipped = 0, brokenFiles = 0, failure } = tier.report ?? {};
            const happened = (event) => { console.log(event); fs.writeFileSync(event, ""); };
            happened(name + " begins");
            if (tier.notes) fs.appendFileSync(process.env.PULUMI_FLUSS_TEST_NOTES, tier.notes);
            if (tier.leaves) {
                const folder = fs.mkdtempSync(process.env.TMPDIR + "/server-");
                const server = spawn("sleep", ["300"], { cwd: folder, detached: true, stdio: tier.milliseconds ? "ignore" : "inherit", env: { PATH: process.env.PATH } });
                fs.writeFileSync("left.new", String(server.pid));
                fs.renameSync("left.new", "left");
                server.unref();
            }
            await new Promise((done) => setTimeout(done, tier.milliseconds ?? 0));
            for (let tries = 0; tier.after && !fs.existsSync(tier.after); tries += 1) {
                if (tries > 300) process.exit(1);
                await new Promise((done) => setTimeout(done, 50));
            }
            happened(name + " ends");
            if (tier.report) fs.writeFileSync(argument("--outputFile.json="), JSON.stringify({
                numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped,
                testResults: [
                    ...Array(brokenFiles).fill({ status: "failed", assertionResults: [] }),
                    ...(failure ? [{ status: "failed", name: process.cwd() + "/test/some.test.ts", assertionResults: [
                        { status: "failed", fullName: failure, failureMessages: [["an output", 1, 2, 3, 4, 5, "expected 1 to be 2", "    at x"].join(String.fromCharCode(10))] },
                        { status: "passed", fullName: "fine" },
                    ] }] : []),
                ],
            }));
            process.exitCode = tier.exitCode ?? 0;`,
    });
}

describe("the last line of a test run", () => {
    it("counts all tiers together", () => {
        const run = runTiers({
            unit: { report: { passed: 3, failed: 0 } },
            engine: { report: { passed: 4, failed: 0 } },
        });
        expect(run.last).toBe("7 passed, 0 failed");
        expect(run.status).toBe(0);
        expect(run.stdout).toMatch(/== unit: 3 passed, 0 failed in \d+ s/);
    });

    it("tells failed and skipped tests", () => {
        const run = runTiers({ unit: { report: { passed: 3, failed: 2, skipped: 1 }, exitCode: 1 } });
        expect(run.last).toBe("3 passed, 2 failed");
        expect(run.stdout).toMatch(/== unit: 3 passed, 2 failed, 1 skipped in .*\n\n1 skipped\n/);
        expect(run.status).toBe(1);
    });

    it("counts a file that could not be loaded as a failure", () => {
        const run = runTiers({ unit: { report: { passed: 3, failed: 0, brokenFiles: 2 }, exitCode: 1 } });
        expect(run.last).toBe("3 passed, 2 failed");
    });

    it.each([
        [
            "the runner fails although no test does",
            { report: { passed: 3, failed: 0 }, exitCode: 1 },
            "3 passed, 1 failed",
        ],
        ["the runner dies", { exitCode: 134 }, "0 passed, 1 failed"],
        ["no test ran", { report: { passed: 0, failed: 0 } }, "0 passed, 1 failed"],
    ])("has a failure when %s", (_, tier: Tier, line) => {
        const run = runTiers({ unit: tier });
        expect(run.last).toBe(line);
        expect(run.status).toBe(1);
    });

    it("counts checks, and without a choice takes the tiers that are there", () => {
        const run = runTiers({ unit: { report: { passed: 3, failed: 0 } } }, []);
        expect(run.last).toBe("5 passed, 1 failed");
        expect(run.stdout).not.toMatch(/== engine/);
        expect(run.status).toBe(1);
    });

    it("has a failure when the programs of a tier cannot be made, and runs the other tiers", () => {
        const reported = { report: { passed: 3, failed: 0 } };
        const run = runTiers({ kubernetes: reported, fluss: reported });
        expect(run.stdout).toMatch(/== kubernetes: 0 passed, 1 failed: there is no Go/);
        expect(run.last).toBe("3 passed, 1 failed");
        expect(run.status).toBe(1);
    });

    it("is an error for a tier that does not exist", () => {
        const run = runTiers({}, ["units"]);
        expect(run.status).toBe(2);
        expect(run.stderr).toMatch(
            /there is no tier units; the tiers are check, unit, lakekeeper, faults, engine, secrets, package, policies, kubernetes, e2e-kubernetes, fluss, lakes, e2e, vvp/,
        );
    });
});

describe("two tiers at a time", () => {
    const reported = { report: { passed: 1, failed: 0 } };

    it("begin at both ends, and each is heard whole", () => {
        const run = runTiers(
            {
                unit: { ...reported, after: "e2e begins" },
                faults: reported,
                lakes: reported,
                // The other lane does all the others meanwhile.
                e2e: { ...reported, after: "lakes ends" },
            },
            undefined,
            "2",
        );
        for (const name of ["unit", "faults", "lakes", "e2e"]) {
            expect(run.stdout).toContain(
                `== ${name} printed:\n${name} begins\n${name} ends\n== ${name}: 1 passed`,
            );
        }
        expect(run.last).toBe("4 passed, 0 failed");
        expect(run.status).toBe(0);
    });

    it("tell at the end what failed", () => {
        const failure = "a table > has columns";
        const run = runTiers(
            { unit: { report: { passed: 1, failed: 1, failure } }, e2e: reported },
            undefined,
            "2",
        );
        expect(run.stdout).toMatch(
            /unit +1 passed, 1 failed in \d+ s\n {2}failed: test\/some.test.ts > a table > has columns\n {4}an output\n {4}1\n {4}2\n {4}…\n {4}expected 1 to be 2\n/,
        );
        expect(run.last).toBe("2 passed, 1 failed");
        expect(run.status).toBe(1);
    });

    it("tell at the end what a tier has noted", () => {
        const notes = "s3 had ended\nIts last lines\n";
        const run = runTiers({ unit: { ...reported, notes }, e2e: reported }, undefined, "2");
        expect(run.stdout).toMatch(
            /unit +1 passed, 0 failed in \d+ s\n {2}s3 had ended\n {2}Its last lines\n/,
        );
    });
});

describe.runIf(fs.existsSync("/proc/self/environ"))("what a tier leaves behind", () => {
    const leaving = (milliseconds: number): Tier => ({
        report: { passed: 1, failed: 0 },
        milliseconds,
        leaves: true,
    });
    const leftIn = (root: string) => recordOf(Number(fs.readFileSync(path.join(root, "left"), "utf8")), "");
    const foldersIn = (temporary: string) => fs.readdirSync(temporary);

    /** A run that goes on until it is ended; `temporary` is where the folders of its tiers are. */
    async function running() {
        const root = checkoutOf({ unit: leaving(60_000) });
        const temporary = path.join(root, "temporary");
        fs.mkdirSync(temporary);
        const env = { ...process.env, TMPDIR: temporary };
        const child = spawn(process.execPath, ["test/run.ts", "unit"], { cwd: root, env, stdio: "ignore" });
        const ended = new Promise<number | null>((done) => child.on("exit", done));
        await vi.waitFor(() => expect(fs.existsSync(path.join(root, "left"))).toBe(true), 20_000);
        return { root, temporary, env, child, ended, server: leftIn(root)! };
    }

    it("is ended and told", () => {
        const run = runTiers({ unit: leaving(0) });
        expect(run.stdout).toContain("ended what was left: sleep 300");
        const server = leftIn(run.root);
        expect(server === undefined || !isAlive(server)).toBe(true);
        expect(run.last).toBe("1 passed, 0 failed");
    });

    it("is ended when the run is interrupted", async () => {
        const { temporary, child, ended, server } = await running();
        expect(isAlive(server)).toBe(true);
        child.kill("SIGTERM");
        expect(await ended).toBe(1);
        expect(isAlive(server)).toBe(false);
        expect(foldersIn(temporary)).toEqual([]);
    });

    it("by a run that was killed is ended by the next", async () => {
        const { root, temporary, env, child, ended, server } = await running();
        child.kill("SIGKILL");
        await ended;
        expect(isAlive(server)).toBe(true);
        expect(foldersIn(temporary)).toHaveLength(1);
        const { stdout } = runNode(root, ["test/run.ts", "check"], env);
        expect(stdout).toContain("2 passed, 1 failed");
        expect(isAlive(server)).toBe(false);
        expect(foldersIn(temporary)).toEqual([]);
    });
});
