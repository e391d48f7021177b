import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runNode, smallCheckout } from "./checkout.ts";

/** The Node that the bootstrap fetches; the cache holds it under this name. */
const wanted = "22.23.5";
const platformPackage = `node-${process.platform}-${process.arch}`;

const lock = (packages: Record<string, object>) => JSON.stringify({ packages: { "": {}, ...packages } });

/** A checkout whose program prints what it was started with, and whose npm writes down how it was called. */
function checkout(files: Record<string, string> = {}): string {
    return smallCheckout(["local/bootstrap.js"], {
        "package-lock.json": lock({}),
        "node_modules/.package-lock.json": lock({}),
        "local/build.js": 'import fs from "node:fs"; fs.appendFileSync("calls.txt", "build\\n");',
        "program.ts": `const shown: unknown = {
            args: process.argv.slice(2), node: process.env.CHOSEN_NODE ?? "this one", path: process.env.PATH };
            console.log(JSON.stringify(shown)); process.exitCode = Number(process.argv[2] ?? 0);`,
        "npm.js": `import fs from "node:fs";
            fs.appendFileSync(process.env.CALLS, "npm " + process.argv.slice(2).join(" ") + "\\n"); ${npmWork}`,
        ...files,
    });
}

/** What the stand-in for npm does: "installs" a Node that says which one it is, or the packages of the lock file. */
const npmWork = `
    const at = (flag) => process.argv[process.argv.indexOf(flag) + 1];
    if (process.argv[2] === "install") {
        const bin = at("--prefix") + "/node_modules/${platformPackage}/bin";
        fs.mkdirSync(bin, { recursive: true });
        fs.writeFileSync(bin + "/node", '#!/bin/sh\\nCHOSEN_NODE=fetched exec "$REAL_NODE" "$@"\\n', { mode: 0o755 });
    } else fs.copyFileSync("package-lock.json", "node_modules/.package-lock.json");
`;

/** Runs the bootstrap as if by Node `version`. */
function bootstrap(root: string, version: string, args = ["program.ts"]) {
    const pretend = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`;
    const run = runNode(
        root,
        ["--import", `data:text/javascript,${pretend}`, "local/bootstrap.js", ...args],
        {
            PULUMI_FLUSS_CACHE: path.join(root, "cache"),
            REAL_NODE: process.execPath,
            CALLS: path.join(root, "calls.txt"),
            npm_execpath: path.join(root, "npm.js"),
        },
    );
    const calls = fs.readFileSync(path.join(root, "calls.txt"), "utf8").trim().split("\n");
    const last = run.stdout.trim().split("\n").at(-1) ?? "";
    return { ...run, calls, program: last.startsWith("{") ? JSON.parse(last) : undefined };
}

const fetchedFolder = (root: string) =>
    path.join(root, "cache/node", wanted, "node_modules", platformPackage, "bin");

describe("the Node that runs a program", () => {
    it.each(["22.19.0", "22.23.5", "23.0.0", "24.22.3"])("is this one when it is %s", (version) => {
        const root = checkout();
        const { status, calls, program } = bootstrap(root, version);
        expect(status).toBe(0);
        expect(program.node).toBe("this one");
        expect(program.path.split(path.delimiter)[0]).toBe(path.dirname(process.execPath));
        expect(calls).toEqual(["build"]);
    });

    it.each(["22.18.9", "20.20.2", "18.0.0"])("is fetched when this one is %s, and kept", (version) => {
        const root = checkout();
        const first = bootstrap(root, version);
        expect(first.stdout).toContain(
            `Node ${version} is too old (22.19 is needed): fetching Node ${wanted}`,
        );
        expect(first.program.node).toBe("fetched");
        expect(first.program.path.split(path.delimiter)[0]).toBe(fetchedFolder(root));
        expect(first.calls).toHaveLength(2);
        expect(first.calls[0]).toMatch(new RegExp(`^npm install .* ${platformPackage}@${wanted}$`));
        const again = bootstrap(root, version);
        expect(again.stdout).not.toContain("too old");
        expect(again.program.node).toBe("fetched");
        expect(again.calls).toHaveLength(3);
        expect(fs.readdirSync(path.join(root, "cache/node"))).toEqual([wanted]);
    });
});

describe("what a program needs", () => {
    const other = lock({ "node_modules/zod": { version: "4.6.7" } });

    it("is installed when the packages are not those of the lock file", () => {
        const root = checkout({ "package-lock.json": other });
        const { status, calls } = bootstrap(root, process.versions.node);
        expect(status).toBe(0);
        expect(calls).toEqual(["npm ci --no-audit --no-fund", "build"]);
        expect(bootstrap(root, process.versions.node).calls).toHaveLength(3);
    });

    it("is not installed for a package of another platform", () => {
        const optional = lock({ "node_modules/fsevents": { version: "2.3.3", optional: true } });
        expect(bootstrap(checkout({ "package-lock.json": optional }), "22.19.0").calls).toEqual(["build"]);
    });

    it("says why it cannot be had, and frees the turn", () => {
        const failing =
            'import fs from "node:fs"; fs.appendFileSync("calls.txt", "build\\n"); throw new Error("no disk");';
        const root = checkout({ "local/build.js": failing });
        const { status, stderr } = bootstrap(root, "22.19.0");
        expect(status).toBe(1);
        expect(stderr).toMatch(/could not build the library: [\s\S]*no disk/);
        expect(fs.readdirSync(path.join(root, ".local"))).toEqual([]);
    });
});

describe("the program", () => {
    it("gets its arguments, and its exit code is passed on", () => {
        const { status, program } = bootstrap(checkout(), "22.19.0", ["program.ts", "7", "--preview"]);
        expect(program.args).toEqual(["7", "--preview"]);
        expect(status).toBe(7);
    });

    it("takes over the turn of a run that was killed", () => {
        const root = checkout({ ".local/set-up.lock": "999999999" });
        expect(bootstrap(root, "22.19.0").status).toBe(0);
        expect(fs.existsSync(path.join(root, ".local/set-up.lock"))).toBe(false);
    });
});

describe("the turn of one set-up after the other", () => {
    const lockOf = (root: string) => path.join(root, ".local/set-up.lock");

    it.each([
        ["left empty by a run that was killed at once", ""],
        ["of a process that is gone", "999999999"],
    ])("is taken over when the lock is %s", (_, owner) => {
        const root = checkout({ ".local/set-up.lock": owner });
        expect(bootstrap(root, "22.19.0").status).toBe(0);
        expect(fs.existsSync(lockOf(root))).toBe(false);
    });

    it("is waited for while its owner lives, and the screen says so", async () => {
        const root = checkout({ ".local/set-up.lock": String(process.pid) });
        const child = spawn(process.execPath, ["local/bootstrap.js", "program.ts"], { cwd: root });
        let output = "";
        child.stdout.on("data", (chunk) => {
            output += chunk;
            if (output.includes("waiting for it")) fs.rmSync(lockOf(root), { force: true });
        });
        const [code] = await once(child, "exit");
        expect(output).toContain(
            `another set-up of this checkout runs (process ${process.pid}); waiting for it`,
        );
        expect(code).toBe(0);
    });
});
