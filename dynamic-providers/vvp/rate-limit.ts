import { hasStatus } from "../http/api-error.ts";
import { type Clock, realClock } from "./waiting.ts";

/**
 * Makes a call again that was put off with 429 ("too many requests"), as late as the platform says, else later each time.
 * It has not been served then, so that a write can be sent again too.
 * @param deadlineSeconds longest time to go on with it; default two minutes
 * @throws any other failure, and the last refusal when the time is over
 */
export async function whenTaken<T>(
    call: () => Promise<T>,
    deadlineSeconds = longest,
    clock: Clock = realClock,
): Promise<T> {
    const end = clock.now() + Math.min(deadlineSeconds, longest) * 1000;
    for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
        try {
            return await call();
        } catch (error) {
            if (!hasStatus(error, 429)) throw error;
            // Those that were put off together shall not come back together.
            const wait = ((error.retryAfterSeconds ?? 0) * 1000 || pause) * (1 + Math.random() / 4);
            if (clock.now() + wait > end) throw error;
            await clock.sleep(wait);
        }
    }
}

const longest = 120;
const firstPause = 250;
const longestPause = 8000;
