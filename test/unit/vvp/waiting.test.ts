import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ApiError } from "../../../dynamic-providers/http/api-error.ts";
import type { DeploymentCalls } from "../../../dynamic-providers/vvp/deployment-calls.ts";
import type { Job } from "../../../dynamic-providers/vvp/domain.ts";
import { stopAndWait, waitHealthy } from "../../../dynamic-providers/vvp/job-waits.ts";
import { type Clock, waitFor } from "../../../dynamic-providers/vvp/waiting.ts";

/** Time that passes only by sleeping. */
function fakeClock(): Clock & { slept: number[] } {
    let time = 0;
    const slept: number[] = [];
    return {
        slept,
        now: () => time,
        sleep: async (milliseconds) => {
            slept.push(milliseconds);
            time += milliseconds;
        },
    };
}

const numbers = { what: "the count", deadlineSeconds: 20, describe: (n: number) => `it is ${n}` };

test("asks at most once a second, and not more often than every five in the long run", async () => {
    const clock = fakeClock();
    let count = 0;
    await waitFor({ ...numbers, probe: async () => ++count, done: (n) => n === 7 }, clock);
    expect(Math.min(...clock.slept)).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...clock.slept)).toBe(5000);
});

test("a failure ends the wait at once", async () => {
    const clock = fakeClock();
    const wait = { ...numbers, probe: async () => 1, done: () => false, failed: () => "it broke" };
    await expect(waitFor(wait, clock)).rejects.toThrow("waited 0 s for the count: it broke");
    expect(clock.slept).toEqual([]);
});

test("the deadline is kept and tells what is there instead", async () => {
    const clock = fakeClock();
    await expect(waitFor({ ...numbers, probe: async () => 3, done: () => false }, clock)).rejects.toThrow(
        /waited 20 s for the count, but it is 3.*timeoutSeconds/s,
    );
    expect(clock.now()).toBe(20_000);
});

test("a long wait tells now and then what it waits for and what is there", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const clock = fakeClock();
    let count = 0;
    const wait = {
        ...numbers,
        // What is left of a deadline has fractions.
        deadlineSeconds: 600 - 0.0089,
        probe: async () => ++count,
        done: (n: number) => n === 12,
    };
    await waitFor(wait, clock);
    const lines = warn.mock.calls.map(([line]) => String(line));
    warn.mockRestore();
    expect(lines[0]).toMatch(/^VVP: waiting for the count since \d+ s of 600; it is \d+$/);
    expect(lines.length).toBeLessThanOrEqual(clock.now() / 15_000);
});

const job: Job = { id: "j", status: "STARTING", startTime: 1, restarts: 0, failure: undefined };

/** A job that looks otherwise each time it is looked at; the last sight stays. */
function jobWait(sights: (Partial<Job> | undefined)[]) {
    const clock = fakeClock();
    const seen: Job[] = [];
    const stops: string[] = [];
    const api = {
        client: { clean: (text: string) => text },
        tail: async () => "",
        job: async () => {
            const sight = sights.length > 1 ? sights.shift() : sights[0];
            return sight && { ...job, ...sight };
        },
        stop: async (_job: Job, strategy: string) => void stops.push(strategy),
    } as unknown as DeploymentCalls;
    const wait = {
        api,
        deploymentId: "d-1",
        name: "d",
        timeoutSeconds: 100,
        seen: (now: Job) => void seen.push(now),
        clock,
    };
    return { clock, seen, stops, wait };
}

test("a job is healthy once it ran its time without a restart", async () => {
    const { wait, clock } = jobWait([{}, { status: "RUNNING" }]);
    expect((await waitHealthy(job, 10, wait)).status).toBe("RUNNING");
    expect(clock.now()).toBeGreaterThanOrEqual(11_000);
});

test("a failed job ends the wait with the platform's reason and is seen", async () => {
    const { wait, seen, clock } = jobWait([{}, { status: "FAILED", failure: "NoClass: Iceberg" }]);
    await expect(waitHealthy(job, 10, wait)).rejects.toThrow("it FAILED: NoClass: Iceberg");
    expect(seen.at(-1)?.status).toBe("FAILED");
    expect(clock.now()).toBeLessThan(5000);
});

test("a job that restarts again and again is not taken for a running one", async () => {
    const sights = [0, 1, 2, 3, 4].map((restarts) => ({
        status: "RUNNING",
        restarts,
        failure: "Denied: bucket",
    }));
    const { wait } = jobWait(sights);
    await expect(waitHealthy(job, 10, wait)).rejects.toThrow(
        /restarts again and again \(3 restarts\): Denied: bucket/,
    );
});

test("one restart only begins the quiet time anew", async () => {
    const { wait, clock } = jobWait([
        { status: "RUNNING" },
        { status: "RUNNING" },
        { status: "RUNNING", restarts: 1 },
    ]);
    await waitHealthy(job, 10, wait);
    expect(clock.now()).toBeGreaterThan(11_000);
});

test("a job that finished has done its work; one that somebody stopped has not", async () => {
    expect((await waitHealthy(job, 10, jobWait([{ status: "FINISHED" }]).wait)).status).toBe("FINISHED");
    await expect(waitHealthy(job, 10, jobWait([{ status: "CANCELLED" }]).wait)).rejects.toThrow(
        "somebody else",
    );
});

test("stopping waits for the end; a job that is going already is not asked again", async () => {
    const { wait, stops } = jobWait([{ status: "CANCELLING" }, { status: "CANCELLED" }]);
    expect((await stopAndWait({ ...job, status: "RUNNING" }, "NONE", wait)).status).toBe("CANCELLED");
    await stopAndWait({ ...job, status: "CANCELLING" }, "NONE", wait);
    expect(stops).toEqual(["NONE"]);
});

test("a job whose savepoint failed goes on, and that ends the wait", async () => {
    const { wait } = jobWait([
        { status: "CANCELLING" },
        { status: "RUNNING", failure: "StopFailed: no folder" },
    ]);
    await expect(stopAndWait({ ...job, status: "RUNNING" }, "STOP_WITH_SAVEPOINT", wait)).rejects.toThrow(
        /goes on RUNNING as it was started: StopFailed: no folder.*WITHOUT_STATE/s,
    );
});

test.each([
    ["with the very words of the last try", { failure: "StopFailed: no folder", failedAt: "2" }],
    ["and the platform gives no new reason", { failure: "StopFailed: no folder", failedAt: "1" }],
])("a savepoint that fails again, %s, ends the wait at once", async (_, failure) => {
    const before = { ...job, status: "RUNNING", failure: "StopFailed: no folder", failedAt: "1" };
    const { wait, clock } = jobWait([{ status: "CANCELLING" }, { status: "RUNNING", ...failure }]);
    await expect(stopAndWait(before, "STOP_WITH_SAVEPOINT", wait)).rejects.toThrow("StopFailed: no folder");
    expect(clock.now()).toBeLessThan(5000);
});

test("an error of a job that is being cancelled is no refusal to stop", async () => {
    const { wait } = jobWait([
        { status: "RUNNING", failure: "JobException: again", failedAt: "3" },
        { status: "CANCELLED" },
    ]);
    expect((await stopAndWait({ ...job, status: "RUNNING" }, "NONE", wait)).status).toBe("CANCELLED");
});

describe("a platform that does not answer while something is waited for", () => {
    const away = (facts: { status?: number; type?: string; ambiguous?: boolean }) =>
        new ApiError({
            system: "VVP",
            action: "look",
            target: "GET x",
            serverMessage: "away",
            ambiguous: false,
            ...facts,
        });
    const flaky = (errors: unknown[]) => async () => {
        const error = errors.shift();
        if (error !== undefined) throw error;
        return 7;
    };
    let warn: ReturnType<typeof vi.spyOn>;
    beforeEach(() => {
        warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    });
    afterEach(() => warn.mockRestore());
    const long = { ...numbers, deadlineSeconds: 600, done: (n: number) => n === 7 };

    test.each([
        ["its port is closed", away({ type: "ECONNREFUSED" })],
        ["its gateway says 503", away({ status: 503, ambiguous: true })],
        ["it has too much to do", away({ status: 429 })],
    ])("%s: is asked again, which is told once", async (_, error) => {
        const probe = flaky([error, error, error]);
        expect(await waitFor({ ...long, probe }, fakeClock())).toBe(7);
        expect(warn).toHaveBeenCalledOnce();
    });

    test("for more than a minute: the wait ends with its error", async () => {
        const clock = fakeClock();
        const probe = flaky(Array(100).fill(away({ type: "ECONNREFUSED" })));
        await expect(waitFor({ ...long, probe }, clock)).rejects.toThrow("away");
        expect(clock.now()).toBe(60_000);
    });

    test("but what it does answer counts at once", async () => {
        const clock = fakeClock();
        const probe = flaky([away({ status: 401 })]);
        await expect(waitFor({ ...long, probe }, clock)).rejects.toThrow("401");
        expect(clock.now()).toBe(0);
    });
});
