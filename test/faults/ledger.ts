/** What the engine keeps of one resource and does with it, without the engine: thousands of cases in seconds. */
import type { Hosted } from "../../dynamic-providers/resource.ts";

export type Bag = Record<string, unknown>;

/** What makes and changes one kind of resource. */
export type Provider = Omit<Hosted, "definition">;

interface Held {
    id: string;
    inputs: Bag;
    state: Bag;
    /** Made, but not as asked: the next `up` updates it even when nothing changed. */
    unfinished: boolean;
}

export type LedgerRecord = Held | undefined;

export class Ledger {
    readonly #host: Provider;
    #held: Held | undefined;

    constructor(host: Provider) {
        this.#host = host;
    }

    /** The state as it would be stored; undefined when the engine knows of no object. */
    get held(): { id: string; state: Bag } | undefined {
        return this.#held;
    }

    /** What is stored now, for {@link restore}. */
    record(): LedgerRecord {
        return this.#held;
    }

    /** As if nothing had been stored since: the engine was killed before it could. */
    restore(record: LedgerRecord): void {
        this.#held = record;
    }

    /** What was done; fails as an `up` would, and then keeps what the engine would keep. */
    async up(given: Bag): Promise<"create" | "same" | "update" | "replace"> {
        const inputs = await this.#checked(given);
        const held = this.#held;
        if (!held) return this.#create(inputs);
        const diff = await this.#host.diff(held.id, held.state, inputs);
        if (diff.replaces.length > 0) {
            if (diff.deleteBeforeReplace) await this.destroy();
            await this.#create(inputs);
            if (!diff.deleteBeforeReplace) await this.#host.delete(held.id, held.state);
            return "replace";
        }
        if (!diff.changes && !held.unfinished) return "same";
        await this.#recording(inputs, held.id, async () => {
            const { outs } = await this.#host.update(held.id, held.state, inputs);
            return { id: held.id, outs };
        });
        return "update";
    }

    async refresh(): Promise<void> {
        if (!this.#held) return;
        const { id, props, inputs } = await this.#host.read(this.#held.id, { ...this.#held.state });
        this.#held =
            id === undefined ? undefined : { ...this.#held, state: { ...props }, inputs: { ...inputs } };
    }

    /** Takes an object over that exists, as `pulumi import` does. */
    async import(id: string, known: Bag): Promise<void> {
        this.#held = { id, inputs: {}, state: known, unfinished: false };
        await this.refresh();
    }

    async destroy(): Promise<void> {
        if (!this.#held) return;
        await this.#host.delete(this.#held.id, this.#held.state);
        this.#held = undefined;
    }

    async #checked(given: Bag): Promise<Bag> {
        const { inputs, failures } = await this.#host.check(this.#held?.inputs, { ...given });
        if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join("\n"));
        return inputs;
    }

    async #create(inputs: Bag): Promise<"create"> {
        await this.#recording(inputs, undefined, () => this.#host.create(inputs));
        return "create";
    }

    async #recording(
        inputs: Bag,
        known: string | undefined,
        call: () => Promise<{ id: string; outs: Bag }>,
    ): Promise<void> {
        try {
            const { id, outs } = await call();
            this.#held = { id, inputs, state: outs, unfinished: false };
        } catch (error) {
            const partial = error as { id?: string; properties?: Bag };
            if (partial.properties && (partial.id ?? known)) {
                const id = partial.id ?? known ?? "";
                this.#held = { id, inputs, state: partial.properties, unfinished: true };
            }
            throw error;
        }
    }
}
