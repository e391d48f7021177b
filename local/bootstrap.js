// Runs one of the repository's TypeScript programs: `node local/bootstrap.js <program> [arguments]`.
// It is plain JavaScript that an older Node understands, and brings what the program needs: Node 22 from the npm
// registry when this one is too old, the packages of the lock file, and the built library.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const wantedNode = "22.23.5";
const oldestNode = [22, 19];
let saidWaiting = false;

main().catch((error) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
});

async function main() {
    const [program, ...args] = process.argv.slice(2);
    if (!program) throw new Error("usage: node local/bootstrap.js <program> [arguments]");
    const release = await takeTurn();
    let node;
    try {
        node = nodeExecutable();
        installPackages(node);
        run(node, [path.join(root, "local/build.js")], "build the library");
    } finally {
        release();
    }
    // Pulumi's own helpers call a bare `node`: the right one must come first.
    const env = { ...process.env, PATH: path.dirname(node) + path.delimiter + (process.env.PATH || "") };
    const child = spawn(node, ["--disable-warning=ExperimentalWarning", path.join(root, program), ...args], {
        stdio: "inherit",
        env,
    });
    // A Ctrl-C reaches the program by itself; this process only has to outlive it.
    process.on("SIGINT", () => {});
    for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
    child.on("exit", (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : code));
}

/** The running Node when it is new enough, else one from the cache or the npm registry. */
function nodeExecutable() {
    const [major, minor] = process.versions.node.split(".").map(Number);
    if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return process.execPath;
    const name = `node-${process.platform}-${process.arch}`;
    const folder = path.join(cacheFolder(), "node", wantedNode);
    const executable = path.join(folder, "node_modules", name, "bin", "node");
    if (fs.existsSync(executable)) return executable;
    console.log(
        `Node ${process.versions.node} is too old (22.19 is needed): fetching Node ${wantedNode} from the npm registry, about 125 MB`,
    );
    const draft = `${folder}.${process.pid}`;
    fs.mkdirSync(draft, { recursive: true });
    npm(
        process.execPath,
        ["install", "--prefix", draft, "--no-save", "--no-package-lock", `${name}@${wantedNode}`],
        draft,
    );
    fs.rmSync(folder, { recursive: true, force: true });
    fs.renameSync(draft, folder);
    return executable;
}

/** `npm ci` when the installed packages are not those of the lock file. */
function installPackages(node) {
    if (packagesMatch()) return;
    console.log("Installing the packages of package-lock.json (about a minute)");
    npm(node, ["ci", "--no-audit", "--no-fund"], root);
}

function packagesMatch() {
    const installed = path.join(root, "node_modules", ".package-lock.json");
    if (!fs.existsSync(installed)) return false;
    const have = JSON.parse(fs.readFileSync(installed, "utf8")).packages;
    const want = JSON.parse(fs.readFileSync(path.join(root, "package-lock.json"), "utf8")).packages;
    return Object.keys(want).every((key) => {
        if (key === "" || (want[key].optional && !have[key])) return true;
        return have[key] && have[key].version === want[key].version;
    });
}

function npm(node, args, cwd) {
    const script = process.env.npm_execpath;
    // npm's own script runs under the Node that will use the packages.
    if (script?.endsWith(".js")) run(node, [script, ...args], `npm ${args[0]}`, cwd);
    else run("npm", args, `npm ${args[0]}`, cwd);
}

function run(command, args, what, cwd = root) {
    // Called through `npm --silent`, npm would keep its reasons to itself.
    const env = { ...process.env, npm_config_loglevel: "error" };
    const { status, stderr, error } = spawnSync(command, args, {
        cwd,
        env,
        encoding: "utf8",
        stdio: ["ignore", "ignore", "pipe"],
    });
    if (status === 0) return;
    const reason = error ? error.message : stderr.trim().split("\n").slice(0, 12).join("\n");
    throw new Error(`could not ${what}: ${reason}`);
}

/** One set-up at a time in this checkout; a lock whose owner is gone is taken over. */
async function takeTurn() {
    const lock = path.join(root, ".local", "set-up.lock");
    fs.mkdirSync(path.dirname(lock), { recursive: true });
    for (;;) {
        try {
            fs.writeFileSync(lock, String(process.pid), { flag: "wx" });
            return () => fs.rmSync(lock, { force: true });
        } catch (error) {
            if (error.code !== "EEXIST") throw error;
        }
        // A run that was killed at once has left an empty file.
        const owner = Number(fs.readFileSync(lock, "utf8"));
        if (owner > 0 && isAlive(owner)) await wait(owner);
        else fs.rmSync(lock, { force: true });
    }
}

async function wait(owner) {
    if (!saidWaiting) console.log(`another set-up of this checkout runs (process ${owner}); waiting for it`);
    saidWaiting = true;
    await new Promise((done) => setTimeout(done, 200));
}

function isAlive(pid) {
    try {
        process.kill(pid, 0);
        return true;
    } catch (error) {
        return error.code === "EPERM";
    }
}

function cacheFolder() {
    const base = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
    return process.env.PULUMI_FLUSS_CACHE || path.join(base, "pulumi-fluss");
}
