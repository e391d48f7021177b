import * as z from "zod";
import type { Context } from "../resource.ts";
import { dialect } from "./dialect.ts";

/** A path style of the dialect. */
export type Style = keyof typeof dialect.styles;

/** All of them, the one that is tried first in front. */
export const styles = Object.keys(dialect.styles) as Style[];

/**
 * What the stack configuration fixes: `pulumi-fluss:vvpDialect`, the path style, which is then not probed, and
 * `pulumi-fluss:vvpPaths`, a JSON object of path starts and what stands in their place on this platform, like
 * `{"/sql/v1beta1/": "/sql/v1/"}`. The longest start that fits wins.
 * @throws when one of them is not of that form
 */
export function configuredDialect(context: Context): {
    style: Style | undefined;
    rewrite: (path: string) => string;
} {
    const style = context.config("pulumi-fluss:vvpDialect") || undefined;
    if (style !== undefined && !isStyle(style)) {
        throw new Error(
            `VVP: the stack configuration pulumi-fluss:vvpDialect is '${style}', but the dialects are ${styles.join(" and ")}`,
        );
    }
    const starts = pathStarts(context.config("pulumi-fluss:vvpPaths"));
    return {
        style,
        rewrite: (path) => {
            const start = starts.find(([from]) => path.startsWith(from));
            return start === undefined ? path : start[1] + path.slice(start[0].length);
        },
    };
}

function isStyle(text: string): text is Style {
    return (styles as string[]).includes(text);
}

function pathStarts(json: string | undefined): [from: string, to: string][] {
    if (!json) return [];
    try {
        const path = z.string().startsWith("/");
        const map = z.record(path, path).parse(JSON.parse(json));
        return Object.entries(map).sort(([a], [b]) => b.length - a.length);
    } catch {
        throw new Error(
            `VVP: the stack configuration pulumi-fluss:vvpPaths must be a JSON object of paths, like {"/sql/v1beta1/": "/sql/v1/"}`,
        );
    }
}
