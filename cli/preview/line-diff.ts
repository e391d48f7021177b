/** Lines of both texts with what became of each in front: `+ `, `- ` or two spaces. Long stretches of same lines are cut. */
export function lineDiff(before: string, after: string): string {
    const [old, now] = [before.split("\n"), after.split("\n")];
    const lines =
        old.length * now.length > mostCells
            ? [...old.map((line) => `- ${line}`), ...now.map((line) => `+ ${line}`)]
            : compared(old, now);
    return folded(lines).join("\n");
}

/** A table of this size takes a fraction of a second; longer texts are shown one after the other. */
const mostCells = 1_000_000;
/** So many same lines are shown around a change. */
const around = 4;

function compared(old: string[], now: string[]): string[] {
    // lengths[i][j]: the longest sequence of lines that old from i on and now from j on have in common.
    const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
    const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
    for (let i = old.length - 1; i >= 0; i--) {
        for (let j = now.length - 1; j >= 0; j--) {
            lengths[i]![j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
        }
    }
    const lines: string[] = [];
    let [i, j] = [0, 0];
    while (i < old.length || j < now.length) {
        if (i < old.length && j < now.length && old[i] === now[j]) {
            lines.push(`  ${old[i++]}`);
            j++;
        } else if (j >= now.length || (i < old.length && at(i + 1, j) >= at(i, j + 1))) {
            lines.push(`- ${old[i++]}`);
        } else {
            lines.push(`+ ${now[j++]}`);
        }
    }
    return lines;
}

function folded(lines: string[]): string[] {
    const changed = lines.flatMap((line, index) => (line.startsWith("  ") ? [] : [index]));
    const near = (index: number) => changed.some((one) => Math.abs(one - index) <= around);
    return lines.flatMap((line, index) => {
        if (near(index)) return [line];
        return index === 0 || near(index - 1) ? ["  …"] : [];
    });
}
