import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { kubeRequest } from "../../local/services/kubernetes/api.ts";

/** `npm run bed`: a bed of its own as a process of its own, used as it says. */

const root = path.resolve(import.meta.dirname, "../..");
let child: ChildProcess | undefined;
afterEach(() => void child?.kill("SIGKILL"));

test("prints what to export, serves with that, and ends on Ctrl-C with all that it has started", async () => {
    child = spawn(process.execPath, ["test/kubernetes/try.ts"], { cwd: root });
    let told = "";
    for (const stream of [child.stdout, child.stderr])
        stream?.on("data", (piece: Buffer) => {
            told += piece.toString();
        });
    const ended = new Promise<number | null>((resolve) => child?.once("exit", resolve));
    await expect.poll(() => told, { timeout: 90_000 }).toContain("Ctrl-C ends it");
    const exported = (name: string) => new RegExp(`${name}=(\\S+)`).exec(told)?.[1] ?? "";
    const kubeconfig = exported("KUBECONFIG");
    const namespace = await kubeRequest(kubeconfig, "GET", "/api/v1/namespaces/fluss");
    expect(namespace.status).toBe(200);
    const [, location = ""] = /location: "oci:\/\/([^/]+)/.exec(told) ?? [];
    const { auths } = JSON.parse(fs.readFileSync(exported("REGISTRY_CONFIG_PATH"), "utf8"));
    expect(Object.keys(auths)).toEqual([location]);
    for (const folder of exported("PATH").split(":").slice(0, 2)) expect(fs.existsSync(folder)).toBe(true);
    const [{ cluster }] = JSON.parse(fs.readFileSync(kubeconfig, "utf8")).clusters;
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(fs.existsSync(kubeconfig)).toBe(false);
    await expect(fetch(cluster.server)).rejects.toThrow();
}, 120_000);
