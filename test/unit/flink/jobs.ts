import { expect } from "vitest";
import type { Hosted } from "../../../dynamic-providers/resource.ts";

/** Inputs and outputs as Pulumi hands them on. */
export type Bag = Record<string, unknown>;

/**
 * How tests bring jobs named `numbers` of one kind to a stub of Flink.
 * @param own inputs of that kind, told anew for each job
 */
export function jobsOf(provider: Hosted, own: () => Bag) {
    const check = (change: Bag) =>
        provider.check(undefined, {
            ...own(),
            name: "numbers",
            healthySeconds: 0,
            timeoutSeconds: 5,
            mark: "stack/numbers",
            ...change,
        });
    const checked = async (change: Bag = {}): Promise<Bag> => {
        const { inputs, failures } = await check(change);
        expect(failures).toEqual([]);
        return inputs;
    };
    return {
        /** The inputs with that change, as the preview keeps them. */
        checked,
        create: async (change: Bag = {}) => provider.create(await checked(change)),
        /** Why a preview refuses the change. */
        async refusals(change: Bag): Promise<string> {
            const { failures } = await check(change);
            return failures.map((failure) => failure.reason).join("\n");
        },
    };
}
