import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { readSecrets, Supervisor } from "../../../local/services/index.ts";
import {
    exists,
    freePort,
    listen,
    logOf,
    nodeService,
    temporaryRoot,
    temporarySupervisor,
} from "./fixture.ts";

test("a started service is ready, has a log with a start line, and ends with stop", async () => {
    const supervisor = temporarySupervisor();
    const { pid, kept } = await supervisor.start(
        nodeService(await freePort(), { before: 'console.log("hello")' }),
    );
    expect(kept).toBe(false);
    expect(logOf(supervisor)).toMatch(/^===== \S+ start of sample =====\nhello\n$/);
    expect(supervisor.status()).toEqual([
        { name: "sample", pid, alive: true, rssMiB: expect.any(Number), peakMiB: expect.any(Number) },
    ]);
    expect(supervisor.status()[0]?.rssMiB).toBeGreaterThan(10);
    await supervisor.stop("sample");
    expect(exists(pid)).toBe(false);
    expect(supervisor.status()).toEqual([{ name: "sample", alive: false }]);
});

test("the same spec keeps the process, another spec replaces it", async () => {
    const supervisor = temporarySupervisor();
    const spec = nodeService(await freePort());
    const first = await supervisor.start(spec);
    const again = await new Supervisor(supervisor.root).start({ ...spec });
    expect(again).toMatchObject({ pid: first.pid, kept: true });
    const changed = await supervisor.start({ ...spec, env: { MODE: "other" } });
    expect(changed.kept).toBe(false);
    expect(changed.pid).not.toBe(first.pid);
    expect(exists(first.pid)).toBe(false);
});

test("a death during the start is told with the log of this start only, without secrets", async () => {
    const supervisor = temporarySupervisor();
    const port = await freePort();
    const before = 'console.log("old line")';
    await supervisor.start(nodeService(port, { before }));
    const dying = nodeService(port, {
        before: 'console.log("key is " + process.env.KEY + ", s3.secret.key=abc"); process.exit(3)',
    });
    const failure = supervisor.start({ ...dying, env: { KEY: "sesame-open" }, secrets: ["sesame-open"] });
    await expect(failure).rejects.toThrow(
        /sample ended while it was starting.*\nkey is \*\*\*, s3\.secret\.key=\*\*\*/,
    );
    await expect(failure).rejects.not.toThrow(/old line|sesame/);
    expect(readSecrets(supervisor.root)).toEqual(["sesame-open"]);
});

test("a command that does not exist is told", async () => {
    const supervisor = temporarySupervisor();
    const spec = { ...nodeService(await freePort()), command: "/nowhere/java" };
    await expect(supervisor.start(spec)).rejects.toThrow(/\/nowhere\/java/);
});

test("past the deadline the process is stopped", async () => {
    const supervisor = temporarySupervisor();
    const spec = { ...nodeService(await freePort(), { delay: 60_000 }), deadlineSeconds: 0.3 };
    await expect(supervisor.start(spec)).rejects.toThrow(/sample was not ready after 0\.3 s/);
    expect(supervisor.isRunning("sample")).toBe(false);
});

test("a port that somebody else holds is named before anything starts", async () => {
    const supervisor = temporarySupervisor();
    const { port } = await listen(0);
    await expect(supervisor.start(nodeService(port))).rejects.toThrow(
        `127.0.0.1:${port} is in use by another program`,
    );
    expect(supervisor.status()).toEqual([]);
});

test("a service that ignores SIGTERM is killed", async () => {
    const supervisor = temporarySupervisor({ stopSeconds: 0.5 });
    const before = 'process.on("SIGTERM", () => console.log("no"))';
    const { pid } = await supervisor.start(nodeService(await freePort(), { before }));
    await supervisor.stop("sample");
    expect(exists(pid)).toBe(false);
    expect(logOf(supervisor)).toContain("no\n");
});

test("a process that only has the pid of ours is left alone", async () => {
    const supervisor = temporarySupervisor();
    const foreign = spawn("sleep", ["60"]);
    onTestFinished(() => void foreign.kill());
    // Two processes that start within one tick of the clock (10 ms) have the same start time.
    await new Promise((done) => setTimeout(done, 100));
    await supervisor.start(nodeService(await freePort()));
    const file = path.join(supervisor.root, "run", "sample", "pid.json");
    const record = fs.readFileSync(file, "utf8");
    fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(record), pid: foreign.pid }));
    expect(supervisor.isRunning("sample")).toBe(false);
    await supervisor.stop("sample");
    expect(exists(foreign.pid!)).toBe(true);
    fs.writeFileSync(file, record);
});

test("a starter killed during the start leaves a service that the next start adopts", async () => {
    const supervisor = temporarySupervisor();
    const spec = nodeService(await freePort(), { delay: 1500 });
    const program = `
        import { Supervisor } from ${JSON.stringify(path.resolve("local/services/index.ts"))};
        await new Supervisor(${JSON.stringify(supervisor.root)}).start(${JSON.stringify(spec)});`;
    const starter = spawn(process.execPath, ["--input-type=module-typescript", "-e", program], {
        stdio: "inherit",
    });
    onTestFinished(() => void starter.kill());
    while (!supervisor.isRunning("sample")) await sleep(20);
    starter.kill("SIGKILL");
    const adopted = supervisor.identity("sample");
    const { pid, kept } = await supervisor.start(spec);
    expect({ kept, identity: adopted }).toEqual({ kept: true, identity: supervisor.identity("sample") });
    await supervisor.stop("sample");
    expect(exists(pid)).toBe(false);
});

test("revive starts what is dead and was once started, and nothing that was forgotten", async () => {
    const supervisor = temporarySupervisor();
    const first = { ...nodeService(await freePort()), files: { "conf/secret.txt": "sesame" } };
    const second = { ...nodeService(await freePort()), name: "second" };
    const { pid } = await supervisor.start(first);
    await supervisor.start(second);
    expect(await supervisor.revive(["sample", "second", "never"])).toEqual([]);
    process.kill(pid, "SIGKILL");
    while (supervisor.isRunning("sample")) await sleep(20);
    expect(supervisor.endedByThemselves()).toEqual(["sample"]);
    expect(await supervisor.revive(["sample", "second"])).toEqual(["sample"]);
    expect(supervisor.endedByThemselves()).toEqual([]);
    expect(supervisor.spec("sample")).toEqual(first);
    await supervisor.forget("sample");
    await supervisor.stop("second");
    expect(supervisor.endedByThemselves()).toEqual([]);
    expect(await supervisor.revive(["sample", "second"])).toEqual(["second"]);
});

test("files are readable by their owner only, and no variable of the starter but the harmless ones is inherited", async () => {
    const supervisor = temporarySupervisor();
    process.env["AWS_SECRET_ACCESS_KEY"] = "sesame-open";
    onTestFinished(() => void delete process.env["AWS_SECRET_ACCESS_KEY"]);
    const spec = nodeService(await freePort(), { before: "console.log(Object.keys(process.env).join())" });
    await supervisor.start({ ...spec, env: { OWN: "1" }, files: { "conf/a.txt": "x" } });
    const names = logOf(supervisor).split("\n")[1]?.split(",");
    expect(names).toContain("OWN");
    expect(names).not.toContain("AWS_SECRET_ACCESS_KEY");
    for (const file of ["conf/a.txt", "spec.json", "pid.json"]) {
        const { mode } = fs.statSync(path.join(supervisor.root, "run", "sample", file));
        expect((mode & 0o777).toString(8), file).toBe("600");
    }
    expect(fs.statSync(path.join(supervisor.root, "logs", "sample.log")).mode & 0o077).toBe(0);
    expect(fs.statSync(path.join(supervisor.root, "run")).mode & 0o077).toBe(0);
});

test("stopAll ends readers before what they read from", async () => {
    const root = temporaryRoot();
    const supervisor = new Supervisor(root);
    const ended = path.join(root, "ended");
    const before = (name: string) =>
        `process.on("SIGTERM", () => { require("fs").appendFileSync(${JSON.stringify(ended)}, "${name} "); process.exit() })`;
    for (const name of ["s3", "zookeeper", "fluss-coordinator", "fluss-tablet", "flink-sql-gateway"]) {
        await supervisor.start({ ...nodeService(await freePort(), { before: before(name) }), name });
    }
    await supervisor.stopAll();
    const order = fs.readFileSync(ended, "utf8").trim().split(" ");
    expect(order).toEqual(["flink-sql-gateway", "fluss-tablet", "fluss-coordinator", "zookeeper", "s3"]);
});
