import { expect, it } from "vitest";
import { lakekeeperProviders } from "../../../dynamic-providers/lakekeeper/index.ts";
import { startFixture } from "./fixture.ts";

const { lakekeeperProject, lakekeeperUser } = lakekeeperProviders as Required<typeof lakekeeperProviders>;

it("a deletion takes the program's token for the same server when its own is refused, and no other one", async () => {
    let accepted = "rotation-1";
    const used = new Set<string>();
    const accepts = (given: string) => used.add(given) && given === accepted;
    const fixture = await startFixture({ token: "nobody", accepts, bootstrapped: false });
    const url = fixture.simulator.url;
    const person = { connection: { url, token: "rotation-1" }, userId: "oidc~a", name: "A" };
    const { inputs } = await lakekeeperUser!.check(undefined, person);
    const { id, outs } = await lakekeeperUser!.create(inputs);
    accepted = "rotation-2";
    await expect(lakekeeperUser!.delete(id, outs)).rejects.toThrow(/401 AuthenticationFailed/);
    const elsewhere = { url: "http://elsewhere.invalid", token: "token-of-another-server" };
    await lakekeeperProject!.check(undefined, { connection: elsewhere, projectId: "p", name: "P" });
    await expect(lakekeeperUser!.delete(id, outs)).rejects.toThrow(/401 AuthenticationFailed/);
    const given = { connection: { url: `${url}/`, token: "rotation-2" }, projectId: "p", name: "P" };
    await lakekeeperProject!.check(undefined, given);
    await lakekeeperUser!.delete(id, outs);
    expect([...used].sort()).toEqual(["rotation-1", "rotation-2"]);
});

it("a deletion takes the program's token when the provider no longer gives one for the old secret", async () => {
    const fixture = await startFixture();
    const { url, token } = fixture.connection;
    const oidc = { issuer: "http://127.0.0.1:9", clientId: "c", clientSecret: "an-old-secret" };
    const person = { userId: "oidc~a", name: "A" };
    const { inputs } = await lakekeeperUser!.check(undefined, { ...person, connection: { url, token } });
    const { id, outs } = await lakekeeperUser!.create(inputs);
    await lakekeeperUser!.delete(id, { ...outs, connection: { url, oidc } });
    expect(fixture.writes()).toEqual(["create_user", "delete_user"]);
});
