import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { flussEndpoint } from "../../../dynamic-providers/fluss/endpoint.ts";
import { type Bag, lead } from "../../lakekeeper/lead.ts";
import { type StubSettings, startStubFluss } from "./stub-fluss.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    vi.restoreAllMocks();
});

async function stub(settings: StubSettings = {}) {
    const started = await startStubFluss(settings);
    closing.push(started.close);
    return started;
}

const args = (bootstrapServers: string, change: Bag = {}): Bag => ({
    bootstrapServers,
    username: "desk",
    password: "sesame",
    timeoutSeconds: 0.5,
    ...change,
});

const at = ({ port }: { port: number }) => `127.0.0.1:${port}`;

describe("a Fluss cluster that exists", () => {
    it.each(["coordinator", "tablet server"] as const)("is known by what it can do: a %s", async (server) => {
        const fluss = await stub({ server });
        const made = lead(flussEndpoint);
        await made.create(args(at(fluss)));
        expect(made.state).toMatchObject({ checked: true, server });
        expect(fluss.asked.slice(-3)).toEqual([1000, 1038, 1003]);
        expect(await made.refresh()).toBe("there");
        expect(await made.up(args(at(fluss)))).toBe("same");
    });

    it("is understood when its answers come in pieces", async () => {
        const made = lead(flussEndpoint);
        await made.create(args(at(await stub({ slow: true }))));
        expect(made.state).toMatchObject({ checked: true });
    });

    it("is asked at its next address when the first does not answer", async () => {
        const made = lead(flussEndpoint);
        await made.create(args(`127.0.0.1:1,${at(await stub())}`));
        expect(made.state).toMatchObject({ checked: true });
    });

    it("is asked again when the login changes", async () => {
        const made = lead(flussEndpoint);
        const fluss = await stub();
        await made.create(args(at(fluss)));
        await expect(made.up(args(at(fluss), { password: "open-barley" }))).rejects.toThrow(
            /does not let user "desk" in: .*Invalid username or password/,
        );
    });
});

describe("what is no Fluss cluster, or not this one, is refused in the preview", () => {
    it.each<[string, StubSettings, RegExp]>([
        [
            "a wrong password",
            { password: "other" },
            /coordinator at .* user "desk" in.*check clientUsername/s,
        ],
        [
            "another protocol",
            { foreign: Buffer.from("SSH-2.0-OpenSSH_9.9\r\n") },
            /is no Fluss server: its answer is not/,
        ],
        [
            "a frame of the right length with something else in it",
            { foreign: Buffer.from([0, 0, 0, 5, 9, 0, 0, 0, 0]) },
            /is no Fluss server/,
        ],
        [
            "a server that closes at once",
            { foreign: Buffer.alloc(0) },
            /closes the connection without an answer/,
        ],
        ["a server that says nothing", { silent: true }, /is no Fluss server: no answer within 0\.5 s/],
    ])("%s", async (_, settings, reason) => {
        const told = await lead(flussEndpoint)
            .check(args(at(await stub(settings))))
            .then(
                () => "",
                (error: Error) => error.message,
            );
        expect(told).toMatch(reason);
        expect(told).toMatch(/What to do/);
        expect(told).not.toContain("sesame");
    });

    it("a web server", async () => {
        const web = createServer((_, response) => response.end("hello"));
        await new Promise<void>((done) => web.listen(0, "127.0.0.1", done));
        closing.push(() => new Promise((done) => void web.close(() => done())));
        const address = at(web.address() as AddressInfo);
        await expect(lead(flussEndpoint).check(args(address))).rejects.toThrow(
            `what answers at ${address} is no Fluss server`,
        );
    });

    it("an address at which nothing listens", async () => {
        await expect(lead(flussEndpoint).check(args("127.0.0.1:1"))).rejects.toThrow(
            /nothing listens at 127\.0\.0\.1:1.*that the cluster runs/s,
        );
    });

    it.each(["coordinator", "coordinator:", "http://coordinator:9124", "a:1, b:2"])(
        "an address like %s",
        async (address) => {
            await expect(lead(flussEndpoint).check(args(address))).rejects.toThrow(/must be host:port/);
        },
    );
});

it("an address that is known elsewhere only is let through with a warning, and checked once it can be reached", async () => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    const made = lead(flussEndpoint);
    await made.create(args("coordinator-server-0.coordinator-server-hs.fluss.svc.invalid:9124"));
    expect(made.state).toMatchObject({ checked: false });
    expect(warned.mock.calls.join()).toMatch(
        /cannot be reached from here \(its name is not known here\).*existing\.portForward/,
    );
});
