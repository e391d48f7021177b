import { setTimeout as sleep } from "node:timers/promises";

/** What is waited for, and how it can go wrong. */
export interface Wait<T> {
    /** What is awaited, for the error: "session cluster 'x' to be RUNNING". */
    what: string;
    deadlineSeconds: number;
    probe: () => Promise<T>;
    done: (value: T) => boolean;
    /** Why it will never be done; ends the wait at once. */
    failed?: (value: T) => string | undefined;
    /** What is there instead, for the error at the deadline. */
    describe: (value: T) => string;
    /** The end of its log, asked for when it failed or is late: lines to add to the error, or nothing. */
    tail?: (value: T) => Promise<string>;
}

/** Time, so that a test does not have to wait. */
export interface Clock {
    now(): number;
    sleep(milliseconds: number): Promise<unknown>;
}

/** The machine's own. */
export const realClock: Clock = { now: () => Date.now(), sleep };

/**
 * Asks again and again, first every second, later every five, until it is done.
 * @throws when it failed, or is not done at the deadline
 */
export async function waitFor<T>(wait: Wait<T>, clock: Clock = realClock): Promise<T> {
    const started = clock.now();
    const seconds = () => Math.round((clock.now() - started) / 1000);
    const tail = async (value: T) => (await wait.tail?.(value)) ?? "";
    let pause = firstPause;
    let told = started;
    for (;;) {
        const value = await wait.probe();
        if (wait.done(value)) return value;
        const failure = wait.failed?.(value);
        if (failure !== undefined) {
            throw new Error(`VVP: waited ${seconds()} s for ${wait.what}: ${failure}${await tail(value)}`);
        }
        const left = wait.deadlineSeconds * 1000 - (clock.now() - started);
        if (left <= 0) {
            throw new Error(
                `VVP: waited ${seconds()} s for ${wait.what}, but ${wait.describe(value)}.\n` +
                    "What to do: look at it in the platform's console; if it only needs longer, raise timeoutSeconds" +
                    (await tail(value)),
            );
        }
        if (clock.now() - told >= betweenLines) {
            told = clock.now();
            console.warn(
                `VVP: waiting for ${wait.what} since ${seconds()} s of ${wait.deadlineSeconds}; ${wait.describe(value)}`,
            );
        }
        await clock.sleep(Math.min(pause, left));
        pause = Math.min(pause * 1.5, longestPause);
    }
}

// At most one request a second for each waiting resource; five seconds is what the platform's own clients take.
const firstPause = 1000;
const longestPause = 5000;

// A line on the screen so often while it waits.
const betweenLines = 15_000;
