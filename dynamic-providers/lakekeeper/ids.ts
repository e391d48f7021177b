import * as z from "zod";

/** Id of a project, which travels in a header: the server refuses anything else (0.13.3 observed). */
export const projectId = z.string().regex(/^[A-Za-z0-9_-]+$/, {
    error: "must be the id of a project: letters, digits, hyphens and underscores",
});

/** Id that the server has given to a warehouse, a namespace or a role. It becomes a part of a path. */
export function serverId(what: string) {
    return z.string().regex(/^[A-Za-z0-9_-]+$/, {
        error: `must be the server's id of the ${what}, as an output of its resource tells it, and not its name`,
    });
}

/** Text that people give: no server can store a NUL, and a control character is a slip of the hand that no list shows. */
export const visibleText = z.string().regex(/^[^\p{Cc}\p{Cs}]+$/u, {
    error: "must not be empty, and must not contain control characters",
});
