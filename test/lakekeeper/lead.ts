import { hosted, type ResourceDefinition } from "../../dynamic-providers/resource.ts";

export type Bag = Record<string, unknown>;

/** One resource as the engine leads it: check, diff, and what follows from them. */
export function lead<I extends object, O extends object>(definition: ResourceDefinition<I, O>) {
    const host = hosted(definition);
    let id = "";
    let state: Bag = {};
    let inputs: Bag = {};
    const checked = async (given: Bag) => {
        const { inputs: normal, failures } = await host.check(inputs, { ...given });
        if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join("\n"));
        return normal;
    };
    return {
        get state() {
            return state;
        },
        get id() {
            return id;
        },
        async create(given: Bag) {
            const normal = await checked(given);
            const made = await host.create(normal);
            [id, state, inputs] = [made.id, made.outs, normal];
        },
        /** Returns what the engine would do, and does it. */
        async up(given: Bag): Promise<string> {
            const normal = await checked(given);
            const diff = await host.diff(id, state, normal);
            if (diff.replaces.length > 0) return `replace ${diff.replaces}`;
            if (!diff.changes) return "same";
            const { outs } = await host.update(id, state, normal);
            [state, inputs] = [outs, normal];
            return "update";
        },
        async refresh(): Promise<"gone" | "there"> {
            const read = await host.read(id, { ...state, __provider: "text" });
            if (read.id === undefined) return "gone";
            const { __provider: _, ...props } = read.props!;
            state = props;
            inputs = read.inputs!;
            return "there";
        },
        destroy: () => host.delete(id, state),
        /** What the engine does after `up` said so: the old one goes first. */
        async replace(given: Bag) {
            await host.delete(id, state);
            await this.create(given);
        },
        check: checked,
    };
}
