import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../http/api-error.ts";
import { neverReached } from "../http/client.ts";

/** What is waited for, and how it can go wrong. */
export interface Wait<T> {
    /** The system that is asked, for messages. Default `VVP`. */
    system?: string;
    /** Where people look at it. Default: the platform's console. */
    place?: string;
    /** What is awaited, for the error: "session cluster 'x' to be RUNNING". */
    what: string;
    deadlineSeconds: number;
    probe: () => Promise<T>;
    done: (value: T) => boolean;
    /** Why it will never be done; ends the wait at once. */
    failed?: (value: T) => string | undefined;
    /** What is there instead, for the error at the deadline. */
    describe: (value: T) => string;
    /** What to do at the deadline. Default: to look at `place`, and to raise `timeoutSeconds`. */
    advice?: string;
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
 * Asks again and again, first every second, later every five, until it is done. A platform that does not answer for a
 * while, since it is restarted or has too much to do, does not end the wait.
 * @throws when it failed, or is not done at the deadline, or when nobody answered for a minute
 */
export async function waitFor<T>(wait: Wait<T>, clock: Clock = realClock): Promise<T> {
    const { system = "VVP", place = "the platform's console" } = wait;
    const { advice = `look at it in ${place}; if it only needs longer, raise timeoutSeconds` } = wait;
    const started = clock.now();
    const seconds = () => Math.round((clock.now() - started) / 1000);
    const tail = async (value: T) => (await wait.tail?.(value)) ?? "";
    let pause = firstPause;
    let told = started;
    const probe = patient(wait, started, clock);
    for (;;) {
        const value = await probe();
        if (wait.done(value)) return value;
        const failure = wait.failed?.(value);
        if (failure !== undefined) {
            throw new Error(
                `${system}: waited ${seconds()} s for ${wait.what}: ${failure}${await tail(value)}`,
            );
        }
        const left = wait.deadlineSeconds * 1000 - (clock.now() - started);
        if (left <= 0) {
            throw new Error(
                `${system}: waited ${seconds()} s for ${wait.what}, but ${wait.describe(value)}.\n` +
                    `What to do: ${advice}` +
                    (await tail(value)),
            );
        }
        if (clock.now() - told >= betweenLines) {
            told = clock.now();
            console.warn(
                `${system}: waiting for ${wait.what} since ${seconds()} s of ${Math.round(wait.deadlineSeconds)}; ${wait.describe(value)}`,
            );
        }
        await clock.sleep(Math.min(pause, left));
        pause = Math.min(pause * 1.5, longestPause);
    }
}

/** The wait's probe, which asks on while the platform is away. */
function patient<T>(wait: Wait<T>, started: number, clock: Clock): () => Promise<T> {
    const { system = "VVP" } = wait;
    return async () => {
        const since = clock.now();
        for (let told = false; ; told = true) {
            try {
                return await wait.probe();
            } catch (error) {
                const late = clock.now() - started >= wait.deadlineSeconds * 1000;
                if (!isAway(error) || late || clock.now() - since >= longestAway) throw error;
                if (!told) {
                    console.warn(
                        `${system}: waiting for ${wait.what}: ${system} does not answer, and is asked again for ` +
                            `${longestAway / 1000} s: ${error.message.split("\n")[0]}`,
                    );
                }
                await clock.sleep(longestPause);
            }
        }
    };
}

/** Says nothing about what is waited for: the platform, or the way to it, is not there for the moment. */
function isAway(error: unknown): error is ApiError {
    if (!(error instanceof ApiError)) return false;
    return error.ambiguous || error.status === 429 || neverReached.includes(error.type ?? "");
}

// A platform's pods are back within a minute when they are restarted one after the other.
const longestAway = 60_000;

// At most one request a second for each waiting resource; five seconds is what the platform's own clients take.
const firstPause = 1000;
const longestPause = 5000;

// A line on the screen so often while it waits.
const betweenLines = 15_000;
