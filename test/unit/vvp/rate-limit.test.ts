import { afterEach, expect, test, vi } from "vitest";
import { ApiError } from "../../../dynamic-providers/http/api-error.ts";
import { VvpClient } from "../../../dynamic-providers/vvp/client.ts";
import { whenTaken } from "../../../dynamic-providers/vvp/rate-limit.ts";
import { context, fakePlatform, type Reply } from "./fake-platform.ts";

/** A platform that takes no more requests for a while. */

let close: (() => Promise<void>) | undefined;
afterEach(() => {
    vi.restoreAllMocks();
    return close?.();
});

/** Time that passes only by sleeping. */
function fakeClock() {
    let time = 0;
    const slept: number[] = [];
    return {
        slept,
        now: () => time,
        sleep: async (milliseconds: number) => {
            slept.push(milliseconds);
            time += milliseconds;
        },
    };
}

const busy = (retryAfterSeconds?: number) =>
    new ApiError({
        system: "VVP",
        action: "look",
        target: "GET x",
        status: 429,
        serverMessage: "too many requests",
        ambiguous: false,
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
const refusing = (times: number, error: unknown) => {
    let left = times;
    return async () => {
        if (left-- > 0) throw error;
        return "done";
    };
};

test("is asked again later each time, for two minutes", async () => {
    const clock = fakeClock();
    expect(await whenTaken(refusing(15, busy()), undefined, clock)).toBe("done");
    expect(clock.slept[0]).toBeLessThan(400);
    expect(Math.max(...clock.slept)).toBeLessThanOrEqual(10_000);
    const late = fakeClock();
    await expect(whenTaken(refusing(100, busy()), undefined, late)).rejects.toThrow("429");
    expect(late.now()).toBeGreaterThan(100_000);
    expect(late.now()).toBeLessThanOrEqual(120_000);
});

test("is asked when it says, and not longer than the call may take", async () => {
    const clock = fakeClock();
    expect(await whenTaken(refusing(1, busy(30)), undefined, clock)).toBe("done");
    expect(clock.slept[0]).toBeGreaterThanOrEqual(30_000);
    await expect(whenTaken(refusing(1, busy(30)), 10, fakeClock())).rejects.toThrow("429");
});

test("any other failure ends it at once", async () => {
    const clock = fakeClock();
    await expect(whenTaken(refusing(1, new Error("broken")), undefined, clock)).rejects.toThrow("broken");
    expect(clock.slept).toEqual([]);
});

test.each([
    ["with HTTP 429", { status: 429, json: { message: "slow down" } }],
    ["with a 200 that says 429", { json: { success: false, httpCode: 429, errorMessage: "slow down" } }],
])("a storm of fifty refusals %s fails none of forty writes, and makes none of them twice", async (_, no) => {
    let refused = 0;
    const taken: string[] = [];
    const platform = await fakePlatform(({ body }): Reply => {
        if (refused < 50) {
            refused += 1;
            return no;
        }
        taken.push(body);
        return { json: {} };
    });
    close = platform.close;
    const connection = { url: platform.url, workspace: "w", namespace: "ns" };
    const write = (n: number) =>
        new VvpClient(connection, context).send({
            method: "POST",
            path: "/api/v2/things",
            json: { n },
            action: `write ${n}`,
        });
    await Promise.all(Array.from({ length: 40 }, (_, n) => write(n)));
    expect(platform.seen).toHaveLength(90);
    expect(new Set(taken).size).toBe(40);
});
