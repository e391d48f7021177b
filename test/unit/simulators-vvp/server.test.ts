import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import {
    type ContractServer,
    type Handler,
    Refusal,
    startContractServer,
} from "../../../local/simulators/shared/index.ts";

const CONTRACT = `
openapi: 3.1.0
paths:
  /things/{name}:
    get:
      operationId: getThing
      responses:
        '200': { content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }
        '404': { content: { application/json: { schema: { type: object, required: [message] } } } }
  /things/all:
    get:
      operationId: listThings
      parameters: [{ $ref: '#/components/parameters/Size' }]
      responses: { '200': { content: { application/json: { schema: { type: array } } } } }
  /things/{name}:poke:
    post:
      operationId: pokeThing
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }
      responses: { '204': {} }
components:
  parameters:
    Size: { name: size, in: query, required: true, schema: { type: integer } }
  schemas:
    Thing:
      type: object
      additionalProperties: false
      required: [id, size]
      properties:
        id: { type: string, format: uuid }
        size: { type: integer }
        password: { type: string, writeOnly: true }
`;

const ID = "6f1c1f0e-4a57-4d0c-9c4e-1f6f0a4a9b10";
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "contract-"));
const file = path.join(folder, "contract.yaml");
fs.writeFileSync(file, CONTRACT);
afterAll(() => fs.rmSync(folder, { recursive: true }));
let server: ContractServer | undefined;
const reports: string[] = [];

afterEach(async () => {
    await server?.close();
    reports.length = 0;
});

async function start(handlers: Record<string, Handler>): Promise<string> {
    server = await startContractServer({
        name: "the simulated thing",
        port: 0,
        contracts: [{ file, basePath: "/base" }],
        handlers,
        report: (line) => reports.push(line),
        passThrough: (request, response) => {
            if (!request.url?.startsWith("/outside")) return false;
            response.end("proxied");
            return true;
        },
    });
    return `${server.url}/base`;
}

const json = (body: unknown) => ({
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
});

describe("the contract server", () => {
    it("routes literal paths before parameters and decodes parameters", async () => {
        const url = await start({
            getThing: ({ params }) => ({ status: 404, body: { message: params["name"] } }),
            listThings: () => ({ status: 200, body: [] }),
            pokeThing: () => ({ status: 204 }),
        });
        expect(await (await fetch(`${url}/things/all?size=1`)).json()).toEqual([]);
        expect(await (await fetch(`${url}/things/a%20b`)).json()).toEqual({ message: "a b" });
        expect((await fetch(`${url}/things/x:poke`, json({ id: ID, size: 1 }))).status).toBe(204);
        expect((await fetch(`${url}/nothing`)).status).toBe(404);
        expect((await fetch(`${url}/things/all`, { method: "DELETE" })).status).toBe(405);
        expect(server?.requests.map(({ operationId, status }) => [operationId, status])).toEqual([
            ["listThings", 200],
            ["getThing", 404],
            ["pokeThing", 204],
            ["", 404],
            ["", 405],
        ]);
        expect(server?.violations).toEqual([]);
    });

    it("tells every fault of a request at once, without its values", async () => {
        const url = await start({
            pokeThing: () => ({ status: 204 }),
            listThings: () => ({ status: 200, body: [] }),
        });
        const reply = await fetch(
            `${url}/things/x:poke`,
            json({ id: "secret-1", size: "secret-2", more: 1 }),
        );
        const { message } = (await reply.json()) as { message: string };
        expect(reply.status).toBe(400);
        expect(message).toContain("body/id must match format");
        expect(message).toContain("body/size must be integer");
        expect(message).toContain("body must NOT have additional properties");
        expect(message).not.toContain("secret-");
        expect((await fetch(`${url}/things/x:poke`, { method: "POST" })).status).toBe(400);
        expect((await fetch(`${url}/things/x:poke`, { method: "POST", body: "{" })).status).toBe(400);
        const missing = await fetch(`${url}/things/all`);
        expect(await missing.json()).toEqual({
            message: expect.stringContaining("query parameter size is required") as string,
        });
    });

    it.each([
        ["a missing member", { status: 200, body: { id: ID } }, "must have required property 'size'"],
        [
            "a secret that comes back",
            { status: 200, body: { id: ID, size: 1, password: "p" } },
            "is write-only",
        ],
        ["a status that is not listed", { status: 201, body: {} }, "status 201 is not listed"],
        ["no body", { status: 200 }, "status 200 needs a body"],
    ])("turns %s in its own answer into 500 and reports it", async (_, answer, fault) => {
        const url = await start({ getThing: () => answer });
        const reply = await fetch(`${url}/things/x`);
        expect(reply.status).toBe(500);
        expect(server?.violations).toEqual([expect.stringContaining(fault)]);
        expect(reports).toHaveLength(1);
    });

    it("reports a crash of a handler and answers 500", async () => {
        const url = await start({
            getThing: () => {
                throw new TypeError("broken");
            },
        });
        expect((await fetch(`${url}/things/x`)).status).toBe(500);
        expect(server?.violations[0]).toContain("TypeError: broken");
    });

    it("answers 501 for an operation that nobody serves, and refuses a handler without operation", async () => {
        const url = await start({});
        expect((await fetch(`${url}/things/x`)).status).toBe(501);
        await expect(start({ noSuchThing: () => ({ status: 200 }) })).rejects.toThrow("noSuchThing");
    });

    it("lets requests outside the contract through", async () => {
        await start({});
        const reply = await fetch(`${server?.url}/outside/x`);
        expect(await reply.text()).toBe("proxied");
    });

    it("says which port is taken", async () => {
        await start({});
        const port = Number(new URL(server?.url ?? "").port);
        const second = startContractServer({ name: "the second", port, contracts: [{ file }], handlers: {} });
        await expect(second).rejects.toThrow(
            `the second cannot listen on 127.0.0.1:${port}: the port is in use`,
        );
    });
});

describe("ordered faults", () => {
    it("lose one answer after the work was done", async () => {
        let done = 0;
        const url = await start({
            getThing: () => {
                done += 1;
                return { status: 200, body: { id: ID, size: done } };
            },
        });
        server?.faults.loseNextAnswer("getThing");
        await expect(fetch(`${url}/things/x`)).rejects.toThrow();
        expect(done).toBe(1);
        expect(server?.requests.at(-1)?.status).toBe(0);
        expect(await (await fetch(`${url}/things/x`)).json()).toEqual({ id: ID, size: 2 });
    });

    it("fail so many requests without doing the work", async () => {
        let done = 0;
        const url = await start({
            pokeThing: () => {
                done += 1;
                return { status: 204 };
            },
        });
        server?.faults.failNext("pokeThing", 503, { message: "later" }, 2);
        const poke = () => fetch(`${url}/things/x:poke`, json({ id: ID, size: 1 }));
        expect([(await poke()).status, (await poke()).status, done]).toEqual([503, 503, 0]);
        expect([(await poke()).status, done]).toEqual([204, 1]);
    });

    it("delay one request", async () => {
        const url = await start({ listThings: () => ({ status: 200, body: [] }) });
        server?.faults.delayNext("listThings", 120);
        const before = performance.now();
        await fetch(`${url}/things/all?size=1`);
        expect(performance.now() - before).toBeGreaterThanOrEqual(115);
    });

    it("are not used up by a request that is refused before", async () => {
        const url = await start({
            pokeThing: () => {
                throw new Refusal(204, "");
            },
        });
        server?.faults.failNext("pokeThing", 503, {});
        expect((await fetch(`${url}/things/x:poke`, json({}))).status).toBe(400);
        expect((await fetch(`${url}/things/x:poke`, json({ id: ID, size: 1 }))).status).toBe(503);
    });
});
