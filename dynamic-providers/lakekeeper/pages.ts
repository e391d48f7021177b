import * as z from "zod";
import type { LakekeeperCall, LakekeeperClient } from "./client.ts";

/**
 * All entries of a list that comes in pages. The last page may have a token too: only an empty one, or one without a
 * token, ends the list (0.13.3 observed).
 * @param key the field of the answer that holds the entries
 */
export async function allPages<S extends z.ZodType>(
    client: LakekeeperClient,
    call: LakekeeperCall,
    key: string,
    entry: S,
): Promise<z.output<S>[]> {
    const answer = z.looseObject({ [key]: z.array(entry), "next-page-token": z.string().nullish() });
    const found: z.output<S>[] = [];
    let token: string | undefined;
    do {
        const page = await client.call({ ...call, query: { ...call.query, pageToken: token } }, answer);
        const entries = page[key] as z.output<S>[];
        found.push(...entries);
        token =
            entries.length > 0
                ? ((page["next-page-token"] as string | null | undefined) ?? undefined)
                : undefined;
    } while (token !== undefined);
    return found;
}
