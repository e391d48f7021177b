/** A failed call to AWS, or to the emulator that plays it, in words. */
export class AwsCallError extends Error {
    /** AWS's name of the error: `NoSuchBucket`; of a network error its code: `ECONNREFUSED`. */
    readonly code: string;
    /** HTTP status; missing when there was no answer. */
    readonly status: number | undefined;

    constructor(call: { operation: string; target: string | undefined; endpoint: string }, cause: unknown) {
        const { code, status, text } = factsOf(cause);
        const what = call.target === undefined ? call.operation : `${call.operation} '${call.target}'`;
        super(`${what} at ${call.endpoint} ${saying(code, status, text)}`, { cause });
        this.code = code;
        this.status = status;
    }
}

/** True when AWS says that the thing asked for does not exist: the status alone may be that of a gateway that knows no such path. */
export function isGone(error: unknown): boolean {
    return error instanceof AwsCallError && /^NoSuch|NotFound/.test(error.code);
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

function saying(code: string, status: number | undefined, text: string): string {
    // What the SDK says of an answer that it cannot read helps nobody.
    if (status !== undefined && nameless.includes(code)) {
        const hint = status === 403 ? hints["AccessDenied"] : outOfOrder;
        return `was refused: HTTP ${status}, in no form of AWS. ${hint}`;
    }
    const came = status === undefined ? `got no answer: ${code}` : `was refused: ${code} (HTTP ${status})`;
    const detail = text && text !== code ? `: ${text}` : "";
    // The SDK calls IAM's errors by AWS's name and `Exception`.
    const hint = hints[code.replace(/Exception$/, "")];
    return `${came}${detail.replace(/\.?$/, ".")}${hint ? ` ${hint}` : ""}`;
}

/** Names that the SDK gives to answers without a name. */
const nameless = ["Error", "Unknown", "UnknownError", "SyntaxError"];

const outOfOrder =
    "The emulator, or what is between here and it, is out of order: look at its log, then run again.";

const hints: Record<string, string> = {
    AccessDenied: "Give the provider's key a policy that allows this.",
    BucketAlreadyExists: "Somebody else owns a bucket of this name: choose another one.",
    BucketNotEmpty: "Empty the bucket, or set forceDestroy and run `pulumi up` before deleting it.",
    DeleteConflict:
        "Delete what is attached first, or set forceDestroy and run `pulumi up` before deleting it.",
    ECONNREFUSED: "Is the emulator running, and are the provider's endpoints right?",
    EntityAlreadyExists:
        "Choose another name, or leave the name out to have one generated. If a run of this stack was cut off here, it is its own: take it over with `pulumi import`.",
    InvalidClientTokenId: "Check the provider's accessKey.",
    InvalidAccessKeyId: "Check the provider's accessKey.",
    LimitExceeded:
        "If it is about access keys, a user may have two, and runs that were cut off may have made some of which nobody knows the secret: `aws iam list-access-keys`, then `aws iam delete-access-key` for those whose id is not in `pulumi stack export`.",
    SignatureDoesNotMatch: "Check the provider's secretKey.",
    TimeoutError: "Does the emulator hang? End it and start it again.",
    WebPage: "A gateway or a login page stands before the endpoint: check the provider's endpoints.",
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
