import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { choosePorts } from "../../../local/services/index.ts";
import { freePort, listen, temporaryRoot } from "./fixture.ts";

const nobodyRuns = () => false;

afterEach(() => vi.unstubAllEnvs());

test("every listener has a port of its own below the ports of outgoing connections", async () => {
    const numbers = Object.values(await choosePorts(temporaryRoot(), nobodyRuns));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(Math.max(...numbers)).toBeLessThan(32768);
});

test("a second run keeps the ports, also those that are not the preferred ones", async () => {
    const root = temporaryRoot();
    const first = await choosePorts(root, nobodyRuns);
    const moved = { ...first, zookeeper: await freePort() };
    fs.writeFileSync(path.join(root, "run", "ports.json"), JSON.stringify(moved));
    expect(await choosePorts(root, nobodyRuns)).toEqual(moved);
});

test("a port that somebody else took moves, unless the service that listens on it runs", async () => {
    const root = temporaryRoot();
    const first = await choosePorts(root, nobodyRuns);
    const { port } = await listen(0);
    fs.writeFileSync(path.join(root, "run", "ports.json"), JSON.stringify({ ...first, vvp: port }));
    expect(await choosePorts(root, (service) => service === "vvp-simulator")).toEqual({
        ...first,
        vvp: port,
    });
    const moved = await choosePorts(root, nobodyRuns);
    expect(moved.vvp).not.toBe(port);
    expect(moved).toEqual({ ...first, vvp: moved.vvp });
    expect(JSON.parse(fs.readFileSync(path.join(root, "run", "ports.json"), "utf8"))).toEqual(moved);
});

test("two lakehouses that start at the same moment choose different ports", async () => {
    const chosen = await Promise.all([1, 2, 3].map(() => choosePorts(temporaryRoot(), nobodyRuns)));
    const numbers = chosen.flatMap((ports) => Object.values(ports));
    expect(new Set(numbers).size).toBe(numbers.length);
});

test("the ports that an ended start had chosen can be chosen again", async () => {
    vi.stubEnv("PULUMI_FLUSS_CACHE", temporaryRoot());
    const choose = () => {
        const call = `choosePorts(${JSON.stringify(temporaryRoot())}, () => false)`;
        const program = `import { choosePorts } from "./local/services/index.ts"; console.log(JSON.stringify(await ${call}));`;
        const ended = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
            encoding: "utf8",
        });
        return JSON.parse(ended.stdout);
    };
    expect(choose()).toEqual(choose());
});

test("a broken file is replaced", async () => {
    const root = temporaryRoot();
    const first = await choosePorts(root, nobodyRuns);
    fs.writeFileSync(path.join(root, "run", "ports.json"), '{"s3": 270');
    expect(Object.keys(await choosePorts(root, nobodyRuns))).toEqual(Object.keys(first));
});
