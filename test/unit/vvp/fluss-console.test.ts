import { afterEach, describe, expect, test, vi } from "vitest";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import type { VvpSimulatorOptions } from "../../../local/simulators/vvp/index.ts";
import { type SimulatedPlatform, simulatedPlatform } from "./simulated-platform.ts";

const provider = vvpProviders.vvpFlussConsoleCluster;
const clusters = "/fluss/api/v1/clusters";
const wish = {
    name: "fluss",
    bootstrapServers: "coordinator-server-hs.fluss:9124",
    username: "admin",
    password: "hush-console-1",
};
let p: SimulatedPlatform;

const platform = async (flussConsole: boolean, options: Partial<VvpSimulatorOptions> = {}) => {
    p = await simulatedPlatform({ flussConsole, ...options });
};
const listed = async () => ((await p.outside("GET", clusters)) as { items: object[] }).items;

afterEach(async () => {
    vi.restoreAllMocks();
    await p.close();
});

describe("a cluster in the Fluss Console", () => {
    test("is registered once, although the answer gets lost, changed and deleted", async () => {
        await platform(true);
        p.simulator.faults.loseNextAnswer("registerFlussCluster");
        const held = await p.up(provider, wish);
        expect(held.state).toMatchObject({ registered: true, health: "HEALTHY" });
        expect(held.state["finding"]).toBeUndefined();
        expect(await listed()).toMatchObject([{ name: "fluss", authProtocol: "SASL", username: "admin" }]);
        expect(await p.up(provider, wish, held)).toBe(held);
        const moved = await p.up(provider, { ...wish, bootstrapServers: "other.fluss:9124" }, held);
        expect(await listed()).toMatchObject([{ bootstrapEndpoint: "other.fluss:9124" }]);
        await provider.delete(moved.id, moved.state);
        expect(await listed()).toEqual([]);
    });

    test("is registered where the page and the list have one path", async () => {
        await platform(true);
        const held = await p.up(provider, { ...wish, pagePath: clusters, clustersPath: clusters });
        expect(held.state).toMatchObject({ registered: true });
    });

    test("is brought back after a change and after a delete outside", async () => {
        await platform(true);
        const held = await p.up(provider, wish);
        const { password, ...fields } = wish;
        await p.outside("PUT", `${clusters}/${String(held.state["clusterId"])}`, {
            name: fields.name,
            bootstrapEndpoint: "theirs:1",
            authProtocol: "SASL",
            username: "admin",
            password,
        });
        const refreshed = await p.refresh(provider, held);
        expect(refreshed?.state["bootstrapServers"]).toBe("theirs:1");
        await p.up(provider, wish, refreshed);
        expect(await listed()).toMatchObject([{ bootstrapEndpoint: wish.bootstrapServers }]);
        await p.outside("DELETE", `${clusters}/${String(held.state["clusterId"])}`);
        expect(await p.refresh(provider, held)).toBeUndefined();
    });

    test("never fails the stack where there is no console, and says why", async () => {
        await platform(false);
        const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
        const held = await p.up(provider, wish);
        expect(held.state).toMatchObject({
            registered: false,
            reason: expect.stringContaining("global.flussManager.enabled"),
        });
        expect(warn).toHaveBeenCalledOnce();
        expect(JSON.stringify(warn.mock.calls)).not.toContain(wish.password);
        const refreshed = await p.refresh(provider, held);
        expect(refreshed?.state).toMatchObject({
            registered: false,
            finding: expect.stringContaining("404"),
        });
        expect(await p.up(provider, wish, held)).toBe(held);
        await provider.delete(held.id, held.state);
    });

    test("whose change failed is told again after a refresh, password and all, and deleted in the end", async () => {
        await platform(true);
        vi.spyOn(console, "warn").mockImplementation(() => undefined);
        const held = await p.up(provider, wish);
        p.simulator.faults.failNext("updateFlussCluster", 404, { message: "gone for a while" });
        const changed = { ...wish, password: "another-hush-9" };
        const failed = await p.up(provider, changed, held);
        expect(failed.state).toMatchObject({ registered: false, clusterId: held.state["clusterId"] });
        const refreshed = await p.refresh(provider, failed);
        const again = await p.up(provider, changed, refreshed);
        expect(again.state).toMatchObject({ registered: true });
        expect(p.calls("updateFlussCluster")).toBe(2);
        await provider.delete(failed.id, failed.state);
        expect(await listed()).toEqual([]);
    });

    test("that is not healthy is told with what to look at, and a refresh sees it recover", async () => {
        let health: "UNHEALTHY" | "HEALTHY" = "UNHEALTHY";
        await platform(true, { flussHealth: async () => health });
        const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
        const held = await p.up(provider, { ...wish, required: true });
        const finding = expect.stringMatching(/UNHEALTHY.*coordinator-server-hs\.fluss:9124/);
        expect(held.state).toMatchObject({ registered: true, health: "UNHEALTHY", finding });
        expect(warn.mock.calls).toEqual([[expect.stringContaining("Fluss Console cluster 'fluss'")]]);
        health = "HEALTHY";
        const refreshed = await p.refresh(provider, held);
        expect(refreshed?.state["health"]).toBe("HEALTHY");
        expect(refreshed?.state["finding"]).toBeUndefined();
        expect(await p.up(provider, { ...wish, required: true }, refreshed)).toBe(refreshed);
    });

    test.each([
        ["tells nothing", undefined, /told no health within 0 s.*not public.*look at \/fluss/],
        ["cannot be asked again", 503, /could not be asked for its health: .*503/],
    ])(
        "whose health is not known, since the console %s, is registered and says why",
        async (_, fault, finding) => {
            // Asked for while the registration is answered, so that the fault meets what follows.
            const flussHealth = async () => {
                if (fault) p.simulator.faults.failNext("listFlussClusters", fault, { message: "down" }, 9);
                return "UNKNOWN" as const;
            };
            await platform(true, { flussHealth, transitionReads: 0 });
            const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
            const { state } = await p.up(provider, { ...wish, healthSeconds: 0 });
            expect(state).toMatchObject({
                registered: true,
                health: "UNKNOWN",
                finding: expect.stringMatching(finding),
            });
            expect(warn).toHaveBeenCalled();
        },
    );

    test("fails the stack when it is required", async () => {
        await platform(false);
        await expect(p.up(provider, { ...wish, required: true })).rejects.toThrow(
            /open the Fluss Console.*global\.flussManager\.enabled/s,
        );
    });

    test("lives under other paths when they are given", async () => {
        await platform(true);
        const elsewhere = { ...wish, clustersPath: "/fluss-manager/clusters", required: true };
        await expect(p.up(provider, elsewhere)).rejects.toThrow("/fluss-manager/clusters");
    });

    test.each([
        [{ bootstrapServers: "host" }, "host:port"],
        [{ password: undefined }, "username and password"],
        [{ pagePath: "fluss" }, "starts with /"],
    ])("refuses %o", async (change, reason) => {
        await platform(true);
        const inputs = { connection: p.connection, ...wish, ...change };
        const { failures } = await provider.check(undefined, inputs);
        expect(failures.map((failure) => failure.reason).join()).toContain(reason);
    });
});
