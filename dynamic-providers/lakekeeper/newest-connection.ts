import type { ResourceDefinition } from "../resource.ts";
import type { LakekeeperConnection } from "./connection.ts";

/**
 * The last connection that the program gave for each server in this run. A deletion knows only the one of the last
 * change of its resource, whose token or secret may have been replaced since.
 */
const newest = new Map<string, LakekeeperConnection>();

/** The connection that the program gives for the same server; undefined while it gave none. */
export function newestConnection({ url }: LakekeeperConnection): LakekeeperConnection | undefined {
    return newest.get(keyOf(url));
}

/** Makes a resource note the connection that it is given, whenever the engine checks its arguments. */
export function noting<I extends { connection: LakekeeperConnection }, O extends object>(
    definition: ResourceDefinition<I, O>,
): ResourceDefinition<I, O> {
    return {
        ...definition,
        review(review, context) {
            if (review.known("connection")) {
                const { connection } = review.new;
                newest.set(keyOf(connection.url), connection);
            }
            return definition.review?.(review, context) ?? {};
        },
    };
}

function keyOf(url: string): string {
    return url.replace(/\/+$/, "");
}
