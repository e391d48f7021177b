import { lineDiff } from "./line-diff.ts";
import { block, code, details, htmlCode, marker } from "./markdown.ts";
import type { Operation } from "./preview.ts";
import type { PropertyChange } from "./property-changes.ts";
import type { TableChange } from "./statements.ts";
import type { ComponentSummary, Named, PolicyFinding, Said, Summary } from "./summary.ts";

/** How the comment is written. */
export interface CommentOptions {
    /** `preview` of a change, or `drift`: what a refresh found. */
    kind: "preview" | "drift";
    /** Most characters; details are left out, and counted, until it fits. GitHub takes 65,536. */
    limit: number;
    /** Tells the comments of a pull request apart in the marker. Default: project and stack. */
    name?: string | undefined;
}

/** The comment, in the Markdown of GitHub and GitLab. */
export function renderComment(summary: Summary, options: CommentOptions): string {
    const { kind, name } = options;
    const names = name === undefined ? [summary.project || "unknown", summary.stack || "unknown"] : [name];
    const head = [marker(kind, ...names), heading(summary, kind), verdict(summary, kind), ...untold(summary)];
    const sections =
        kind === "drift"
            ? [
                  components(summary.components),
                  refused("Errors", summary.refused, 0),
                  everything(summary, driftWords),
              ]
            : [
                  components(summary.components),
                  refused("Refused", summary.refused, summary.changes.length),
                  removed(summary),
                  statements(summary.tables),
                  restarts(summary.restarts),
                  secrets(summary),
                  policies(summary.policies, summary.complete),
                  warnings(summary.warnings),
                  everything(summary, {}),
              ];
    return fitted(head, sections.flat(), options.limit);
}

/** What a refresh calls a change, in words of what happened. */
const driftWords: Partial<Record<Operation, string>> = { update: "differs:", delete: "is gone:" };

/** A piece of the comment. When that gets too long, pieces are left out: details first, then statements, then the rest. */
interface Piece {
    text: string;
    rank: "details" | "statement" | "always";
}

const always = (text: string): Piece => ({ text, rank: "always" });
const statement = (text: string): Piece => ({ text, rank: "statement" });
const foldable = (text: string): Piece => ({ text, rank: "details" });

function fitted(head: string[], pieces: Piece[], limit: number): string {
    const ofRank = (rank: Piece["rank"]) => pieces.filter((piece) => piece.rank === rank);
    const order = [
        ...ofRank("details").sort((a, b) => b.text.length - a.text.length),
        ...ofRank("statement").reverse(),
        ...ofRank("always").reverse(),
    ];
    const told = (left: number) =>
        `_${left} ${left === 1 ? "part is" : "parts are"} left out: the comment would be too long. The job's log has everything._`;
    const between = 2;
    let length = [...head, ...pieces.map(({ text }) => text)].reduce(
        (sum, text) => sum + text.length + between,
        0,
    );
    const out = new Set<Piece>();
    for (const piece of order) {
        if (length + (out.size > 0 ? told(out.size).length : 0) <= limit) break;
        out.add(piece);
        length -= piece.text.length + between;
    }
    const kept = pieces.filter((piece) => !out.has(piece)).map(({ text }) => text);
    return `${[...head, ...kept, ...(out.size > 0 ? [told(out.size)] : [])].join("\n\n")}\n`;
}

function heading({ project, stack }: Summary, kind: CommentOptions["kind"]): string {
    if (stack === "") return kind === "drift" ? "### Drift" : "### Preview";
    const what = kind === "drift" ? "Drift of" : "Preview of";
    return `### ${what} stack ${code(stack)} (project ${code(project)})`;
}

function verdict({ counts, refused: faults, policies: findings, complete }: Summary, kind: string): string {
    const broken = (findings ?? []).filter(({ level }) => level === "mandatory").length;
    const told = amounts(counts, kind === "drift" ? driftAmounts : words);
    if (faults.length > 0) {
        const stopped = `stopped at ${plural(faults.length, "error")}; resources after it are not shown.`;
        return kind === "drift"
            ? `⛔ **The refresh ${stopped}**`
            : `⛔ **This cannot be applied as it is.** The preview ${stopped}`;
    }
    if (broken > 0)
        return `⛔ **${plural(broken, "mandatory policy finding")}** would stop the update. ${told}`.trim();
    // A refresh that is to find nothing ends as a failure when it finds something.
    if (!complete && !(kind === "drift" && told !== ""))
        return `⛔ **The preview did not come to its end.** The job's log says why. ${told}`.trim();
    if (kind === "drift")
        return told === "" ? "✅ No drift." : `⚠️ **What is there differs from the state.** ${told}`;
    return told === "" ? "✅ Nothing changes." : told;
}

function untold({ untold: count }: Summary): string[] {
    if (count === 0) return [];
    return [
        `_${plural(count, "more change")} ${count === 1 ? "is" : "are"} counted and not told; PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true makes Pulumi tell._`,
    ];
}

const words: [Operation, string][] = [
    ["create", "to create"],
    ["import", "to import"],
    ["update", "to update"],
    ["replace", "to replace"],
    ["delete", "to delete"],
];

const driftAmounts: [Operation, string][] = [
    ["update", "changed"],
    ["delete", "gone"],
];

function amounts(counts: Summary["counts"], named: [Operation, string][]): string {
    const told = named.flatMap(([op, what]) => (counts[op] ? [`**${counts[op]}** ${what}`] : []));
    if (told.length === 0) return "";
    return `${[...told, ...(counts.same ? [`${counts.same} unchanged`] : [])].join(", ")}.`;
}

function components(groups: ComponentSummary[]): Piece[] {
    if (groups.length === 0) return [];
    const columns = words.map(([op]) => op).filter((op) => groups.some(({ counts }) => counts[op]));
    const rows = groups.map((group) => [
        group.type === "" ? "(the stack itself)" : `${code(group.name, true)} ${code(group.type, true)}`,
        ...columns.map((op) => String(group.counts[op] ?? "")),
    ]);
    return [
        always(
            [["Component", ...columns], ["---", ...columns.map(() => "--:")], ...rows]
                .map((cells) => `| ${cells.join(" | ")} |`)
                .join("\n"),
        ),
    ];
}

function refused(title: string, faults: Said[], others: number): Piece[] {
    if (faults.length === 0) return [];
    return [
        always(`#### ${title}`),
        ...faults.map((fault) =>
            always(
                `${fault.name === "" ? "The program or the stack:" : `${named(fault)}:`}\n\n${block("text", wrapped(fault.text))}`,
            ),
        ),
        ...(others > 0 ? [always("_What follows is what the change would do besides._")] : []),
    ];
}

function removed({ removed: gone }: Summary): Piece[] {
    if (gone.length === 0) return [];
    const lines = gone.map(({ op, because, kept, ...resource }) => {
        const why = because.length > 0 ? `, because of ${because.map((key) => code(key)).join(", ")}` : "";
        const lost = kept ? "is let go of by the stack, and stays (`retainOnDelete`)" : "is deleted";
        const anew = kept ? "; another one is made" : " and made anew";
        return `- ${named(resource)} ${op === "delete" ? lost : `${lost}${anew}${why}`}`;
    });
    return [always(["#### Deleted or replaced", "", ...lines].join("\n"))];
}

function statements(changes: TableChange[]): Piece[] {
    if (changes.length === 0) return [];
    const verbs = { create: "is made", delete: "is dropped", replace: "is made anew" } as Record<
        string,
        string
    >;
    return [
        always("#### SQL that runs"),
        ...changes.flatMap((change) => {
            const what = `${verbs[change.op] ?? "changes"}${change.losesRows ? ", and its rows in Fluss are lost" : ""}`;
            const line = `${named(change)} ${what}${change.statements === "" ? "." : ":"}`;
            const made = change.op === "create";
            const fold = foldable(
                made
                    ? details("the statement", block("sql", change.statements))
                    : details("the whole statement, before and after", block("diff", change.diff)),
            );
            if (made) return [statement(line), fold];
            const statements = change.statements === "" ? "" : `\n\n${block("sql", change.statements)}`;
            return [statement(line + statements), ...(change.diff === "" ? [] : [fold])];
        }),
    ];
}

function restarts(said: Said[]): Piece[] {
    if (said.length === 0) return [];
    const lines = said.map(({ text, ...resource }) => `- ${named(resource)}: ${text}`);
    return [always(["#### Restarts", "", ...lines].join("\n"))];
}

function secrets({ secrets: changes }: Summary): Piece[] {
    if (changes.length === 0) return [];
    const lines = changes.map(({ properties, certain, ...resource }) => {
        const which = properties.map((property) => code(property)).join(" or ");
        const what = certain
            ? "gets a new value"
            : "may get a new value (Pulumi does not tell whether a secret differs)";
        return `- ${named(resource)}: ${which} ${what}`;
    });
    return [always(["#### Secrets", "", ...lines].join("\n"))];
}

function policies(findings: PolicyFinding[] | undefined, complete: boolean): Piece[] {
    const title = "#### Policies";
    if (findings === undefined)
        return [always(`${title}\n\nThis output does not tell whether a policy pack ran.`)];
    if (findings.length === 0) {
        const none = complete ? "No finding." : "Not looked at, since the preview stopped before.";
        return [always(`${title}\n\n${none}`)];
    }
    const rules = new Map<string, PolicyFinding[]>();
    for (const finding of findings) {
        const rule = `${finding.level} ${finding.policy}`;
        rules.set(rule, [...(rules.get(rule) ?? []), finding]);
    }
    const ordered = [...rules.values()].sort((a, b) => Number(isMandatory(b)) - Number(isMandatory(a)));
    return [always(title), ...ordered.map((same) => always(rule(same)))];
}

/** All findings of one rule. Pulumi puts the rule's description into the first line of each message. */
function rule(findings: PolicyFinding[]): string {
    const [{ policy, level }] = findings as [PolicyFinding];
    const [first = ""] = findings[0]?.text.split("\n") ?? [];
    const common = findings.every(({ text }) => text.startsWith(`${first}\n`)) ? first : "";
    const texts = findings.map(({ text }) => text.slice(common.length).trim());
    const about = new Set(findings.filter(({ name }) => name !== "").map(named));
    const on = about.size > 0 ? ` on ${[...about].join(", ")}` : "";
    const body = wrapped([...(common === "" ? [] : [common, ""]), ...texts].join("\n"));
    return `${isMandatory(findings) ? "⛔" : "⚠️"} ${code(policy)} (${code(level)})${on}:\n\n${block("text", body)}`;
}

function isMandatory(findings: PolicyFinding[]): boolean {
    return findings[0]?.level === "mandatory";
}

function warnings(said: Said[]): Piece[] {
    if (said.length === 0) return [];
    const texts = said.map(({ name, text }) => wrapped(name === "" ? text : `${name}: ${text}`));
    return [foldable(details(plural(said.length, "warning"), block("text", texts.join("\n\n"))))];
}

function everything({ changes }: Summary, called: Partial<Record<Operation, string>>): Piece[] {
    if (changes.length === 0) return [];
    const lines: string[] = [];
    const folds = changes.flatMap(({ op, component, properties, ...resource }) => {
        const shown = properties.filter(({ path }) => path !== "ddl" && path !== "plan");
        const verb = called[op] ?? op;
        if (shown.length === 0) lines.push(`- ${verb} ${named(resource)}`);
        if (shown.length === 0) return [];
        const of = component.type === "" ? "" : ` of ${htmlCode(component.name)}`;
        const title = `${verb} ${htmlCode(resource.name)} ${htmlCode(resource.type)}${of}`;
        return [foldable(details(title, block("diff", shown.map(property).join("\n"))))];
    });
    const simple =
        lines.length > 0 ? [foldable(details(plural(lines.length, "resource"), lines.join("\n")))] : [];
    return [always("#### Every change"), ...folds, ...simple];
}

function property({ path, before, after }: PropertyChange): string {
    if (before?.includes("\n") || after?.includes("\n")) {
        const lines = lineDiff(before ?? "", after ?? "").split("\n");
        return [`  ${path}:`, ...lines].join("\n");
    }
    return [
        ...(before === undefined ? [] : [`- ${path} = ${before}`]),
        ...(after === undefined ? [] : [`+ ${path} = ${after}`]),
    ].join("\n");
}

function named({ name, type }: Named): string {
    return `${code(name)} (${code(type)})`;
}

function plural(count: number, what: string): string {
    return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** Long lines of prose would have to be scrolled sideways in a block of code. */
function wrapped(text: string, width = 110): string {
    return text
        .split("\n")
        .flatMap((line) => {
            const lines: string[] = [];
            let rest = line;
            while (rest.length > width) {
                const space = rest.lastIndexOf(" ", width);
                if (space <= 0) break;
                lines.push(rest.slice(0, space));
                rest = rest.slice(space + 1);
            }
            return [...lines, rest];
        })
        .join("\n");
}
