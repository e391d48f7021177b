/**
 * Fills in what a declaration with `like` leaves out, from the table that it names; as it is when there is no `like`. Nothing
 * is checked here: what is wrong stays wrong, for the schema to tell.
 */
export function expandLike(declared: unknown): unknown {
    return expanded(declared, []);
}

/** A table that is like itself, by whatever way, is left as it is. */
function expanded(declared: unknown, within: readonly unknown[]): unknown {
    if (!isBag(declared) || !isBag(declared["like"]) || within.includes(declared)) return declared;
    const { like, ...own } = declared;
    const other = expanded(like, [...within, declared]);
    if (!isBag(other)) return declared;
    const { database, name, partitions, comment, ...taken } = other;
    return {
        ...taken,
        ...own,
        columns: [...listOf(taken["columns"]), ...listOf(own["columns"])],
        ...merged("options", taken, own),
        ...merged("custom", taken, own),
    };
}

function merged(field: string, taken: Bag, own: Bag): Bag {
    const [before, after] = [taken[field], own[field]];
    return isBag(before) && isBag(after) ? { [field]: { ...before, ...after } } : {};
}

type Bag = Record<string, unknown>;

function isBag(value: unknown): value is Bag {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): unknown[] {
    return value === undefined ? [] : Array.isArray(value) ? value : [value];
}
