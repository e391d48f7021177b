// Before each file of this tier: time of which a case waits for a fiftieth. What sleeps gets up early, and its clock is ahead by the
// rest from then on, so that its own deadlines come after as much sleep as on the machine's time. Only the code under test is in such
// a time; servers, proxies and deadlines of calls are in the machine's.
import { AsyncLocalStorage } from "node:async_hooks";
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
import { interceptors } from "undici";

const faster = 50;

const times = new AsyncLocalStorage<{ ahead: number }>();
const { now } = Date;
const { setTimeout: sleep } = timers;
const { retry } = interceptors;

/** Runs work in a time of its own. */
export function inOwnTime<T>(work: () => Promise<T>): Promise<T> {
    return times.run({ ahead: 0 }, work);
}

Date.now = () => now() + (times.getStore()?.ahead ?? 0);

timers.setTimeout = async <T>(milliseconds?: number, value?: T, options?: { signal?: AbortSignal }) => {
    const time = times.getStore();
    // What can be broken off is the deadline of a call.
    if (!time || options?.signal) return sleep(milliseconds, value, options);
    const until = Date.now() + (milliseconds ?? 0);
    await sleep((milliseconds ?? 0) / faster);
    time.ahead = Math.max(time.ahead, until - now());
    return value as T;
};
syncBuiltinESMExports();

// The HTTP client's own pauses look at no clock.
interceptors.retry = ({ minTimeout = 500, maxTimeout = 30_000, ...options } = {}) =>
    retry({ ...options, minTimeout: minTimeout / faster, maxTimeout: maxTimeout / faster });
