import type { VvpClient } from "./client.ts";
import { dialect } from "./dialect.ts";
import type { EventsOf } from "./domain.ts";
import { hideValues } from "./job-log.ts";

/**
 * The end of what the platform noted of a job or a session cluster, for the error of a wait: lines to add to it, empty
 * when there are none. Whether VVP 3 serves it under this path is not known, so that a platform without it, or a token
 * that may not read it, changes nothing.
 */
export async function lastEvents(client: VvpClient, of: EventsOf): Promise<string> {
    try {
        const { items } = await client.call(
            {
                method: "GET",
                path: dialect.event.collection(client.namespace),
                query: dialect.event.query(of),
                action: "read the platform's events",
                deadlineSeconds: longestLook,
            },
            dialect.event.answer,
        );
        const newest = items.sort((a, b) => a.at.localeCompare(b.at)).slice(-most);
        if (newest.length === 0) return "";
        const lines = newest.map(({ at, text }) =>
            `  ${at} ${hideValues(client.clean(text)).slice(0, longest)}`.trimEnd(),
        );
        return `\nThe platform's last events of it:\n${lines.join("\n")}`;
    } catch {
        return "";
    }
}

/** The failure itself is known by then: nobody waits long for its story. */
const longestLook = 10;
const most = 5;
const longest = 500;
