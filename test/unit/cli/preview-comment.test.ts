import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Summary } from "../../../cli/preview/summary.ts";
import { run } from "../../../cli/run.ts";

/** Previews that the real command line printed: `.json` as one document, `.events` as a stream of events. */
const recorded = (file: string) => path.join(import.meta.dirname, "previews", file);
const hush = /hush-\d+/;

async function command(args: string[], input?: string) {
    const printed = { out: "", errors: [] as string[] };
    const code = await run(
        ["preview-comment", ...args],
        {},
        {
            out: (text) => {
                printed.out += text;
            },
            error: (line) => printed.errors.push(line),
            ...(input !== undefined && { input: async () => input }),
        },
    );
    return { code, ...printed };
}

const comment = async (file: string, ...more: string[]) => (await command([recorded(file), ...more])).out;
const summary = async (file: string) => JSON.parse(await comment(file, "--json")) as Summary;

/** The part below a heading. */
const section = (text: string, title: string) =>
    text.split(/^#### /m).find((part) => part.startsWith(`${title}\n`)) ?? "";

describe("a change with an added column, a job with another definition, a rotated secret and a policy finding", () => {
    test.each(["change.json", "change.events"])("%s tells what changes per component", async (file) => {
        const text = await comment(file);
        expect(text.startsWith("<!-- pulumi-fluss preview desk dev -->\n")).toBe(true);
        expect(text).toContain("### Preview of stack `dev` (project `desk`)");
        expect(text).toContain("**4** to update, 8 unchanged.");
        expect(text).toContain("| (the stack itself) | 3 |");
        expect(text).toContain("| `desk` `FlussTables` | 1 |");
    });

    test.each(["change.json", "change.events"])("%s shows the statement and the difference", async (file) => {
        const sql = section(await comment(file), "SQL that runs");
        expect(sql).toContain(
            "`desk-finance-trades` (`fluss:Table`) changes:\n\n```sql\nALTER TABLE `desk`.",
        );
        expect(sql).not.toContain("change 1");
        expect(sql).toContain("-     `symbol` STRING\n+     `symbol` STRING,\n+     `email` STRING");
    });

    test.each(["change.json", "change.events"])(
        "%s says what restarts, and that a secret changes",
        async (file) => {
            const text = await comment(file);
            expect(section(text, "Restarts").trim().split("\n").slice(2).sort()).toEqual([
                "- `job` (`vvp:Deployment`): the job is stopped with a savepoint and goes on from it",
                "- `password` (`vvp:SecretValue`): jobs that use it are restarted from a savepoint",
            ]);
            expect(section(text, "Secrets")).toContain(
                "- `password` (`vvp:SecretValue`): `value` gets a new value",
            );
        },
    );

    test("only the events tell of policies", async () => {
        const finding = section(await comment("change.events"), "Policies");
        expect(finding).toContain(
            "⚠️ `session-cluster-idles` (`advisory`) on `session` (`vvp:SessionCluster`):",
        );
        expect(finding).toContain("Leave keepRunning out");
        expect(section(await comment("change.json"), "Policies")).toContain("does not tell whether");
        const both = await comment("change.json", "--policies", recorded("change.events"));
        expect(section(both, "Policies")).toBe(finding);
    });

    test("every change stands in a fold, list by list element", async () => {
        const text = section(await comment("change.events"), "Every change");
        expect(text).toContain("```diff\n- parallelism = 1\n+ parallelism = 2\n```");
        expect(text).toMatch(/^\+ \{"comment":"it's \| `new`","name":"email","type":"STRING"\}$/m);
        expect(text).not.toMatch(/__provider|exports\.handler|mark =/);
    });

    test("no secret is in it, although Pulumi's debug events hold one in clear", async () => {
        expect(fs.readFileSync(recorded("change.events"), "utf8")).toMatch(hush);
        for (const file of ["change.json", "change.events", "refused.json", "refused.events"]) {
            expect(await comment(file)).not.toMatch(hush);
            expect(await comment(file, "--json")).not.toMatch(hush);
        }
    });
});

describe("a change of nothing but a secret inside of a job and of a session cluster", () => {
    test("says what restarts, as the update then did", async () => {
        const text = section(await comment("secrets.events"), "Restarts");
        expect(text.trim().split("\n").slice(2)).toEqual([
            "- `sess` (`vvp:SessionCluster`): the session cluster is restarted; Debug runs on it end",
            "- `job3-deployment` (`vvp:Deployment`): the job is stopped with a savepoint and goes on from it",
        ]);
    });
});

describe("a type that cannot be changed", () => {
    test.each(["refused.json", "refused.events"])(
        "%s says what and why, and what is missing",
        async (file) => {
            const text = await comment(file);
            expect(text).toContain("⛔ **This cannot be applied as it is.** The preview stopped at 1 error");
            const why = section(text, "Refused").replaceAll("\n", " ");
            expect(why).toContain("`archive-archive-accounts` (`fluss:Table`):");
            expect(why).toContain("Fluss cannot modify the column balance (type is DECIMAL(15, 2))");
            expect(why).toContain("add a new nullable column at the end");
            expect(why).not.toContain("has a problem");
        },
    );

    test("policies were not looked at, since the preview ended before", async () => {
        expect(section(await comment("refused.events"), "Policies")).toContain("Not looked at");
    });

    test("the exit code is 0: the preview itself fails the job", async () => {
        expect((await command([recorded("refused.json")])).code).toBe(0);
    });
});

describe("a first preview that only a mandatory policy forbids", () => {
    test("the policy is the reason, and everything is shown", async () => {
        const text = await comment("forbidden.events");
        expect(text).toContain("⛔ **1 mandatory policy finding** would stop the update. **14** to create.");
        expect(text).not.toMatch(/#### Refused|preview failed|The preview stopped|not shown|come to its end/);
        expect(section(text, "Policies")).toContain("⛔ `client-jars` (`mandatory`)");
        expect((await summary("forbidden.events")).complete).toBe(true);
    });

    test("a rule names a resource once, however often it finds something there", async () => {
        const event = (about: string, key: string) =>
            JSON.stringify({
                sequence: 1,
                policyEvent: {
                    resourceUrn: `urn:pulumi:dev::desk::pulumi-nodejs:dynamic/vvp:Deployment::${about}`,
                    message: `A job names its secrets.\n${about}: ${key} is given in clear.`,
                    policyName: "no-secret-in-job",
                    enforcementLevel: "mandatory",
                },
            });
        const events = [event("jar", "password"), event("jar", "token"), event("sql", "token")];
        const finding = section((await command([], events.join("\n"))).out, "Policies");
        expect(finding).toContain(
            "`no-secret-in-job` (`mandatory`) on `jar` (`vvp:Deployment`), `sql` (`vvp:Deployment`):",
        );
        expect(finding).toMatch(/jar: password .*\njar: token .*\nsql: token /);
    });

    test("a failed preview without a finding keeps the engine's word", async () => {
        const lines = fs.readFileSync(recorded("forbidden.events"), "utf8").split("\n");
        const { out } = await command([], lines.filter((line) => !line.includes("policyEvent")).join("\n"));
        expect(section(out, "Refused")).toContain("preview failed");
    });
});

describe("the first preview", () => {
    test("shows what is made, its statements folded, without the password of the catalog", async () => {
        const text = await comment("first.events");
        expect(text).toContain("**11** to create.");
        // Pulumi counts the stack itself, which is no change of anybody.
        expect(text).not.toContain("counted and not told");
        expect(text).toContain("`archive-archive-accounts` (`fluss:Table`) is made:\n\n<details>");
        expect(text).toContain("PRIMARY KEY (`account_id`) NOT ENFORCED");
        expect(text).toContain("'client.security.sasl.password' = '***'");
        expect((await summary("first.events")).components).toEqual([
            { name: "", type: "", counts: { create: 5 } },
            { name: "archive", type: "FlussTables", counts: { create: 3 } },
            { name: "desk", type: "FlussTables", counts: { create: 3 } },
        ]);
    });
});

test.each(fs.readdirSync(recorded("")).filter((file) => /\.(events|json)$/.test(file)))(
    "%s says the same where the plugin runs the resources, as for programs in Python and YAML",
    async (file) => {
        const text = fs.readFileSync(recorded(file), "utf8");
        const plugin = text.replaceAll("pulumi-nodejs:dynamic/", "fluss:");
        expect(plugin).not.toBe(text);
        const kind = ["--kind", file.includes("drift") ? "drift" : "preview"];
        const [ours, theirs] = [await command(kind, text), await command(kind, plugin)];
        expect(theirs).toEqual(ours);
        expect(ours.out).toMatch(/[`>](vvp|fluss|flink):\w+[`<]/);
    },
);

describe("a drift: a secret value was deleted and a session cluster changed outside", () => {
    test("says what is gone and what differs", async () => {
        const text = await comment("drift.events", "--kind", "drift");
        expect(text.startsWith("<!-- pulumi-fluss drift desk dev -->\n")).toBe(true);
        expect(text).toContain(
            "**What is there differs from the state.** **1** changed, **1** gone, 10 unchanged.",
        );
        expect(text).toContain("- is gone: `password` (`vvp:SecretValue`)");
        expect(text).toContain("- numberOfTaskManagers = 1\n+ numberOfTaskManagers = 3");
        expect(text).not.toMatch(/restarted|gets a new value/);
    });

    test("says what differs of a job that was cancelled outside, in an output alone", async () => {
        const text = await comment("job-drift.events", "--kind", "drift");
        expect(text).toContain("**1** changed, 4 unchanged.");
        expect(section(text, "Every change")).toContain(
            "differs: <code>job3-deployment</code> <code>vvp:Deployment</code> of <code>job3</code></summary>\n\n```diff\n- jobStatus = RUNNING\n+ jobStatus = CANCELLED\n```",
        );
    });

    test("outputs that only an update will know are no difference of a preview", async () => {
        const outputs = (await summary("change.events")).changes.flatMap(({ properties }) => properties);
        expect(outputs.map(({ path }) => path)).not.toContain("jobStatus");
    });

    test("a refresh that fails tells its errors, and refuses nothing", async () => {
        const said = { severity: "error", urn: "", message: "Preview failed: 401" };
        const { out } = await command(
            ["--kind", "drift"],
            JSON.stringify({ steps: [], diagnostics: [said] }),
        );
        expect(section(out, "Errors")).toContain("```text\n401\n```");
        expect(out).not.toContain("Refused");
    });

    test("one document does not tell what differs, and the comment says that it is missing", async () => {
        expect(await comment("drift.json", "--kind", "drift")).toContain(
            "_1 more change is counted and not told;",
        );
    });
});

describe("its length", () => {
    test("details are left out, and counted, until it fits; what is refused stays", async () => {
        const text = await comment("refused.events", "--limit", "2100");
        expect(text.length).toBeLessThanOrEqual(2100);
        expect(text).toMatch(/_\d parts are left out: the comment would be too long/);
        expect(section(text, "Refused")).toContain("Fluss cannot modify the column balance");
    });

    test("of many tables it takes seconds, and tells what restarts and what policies say before each statement", async () => {
        const inputs = (plan: string) => ({ ddl: "CREATE TABLE `t` (`a` INT);", plan });
        const [one, ...rest] = fs.readFileSync(recorded("change.events"), "utf8").trim().split("\n");
        const tables = Array.from({ length: 8000 }, (_, index) => {
            const urn = `urn:pulumi:dev::desk::pulumi-nodejs:dynamic/fluss:Table::many-${index}`;
            const metadata = {
                op: "update",
                urn,
                old: { inputs: inputs("") },
                new: { inputs: inputs("ALTER;") },
            };
            return JSON.stringify({ sequence: index, resourcePreEvent: { metadata } });
        });
        const began = Date.now();
        const { out } = await command([], [one, ...tables, ...rest].join("\n"));
        expect(Date.now() - began).toBeLessThan(10_000);
        expect(out.length).toBeLessThanOrEqual(65_001);
        for (const title of ["SQL that runs", "Restarts", "Secrets", "Policies"])
            expect(section(out, title)).not.toBe("");
        expect(section(out, "Policies")).toContain("session-cluster-idles");
        expect(section(out, "SQL that runs").match(/changes:/g)?.length).toBeGreaterThan(100);
    });

    test("it fits whatever the preview holds", async () => {
        for (const limit of [1000, 1500, 3000]) {
            const text = await comment("first.events", "--limit", String(limit));
            expect(text.length).toBeLessThanOrEqual(limit);
        }
    });
});

describe("its input", () => {
    test("comes from the standard input, too", async () => {
        const text = fs.readFileSync(recorded("change.json"), "utf8");
        expect((await command([], text)).out).toBe(await comment("change.json"));
        expect((await command(["-"], text)).out).toBe(await comment("change.json"));
    });

    test("says the same in whatever order the engine told it", async () => {
        const events = fs
            .readFileSync(recorded("change.events"), "utf8")
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line));
        // Of one resource the order stays: a replacement has several steps.
        const urnOf = (event: Record<string, { metadata?: { urn: string } } | undefined>) =>
            (event["resourcePreEvent"] ?? event["resOutputsEvent"])?.metadata?.urn ?? "";
        const turned = events.toSorted((a, b) => urnOf(b).localeCompare(urnOf(a)));
        expect(turned).not.toEqual(events);
        const said = (lines: object[]) =>
            command([], lines.map((line) => JSON.stringify(line)).join("\n")).then(({ out }) => out);
        expect(await said(turned)).toBe(await said(events));
    });

    test("nothing at all is a preview that failed", async () => {
        const { code, out } = await command(["--name", "prod"], "");
        expect(code).toBe(0);
        expect(out.startsWith("<!-- pulumi-fluss preview prod -->\n")).toBe(true);
        expect(out).toContain("did not come to its end");
    });

    test("what is no preview is an error that shows nothing of it", async () => {
        for (const text of ["hush-1", '{"password":"hush-1"}', '[{"sequence":1}]']) {
            const { code, out, errors } = await command([], text);
            expect({ code, out }).toEqual({ code: 1, out: "" });
            expect(errors[0]).toContain("the standard input cannot be read as a preview");
            expect(errors[0]).not.toMatch(hush);
        }
    });

    test.each([
        [
            ["/none/preview.json"],
            "the preview cannot be read from /none/preview.json: there is no such file.",
        ],
        [["docs"], "the preview cannot be read from docs: it is a folder."],
        [
            [recorded("change.json"), "--policies", "/none/p.events"],
            "the policies cannot be read from /none/p.events: there is no such file.",
        ],
        [
            [recorded("change.json"), "--policies", recorded("refused.json")],
            `${recorded("refused.json")} cannot be read as a preview: it holds neither`,
        ],
    ])("%j is a file that cannot be read", async (args, told) => {
        const { code, errors } = await command(args);
        expect(code).toBe(1);
        expect(errors[0]).toContain(`preview-comment: ${told}`);
        expect(errors[0]).toContain("What to do: ");
    });

    test("wrong options are told all at once", async () => {
        const { code, errors } = await command(["a", "b", "--kind", "x", "--limit", "7"]);
        expect(code).toBe(2);
        expect(errors.slice(0, 3)).toEqual([
            "give one file",
            "--kind takes preview or drift",
            "--limit takes a number of characters, at least 1000",
        ]);
    });
});
