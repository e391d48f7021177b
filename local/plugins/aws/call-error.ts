/** A failed call to AWS, or to the emulator that plays it, in words. */
export class AwsCallError extends Error {
    /** AWS's name of the error: `NoSuchBucket`; of a network error its code: `ECONNREFUSED`. */
    readonly code: string;
    /** HTTP status; missing when there was no answer. */
    readonly status: number | undefined;

    constructor(call: { operation: string; target: string | undefined; endpoint: string }, cause: unknown) {
        const { code, status, text } = factsOf(cause);
        const what = call.target === undefined ? call.operation : `${call.operation} '${call.target}'`;
        const came =
            status === undefined ? `got no answer: ${code}` : `was refused: ${code} (HTTP ${status})`;
        const detail = text && text !== code ? `: ${text}` : "";
        const hint = hints[code] ? ` ${hints[code]}` : "";
        super(`${what} at ${call.endpoint} ${came}${detail.replace(/\.?$/, ".")}${hint}`, { cause });
        this.code = code;
        this.status = status;
    }
}

/** True when the thing asked for does not exist. */
export function isGone(error: unknown): boolean {
    return error instanceof AwsCallError && (error.status === 404 || /^NoSuch|NotFound/.test(error.code));
}

/** Result of a call, or nothing when the thing asked for does not exist. */
export async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
    try {
        return await call;
    } catch (error) {
        if (isGone(error)) return undefined;
        throw error;
    }
}

const hints: Record<string, string> = {
    AccessDenied: "Give the provider's key a policy that allows this.",
    BucketAlreadyExists: "Somebody else owns a bucket of this name: choose another one.",
    BucketNotEmpty: "Empty the bucket, or set forceDestroy and run `pulumi up` before deleting it.",
    DeleteConflict:
        "Delete what is attached first, or set forceDestroy and run `pulumi up` before deleting it.",
    ECONNREFUSED: "Is the emulator running, and are the provider's endpoints right?",
    EntityAlreadyExists: "Choose another name, or leave the name out to have one generated.",
    InvalidClientTokenId: "Check the provider's accessKey.",
    InvalidAccessKeyId: "Check the provider's accessKey.",
    SignatureDoesNotMatch: "Check the provider's secretKey.",
};

function factsOf(cause: unknown): { code: string; status: number | undefined; text: string } {
    const error = cause as {
        name?: string;
        code?: string;
        message?: string;
        $metadata?: { httpStatusCode?: number };
    };
    const status = error.$metadata?.httpStatusCode;
    const code = status === undefined ? (error.code ?? error.name) : error.name;
    return { code: code ?? "Error", status, text: error.message ?? "" };
}
