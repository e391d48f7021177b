import { expect, inject, test } from "vitest";
import { sharedBed } from "./shared-bed.ts";

/** The bed itself: how soon it is there, and that its node and storage class are as the charts need them. */
const { readySeconds, busy } = inject("bed");

test("it is ready within 15 s; where other work keeps the cores busy, within 45 s", () => {
    expect(readySeconds).toBeLessThanOrEqual(busy < 1 ? 15 : 45);
});

test("its node is ready, and its storage class lets volumes grow", async () => {
    const bed = sharedBed();
    const node = await bed.get("/api/v1/nodes/bed-0");
    expect(JSON.stringify(node?.status)).toContain('"type":"Ready"');
    expect(await bed.get("/apis/storage.k8s.io/v1/storageclasses/kwok-volume")).toMatchObject({
        allowVolumeExpansion: true,
    });
});
