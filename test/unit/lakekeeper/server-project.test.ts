import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { LakekeeperClient } from "../../../dynamic-providers/lakekeeper/client.ts";
import { project } from "../../../dynamic-providers/lakekeeper/project.ts";
import { server } from "../../../dynamic-providers/lakekeeper/server.ts";
import { hosted } from "../../../dynamic-providers/resource.ts";
import { startLakekeeperSimulator } from "../../../local/simulators/lakekeeper/index.ts";
import { closeLater, startFixture, token } from "./fixture.ts";

const noConfig = { config: () => undefined };

describe("server", () => {
    const wanted = { acceptTermsOfUse: true, waitSeconds: 0 };

    async function create(connection: object, change = {}) {
        const host = hosted(server);
        const { inputs, failures } = await host.check({}, { connection, ...wanted, ...change });
        expect(failures).toEqual([]);
        return { host, ...(await host.create(inputs)) };
    }

    it("is bootstrapped once, and taken as it is the second time", async () => {
        const fixture = await startFixture({ bootstrapped: false });
        const first = await create(fixture.connection);
        expect(first.outs).toMatchObject({ adopted: false, version: "0.13.3", authzBackend: "allow-all" });
        expect(first.id).toBe((await fixture.outside("GET", "/management/v1/info"))["server-id"]);
        const second = await create(fixture.connection);
        expect(second.outs["adopted"]).toBe(true);
        expect(fixture.writes()).toEqual(["bootstrap"]);
    });

    it("counts as ours when the answer of the bootstrap got lost", async () => {
        const fixture = await startFixture({ bootstrapped: false });
        fixture.simulator.faults.loseNextAnswer("bootstrap");
        expect((await create(fixture.connection)).outs["adopted"]).toBe(false);
    });

    it("counts as adopted when somebody was faster", async () => {
        const fixture = await startFixture({ bootstrapped: false });
        const error = { error: { message: "too late", type: "ConcurrentBootstrap", code: 400, stack: [] } };
        fixture.simulator.faults.failNext("bootstrap", 400, error);
        expect((await create(fixture.connection)).outs["adopted"]).toBe(true);
    });

    it("gets its default project when the server failed to make it", async () => {
        const fixture = await startFixture();
        await fixture.outside("DELETE", "/management/v1/project");
        const { outs } = await create(fixture.connection);
        const found = await fixture.outside("GET", "/management/v1/project");
        expect(found["project-id"]).toBe(outs["defaultProjectId"]);
    });

    it("is waited for while it starts", async () => {
        const placeholder = await startFixture();
        const port = Number(new URL(placeholder.simulator.url).port);
        await placeholder.simulator.close();
        const late = new Promise<void>((resolve) =>
            setTimeout(async () => {
                const simulator = await startLakekeeperSimulator({ port, token });
                closeLater(simulator.close);
                resolve();
            }, 500),
        );
        const { outs } = await create(placeholder.connection, { waitSeconds: 30 });
        await late;
        expect(outs["adopted"]).toBe(false);
    });

    it("with a wrong token is an error that names it nowhere", async () => {
        const fixture = await startFixture();
        const connection = { url: fixture.simulator.url, token: "a-wrong-token" };
        const message = await create(connection).catch((error: Error) => error.message);
        expect(message).toMatch(/401 AuthenticationFailed: Authentication failed \(request [0-9a-f-]{36}\)/);
        expect(message).not.toContain("a-wrong-token");
    });

    it("is gone when another database answers, and stays when it is deleted here", async () => {
        const fixture = await startFixture({ bootstrapped: false });
        const { host, id, outs } = await create(fixture.connection);
        expect((await host.read(id, outs)).id).toBe(id);
        expect(await host.read("01a229e2-fd75-7671-8aec-c9eca2f5cadc", outs)).toEqual({});
        await host.delete(id, outs);
        expect((await fixture.outside("GET", "/management/v1/info")).bootstrapped).toBe(true);
    });

    it("must accept the terms", async () => {
        const { failures } = await hosted(server).check(
            {},
            { connection: { url: "http://h" }, acceptTermsOfUse: false },
        );
        expect(failures.map(({ reason }) => reason).join()).toMatch(/terms of use/);
    });
});

describe("project", () => {
    const host = hosted(project);

    async function inputsOf(connection: object, change = {}) {
        const given = { connection, projectId: "lake", name: "Lake", deletionProtection: false, ...change };
        const { inputs, failures } = await host.check({}, given);
        expect(failures).toEqual([]);
        return inputs;
    }

    it("is created, renamed in place, seen, and deleted", async () => {
        const fixture = await startFixture();
        const inputs = await inputsOf(fixture.connection);
        const { id, outs } = await host.create(inputs);
        expect(id).toBe("lake");
        expect((await host.diff(id, outs, inputs)).changes).toBe(false);
        const renamed = { ...inputs, name: "Lakehouse" };
        const { outs: after } = await host.update(id, outs, renamed);
        expect((await host.read(id, after)).props).toMatchObject({ name: "Lakehouse" });
        await host.delete(id, after);
        expect(await host.read(id, after)).toEqual({});
        expect(fixture.writes()).toEqual(["create_project", "rename_project", "delete_project"]);
    });

    it("survives lost answers of create and delete", async () => {
        const fixture = await startFixture();
        fixture.simulator.faults.loseNextAnswer("create_project");
        fixture.simulator.faults.loseNextAnswer("delete_project");
        const { id, outs } = await host.create(await inputsOf(fixture.connection));
        expect(outs["adopted"]).toBe(false);
        await host.delete(id, outs);
        expect(await host.read(id, outs)).toEqual({});
    });

    it("that exists is an error, or taken over and renamed", async () => {
        const fixture = await startFixture();
        await fixture.outside("POST", "/management/v1/project", {
            "project-id": "lake",
            "project-name": "theirs",
        });
        await expect(host.create(await inputsOf(fixture.connection))).rejects.toThrow(/adopt: true/);
        const { outs } = await host.create(await inputsOf(fixture.connection, { adopt: true }));
        expect(outs["adopted"]).toBe(true);
        expect((await host.read("lake", outs)).props).toMatchObject({ name: "Lake" });
    });

    it("with warehouses is not deleted, and says which", async () => {
        const fixture = await startFixture();
        const { id, outs } = await host.create(await inputsOf(fixture.connection));
        const profile = { type: "s3", bucket: "lake", region: "us-east-1", "sts-enabled": false };
        await fixture.outside(
            "POST",
            "/management/v1/warehouse",
            { "warehouse-name": "inside", "storage-profile": profile },
            { "x-project-id": "lake" },
        );
        await expect(host.delete(id, outs)).rejects.toThrow(/warehouses: inside/);
    });

    it("is protected from deletion and from another id", async () => {
        const fixture = await startFixture();
        const inputs = await inputsOf(fixture.connection, { deletionProtection: true });
        const { id, outs } = await host.create(inputs);
        await expect(host.delete(id, outs)).rejects.toThrow(/deletionProtection is on/);
        const { failures } = await host.check(inputs, { ...inputs, projectId: "other" });
        expect(failures.map(({ reason }) => reason).join()).toMatch(/cannot change to 'other'/);
    });
});

describe("client", () => {
    const client = (url: string) => new LakekeeperClient({ url, token }, noConfig);
    const call = { method: "GET", path: "/management/v1/info", action: "read the server's state" } as const;

    afterEach(() => {
        delete process.env["LAKEKEEPER_TOKEN"];
    });

    async function answering(status: number, body: string, type: string): Promise<string> {
        const stub = createServer((_request, response) => {
            response.writeHead(status, { "content-type": type });
            response.end(body);
        });
        await new Promise<void>((resolve) => stub.listen(0, "127.0.0.1", resolve));
        closeLater(
            () =>
                new Promise((resolve) => {
                    stub.close(() => resolve());
                    stub.closeAllConnections();
                }),
        );
        return `http://127.0.0.1:${(stub.address() as AddressInfo).port}`;
    }

    it.each([
        [
            "JSON with an error id",
            409,
            '{"error":{"message":"M","type":"WarehouseAlreadyExists","code":409,"stack":["s","Error ID: 01a2"]}}',
            "application/json",
            /409 WarehouseAlreadyExists: M \(request 01a2\)/,
        ],
        ["plain text", 422, "missing field `sts-enabled`", "text/plain", /422: missing field `sts-enabled`/],
        ["an empty body", 404, "", "", /404.*base URL of a Lakekeeper server/s],
        ["HTML of a proxy", 403, "<!DOCTYPE html><html>blocked</html>", "text/html", /403: an HTML page/],
        [
            "a dump of 2 kB",
            412,
            `{"error":{"message":"${"x".repeat(2000)}","type":"ShortTermCredentialError","code":412}}`,
            "application/json",
            /^.{0,700}$/s,
        ],
    ])("makes one readable error of %s", async (_title, status, body, type, message) => {
        const url = await answering(status, body, type);
        await expect(client(url).send(call)).rejects.toThrow(message);
    });

    it("takes the token of the environment first", async () => {
        const fixture = await startFixture();
        const wrong = new LakekeeperClient({ url: fixture.simulator.url, token: "old-token" }, noConfig);
        await expect(wrong.send(call)).rejects.toThrow(/401/);
        process.env["LAKEKEEPER_TOKEN"] = token;
        const right = new LakekeeperClient({ url: fixture.simulator.url, token: "old-token" }, noConfig);
        await expect(right.send(call)).resolves.toMatchObject({ status: 200 });
    });
});
