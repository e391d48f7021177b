import { expect, test } from "vitest";
import { soak } from "../long/soak-run.ts";

test("two rounds of random valid changes bring no surprise; `npm run test:soak` makes fifty", {
    timeout: 300_000,
}, async () => {
    expect(await soak(2, 20_261_130, () => {})).toEqual([]);
});
