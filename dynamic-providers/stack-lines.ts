/**
 * Pulumi's source maps leave a package out: lines of a stack say `node_modules/@pulumi/output.ts:519:31`. On such a line Node's
 * `util.inspect` with colours, by which Pulumi shows an error that nobody caught, goes on for minutes until memory or the longest
 * text ends it (Node 20.20 and 22.23 observed). So a `*` stands for the package. Does nothing where no source maps are applied.
 */
export function mendStackLines(): void {
    const prepare = Error.prepareStackTrace;
    if (prepare === undefined) return;
    Error.prepareStackTrace = (error, frames) => {
        const text: unknown = prepare(error, frames);
        return typeof text === "string" ? withPackages(text) : text;
    };
}

function withPackages(stack: string): string {
    return stack.replaceAll(/([\\/]node_modules([\\/])@[^\\/\s]+[\\/])([^\\/\s]+:\d+)/g, "$1*$2$3");
}
