import { parseArgs } from "node:util";
import { asUsage, type Command, type Terminal, UsageError } from "./command.ts";
import { readGiven } from "./in-file.ts";
import { type CommentOptions, renderComment } from "./preview/comment.ts";
import type { PolicyResult } from "./preview/preview.ts";
import { readPolicies, readPreview } from "./preview/read-preview.ts";
import { type Summary, summarize } from "./preview/summary.ts";

const usage = `pulumi-fluss preview-comment [<file>] [options]

Turns a preview into Markdown for a pull request: what changes per component, the DDL of tables, what is refused and why,
what restarts, which secrets get new values (never the values), and what policies say.

  <file>                 what \`pulumi preview --json\` printed; default, and for "-": the standard input.
                         With PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true it tells of policies and of all drift, too; keep
                         that output to yourself: Pulumi's own lines of debugging in it hold secrets in clear.
  --policies <file>      events of Pulumi with results of policies, when <file> has none
  --kind preview|drift   drift: what \`pulumi refresh --preview-only --json\` printed; default: preview
  --name <text>          tells the comments of a pull request apart; default: project and stack
  --limit <characters>   details are left out until the comment is so long; default: 65000, which GitHub takes
  --json                 print what the comment would say as JSON

The first line marks the comment, so that a workflow finds and updates its own. The exit code is 0 also when the preview
failed: let \`pulumi preview\` itself fail the job.

Examples:
  PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true pulumi preview --json > preview.json
  pulumi-fluss preview-comment preview.json > comment.md
  pulumi preview --json | pulumi-fluss preview-comment
  PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true pulumi refresh --preview-only --json | pulumi-fluss preview-comment --kind drift
`;

/** `preview-comment` */
export const previewComment: Command = {
    name: "preview-comment",
    summary: "turns `pulumi preview --json` into a comment for a pull request",
    usage,
    async run(args, _env, terminal) {
        const { file, policies, options, json } = parse(args.slice(1));
        const text = await contentOf(file, terminal);
        const summary = text.trim() === "" ? nothing : summarized(file, text, policies);
        terminal.out(json ? `${JSON.stringify(summary, undefined, 2)}\n` : renderComment(summary, options));
        return 0;
    },
};

/** What is said when the preview printed nothing: it failed before it had a plan, and the job's log says why. */
const nothing: Summary = summarize({
    project: "",
    stack: "",
    steps: [],
    diagnostics: [],
    policies: undefined,
    same: 0,
    untold: 0,
    complete: false,
});

function parse(args: readonly string[]) {
    const { values, positionals } = readFlags(args);
    const faults: string[] = [];
    if (positionals.length > 1) faults.push("give one file");
    if (values.kind !== "preview" && values.kind !== "drift") faults.push("--kind takes preview or drift");
    if (!/^[1-9]\d{3,8}$/.test(values.limit))
        faults.push("--limit takes a number of characters, at least 1000");
    if (faults.length > 0) throw new UsageError(faults);
    const options: CommentOptions = {
        kind: values.kind === "drift" ? "drift" : "preview",
        limit: Number(values.limit),
        name: values.name,
    };
    return { file: positionals[0] ?? "-", policies: values.policies, options, json: values.json };
}

function readFlags(args: readonly string[]) {
    const one = { type: "string" } as const;
    const options = {
        policies: one,
        kind: { ...one, default: "preview" },
        name: one,
        limit: { ...one, default: "65000" },
        json: { type: "boolean", default: false },
    } as const;
    return asUsage(() => parseArgs({ args: [...args], allowPositionals: true, options }));
}

function summarized(file: string, text: string, policies: string | undefined): Summary {
    const more = policies === undefined ? undefined : policiesIn(policies);
    return summarize(asPreview(file, () => readPreview(text, more)));
}

function policiesIn(file: string): PolicyResult[] {
    const text = readGiven(file, "preview-comment: the policies", "give a file of Pulumi's events");
    return asPreview(file, () => readPolicies(text));
}

function asPreview<T>(file: string, read: () => T): T {
    try {
        return read();
    } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        const where = file === "-" ? "the standard input" : file;
        throw new Error(
            `preview-comment: ${where} cannot be read as a preview: ${reason}.\nWhat to do: give what \`pulumi preview --json\` printed`,
        );
    }
}

async function contentOf(file: string, terminal: Terminal): Promise<string> {
    if (file !== "-")
        return readGiven(file, "preview-comment: the preview", "write it with `pulumi preview --json`");
    if (!terminal.input) throw new Error("preview-comment: there is no standard input; give a file");
    return terminal.input();
}
