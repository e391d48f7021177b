import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { failingWithOthers } from "../../../host/late-failures.ts";

// The test runner takes each rejection that nobody waits for as a fault of the test.
const ofRunner = process.listeners("unhandledRejection");

beforeAll(() => {
    process.removeAllListeners("unhandledRejection");
});
afterAll(() => {
    process.removeAllListeners("unhandledRejection");
    for (const listener of ofRunner) process.on("unhandledRejection", listener);
});
afterEach(() => {
    vi.restoreAllMocks();
});

function pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** A value that nobody waits for, as of an apply that throws. */
function rejected(message: string): void {
    void Promise.resolve().then(() => {
        throw new Error(message);
    });
}

describe("an error that nobody waits for", () => {
    test("ends the construction that goes on", async () => {
        const made = failingWithOthers(async () => {
            rejected("no such size");
            await new Promise<never>(() => {});
        });
        await expect(made).rejects.toThrow("no such size");
    });

    test("ends a construction that comes to its end in the same moment", async () => {
        const made = failingWithOthers(async () => {
            await pause(1);
            rejected("no such size");
            return "made";
        });
        await expect(made).rejects.toThrow("no such size");
    });

    test("is not printed beside the one that ended the construction", async () => {
        const told = vi.spyOn(console, "error").mockReturnValue();
        const made = failingWithOthers(async () => {
            rejected("first");
            rejected("second");
            throw new Error("of the constructor");
        });
        await expect(made).rejects.toThrow(/first|of the constructor/);
        await pause(5);
        expect(told).not.toHaveBeenCalled();
    });

    test("is printed, and does not end the process, when nothing is being made", async () => {
        const told = vi.spyOn(console, "error").mockReturnValue();
        expect(await failingWithOthers(async () => "made")).toBe("made");
        rejected("too late");
        await pause(5);
        expect(told).toHaveBeenCalledWith("A component failed after it was made: too late");
    });
});
