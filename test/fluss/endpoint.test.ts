import { expect, inject, test } from "vitest";
import { flussEndpoint } from "../../dynamic-providers/fluss/endpoint.ts";
import { lead } from "../lakekeeper/lead.ts";

/** The check of an existing cluster against real servers, which the stand-in of the unit tests is modelled on. */
const { fluss, gatewayUrl } = inject("lakehouse");

test("a real coordinator is known by its answers, lets the user in and lists its databases", async () => {
    const made = lead(flussEndpoint);
    await made.create(fluss);
    expect(made.state).toMatchObject({ checked: true, server: "coordinator" });
    expect(await made.refresh()).toBe("there");
});

test("its refusal of a wrong password, and of a user that it does not know, is told", async () => {
    for (const wrong of [{ password: "wrong-password" }, { username: "nobody" }]) {
        await expect(lead(flussEndpoint).check({ ...fluss, ...wrong })).rejects.toThrow(
            /the Fluss coordinator at .* does not let user ".*" in: .*Authentication failed/,
        );
    }
});

test("a SQL gateway is not taken for a Fluss server", async () => {
    const { host } = new URL(gatewayUrl);
    await expect(lead(flussEndpoint).check({ ...fluss, bootstrapServers: host })).rejects.toThrow(
        `what answers at ${host} is no Fluss server`,
    );
});
