/**
 * What a failed engine operation says to a person. The Automation API's own message holds everything that the engine
 * printed; the reasons stand in its section "Diagnostics", below the resources that they belong to.
 */
export function failureText(error: unknown): string {
    const message = error instanceof Error ? error.message : String(error);
    const [, diagnostics] =
        /^Diagnostics:\n([\s\S]*?)(?:\n(?:Outputs|Resources|Duration)\b|\nstderr:|$(?![\s\S]))/m.exec(
            message,
        ) ?? [];
    if (diagnostics === undefined) return message;
    const lines = diagnostics
        .split("\n")
        .filter((line) => !/^\s*warning: using pulumi-\S+ from \$PATH/.test(line));
    return `pulumi did not get through:\n${withoutEmptyBlocks(lines).join("\n")}`;
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
