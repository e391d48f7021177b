import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { upBothAtOnce } from "./at-once.ts";
import { changesOf } from "./engine.ts";
import { one, startKilledWorld } from "./vvp-killed-world.ts";
import { token } from "./vvp-platform.ts";

const mark = path.join(os.tmpdir(), `vvp-two-stacks-${process.pid}`);

test("two stacks that want the same at once: each object is made by one of them, and the other takes it over when asked", async () => {
    const w = await startKilledWorld(mark);
    onTestFinished(() => w.close());
    const [first, second] = [await w.open("first"), await w.open("second")];
    await upBothAtOnce([first, second], token);
    w.wish.adopt = true;
    await first.up();
    await second.up();
    // Each has a token and a savepoint of its own.
    expect(await w.counts()).toEqual({ ...one, apiTokens: 2, savepoints: 2 });
    expect(changesOf(await first.up())).toEqual([]);
    expect(changesOf(await second.up())).toEqual([]);
});
