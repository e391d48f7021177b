import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { type SimulatedPlatform, simulatedPlatform } from "./simulated-platform.ts";

const provider = vvpProviders.vvpApiToken;
const wish = { name: "ci", role: "editor", mark: "shop-prod-token-1" };
const tokens = "/apitokens/v1/namespaces/default/apitokens";
let p: SimulatedPlatform;

beforeEach(async () => {
    p = await simulatedPlatform();
});
afterEach(() => p.close());

const works = async (secret: unknown) => {
    const headers = { authorization: `Bearer ${String(secret)}` };
    return (await fetch(`${p.connection.url}/api/v2/namespaces/default/deployments`, { headers })).status;
};
const names = async () => {
    const { apiTokens } = (await p.outside("GET", tokens)) as { apiTokens: { name: string }[] };
    return apiTokens.map(({ name }) => name.split("/").at(-1));
};

describe("an API token", () => {
    test("works, and nothing changes afterwards", async () => {
        const held = await p.up(provider, wish);
        expect(held.id).toMatch(/^ci-[0-9a-f]{10}$/);
        expect(await works(held.state["secret"])).toBe(200);
        const refreshed = await p.refresh(provider, held);
        expect(refreshed?.state).toEqual(held.state);
        expect(await p.up(provider, wish, held)).toBe(held);
        expect(p.calls("createApiToken")).toBe(1);
    });

    test("is made anew when the answer with its secret gets lost", async () => {
        p.simulator.faults.loseNextAnswer("createApiToken");
        const held = await p.up(provider, wish);
        expect(await works(held.state["secret"])).toBe(200);
        expect(await names()).toEqual([held.id]);
    });

    test("that a cut-off run made is made anew, since its secret is lost", async () => {
        const lost = await p.up(provider, wish);
        const held = await p.up(provider, wish);
        expect(held.id).toBe(lost.id);
        expect(await works(lost.state["secret"])).toBe(401);
        expect(await works(held.state["secret"])).toBe(200);
    });

    test("is rotated: the new one stands beside the old one until that is deleted", async () => {
        const old = await p.up(provider, wish);
        const rotated = { ...wish, rotation: "2027" };
        expect(await p.replaces(provider, rotated, old)).toEqual(["rotation"]);
        const { deleteBeforeReplace } = await provider.diff(old.id, old.state, {
            ...old.state,
            rotation: "2027",
        });
        expect(deleteBeforeReplace).toBe(false);
        const held = await p.up(provider, rotated);
        expect([await works(old.state["secret"]), await works(held.state["secret"])]).toEqual([200, 200]);
        await provider.delete(old.id, old.state);
        expect([await works(old.state["secret"]), await works(held.state["secret"])]).toEqual([401, 200]);
    });

    test("that was replaced under its own name is not deleted with the old one", async () => {
        const old = await p.up(provider, wish);
        const held = await p.up(provider, wish);
        await provider.delete(old.id, old.state);
        expect(await works(held.state["secret"])).toBe(200);
        await provider.delete(held.id, held.state);
        expect(await names()).toEqual([]);
    });

    test("deleted outside is gone; another role is a new token", async () => {
        const held = await p.up(provider, wish);
        expect(await p.replaces(provider, { ...wish, role: "viewer" }, held)).toEqual(["role"]);
        await p.outside("DELETE", `${tokens}/${held.id}`);
        expect(await p.refresh(provider, held)).toBeUndefined();
        await provider.delete(held.id, held.state);
    });

    test("expires at its time, which must lie ahead when it is made", async () => {
        const past = { ...wish, expireTime: "2020-01-01T00:00:00Z" };
        const { failures } = await provider.check(undefined, { connection: p.connection, ...past });
        expect(failures[0]?.reason).toContain("expireTime 2020-01-01T00:00:00Z is past");
        const soon = new Date(Date.now() + 1500).toISOString();
        const held = await p.up(provider, { ...wish, expireTime: soon });
        expect(await works(held.state["secret"])).toBe(200);
        await expect.poll(() => works(held.state["secret"]), { timeout: 4000 }).toBe(401);
    });
});
