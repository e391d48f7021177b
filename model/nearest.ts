/**
 * The candidate most like `name`, for "did you mean". Undefined when none is close: at most one edit in three
 * characters, case and separators aside.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
    const wanted = plain(name);
    let best: { candidate: string; edits: number } | undefined;
    for (const candidate of candidates) {
        const edits = editDistance(wanted, plain(candidate));
        if (edits <= Math.floor(wanted.length / 3) && (!best || edits < best.edits))
            best = { candidate, edits };
    }
    return best?.candidate;
}

function plain(name: string): string {
    return name.toLowerCase().replaceAll(/[._-]/g, "");
}

/** Levenshtein distance, one row of the table at a time. */
function editDistance(from: string, to: string): number {
    let row = Array.from({ length: to.length + 1 }, (_, column) => column);
    for (let line = 1; line <= from.length; line++) {
        const next = [line];
        for (let column = 1; column <= to.length; column++) {
            const replaced = row[column - 1]! + (from[line - 1] === to[column - 1] ? 0 : 1);
            next.push(Math.min(replaced, row[column]! + 1, next[column - 1]! + 1));
        }
        row = next;
    }
    return row[to.length]!;
}
