import http from "node:http";
import type { AddressInfo } from "node:net";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LakekeeperProject, LakekeeperServer } from "../../dynamic-providers/lakekeeper/resources.ts";
import { LakekeeperRole, LakekeeperUser } from "../../dynamic-providers/lakekeeper/resources-access.ts";
import {
    type LakekeeperSimulator,
    startLakekeeperSimulator,
} from "../../local/simulators/lakekeeper/index.ts";
import { changesOf, type Outcome, type TestStack, testStack } from "./engine.ts";

/** Tokens that are replaced or end, and servers that are none, on the real engine. */
let accepted: string;
let wishes: { url: string; token: string; role: boolean; users: number };
let afterExchange: (operationId: string) => void;
let simulator: LakekeeperSimulator;
let stack: TestStack;

beforeEach(async () => {
    accepted = "first-token-of-the-test";
    afterExchange = () => undefined;
    simulator = await startLakekeeperSimulator({
        port: 0,
        token: "never-used-token",
        accepts: (token) => token === accepted,
        onExchange: ({ operationId }) => afterExchange(operationId),
    });
    wishes = { url: simulator.url, token: accepted, role: true, users: 0 };
    stack = await testStack({ program: async () => program() });
});

afterEach(async () => {
    delete process.env["LAKEKEEPER_TOKEN"];
    await stack?.dispose();
    await simulator?.close();
});

function program(): void {
    const connection = { url: wishes.url, token: pulumi.secret(wishes.token), timeoutSeconds: 10 };
    const server = new LakekeeperServer("server", { connection, acceptTermsOfUse: true, waitSeconds: 0 });
    const arguments_ = { connection, projectId: "lake", name: "Lake", deletionProtection: false };
    const project = new LakekeeperProject("project", arguments_, { dependsOn: server });
    for (let n = 0; n < wishes.users; n++) {
        const person = { connection, userId: `oidc~u${n}`, name: `U${n}` };
        new LakekeeperUser(`user${n}`, person, { dependsOn: project });
    }
    if (wishes.role)
        new LakekeeperRole("role", { connection, projectId: project.projectId, name: "readers" });
}

const operations = (outcome: Outcome) =>
    Object.fromEntries(
        changesOf(outcome)
            .filter(({ type }) => type.includes("lakekeeper:"))
            .map(({ name, op }) => [name, op]),
    );

const failureOf = (work: Promise<unknown>) =>
    work.then(
        () => "nothing failed",
        (error: Error) => error.message,
    );

const made = (operationId: string) =>
    simulator.requests.filter((one) => one.operationId === operationId && one.status < 300).length;

describe("a token that was replaced between two ups", () => {
    test("is no change, is used for what changes, and for what the program no longer has", async () => {
        await stack.up();
        accepted = wishes.token = "second-token-of-the-test";
        expect(operations(await stack.up())).toEqual({});
        wishes.role = false;
        wishes.users = 1;
        expect(operations(await stack.up())).toEqual({ user0: "create", role: "delete" });
        expect(made("delete_role")).toBe(1);
    });

    test("is asked for by a destroy, which knows the old one only, and taken from the environment", async () => {
        await stack.up();
        accepted = wishes.token = "second-token-of-the-test";
        await stack.up();
        const said = await failureOf(stack.destroy());
        expect(said).toMatch(/401 AuthenticationFailed.*can be given as LAKEKEEPER_TOKEN/s);
        expect(said).not.toMatch(/-token-of-the-test/);
        process.env["LAKEKEEPER_TOKEN"] = accepted;
        expect(operations(await stack.refresh())).toEqual({});
        expect(operations(await stack.destroy())).toEqual({
            server: "delete",
            project: "delete",
            role: "delete",
        });
        expect(made("delete_project")).toBe(1);
    });
});

test("a token that ends in the middle of an up: what was made is known, and the next up makes the rest, once", async () => {
    wishes.users = 6;
    let users = 0;
    afterExchange = (operation) => {
        if (operation === "create_user" && ++users === 2) accepted = "second-token-of-the-test";
    };
    const said = await failureOf(stack.up({ continueOnError: true }));
    expect(said).toMatch(/401 AuthenticationFailed/);
    expect(said).not.toMatch(/-token-of-the-test/);
    wishes.token = accepted;
    const next = operations(await stack.up());
    expect(Object.values(next).every((op) => op === "create")).toBe(true);
    expect(operations(await stack.up())).toEqual({});
    for (const [operation, count] of [
        ["bootstrap", 1],
        ["create_project", 1],
        ["create_role", 1],
        ["create_user", 6],
    ] as const)
        expect(made(operation), operation).toBe(count);
});

describe("what is no Lakekeeper server", () => {
    async function answering(status: number, type: string, body: string, headers = {}): Promise<string> {
        const server = http.createServer((_, response) => {
            response.writeHead(status, { "content-type": type, ...headers });
            response.end(body);
        });
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        servers.push(server);
        return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    }
    const servers: http.Server[] = [];
    afterEach(() => {
        for (const server of servers.splice(0)) {
            server.closeAllConnections();
            server.close();
        }
    });

    test("is told with what to do; a preview goes on, since the run may install the server", async () => {
        const page = "<html><title>Log in</title></html>";
        const cases: [url: string, message: RegExp][] = [
            [await answering(500, "text/html", page), /500: an HTML page.*check the URL and the proxy/s],
            [await answering(500, "text/plain", ""), /500: empty answer\s+What to do: .*log of the server/s],
            [await answering(200, "text/html", page), /200 a web page \("Log in"\)/],
            [
                await answering(200, "text/plain", ""),
                /it is empty\.\s+What to do: give the server's base URL/s,
            ],
            [
                await answering(302, "text/html", page, {
                    location: "https://login.example.com/?state=hidden",
                }),
                /302 .*callers to https:\/\/login\.example\.com\/, /s,
            ],
            [simulator.url.replace("http:", "https:"), /does not speak TLS/],
            [`${simulator.url}/elsewhere`, /404 empty answer.*give the server's base URL/s],
            ["http://127.0.0.1:1", /ECONNREFUSED.*check that Lakekeeper runs/s],
        ];
        for (const [url, message] of cases) {
            wishes.url = url;
            const said = await failureOf(stack.up());
            expect(said, url).toMatch(message);
            expect(said).not.toMatch(/-token-of-the-test|hidden/);
        }
        wishes.url = await answering(500, "text/html", page);
        expect(operations(await stack.preview())).toMatchObject({ server: "create", project: "create" });
        wishes.url = simulator.url;
        await stack.up();
        expect(made("create_project")).toBe(1);
    });
});
