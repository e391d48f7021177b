import type { Warehouse } from "./state.ts";

const cacheMilliseconds = 60_000;

/**
 * The real server keeps warehouses in a cache that activate and deactivate do not refresh (0.13.3 observed).
 * Deletion profiles and the catalog look there; most other calls bring it up to date.
 */
export class StatusCache {
    readonly #stale = new Map<string, { status: Warehouse["status"]; until: number }>();

    /** The status that cached readers see. */
    of(warehouse: Warehouse): Warehouse["status"] {
        const entry = this.#stale.get(warehouse.id);
        return entry && entry.until > Date.now() ? entry.status : warehouse.status;
    }

    remember(id: string, status: Warehouse["status"]): void {
        this.#stale.set(id, { status, until: Date.now() + cacheMilliseconds });
    }

    refresh(id: string): void {
        this.#stale.delete(id);
    }
}
