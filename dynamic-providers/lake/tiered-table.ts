import { ApiError } from "../http/api-error.ts";
import type { HttpClientOptions } from "../http/client.ts";
import { pathSegment } from "../http/path-segment.ts";
import { type OpenCatalog, openCatalog, type RestCatalog } from "./rest-catalog.ts";

/** What the lake's catalog tells of a table that Fluss tiers. */
export interface TieredTable {
    /** The newest snapshot that the tiering service committed; undefined while there is none. */
    newest: Commit | undefined;
    /** How many snapshots are of others: people, maintenance. */
    others: number;
    /** `table.datalake.freshness` as Fluss noted it at the table; undefined where it did not. */
    freshness: string | undefined;
}

/** A snapshot, without its id: a number that JavaScript cannot hold. */
export interface Commit {
    /** By the clock of the tiering job, in milliseconds. */
    timestamp: number;
    /** Counts the table's commits, in format 2; 0 in format 1. */
    sequence: number;
}

/** Under this name the tiering service commits (Fluss, "Iceberg", section "Snapshot Metadata"; observed on 0.9.1). */
export const tieringUser = "__fluss_lake_tiering";

/**
 * Reads a table's metadata from the catalog, again and again. A token that has expired in between is got anew where an OAuth client is
 * given.
 * @param table `database.table`
 */
export class TableReader {
    readonly #catalog: RestCatalog;
    readonly #table: string;
    readonly #deadlineSeconds: number;
    readonly #route: HttpClientOptions["route"];
    #open: Promise<OpenCatalog> | undefined;

    constructor(
        catalog: RestCatalog,
        table: string,
        deadlineSeconds: number,
        route: HttpClientOptions["route"],
    ) {
        this.#catalog = catalog;
        this.#table = table;
        this.#deadlineSeconds = deadlineSeconds;
        this.#route = route;
    }

    /** Undefined when the catalog knows no such table. @throws an `ApiError` */
    async read(): Promise<TieredTable | undefined> {
        const known = this.#open !== undefined;
        try {
            return await this.#load();
        } catch (error) {
            this.#open = undefined;
            if (!known || !(error instanceof ApiError) || error.status !== 401) throw error;
            return this.#load();
        }
    }

    async #load(): Promise<TieredTable | undefined> {
        this.#open ??= openCatalog(this.#catalog, this.#deadlineSeconds, this.#route);
        const { client, prefix } = await this.#open;
        const [database = "", table = ""] = this.#table.split(".").map(pathSegment);
        const call = {
            method: "GET",
            path: `/v1${prefix && `/${prefix}`}/namespaces/${database}/tables/${table}`,
            action: `read table ${this.#table} of warehouse '${this.#catalog.warehouse}'`,
            deadlineSeconds: this.#deadlineSeconds,
        } as const;
        try {
            const answer = await client.call(call);
            const read = tieredTable(answer.json);
            if (read) return read;
            throw client.failure(call, {
                ...answer,
                text: "there is no metadata of a table in the answer",
                json: undefined,
            });
        } catch (error) {
            // The warehouse is there, its configuration was read.
            if (error instanceof ApiError && error.status === 404) return undefined;
            throw error;
        }
    }
}

/** True when the tiering service committed after `before`. */
export function hasMoved(before: TieredTable, { newest }: TieredTable): boolean {
    if (newest === undefined) return false;
    const old = before.newest;
    return old === undefined || newest.timestamp > old.timestamp || newest.sequence > old.sequence;
}

interface Metadata {
    properties?: Record<string, unknown>;
    snapshots?: { "timestamp-ms": number; "sequence-number"?: number; summary?: Record<string, unknown> }[];
}

function tieredTable(answer: unknown): TieredTable | undefined {
    const metadata = (answer as { metadata?: Metadata } | undefined)?.metadata;
    if (typeof metadata !== "object" || metadata === null) return undefined;
    const all = metadata.snapshots ?? [];
    const tiered = all
        .filter(({ summary }) => summary?.["commit-user"] === tieringUser)
        .map((one): Commit => ({ timestamp: one["timestamp-ms"], sequence: one["sequence-number"] ?? 0 }))
        .sort((a, b) => a.sequence - b.sequence || a.timestamp - b.timestamp);
    const freshness = metadata.properties?.["fluss.table.datalake.freshness"];
    return {
        newest: tiered.at(-1),
        others: all.length - tiered.length,
        freshness: typeof freshness === "string" ? freshness : undefined,
    };
}
