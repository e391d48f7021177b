import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
    alone,
    dropEverything,
    hasState,
    lakehouseRoot,
    localSecrets,
    mustBeginAnew,
    pulumiFolders,
} from "../../../local/lakehouse.ts";
import { foldersOf, makeFolders } from "../../../local/services/folders.ts";
import { readSecrets, Supervisor, serviceNames } from "../../../local/services/index.ts";
import { freePort, nodeService, temporaryRoot } from "../services/fixture.ts";

describe("the lakehouse's folder", () => {
    it("is .local of the checkout unless told otherwise", () => {
        vi.stubEnv("PULUMI_FLUSS_LOCAL", undefined);
        onTestFinished(() => void vi.unstubAllEnvs());
        expect(lakehouseRoot()).toBe(path.resolve(import.meta.dirname, "../../../.local"));
        vi.stubEnv("PULUMI_FLUSS_LOCAL", "/srv/lakehouse/../desk");
        expect(lakehouseRoot()).toBe("/srv/desk");
    });
});

describe("the secrets of a lakehouse", () => {
    it("are made once, all different, and readable by their owner alone", () => {
        const root = temporaryRoot();
        const made = localSecrets(root);
        expect(localSecrets(root)).toEqual(made);
        const values = Object.values(made);
        expect(new Set(values).size).toBe(3);
        for (const value of values) expect(value).toMatch(/^[0-9a-f]{48}$/);
        const { run } = foldersOf(root);
        expect(fs.statSync(run).mode & 0o777).toBe(0o700);
        expect(fs.statSync(path.join(run, "secrets.json")).mode & 0o777).toBe(0o600);
    });

    it("are others in another lakehouse", () => {
        expect(localSecrets(temporaryRoot()).passphrase).not.toBe(localSecrets(temporaryRoot()).passphrase);
    });

    it("are known to the log filters", () => {
        const root = temporaryRoot();
        const made = localSecrets(root);
        expect(readSecrets(root)).toEqual(expect.arrayContaining(Object.values(made)));
    });
});

describe("state of an earlier start", () => {
    it("is none in a folder that is new, or that holds logs only", () => {
        const root = temporaryRoot();
        expect(hasState(root)).toBe(false);
        expect(mustBeginAnew(root)).toBe(false);
        fs.mkdirSync(foldersOf(root).logs);
        expect(hasState(root)).toBe(false);
    });

    it.each([
        ["data", (root: string) => path.join(foldersOf(root).data, "zookeeper")],
        ["Pulumi state", (root: string) => pulumiFolders(root).backend],
    ])("is worthless when there is %s and the S3 emulator has ended", (_, folder) => {
        const root = temporaryRoot();
        fs.mkdirSync(folder(root), { recursive: true });
        expect(hasState(root)).toBe(true);
        expect(mustBeginAnew(root)).toBe(true);
    });

    it("is kept while the S3 emulator runs, and only so long", async () => {
        const root = await used(serviceNames.s3);
        expect(hasState(root)).toBe(true);
        expect(mustBeginAnew(root)).toBe(false);
        await new Supervisor(root).stop(serviceNames.s3);
        expect(mustBeginAnew(root)).toBe(true);
    });

    it("is not kept by another service", async () => {
        expect(mustBeginAnew(await used(serviceNames.zookeeper))).toBe(true);
    });

    it("is worthless without the passphrase of the Pulumi state", async () => {
        const root = await used(serviceNames.s3);
        fs.rmSync(path.join(foldersOf(root).run, "secrets.json"));
        expect(mustBeginAnew(root)).toBe(true);
    });

    it.each(["secrets.json", "ports.json"])("is worthless when %s is only half there", async (name) => {
        const root = await used(serviceNames.s3);
        fs.writeFileSync(path.join(foldersOf(root).run, name), '{"half');
        expect(mustBeginAnew(root)).toBe(true);
    });

    it("is none where somebody has only asked for the status", () => {
        const root = temporaryRoot();
        new Supervisor(root).status();
        expect(hasState(root)).toBe(false);
    });

    /** A lakehouse whose service runs and that has stored something. */
    async function used(service: string): Promise<string> {
        const root = await running(service);
        localSecrets(root);
        fs.writeFileSync(path.join(foldersOf(root).run, "ports.json"), "{}");
        fs.mkdirSync(path.join(foldersOf(root).data, "zookeeper"), { recursive: true });
        return root;
    }
});

describe("dropping everything", () => {
    it("ends the services and leaves the logs alone", async () => {
        const root = await running(serviceNames.s3);
        localSecrets(root);
        const { backend, program } = pulumiFolders(root);
        for (const folder of [backend, program])
            fs.mkdirSync(path.join(folder, "deeper"), { recursive: true });
        fs.writeFileSync(path.join(root, "summary.json"), "{}");
        await dropEverything(root);
        expect(fs.readdirSync(root)).toEqual(["logs"]);
        expect(fs.readdirSync(foldersOf(root).logs)).toEqual([`${serviceNames.s3}.log`]);
        expect(hasState(root)).toBe(false);
        expect(new Supervisor(root).isRunning(serviceNames.s3)).toBe(false);
    });

    it("does nothing where nothing is", async () => {
        const root = temporaryRoot();
        await dropEverything(root);
        expect(hasState(root)).toBe(false);
    });
});

describe("one at a time", () => {
    it("makes the second wait, and says so", async () => {
        const root = temporaryRoot();
        const order: string[] = [];
        const said: string[] = [];
        const say = (line: string) => void said.push(line);
        let finish = () => {};
        const first = alone(root, say, async () => {
            order.push("first begins");
            await new Promise<void>((done) => {
                finish = done;
            });
            order.push("first ends");
        });
        await vi.waitFor(() => expect(order).toEqual(["first begins"]));
        const second = alone(root, say, async () => void order.push("second"));
        await vi.waitFor(() => expect(said.join()).toContain(`process ${process.pid}`));
        expect(order).toEqual(["first begins"]);
        finish();
        await Promise.all([first, second]);
        expect(order).toEqual(["first begins", "first ends", "second"]);
    });

    it("goes on after a failure", async () => {
        const root = temporaryRoot();
        const failing = alone(
            root,
            () => {},
            async () => Promise.reject(new Error("port taken")),
        );
        await expect(failing).rejects.toThrow("port taken");
        expect(
            await alone(
                root,
                () => {},
                async () => "done",
            ),
        ).toBe("done");
    });
});

/** A root with data, on which a small service of that name runs until the test ends. */
async function running(name: string): Promise<string> {
    const root = temporaryRoot();
    makeFolders(root);
    const supervisor = new Supervisor(root);
    await supervisor.start({ ...nodeService(await freePort()), name });
    onTestFinished(() => supervisor.stopAll());
    return root;
}
