/**
 * Text from a stack in a Markdown comment. Whoever names a resource or writes a value must not be able to make a link, call
 * for a person, close the comment's own parts or give a command to a bot. So such text stands in code only: nothing is
 * read inside of it.
 */

/**
 * A code span, on one line. In a cell of a table `|` would end the cell, and renderers differ in what a backslash before it
 * means, so that its number is written.
 */
export function code(text: string, inTable = false): string {
    const line = visible(text).replaceAll(/\s+/g, " ").trim();
    if (line === "") return "` `";
    const content = inTable ? line.replaceAll("|", "\\u007c") : line;
    const ticks = fenceFor(content, 1);
    // The space keeps a backtick of the text apart from those of the span; Markdown takes it away again.
    const space = /^`|`$/.test(content) ? " " : "";
    return `${ticks}${space}${content}${space}${ticks}`;
}

/** Code inside of an HTML block such as `<summary>`, where Markdown is not read. */
export function htmlCode(text: string): string {
    const line = visible(text).replaceAll(/\s+/g, " ").trim();
    return `<code>${line.replaceAll(/[&<>"'`]/g, (one) => `&#${one.charCodeAt(0)};`)}</code>`;
}

/** A block of code. No line begins with `/`: GitLab and bots would take it for a command, also in code. */
export function block(language: "sql" | "diff" | "text", text: string): string {
    const lines = visible(text)
        .trimEnd()
        .split("\n")
        .map((line) => (line.startsWith("/") ? ` ${line}` : line));
    const content = lines.join("\n");
    const fence = fenceFor(content, 3);
    return `${fence}${language}\n${content}\n${fence}`;
}

/** What is folded away behind a line; `summary` must be safe already. */
export function details(summary: string, ...parts: string[]): string {
    return [`<details><summary>${summary}</summary>`, ...parts, "</details>"].join("\n\n");
}

/** A line that no one sees and a workflow finds its own comment by. */
export function marker(...names: string[]): string {
    return `<!-- pulumi-fluss ${names.map((name) => name.replaceAll(/[^A-Za-z0-9._-]/g, "_")).join(" ")} -->`;
}

/** More backticks than the text has in a row. */
function fenceFor(text: string, least: number): string {
    const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
    return "`".repeat(Math.max(least, longest + 1));
}

/** Control characters and those that turn the direction of writing would make the text look other than it is. */
function visible(text: string): string {
    return (
        text
            // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are taken out
            .replaceAll(/\u001b\[[0-9;]*[A-Za-z]/g, "")
            .replaceAll(/\r\n?/g, "\n")
            .replaceAll("\t", "    ")
            .replaceAll(
                // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are made visible
                /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
                (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
            )
    );
}
