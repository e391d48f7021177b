import * as z from "zod";
import { hosted } from "../../dynamic-providers/resource.ts";

/** A resource that calls nothing: what the engine itself takes for a resource with as many inputs of the same size. */
export const providers = {
    floor: hosted({
        kind: "floor",
        inputs: z.looseObject({ spec: z.unknown() }),
        fields: { spec: "update" },
        create: async () => ({ id: "floor", outputs: {} }),
        update: async () => ({}),
        read: async () => ({ outputs: {} }),
        delete: async () => undefined,
    }),
};
