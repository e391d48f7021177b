/** A combination of docs/lakes.md by its names there. */
export interface NamedCombination {
    catalog: string;
    storage: string;
    /** Whether the lake has keys of the store. */
    keys: boolean;
}

/** What `npm run test:lakes` runs on real services; it fails when its lakes are others. */
export const lakesRun: readonly NamedCombination[] = [
    { catalog: "REST, token", storage: "S3-compatible", keys: false },
    { catalog: "REST, OAuth", storage: "S3-compatible", keys: false },
    { catalog: "REST, OAuth, files by Hadoop", storage: "S3-compatible", keys: true },
    { catalog: "JDBC", storage: "S3-compatible", keys: true },
    { catalog: "Hadoop", storage: "S3-compatible", keys: true },
    { catalog: "Hadoop", storage: "Files", keys: false },
];

/** Whether the combination was run. */
export function wasRun({ catalog, storage, keys }: NamedCombination): boolean {
    return lakesRun.some((run) => run.catalog === catalog && run.storage === storage && run.keys === keys);
}
