import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { user } from "../../../dynamic-providers/lakekeeper/user.ts";
import { warehouse } from "../../../dynamic-providers/lakekeeper/warehouse.ts";
import { lead } from "../../lakekeeper/lead.ts";
import { startFixture } from "./fixture.ts";

const credential = { type: "s3-access-key", accessKeyId: "a", secretAccessKey: "the-secret-key" };
const given = (connection: object, name: string) => ({
    connection,
    name,
    storage: { type: "s3", bucket: "lake", keyPrefix: name, region: "us-east-1" },
    credential,
    deletionProtection: false,
    storageWaitSeconds: 0,
});

describe("a slow server", () => {
    it("is waited for: 31 seconds for one answer", { timeout: 60_000 }, async () => {
        const fixture = await startFixture();
        fixture.simulator.faults.delayNext("create_warehouse", 31_000);
        const started = Date.now();
        const made = lead(warehouse);
        await made.create(given(fixture.connection, "slow"));
        expect(Date.now() - started).toBeGreaterThan(30_000);
        expect(fixture.writes()).toEqual(["create_warehouse"]);
        await made.destroy();
    });

    it("has time for many calls, of which the last ones wait for the others", async () => {
        const fixture = await startFixture();
        // Three at a time: the ninth is answered after three times the delay, which is more than one call's time.
        const names = Array.from({ length: 9 }, (_, index) => `w${index}`);
        for (const _ of names) fixture.simulator.faults.delayNext("create_warehouse", 500);
        const connection = { ...fixture.connection, timeoutSeconds: 20 };
        await Promise.all(names.map((name) => lead(warehouse).create(given(connection, name))));
        expect(fixture.writes()).toEqual(Array(9).fill("create_warehouse"));
    });
});

describe("maintenance", () => {
    it("that ends within the time of the operation is waited for", async () => {
        const fixture = await startFixture();
        const { switches } = fixture.simulator;
        switches.maintenanceSeconds = 1;
        setTimeout(() => {
            delete switches.maintenanceSeconds;
        }, 500);
        const made = lead(user);
        await made.create({ connection: fixture.connection, userId: "oidc~a", name: "A" });
        const { requests } = fixture.simulator;
        expect(requests.filter(({ method }) => method === "POST").map(({ status }) => status)).toEqual([
            204, 503, 201,
        ]);
        await made.destroy();
    });

    it("that does not end is told with its reason after that time", async () => {
        const fixture = await startFixture();
        fixture.simulator.switches.maintenanceSeconds = 1;
        const connection = { ...fixture.connection, timeoutSeconds: 2 };
        const started = Date.now();
        await expect(lead(user).create({ connection, userId: "oidc~a", name: "A" })).rejects.toThrow(
            /503 MaintenanceModeError: .*What to do: .*timeoutSeconds/s,
        );
        expect(Date.now() - started).toBeLessThan(3000);
    });
});

describe("50 warehouses", () => {
    it("made, looked at and deleted again and again, leave no memory behind", {
        timeout: 60_000,
    }, async () => {
        setFlagsFromString("--expose-gc");
        const collect = runInNewContext("gc") as () => void;
        const fixture = await startFixture();
        const round = async () => {
            const all = Array.from({ length: 50 }, (_, _index) => lead(warehouse));
            await Promise.all(all.map((made, index) => made.create(given(fixture.connection, `w${index}`))));
            await Promise.all(all.map((made) => made.refresh()));
            await Promise.all(all.map((made) => made.destroy()));
            // What the simulator remembers of requests is its own.
            (fixture.simulator.requests as unknown[]).length = 0;
            collect();
            return process.memoryUsage().heapUsed;
        };
        for (let warm = 0; warm < 3; warm++) await round();
        const before = await round();
        for (let more = 0; more < 5; more++) await round();
        const grown = (await round()) - before;
        // 300 warehouses more: one that was kept with its arguments would be some kB.
        expect(grown).toBeLessThan(300 * 2048);
    });
});
