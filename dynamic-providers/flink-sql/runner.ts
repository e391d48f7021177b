/** The answer of a statement; a statement without a result has no rows that matter. */
export interface Rows {
    columns: string[];
    /** Cells as text; NULL is null. */
    rows: (string | null)[][];
}

/** Runs Flink SQL somewhere. */
export interface SqlRunner {
    /**
     * Runs one statement, without a semicolon at its end, and returns its whole result.
     * @param action what it does, for the error: "create table `c`.`d`.`t`"
     * @throws {ApiError} with the innermost cause, without secrets. It is `ambiguous` when the statement may have run
     */
    execute(statement: string, action: string): Promise<Rows>;
    /**
     * True when catalogs live in a session only, so that the runner makes them anew for each; false when the platform
     * keeps them.
     */
    readonly catalogsInSession: boolean;
}
