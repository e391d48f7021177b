import * as z from "zod";
import type { HttpAnswer } from "../http/client.ts";

/** What went wrong, in the words of the innermost exception. */
export interface Cause {
    /** Simple name of its Java class, `DatabaseNotExistException`; undefined when the text names none. */
    type: string | undefined;
    message: string;
}

/**
 * The innermost cause in a text of Flink: the gateway answers with whole Java stack traces, and wraps the server's
 * reason in up to ten exceptions. The stack itself is left out. A text without exceptions is its own message.
 */
export function innermostCause(text: string): Cause {
    const lines = text.split(/\r?\n/).filter((line) => !isStack.test(line));
    const start = lines.findLastIndex((line) => causedBy.test(line));
    const first =
        start >= 0 ? start : lines.findIndex((line) => exception.test(line.replace(serverSide, "")));
    const told = lines
        .slice(Math.max(first, 0))
        .join("\n")
        .replace(causedBy, "")
        .replace(serverSide, "")
        .replace(expectations, "")
        .trim();
    return unwrap({ type: undefined, message: told });
}

/**
 * The error in an answer of Flink's REST API or its SQL gateway, `{"errors": ["Internal server error.", "<Exception on server
 * side: …"]}`: the last text is the most precise.
 */
export function readFlinkError(answer: HttpAnswer): { type?: string; message?: string } {
    const parsed = z.object({ errors: z.array(z.string()) }).safeParse(answer.json);
    const text = parsed.data?.errors.at(-1);
    if (text === undefined) return {};
    const { type, message } = innermostCause(text);
    return { ...(type === undefined ? {} : { type }), message: message || (type ?? "no reason given") };
}

const causedBy = /^\s*Caused by:\s*/;
const serverSide = /^\s*<Exception on server side:\s*/;
/** A syntax error lists every token that could have followed. */
const expectations = /\s*Was expecting(?: one of)?:\s[\s\S]*$/;
/** Fluss cuts a long text anywhere, so that its last line of a stack may have no bracket. */
const isStack =
    /^\s*(at \S+\(|(?<=^\s+)at [\w.$]+$|\.\.\. \d+ (common frames omitted|more)|End of exception on server side>)/;
/** A Java class in front of a message; Fluss repeats its own inside of another's, hence `unwrap`. */
const exception = /^((?:[a-z_][\w$]*\.)+(?:[\w$]+\$)?([A-Z][\w]*))(?::\s*|\s*$)/;

function unwrap(cause: Cause): Cause {
    const match = exception.exec(cause.message);
    if (!match) return cause;
    return unwrap({ type: match[2], message: cause.message.slice(match[0].length) });
}
