// What is in `quickstart.test.ts` for Python, for the other languages: a project that npm has installed the packed library into, on
// the local lakehouse. Run by `npm run test:long` alone: the host for YAML takes minutes to build, and the installation one.
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localSecrets, pulumiFolders } from "../../local/lakehouse.ts";
import { projectName, stackName } from "../../local/stack.ts";
import { ensureTools } from "../../local/toolchain/index.ts";
import { ensureYamlHost } from "../../local/toolchain/language-host.ts";
import { done, importDesk, type Place, placeOfDesks, pythonDesk, Seen } from "./desk.ts";
import { down, repository, root, start } from "./kit.ts";
import { type Scratch, scratchProject } from "./scratch.ts";

const all = process.env["PULUMI_FLUSS_LANGUAGES"] === "all";

describe.skipIf(!all)("languages, by `npm run test:long` alone, since hosts are built for them:", () => {
    let scratch: Scratch;
    let place: Place;

    beforeAll(async () => {
        const { pulumi } = await ensureTools(console.error);
        const yaml = await ensureYamlHost(console.error, pulumi);
        scratch = await scratchProject(true, { onPath: [yaml] });
        const { code, output } = await start();
        expect(code, output).toBe(0);
        place = placeOfDesks();
    }, 1_800_000);

    afterAll(async () => {
        scratch?.dispose();
        await down();
    });

    it("a program in YAML makes a warehouse and a table, changes nothing at the next run, and removes them", async () => {
        const seen = new Seen(place, "yamldesk");
        const pulumi = (...args: string[]) => done(scratch.run("pulumi", args));
        fs.copyFileSync(
            path.join(import.meta.dirname, "programs/desk.yaml"),
            path.join(scratch.folder, "Pulumi.yaml"),
        );
        await pulumi("stack", "init", "dev");
        await pulumi("config", "set-all", ...settingsOf(place));
        const preview = await pulumi("preview", "--diff");
        expect(preview.told).toContain("CREATE TABLE `yamldesk`.`yamldesk`.`readings`");
        expect(await seen.warehouses()).toEqual([]);
        const made = await pulumi("up", "--yes", "--skip-preview");
        expect(await seen.columns()).toEqual(["id BIGINT", "amount DECIMAL(18, 2)"]);
        const { stdout } = await pulumi("stack", "output", "--json");
        const [warehouse = ""] = await seen.warehouses();
        expect(JSON.parse(stdout)).toEqual({ path: "`yamldesk`.`yamldesk`.`readings`", warehouse });
        await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
        const taken = await importDesk(scratch, place, { name: "yamldesk", warehouse, runtime: "yaml" });
        expect(taken.state["readings"]).toMatchObject({ spec: { database: "yamldesk", primaryKey: ["id"] } });
        const { stdout: stored } = await pulumi("stack", "export");
        for (const secret of secretsOf(place))
            for (const text of [preview.told, made.told, stored, taken.imported.told, taken.stored])
                expect(text.includes(secret)).toBe(false);
        await pulumi("destroy", "--yes", "--skip-preview");
        expect([await seen.database(), await seen.warehouses()]).toEqual([false, []]);
    });

    it("a program in Python adds a column to its table, the only change, and removes what it made", async () => {
        const seen = new Seen(place, "pydesk");
        const python = await pythonDesk(scratch, place, "pydesk");
        await python("up");
        const changed = await python("preview", { more: true });
        expect(changed.changes["update"]).toBe(1);
        await python("up", { more: true });
        expect(await seen.columns()).toEqual(["id BIGINT", "amount DECIMAL(18, 2)", "note STRING"]);
        expect(Object.keys((await python("up", { more: true })).changes)).toEqual(["same"]);
        await python("destroy", { more: true });
        expect([await seen.database(), await seen.warehouses()]).toEqual([false, []]);
    });

    it.each(["module", "commonjs"] as const)(
        "the second example stack, in TypeScript as %s, adds its table and its job to the quickstart's",
        async (kind) => {
            const folder = `analytics-${kind}`;
            await writeAnalytics(scratch, folder, kind);
            const secrets = localSecrets(root);
            const env = {
                PULUMI_BACKEND_URL: `file://${pulumiFolders(root).backend}`,
                PULUMI_CONFIG_PASSPHRASE: secrets.passphrase,
                VV_API_TOKEN: secrets.vvpToken,
            };
            const pulumi = (...args: string[]) => done(scratch.run("pulumi", args, { env, in: folder }));
            await pulumi("stack", "init", "dev");
            await pulumi("config", "set", "lakehouse", `organization/${projectName}/${stackName}`);
            await pulumi("config", "set", "deletionProtection", "false");
            await pulumi("up", "--yes", "--skip-preview");
            const { stdout } = await pulumi("stack", "output", "--json");
            expect(JSON.parse(stdout)).toEqual({
                table: "`fluss_quickstart`.`analytics`.`daily_volume`",
                jobStatus: "RUNNING",
            });
            await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
            await pulumi("destroy", "--yes", "--skip-preview");
            await pulumi("stack", "rm", "--yes");
        },
    );
});

function secretsOf({ lakekeeper, client, key }: Place): string[] {
    return [lakekeeper.token, client.password, key.secretAccessKey];
}

function settingsOf({ lakekeeper, gateway, client, storage, key }: Place): string[] {
    const { url, token } = lakekeeper;
    const { bootstrapServers, username, password } = client;
    const { bucket, endpoint } = storage;
    const open = {
        lakekeeper: url,
        gateway,
        bootstrapServers,
        username,
        bucket,
        endpoint,
        keyId: key.accessKeyId,
    };
    const secret = { lakekeeperToken: token, password, key: key.secretAccessKey };
    const options = (kind: string, settings: Record<string, string>) =>
        Object.entries(settings).flatMap(([name, value]) => [kind, `${name}=${value}`]);
    return [...options("--plaintext", open), ...options("--secret", secret)];
}

/** The stack of `stacks/analytics`, written as one that has installed the library; CommonJS has no `await` outside of a function. */
async function writeAnalytics(scratch: Scratch, folder: string, kind: "module" | "commonjs"): Promise<void> {
    const target = path.join(scratch.folder, folder);
    fs.cpSync(path.join(repository, "stacks/analytics"), target, { recursive: true });
    fs.writeFileSync(path.join(target, "package.json"), JSON.stringify({ private: true, type: kind }));
    const rewrite = (file: string, change: (text: string) => string) => {
        const name = path.join(target, file);
        fs.writeFileSync(name, change(fs.readFileSync(name, "utf8")));
    };
    rewrite("daily-volume.ts", (text) =>
        text
            .replace('from "../../model/table.ts"', 'from "pulumi-fluss"')
            .replace(
                /^import \{ identifier \} .*$/m,
                "const identifier = (name: string) => `\\`${name}\\``;",
            ),
    );
    rewrite("index.ts", (text) => {
        const ours = text
            .replaceAll(/from "\.\.\/\.\.\/components\/[\w-]+\.ts"/g, 'from "pulumi-fluss"')
            .replaceAll(
                /from "\.\.\/\.\.\/dynamic-providers\/[\w/-]+\.ts"/g,
                'from "pulumi-fluss/dynamic-providers"',
            );
        return kind === "module" ? ours : asFunction(ours);
    });
    if (kind === "module") return;
    rewrite("Pulumi.yaml", (text) => text.replace("main: index.ts", "main: out/index.js"));
    const options = {
        ...{ module: "nodenext", target: "es2023", strict: true, skipLibCheck: true, types: ["node"] },
        ...{ rewriteRelativeImportExtensions: true, outDir: "out" },
    };
    fs.writeFileSync(
        path.join(target, "tsconfig.json"),
        JSON.stringify({ compilerOptions: options, files: ["index.ts"] }),
    );
    await done(scratch.run("tsc", ["-p", "."], { in: folder }));
    expect(fs.readFileSync(path.join(target, "out/index.js"), "utf8")).toContain('require("pulumi-fluss")');
}

/** A program whose exports are what its function gives, as CommonJS has them. */
function asFunction(text: string): string {
    const [head = "", ...rest] = text.split("\n\n");
    const names = [...text.matchAll(/^export const (\w+)/gm)].map(([, name]) => name);
    const body = rest.join("\n\n").replaceAll(/^export const/gm, "const");
    return `${head}\n\nexport = async () => {\n${body}\nreturn { ${names.join(", ")} };\n};\n`;
}
