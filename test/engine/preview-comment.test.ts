import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../../cli/run.ts";
import { previewProgram, unchanged, type Wish } from "./preview-program.ts";
import { token, vvpWorkspace, type Workspace } from "./vvp-platform.ts";

let wish: Wish = unchanged;
let w: Workspace;
const policyPacks = [path.resolve("policy-pack/run")];
const secrets = ["before-hush-5521", "after-hush-7713", token];

beforeAll(async () => {
    w = await vvpWorkspace((connection) => {
        previewProgram(connection, wish);
        return {};
    });
    await w.outside("POST", "/api/v1/namespaces/default/deployment-targets", {
        metadata: { name: "target" },
        spec: { kubernetes: { namespace: "jobs" } },
    });
    await w.stack.up();
});
afterAll(() => w.dispose());

/** The comment on what the engine tells of a preview now, which may fail. */
async function comment(options: { policyPacks?: string[] }): Promise<string> {
    await w.stack.preview(options).catch((error: unknown) => {
        expect(String(error)).toContain("Fluss table");
    });
    let out = "";
    const code = await run(
        ["preview-comment"],
        {},
        {
            out: (text) => {
                out += text;
            },
            error: (line) => expect.fail(line),
            input: async () => w.stack.events.map((event) => JSON.stringify(event)).join("\n"),
        },
    );
    expect(code).toBe(0);
    for (const secret of secrets) expect(out).not.toContain(secret);
    return out;
}

test("nothing changes: the comment says so", async () => {
    expect(await comment({ policyPacks })).toContain("✅ Nothing changes.");
});

test("an added column, a policy warning, another definition of a job and a rotated secret", async () => {
    wish = { ...unchanged, addColumn: true, keepRunning: true, parallelism: 2, password: "after-hush-7713" };
    const text = await comment({ policyPacks });
    expect(text).toContain("**4** to update");
    expect(text).toContain("ALTER TABLE `desk`.`finance`.`trades` ADD (");
    expect(text).toContain("+     `email` STRING COMMENT");
    expect(text).toContain("⚠️ `session-cluster-idles` (`advisory`) on `session`");
    expect(text).toContain("- `password` (`vvp:SecretValue`): `value` gets a new value");
    expect(text).toContain(
        "- `job` (`vvp:Deployment`): the job is stopped with a savepoint and goes on from it",
    );
});

test("and a type that cannot be changed: why, beside what was planned until then", async () => {
    wish = { ...wish, changeType: true };
    const text = await comment({ policyPacks });
    expect(text).toContain("⛔ **This cannot be applied as it is.**");
    expect(text.replaceAll("\n", " ")).toContain("Fluss cannot modify the column balance");
    expect(text).toContain("ALTER TABLE `desk`.`finance`.`trades` ADD (");
    expect(text).toContain("`value` gets a new value");
});

test("what was deleted outside is made again; without a pack the comment says that it knows of none", async () => {
    wish = unchanged;
    await w.outside("DELETE", "/api/v1/namespaces/default/secret-values/fluss-password");
    await w.stack.refresh();
    const text = await comment({});
    expect(text).toContain("**1** to create");
    expect(text).toContain("does not tell whether a policy pack ran");
});
