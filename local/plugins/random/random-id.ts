import { randomBytes } from "node:crypto";
import type { ResourceType } from "../resource-type.ts";

const inputs = ["byteLength", "keepers", "prefix"];

/** `RandomId`: random bytes in several notations, each with the prefix in front; the id is without it. */
export const randomId: ResourceType<unknown> = {
    token: "random:index/randomId:RandomId",
    inputs,
    forceNew: inputs,
    outputs: ["b64Std", "b64Url", "dec", "hex"],
    validate({ byteLength }) {
        if (byteLength === undefined || (Number.isInteger(byteLength) && Number(byteLength) >= 1)) return [];
        return [{ property: "byteLength", reason: "must be a whole number of at least 1" }];
    },
    async create(_, { byteLength, prefix }) {
        const bytes = randomBytes(Number(byteLength));
        const front = String(prefix ?? "");
        const id = bytes.toString("base64url");
        const outputs = {
            b64Url: front + id,
            b64Std: front + bytes.toString("base64"),
            hex: front + bytes.toString("hex"),
            dec: front + BigInt(`0x${bytes.toString("hex")}`).toString(),
        };
        return { id, outputs };
    },
    read: async () => ({}),
    delete: async () => {},
};
