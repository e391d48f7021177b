import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Supervisor } from "../../local/services/supervisor.ts";
import { down, eventually, processArguments, root, run, start, summary } from "./kit.ts";

/** A start that is cut off in each phase, services that die, and what the next start makes of it. */
describe("interruptions", () => {
    beforeAll(async () => {
        await down();
        fs.rmSync(root, { recursive: true, force: true });
    });

    afterAll(down);

    it("goes on after a kill while the services start", async () => {
        await killedWhen(/s3 is ready|zookeeper is ready|lakekeeper-simulator is ready/);
    });

    it("goes on after a kill in the midst of `up`, before the servers are there", async () => {
        await killedWhen(/aws:iam:AccessKey .* created/);
    });

    it("stops in an orderly way at Ctrl-C, and goes on after it", async () => {
        const cut = run("local/start.ts");
        await output(cut, /fluss:Database .* created/);
        cut.child.kill("SIGINT");
        const { code } = await cut.done;
        expect(code).not.toBe(0);
        const next = await start();
        expect(next.code, next.output).toBe(0);
        expect(summary().lakeRows).toBeGreaterThanOrEqual(100);
        const again = await start();
        expect(again.output).toContain("0 changes");
        // Also those that the killed starts above have left.
        expect(engines()).toEqual([]);
    });

    it("starts dead servers again, with their data", async () => {
        const before = summary().lakeRows;
        killService("fluss-tablet");
        killService("vvp-simulator");
        const next = await start();
        expect(next.code, next.output).toBe(0);
        expect(next.output).toContain("started again after a crash: fluss-tablet");
        expect(summary().lakeRows).toBeGreaterThanOrEqual(before);
    });

    it("begins anew when the emulator has lost everything, and says so", async () => {
        killService("s3");
        const next = await start();
        expect(next.code, next.output).toBe(0);
        expect(next.output).toContain("Everything begins anew");
        expect(summary().changes).toBe(summary().resources);
    });

    it("lets a second start at the same time wait for the first", async () => {
        const both = await Promise.all([start(), start()]);
        for (const { code, output } of both) expect(code, output).toBe(0);
        expect(both.some(({ output }) => output.includes("waiting for it"))).toBe(true);
        for (const { output } of both) expect(output).toContain("0 changes");
    });
});

/** Processes of Pulumi's engine that run for this lakehouse. */
function engines(): string[] {
    return [...processArguments()].flatMap(([pid, text]) =>
        /cmd\/dynamic-provider|\bpulumi .*--exec-kind/.test(text) && environmentOf(pid).includes(root)
            ? [text]
            : [],
    );
}

function environmentOf(pid: number): string {
    try {
        return fs.readFileSync(`/proc/${pid}/environ`, "utf8");
    } catch {
        return "";
    }
}

/** Starts, kills the program hard at the moment its output says so, and checks that nothing but our services is left. */
async function killedWhen(moment: RegExp): Promise<void> {
    const cut = run("local/start.ts");
    await output(cut, moment);
    cut.child.kill("SIGKILL");
    await cut.done;
    expect(fs.existsSync(path.join(root, "run"))).toBe(true);
}

/** Waits until the program has printed it; a program that ends before is told with all that it printed. */
function output(program: ReturnType<typeof run>, moment: RegExp): Promise<true> {
    return eventually(`output ${moment}`, 300, () => {
        if (moment.test(program.output())) return true;
        if (program.child.exitCode !== null)
            throw new Error(`it ended without printing ${moment}:\n${program.output()}`);
        return undefined;
    });
}

function killService(name: string): void {
    const service = new Supervisor(root).status().find((status) => status.name === name);
    expect(service?.pid, `${name} runs`).toBeDefined();
    process.kill(service!.pid!, "SIGKILL");
}
