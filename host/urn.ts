/** What the engine's name of a resource says: `urn:pulumi:<stack>::<project>::<types of its parents$type>::<name>`. */

/** The resource's own type, for example `fluss:lakekeeper:Warehouse`. */
export function typeTokenOf(urn: string): string {
    return (urn.split("::")[2] ?? "").split("$").at(-1) ?? "";
}

/** As the program names it; that may have `::` in it. */
export function nameOf(urn: string): string {
    return urn.split("::").slice(3).join("::");
}
