/**
 * What a failed engine operation says to a person. The Automation API's own message holds everything that the engine
 * printed; the reasons stand in its section "Diagnostics", below the resources that they belong to.
 */
export function failureText(error: unknown): string {
    const message = error instanceof Error ? error.message : String(error);
    if (!/^\s*stdout: /m.test(message)) return message;
    const [, diagnostics] =
        /^Diagnostics:\n([\s\S]*?)(?:\n(?:Outputs|Resources|Duration)\b|\n ?stderr:|$(?![\s\S]))/m.exec(
            message,
        ) ?? [];
    const lines = diagnostics === undefined ? errorsAmong(message.split("\n")) : diagnostics.split("\n");
    const told = withoutEmptyBlocks(
        lines.filter((line) => !/^\s*warning: using pulumi-\S+ from \$PATH/.test(line)),
    );
    if (told.length === 0) return message;
    return `pulumi did not get through:\n${[...new Set(told)].join("\n")}`;
}

/** A preview with differences has no such section: its errors stand among the resources. */
function errorsAmong(lines: string[]): string[] {
    return lines.filter((line) => /^\s*error: (?!Command failed|preview failed|update failed)/.test(line));
}

/** Leaves out a resource's line when nothing is left to say about it. */
function withoutEmptyBlocks(lines: string[]): string[] {
    return lines.filter((line, index) => {
        if (line.trim() === "") return false;
        const isHeading = /^ {2}\S.*:$/.test(line);
        const next = lines.slice(index + 1).find((other) => other.trim() !== "");
        return !isHeading || (next !== undefined && /^ {3,}/.test(next));
    });
}
