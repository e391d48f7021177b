import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { notesVariable, readNotes } from "./notes.ts";
import { discardTierFolder, makeTierFolder } from "./tier-folder.ts";
import type { Tier } from "./tiers.ts";

const root = path.resolve(import.meta.dirname, "..");

/** How a tier ended. */
export interface Count extends Tally {
    /** What it has to say beside that, line by line. */
    notes: string[];
}

interface Tally {
    passed: number;
    failed: number;
    skipped: number;
    /** What failed, by file and name. */
    failures: string[];
}

/** Takes what a tier prints. */
export type Print = (text: string) => void;

/**
 * Runs a tier in a process of its own, and ends it when its time is over or `stop` says so. What it leaves behind, as the
 * servers of one that was ended, is ended and removed too.
 */
export async function runTier(tier: Tier, print: Print, stop: AbortSignal): Promise<Count> {
    const folder = makeTierFolder(tier.name);
    const limits = { minutes: tier.minutes, print, stop, temporary: folder };
    const count = await (tier.name === "check" ? runChecks(limits) : runTests(tier.name, limits));
    const notes = readNotes(notesIn(folder));
    for (const left of await discardTierFolder(folder)) print(`ended what was left: ${left.slice(0, 200)}\n`);
    return { ...count, notes };
}

const notesIn = (folder: string) => path.join(folder, "notes.txt");

async function runTests(name: string, limits: Limits): Promise<Tally> {
    const results = path.join(limits.temporary, "results.json");
    const { code } = await runNode(
        [
            path.join(root, "node_modules/vitest/vitest.mjs"),
            "run",
            "--project",
            name,
            "--reporter=default",
            "--reporter=json",
            `--outputFile.json=${results}`,
        ],
        limits,
    );
    const count = readResults(results);
    // A crash outside a test, or an unhandled error, fails the tier although no test says so.
    if (code !== 0 && count.failed === 0) count.failed = 1;
    if (count.passed + count.failed === 0) count.failed = 1;
    return count;
}

async function runChecks(limits: Limits): Promise<Tally> {
    const { output } = await runNode([path.join(root, "test/check.ts")], limits);
    const [, passed, failed] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
    return { passed: Number(passed ?? 0), failed: Number(failed ?? 1), skipped: 0, failures: [] };
}

/** The parts of Vitest's report that count. */
interface Report {
    numPassedTests: number;
    numFailedTests: number;
    numPendingTests: number;
    testResults: {
        name?: string;
        status: string;
        assertionResults: { status: string; fullName: string; failureMessages?: string[] }[];
    }[];
}

function readResults(file: string): Tally {
    if (!fs.existsSync(file)) return { passed: 0, failed: 0, skipped: 0, failures: [] };
    const report = JSON.parse(fs.readFileSync(file, "utf8")) as Report;
    const failed = report.testResults.filter(({ status }) => status === "failed");
    const broken = failed.filter(({ assertionResults }) => assertionResults.length === 0);
    const failures = failed.flatMap(({ name = "", assertionResults }) =>
        assertionResults
            .filter(({ status }) => status === "failed")
            .map(({ fullName, failureMessages = [] }) => {
                const reason = shortened(failureMessages[0] ?? "");
                return [`${path.relative(root, name)} > ${fullName}`, ...reason].join("\n    ");
            }),
    );
    return {
        passed: report.numPassedTests,
        failed: report.numFailedTests + broken.length,
        skipped: report.numPendingTests,
        failures: [...failures, ...broken.map(({ name = "a file" }) => path.relative(root, name))],
    };
}

/** Of a message without its stack the first lines and the last, which tells what was expected behind a program's whole output. */
function shortened(message: string): string[] {
    const lines = message.split("\n").filter((line) => line.trim() !== "" && !/^ +at /.test(line));
    return lines.length <= 5 ? lines : [...lines.slice(0, 3), "…", lines.at(-1)!];
}

interface Limits {
    minutes: number;
    print: Print;
    stop: AbortSignal;
    /** Folder for its temporary files. */
    temporary: string;
}

/** Runs Node on a script and passes on what it prints. */
function runNode(
    args: string[],
    { minutes, print, stop, temporary }: Limits,
): Promise<{ code: number; output: string }> {
    return new Promise((done) => {
        const child = spawn(process.execPath, args, {
            cwd: root,
            stdio: ["ignore", "pipe", "pipe"],
            env: { ...process.env, TMPDIR: temporary, [notesVariable]: notesIn(temporary) },
        });
        let output = "";
        child.stdout.on("data", (chunk: Buffer) => {
            output = (output + chunk.toString()).slice(-20_000);
            print(chunk.toString());
        });
        child.stderr.on("data", (chunk: Buffer) => print(chunk.toString()));
        const end = (signal: NodeJS.Signals) => {
            child.kill(signal);
            setTimeout(() => child.kill("SIGKILL"), 20_000).unref();
        };
        const budget = setTimeout(() => {
            print(`stopped: more than ${minutes} minutes\n`);
            end("SIGTERM");
        }, minutes * 60_000);
        const asked = () => end(stop.reason as NodeJS.Signals);
        stop.addEventListener("abort", asked);
        child.on("exit", (code) => {
            clearTimeout(budget);
            stop.removeEventListener("abort", asked);
            const finish = () => done({ code: code ?? 1, output });
            // What it has left behind may hold its output open.
            const patience = setTimeout(finish, 5000);
            child.on("close", () => {
                clearTimeout(patience);
                finish();
            });
        });
    });
}
