/**
 * Where the engine listens, from what it starts this process with: `[--logtostderr] [-v=9] [--tracing <endpoint>] <address>`.
 * Undefined when it says it later, as where it attaches to a process that runs.
 */
export function engineAddress(args: readonly string[]): string | undefined {
    return args.find((argument, index) => !argument.startsWith("-") && !takesNext(args[index - 1]));
}

/** The only flag whose value is an argument of its own. */
function takesNext(flag: string | undefined): boolean {
    return flag === "--tracing" || flag === "-tracing";
}
