import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { afterEach, expect, test } from "vitest";

/** `npm run simulator:vvp`: the simulated platform as a process of its own, used as it says. */

const root = path.resolve(import.meta.dirname, "../../..");
let child: ChildProcess | undefined;
afterEach(() => void child?.kill("SIGKILL"));

test("prints what to export, serves with that, and ends on Ctrl-C", async () => {
    child = spawn(process.execPath, ["local/simulators/vvp/try.ts"], { cwd: root });
    let told = "";
    child.stdout?.on("data", (piece: Buffer) => {
        told += piece.toString();
    });
    const ended = new Promise<number | null>((resolve) => child?.once("exit", resolve));
    await expect.poll(() => told, { timeout: 20_000 }).toContain("Ctrl-C ends it");
    const exported = (name: string) => new RegExp(`${name}=(\\S+)`).exec(told)?.[1] ?? "";
    const ask = (token: string) =>
        fetch(`${exported("VV_API_HOST")}/api/v1/namespaces/${exported("VV_NAMESPACE")}/deployment-targets`, {
            headers: { authorization: `Bearer ${token}` },
        });
    expect((await ask("another")).status).toBe(401);
    expect(await (await ask(exported("VV_API_TOKEN"))).json()).toMatchObject({ items: [] });
    await expect.poll(() => told).toMatch(/GET \/api\/v1\/namespaces\/default\/deployment-targets 200/);
    child.kill("SIGINT");
    expect(await ended).toBe(0);
}, 40_000);
