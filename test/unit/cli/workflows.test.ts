import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { commands } from "../../../cli/run.ts";

const read = (file: string) => parse(fs.readFileSync(`docs/workflows/${file}`, "utf8"));
const github = read("github.yml") as { jobs: Record<string, { steps: { name?: string; run?: string }[] }> };
const gitlab = read("gitlab.yml") as Record<string, { script?: string[]; after_script?: string[] }>;

/** Every script of both workflows, by a name for messages. */
const scripts: [string, string][] = [
    ...Object.entries(github.jobs).flatMap(([job, { steps }]) =>
        steps.flatMap(({ name, run }): [string, string][] => (run ? [[`github ${job} ${name}`, run]] : [])),
    ),
    ...Object.entries(gitlab).flatMap(([job, { script, after_script }]) =>
        [...(script ?? []), ...(after_script ?? [])].map((text): [string, string] => [`gitlab ${job}`, text]),
    ),
];
const scriptOf = (name: string) => scripts.find(([one]) => one === name)?.[1] ?? expect.fail(name);

let folder: string;
beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "workflow-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

/** Runs a script with stand-ins for the programs that would call the forge; each writes its arguments to `calls`. */
function run(script: string, standIns: Record<string, string>, env: Record<string, string>) {
    for (const [name, body] of Object.entries(standIns)) {
        const text = `#!/bin/bash\nprintf '%s\n' "$*" >> "${folder}/calls"\n${body}\n`;
        fs.writeFileSync(path.join(folder, name), text, { mode: 0o755 });
    }
    const done = spawnSync("bash", ["-e", "-c", script], {
        cwd: folder,
        encoding: "utf8",
        env: { PATH: `${folder}:${process.env["PATH"]}`, ...env },
    });
    const calls = path.join(folder, "calls");
    return {
        status: done.status,
        stderr: done.stderr,
        calls: fs.existsSync(calls) ? fs.readFileSync(calls, "utf8").trim().split("\n") : [],
    };
}

describe("every script", () => {
    test.each(scripts)("%s is sound for bash", (_, script) => {
        expect(spawnSync("bash", ["-n", "-c", script], { encoding: "utf8" })).toMatchObject({
            status: 0,
            stderr: "",
        });
    });

    test("calls commands and options of pulumi-fluss that exist", () => {
        const calls = scripts.flatMap(([, script]) => [
            ...script.matchAll(/npx pulumi-fluss ([\w-]+)([^>\n]*)/g),
        ]);
        expect(calls.length).toBe(4);
        for (const [, name, options = ""] of calls) {
            const command = commands.find((one) => one.name === name);
            for (const [option] of options.matchAll(/--[\w-]+/g))
                expect(command?.usage).toContain(`  ${option} `);
        }
    });

    test("names files of the package that are packed", () => {
        expect(fs.statSync("policy-pack/run").mode & 0o111).not.toBe(0);
        for (const [, pack] of scripts.flatMap(([, script]) => [
            ...script.matchAll(/--policy-pack (\S+)/g),
        ])) {
            expect(pack).toBe("node_modules/pulumi-fluss/policy-pack/run");
        }
    });
});

describe("a failed preview", () => {
    const standIns = { pulumi: "echo '{\"steps\":[]}'; exit 255", npx: "cat > /dev/null; echo comment" };
    test.each(["github preview Preview", "gitlab preview", "github drift Drift", "gitlab drift"])(
        "fails the job of %s, and its comment is there",
        (name) => {
            expect(run(scriptOf(name), standIns, { STACK: "prod" }).status).toBe(255);
            const file = name.includes("drift") ? "drift.md" : "comment.md";
            expect(fs.readFileSync(path.join(folder, file), "utf8")).toBe("comment\n");
        },
    );
});

describe("GitHub's variables and groups", () => {
    const text = fs.readFileSync("docs/workflows/github.yml", "utf8");
    const { env, concurrency } = parse(text) as {
        env: Record<string, string>;
        concurrency: { group: string };
    };
    const tokens = [
        "PULUMI_CONFIG_PASSPHRASE",
        "PULUMI_ACCESS_TOKEN",
        "VV_API_TOKEN",
        "LAKEKEEPER_TOKEN",
        "FLUSS_REGISTRY_USERNAME",
        "FLUSS_REGISTRY_PASSWORD",
    ];
    const head = (file: string) => /^(#.*\n)+/.exec(fs.readFileSync(`docs/workflows/${file}`, "utf8"))![0];

    test.each(tokens)("%s is handed on from the secret of its name", (name) => {
        expect(env[name]).toBe(`\${{ secrets.${name} }}`);
    });

    test("each secret and variable that is used is named in the head, and those of GitLab are the same", () => {
        const used = [...text.matchAll(/\b(?:secrets|vars)\.(\w+)/g)].map(([, name = ""]) => name);
        for (const name of used.filter((one) => !one.startsWith("AWS_"))) {
            expect(head("github.yml")).toContain(name);
            expect(head("gitlab.yml")).toContain(name);
        }
    });

    test("the head says how `npm ci` gets the package and the policies' SDK", () => {
        for (const file of ["github.yml", "gitlab.yml"])
            expect(head(file)).toMatch(
                /@pulumi\/policy as a development dependency[\s\S]*vendor\/pulumi-fluss-/,
            );
    });

    test("the run of the schedule is in another group than the push to the same branch", () => {
        const group = (event: string) => {
            const expression = /\$\{\{(.*)\}\}/.exec(concurrency.group)![1];
            return new Function("github", `return ${expression}`)({
                event_name: event,
                ref: "refs/heads/main",
            }) as string;
        };
        expect(group("push")).toBe("refs/heads/main");
        expect(group("schedule")).toBe("drift");
    });
});

describe("the release", () => {
    const { steps } = (
        read("release.yml") as { jobs: { publish: { steps: { name?: string; run?: string }[] } } }
    ).jobs.publish;

    test("names the repository in package.json before it packs", () => {
        const index = steps.findIndex(({ run }) => run?.includes("npm pkg set"));
        expect(index).toBeGreaterThan(-1);
        expect(index).toBeLessThan(steps.findIndex(({ name }) => name === "Pack"));
        fs.writeFileSync(path.join(folder, "package.json"), '{"name":"one","version":"1.0.0"}');
        const { status } = run(
            steps[index]!.run!,
            {},
            { GITHUB_SERVER_URL: "https://forge.example", GITHUB_REPOSITORY: "acme/lake", HOME: folder },
        );
        expect(status).toBe(0);
        expect(JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"))).toHaveProperty(
            "repository",
            { type: "git", url: "git+https://forge.example/acme/lake.git" },
        );
    });
});

describe("GitHub's comment", () => {
    const env = { GITHUB_REPOSITORY: "acme/lake", NUMBER: "7", GH_TOKEN: "t" };
    beforeEach(() =>
        fs.writeFileSync(path.join(folder, "comment.md"), "<!-- pulumi-fluss preview prod -->\ntext\n"),
    );

    test("is posted when there is none", () => {
        const { status, calls } = run(scriptOf("github preview Comment"), { gh: "" }, env);
        expect(status).toBe(0);
        expect(calls[0]).toContain('select(.body | startswith("<!-- pulumi-fluss preview prod -->"))');
        expect(calls[1]).toBe("api -X POST repos/acme/lake/issues/7/comments -F body=@comment.md --silent");
    });

    test("that could not be made overwrites no other one", () => {
        fs.writeFileSync(path.join(folder, "comment.md"), "");
        expect(run(scriptOf("github preview Comment"), { gh: "echo 41" }, env)).toMatchObject({
            status: 0,
            calls: [],
        });
    });

    test("is updated when there is one", () => {
        const gh = 'if [ "$2" = "--paginate" ]; then echo 41; echo 42; fi';
        const { calls } = run(scriptOf("github preview Comment"), { gh }, env);
        expect(calls[1]).toBe("api -X PATCH repos/acme/lake/issues/comments/41 -F body=@comment.md --silent");
    });
});

describe("GitHub's issue of a drift", () => {
    const env = { GITHUB_REPOSITORY: "acme/lake", GH_TOKEN: "t", STACK: "prod", OUTCOME: "failure" };
    beforeEach(() =>
        fs.writeFileSync(path.join(folder, "drift.md"), "<!-- pulumi-fluss drift prod -->\ntext\n"),
    );

    test("is opened, and updated when it is open", () => {
        const script = scriptOf("github drift Issue");
        expect(run(script, { gh: "" }, env).calls[1]).toBe(
            "api -X POST repos/acme/lake/issues -f title=Drift of prod -F body=@drift.md --silent",
        );
        const gh = 'if [ "$2" = "--paginate" ]; then echo 5; fi';
        expect(run(script, { gh }, env).calls[3]).toBe(
            "api -X PATCH repos/acme/lake/issues/5 -F body=@drift.md --silent",
        );
    });

    test("is closed by a run that finds none, and none is opened then", () => {
        const [script, found] = [scriptOf("github drift Issue"), { ...env, OUTCOME: "success" }];
        const none = run(script, { gh: "" }, found);
        expect([none.status, none.calls.length]).toEqual([0, 1]);
        const gh = 'if [ "$2" = "--paginate" ]; then echo 5; fi';
        expect(run(script, { gh }, found).calls[2]).toBe(
            "api -X PATCH repos/acme/lake/issues/5 -F body=@drift.md -f state=closed --silent",
        );
    });

    test("a run that could tell nothing touches no issue", () => {
        fs.writeFileSync(path.join(folder, "drift.md"), "");
        const { status, calls } = run(scriptOf("github drift Issue"), { gh: "echo 5" }, env);
        expect([status, calls]).toEqual([0, []]);
    });

    test("knows what became of the look by the id of its step", () => {
        const { steps } = github.jobs["drift"]! as { steps: { name?: string; id?: string; env?: object }[] };
        expect(steps.find(({ name }) => name === "Drift")?.id).toBe("drift");
        expect(steps.find(({ name }) => name === "Issue")?.env).toMatchObject({
            OUTCOME: "${{ steps.drift.outcome }}",
        });
    });
});

describe("GitLab's note", () => {
    const env = {
        CI_API_V4_URL: "https://gitlab.example/api/v4",
        CI_PROJECT_ID: "3",
        CI_MERGE_REQUEST_IID: "7",
        GITLAB_TOKEN: "hush-token",
    };
    const notes = "https://gitlab.example/api/v4/projects/3/merge_requests/7/notes";
    const script = () => gitlab["preview"]?.after_script?.[0] ?? "";
    const curl = `cat > "$(dirname "$0")/config"`;
    beforeEach(() =>
        fs.writeFileSync(path.join(folder, "comment.md"), "<!-- pulumi-fluss preview prod -->\ntext\n"),
    );

    test("is posted when there is none, and the token is in no argument", () => {
        const { status, calls } = run(script(), { curl, jq: "cat > /dev/null" }, env);
        expect(status).toBe(0);
        expect(calls).toContain(
            `-fsS --config - -X POST ${notes} --data-urlencode body@comment.md -o /dev/null`,
        );
        expect(calls.join()).not.toContain("hush");
        expect(fs.readFileSync(path.join(folder, "config"), "utf8")).toBe(
            'header = "PRIVATE-TOKEN: hush-token"\n',
        );
    });

    test("is updated when there is one", () => {
        const { calls } = run(script(), { curl, jq: "cat > /dev/null; echo 9" }, env);
        expect(calls).toContain(
            `-fsS --config - -X PUT ${notes}/9 --data-urlencode body@comment.md -o /dev/null`,
        );
    });

    test("a job that made no comment posts none", () => {
        fs.rmSync(path.join(folder, "comment.md"));
        expect(run(script(), { curl, jq: "" }, env)).toMatchObject({ status: 0, calls: [] });
    });
});
