/** Where a command writes and reads. */
export interface Terminal {
    out(text: string): void;
    error(line: string): void;
    /** All of the standard input; a command that reads it fails without. */
    input?(): Promise<string>;
}

/** Variables of the environment: the only place from which secrets come. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One command of `pulumi-fluss`. */
export interface Command {
    /** Its words: `tables pull`. */
    name: string;
    /** What it does, in one line of the list of commands. */
    summary: string;
    /** What `--help` prints, with examples. */
    usage: string;
    /**
     * Runs with all arguments, its own words included.
     * @returns the exit code
     * @throws UsageError when it was called wrongly; any other Error when it failed
     */
    run(args: readonly string[], env: Environment, terminal: Terminal): Promise<number>;
}

/** The command was called wrongly, in one way or several. */
export class UsageError extends Error {
    override readonly name = "UsageError";
    readonly faults: readonly string[];

    constructor(faults: readonly string[]) {
        super(faults.join("\n"));
        this.faults = faults;
    }
}

/** What `read` makes of the arguments. @throws UsageError in the place of its error */
export function asUsage<T>(read: () => T): T {
    try {
        return read();
    } catch (error) {
        throw new UsageError([error instanceof Error ? error.message : String(error)]);
    }
}
