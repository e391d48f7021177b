import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { LakekeeperServer, LakekeeperWarehouse } from "../../dynamic-providers/lakekeeper/resources.ts";
import { LakekeeperUser } from "../../dynamic-providers/lakekeeper/resources-access.ts";
import {
    type LakekeeperSimulator,
    startLakekeeperSimulator,
} from "../../local/simulators/lakekeeper/index.ts";
import { secretive } from "../unit/lakekeeper/credentials.ts";
import { type TestStack, testStack } from "./engine.ts";

/** Where every kind of secret must not be seen, after what went well and after what did not. All of them hold MARK. */
const token = "MARK-token-of-the-secrets-test";
const clientSecret = "MARK-oidc/client+secret";
const accessToken = "MARK-access-token";

let simulator: LakekeeperSimulator;
let provider: { url: string; refuse: boolean; close: () => Promise<void> };
let stack: TestStack;
let version = 1;

beforeAll(async () => {
    provider = await startProvider();
    simulator = await startLakekeeperSimulator({
        port: 0,
        token,
        accepts: (given) => given === accessToken,
    });
    stack = await testStack({ program: async () => program() });
});

afterAll(async () => {
    await stack?.dispose();
    await simulator?.close();
    await provider?.close();
});

afterEach(() => {
    version++;
});

function program(): void {
    // None of them is marked as a secret by the program.
    const connection = { url: simulator.url, token };
    const server = new LakekeeperServer("server", { connection, acceptTermsOfUse: true, waitSeconds: 0 });
    const oidc = { issuer: provider.url, clientId: "pulumi", clientSecret };
    const user = { connection: { url: simulator.url, oidc }, userId: "oidc~a", name: `A${version}` };
    new LakekeeperUser("user", user, { dependsOn: server });
    for (const { title, storage, credential } of secretive) {
        const name = title.replaceAll(" ", "-");
        const changed = { ...credential } as Record<string, string>;
        // Another credential in each version: the secret half gets a tail. A key file is JSON.
        for (const field of ["secretAccessKey", "clientSecret"]) {
            if (changed[field]) changed[field] += `v${version}`;
        }
        const args = {
            connection,
            name,
            storage,
            credential: changed,
            deletionProtection: false,
            storageWaitSeconds: 0,
        };
        new LakekeeperWarehouse(name, args as never, { dependsOn: server });
    }
}

/** An OpenID provider that knows one client. */
async function startProvider(): Promise<typeof provider> {
    const server = http.createServer(async (request, response) => {
        const here = `http://${request.headers.host}`;
        const form = new URLSearchParams(await text(request));
        const known = form.get("client_secret") === clientSecret && !provider.refuse;
        const isToken = request.url === "/token";
        response.writeHead(isToken && !known ? 401 : 200, { "content-type": "application/json" });
        // One that says what it was sent.
        const refusal = { error: "invalid_client", error_description: `not '${form.get("client_secret")}'` };
        const answer = isToken
            ? known
                ? { access_token: accessToken, expires_in: 1 }
                : refusal
            : { token_endpoint: `${here}/token` };
        response.end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        refuse: false,
        close: async () => {
            server.closeAllConnections();
            server.close();
        },
    };
}

/** All that a run has left: the screen, the engine's events, and every file of the backend and of the stack. */
function everything(screen: string): [place: string, text: string][] {
    const files = fs
        .readdirSync(stack.folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.join(entry.parentPath, entry.name));
    return [
        ["the screen", screen],
        // Pulumi's SDK tells what it sends and gets in debug messages, which are for `--debug` alone.
        [
            "the events",
            JSON.stringify(stack.events.filter((one) => String(one.diagnosticEvent?.severity) !== "debug")),
        ],
        ...files.map((file): [string, string] => [path.basename(file), fs.readFileSync(file, "utf8")]),
    ];
}

function expectHidden(screen: string): void {
    const all = everything(screen);
    expect(all.map(([, text]) => text).join("\n")).toContain("lakekeeper:Warehouse");
    const seen = all.flatMap(([place, text]) => {
        const found = /.{0,60}MARK.{0,12}/.exec(text)?.[0];
        return found ? [`${place}: ${found}`] : [];
    });
    expect(seen.join("\n")).toBe("");
}

const failureOf = (work: Promise<unknown>) =>
    work.then(
        () => "nothing failed",
        (error: Error) => `${error.message}\n${(error.cause as Error | undefined)?.message ?? ""}`,
    );

test("after a create that failed for each kind", async () => {
    const error = { error: { message: "the storage is not there", type: "NotFound", code: 400, stack: [] } };
    for (const _ of secretive) simulator.faults.failNext("create_warehouse", 400, error);
    const said = await failureOf(stack.up({ continueOnError: true }));
    expect(said).toMatch(/400 NotFound: the storage is not there/);
    expectHidden(said);
});

test("after all were made, previewed, changed, refreshed", async () => {
    expectHidden((await stack.up()).stdout);
    version++;
    expectHidden((await stack.preview()).stdout);
    expectHidden((await stack.up()).stdout);
    expectHidden((await stack.refresh()).stdout);
});

test("after a change that failed for each kind", async () => {
    for (const _ of secretive)
        simulator.faults.failNext("update_storage_credential", 400, {
            error: { message: "the storage is not there", type: "NotFound", code: 400, stack: [] },
        });
    const said = await failureOf(stack.up({ continueOnError: true }));
    expect(said).toMatch(/400 NotFound: the storage is not there/);
    expectHidden(said);
});

test("after a refresh and a destroy with a provider and a token that no longer count", async () => {
    provider.refuse = true;
    expectHidden(await failureOf(stack.refresh()));
    expectHidden(await failureOf(stack.destroy({ continueOnError: true })));
});
