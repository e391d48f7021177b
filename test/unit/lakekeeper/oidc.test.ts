import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { project } from "../../../dynamic-providers/lakekeeper/project.ts";
import { lead } from "../../lakekeeper/lead.ts";
import { closeLater, startFixture } from "./fixture.ts";

const clientSecret = "client-secret-of-the-test";

/** A provider that gives `token-1`, `token-2`, … to one client, and the forms that it was sent. */
async function startProvider(lifetimeSeconds?: number) {
    const forms: Record<string, string>[] = [];
    const server = createServer(async (request, response) => {
        const answer = (status: number, body: object) => {
            response.writeHead(status, { "content-type": "application/json" });
            response.end(JSON.stringify(body));
        };
        const here = `http://${request.headers.host}`;
        if (request.url === "/realms/lake/.well-known/openid-configuration") {
            return answer(200, { token_endpoint: `${here}/realms/lake/token` });
        }
        if (request.url !== "/realms/lake/token") return answer(404, {});
        const form = Object.fromEntries(new URLSearchParams(await text(request)));
        if (form["client_secret"] !== clientSecret) {
            return answer(401, { error: "invalid_client", error_description: "Invalid client credentials" });
        }
        forms.push(form);
        return answer(200, { access_token: `token-${forms.length}`, expires_in: lifetimeSeconds });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closeLater(async () => {
        server.closeAllConnections();
        server.close();
    });
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realms/lake`;
    return { forms, oidc: { issuer, clientId: "pulumi", clientSecret, scope: "lakekeeper" } };
}

describe("a client of an OpenID provider", () => {
    it("gets one token for many calls, with its scope", async () => {
        const provider = await startProvider(300);
        const fixture = await startFixture({ accepts: (token) => token === "token-1" });
        const connection = { url: fixture.simulator.url, oidc: provider.oidc };
        const made = lead(project);
        await made.create({ connection, projectId: "a", name: "A", deletionProtection: false });
        await lead(project).create({ connection, projectId: "b", name: "B" });
        await made.destroy();
        expect(provider.forms).toEqual([
            {
                grant_type: "client_credentials",
                client_id: "pulumi",
                client_secret: clientSecret,
                scope: "lakekeeper",
            },
        ]);
    });

    it("gets another one after a 401, and when the first ends", async () => {
        const provider = await startProvider(300);
        const fixture = await startFixture({ accepts: (token) => token === "token-2" });
        const connection = { url: fixture.simulator.url, oidc: provider.oidc };
        await lead(project).create({ connection, projectId: "a", name: "A" });
        expect(provider.forms).toHaveLength(2);
        const short = await startProvider(1);
        const other = await startFixture({ accepts: () => true });
        await lead(project).create({
            connection: { url: other.simulator.url, oidc: short.oidc },
            projectId: "a",
            name: "A",
        });
        expect(short.forms.length).toBeGreaterThan(1);
    });

    it("is told once when no token helps, or when the provider refuses it, without its secret", async () => {
        const provider = await startProvider(300);
        const fixture = await startFixture();
        const given = (oidc: object) => ({
            connection: { url: fixture.simulator.url, oidc },
            projectId: "a",
            name: "A",
        });
        await expect(lead(project).create(given(provider.oidc))).rejects.toThrow(/401 AuthenticationFailed/);
        const wrong = { ...provider.oidc, clientSecret: "a-wrong-secret" };
        const message = await lead(project)
            .create(given(wrong))
            .catch((error: Error) => error.message);
        expect(message).toMatch(/OpenID provider.*401 invalid_client: Invalid client.*clientSecret/s);
        expect(message).not.toContain("a-wrong-secret");
        const lost = { ...provider.oidc, issuer: `${provider.oidc.issuer}-x` };
        await expect(lead(project).create(given(lost))).rejects.toThrow(/404.*realms/s);
    });

    it("and a token together are refused; a new secret is no change", async () => {
        const provider = await startProvider(300);
        const fixture = await startFixture({ accepts: () => true });
        const both = { ...fixture.connection, oidc: provider.oidc };
        await expect(lead(project).create({ connection: both, projectId: "a", name: "A" })).rejects.toThrow(
            /only one of token, oidc, kubernetes/,
        );
        const made = lead(project);
        const given = (oidc: object) => ({
            connection: { url: fixture.simulator.url, oidc },
            projectId: "a",
            name: "A",
        });
        await made.create(given(provider.oidc));
        expect(await made.up(given({ ...provider.oidc, clientSecret: "rotated" }))).toBe("same");
    });
});
