import { AwsCallError } from "./call-error.ts";

/** What a client of the AWS SDK lets itself be given steps by, as far as they are needed here. */
interface Client {
    middlewareStack: { add(step: never, options: never): void };
}

/** The time of one attempt in seconds; the SDK makes three. An emulator that hangs must not hang the run. */
const answerSeconds = 30;

/** Gives a client the stand-in's own steps: a deadline, no web page for an answer, and errors that say which call to where it was. */
export function addSteps(client: Client, endpoint: string): void {
    const { middlewareStack: stack } = client;
    stack.add(explaining(endpoint) as never, { step: "initialize", name: "explain" } as never);
    // Within the SDK's own retries, around all that reads the answer.
    stack.add(inTime as never, { step: "finalizeRequest", name: "deadline", priority: "low" } as never);
    // Next to the connection: before anything is read out of it.
    stack.add(noPage as never, { step: "deserialize", name: "noPage", priority: "low" } as never);
}

type Step<Call, Result> = (call: Call) => Promise<Result>;

function explaining(endpoint: string) {
    return <Call extends { input: object }, Result>(
        next: Step<Call, Result>,
        context: { commandName?: string },
    ) =>
        async (call: Call): Promise<Result> => {
            try {
                return await next(call);
            } catch (error) {
                const operation = (context.commandName ?? "call").replace(/Command$/, "");
                const { Bucket, UserName, RoleName } = call.input as Record<string, string | undefined>;
                throw new AwsCallError(
                    { operation, target: Bucket ?? UserName ?? RoleName, endpoint },
                    error,
                );
            }
        };
}

function inTime<Call, Result>(next: Step<Call, Result>): Step<Call, Result> {
    return (call) => {
        const signal = AbortSignal.timeout(answerSeconds * 1000);
        return new Promise((resolve, reject) => {
            // By this name the SDK knows that the call may be made again.
            const late = () =>
                reject(Object.assign(new Error(`none within ${answerSeconds} s`), { name: "TimeoutError" }));
            if (signal.aborted) return late();
            signal.addEventListener("abort", late);
            next(call)
                .then(resolve, reject)
                .finally(() => signal.removeEventListener("abort", late));
        });
    };
}

/**
 * A login page comes with status 200, and many calls look at nothing else. AWS gives each answer a number, and so does the emulator,
 * whose empty answers call themselves HTML, too.
 */
function noPage<Call, Result extends { response: unknown }>(next: Step<Call, Result>): Step<Call, Result> {
    return async (call) => {
        const result = await next(call);
        const { statusCode, headers } = result.response as {
            statusCode: number;
            headers: Record<string, string>;
        };
        const isPage = /^text\/html\b/i.test(headers["content-type"] ?? "");
        const numbered = "x-amz-request-id" in headers || "x-amzn-requestid" in headers;
        if (statusCode >= 500 || !isPage || numbered) return result;
        throw Object.assign(new Error(`a web page with status ${statusCode} came in its place`), {
            name: "WebPage",
        });
    };
}
