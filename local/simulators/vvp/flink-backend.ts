import { FlinkError } from "../../flink/index.ts";

/** The Flink behind the simulated VVP: where started deployments run and SQL is executed. */
export interface FlinkBackend {
    /** Resolves when Flink answers; rejects with a `FlinkError` when it does not. */
    ping(): Promise<void>;
    /** Hands the JAR over and starts its program; resolves to Flink's job id (32 hex digits). */
    runJar(run: JarRun): Promise<string>;
    /** Opens a SQL session with these Flink options. */
    openSession(options: Record<string, string>): Promise<SqlSession>;
    /** What Flink knows about a job; `undefined` when it knows no such job (Flink was restarted). */
    job(id: string): Promise<FlinkJob | undefined>;
    /** Id of the youngest unfinished job of that name that was submitted since then (milliseconds since 1970). */
    findJob(name: string, since: number): Promise<string | undefined>;
    /** Cancels the job; resolves when it has ended, also when it had before. */
    cancel(id: string): Promise<void>;
    /** Ends the job with a savepoint, its sources first when `drain` is set; resolves to its location when it has ended. */
    stopWithSavepoint(id: string, options: { drain: boolean }): Promise<string>;
    /** Takes a savepoint of a job that goes on; resolves to its location. */
    savepoint(id: string): Promise<string>;
    /** Starts a Python program; absent where Flink has no Python. */
    runPython?(run: PythonRun): Promise<string>;
}

/** One start of a program in a JAR. Secrets are already in `args`: never log it. */
export interface JarRun {
    /** Path of the JAR on this machine. */
    file: string;
    /** Default: the class that the JAR's manifest names. */
    entryClass?: string;
    args: string[];
    parallelism: number;
    /** Flink options of the job, `pipeline.name` among them. */
    options: Record<string, string>;
    /** Savepoint to start from. */
    savepointPath?: string;
}

/** One start of a Python program. Secrets are already in `args`: never log it. */
export interface PythonRun extends Omit<JarRun, "entryClass"> {
    /** Default: the file is the program. */
    entryModule?: string;
    /** Paths on this machine of the libraries and archives. */
    libraries: string[];
    archives: string[];
}

/** A job as Flink sees it. */
export interface FlinkJob {
    /** Flink's word: INITIALIZING, CREATED, RUNNING, RESTARTING, FAILING, FAILED, CANCELLING, CANCELED, FINISHED, SUSPENDED. */
    state: string;
    /** True when every vertex is RUNNING: Flink itself says RUNNING long before. */
    allVerticesRunning: boolean;
    /** How often the job was restarted after a failure, as far as Flink's history of exceptions tells (16 by default). */
    restarts: number;
    /** The last exception, also of a job that goes on. */
    lastException?: { message: string; at: number };
}

/** One SQL session; statements run one after the other. */
export interface SqlSession {
    /** Runs one statement without its semicolon; rejects with a `FlinkError`. Secrets are already in it: never log it. */
    execute(statement: string): Promise<SqlResult>;
    close(): Promise<void>;
}

/** What a statement gave. */
export interface SqlResult {
    columns: string[];
    /** Cells in the order of `columns`; empty for a statement without a result (DDL). */
    rows: unknown[][];
    /** False for DDL and SET, whose one row `OK` is no result. */
    hasContent: boolean;
    /** Of a statement that started a job. */
    jobId?: string;
}

/** What Flink said, as its own text has it: class and message of the innermost cause. */
export function causeOf(error: FlinkError): string {
    return error.type === "" ? error.reason : `${error.type}: ${error.reason}`;
}

/** True when the SQL session is gone (the gateway was restarted, or it was idle for long): nothing ran. */
export function isSessionLost(error: unknown): boolean {
    return error instanceof FlinkError && /^Session '.*' does not exist/.test(error.reason);
}

/** True when Flink gave no answer at all. */
export function isUnreachable(error: unknown): error is FlinkError {
    return error instanceof FlinkError && error.status === 0;
}
