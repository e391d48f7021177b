/** What an answer of the real server cannot have in common with the simulator's, and what is compared all the same. */
export interface Unequal {
    /** The calls, by `METHOD path status` and the real answer's text. */
    calls: RegExp;
    why: string;
    /** The call is not even made. */
    skip?: boolean;
    /**
     * The part of a JSON answer that is compared. Default: an error's type and fields; of anything else its fields.
     * A text is compared by its content type only.
     */
    part?: (answer: Json) => unknown;
}

export type Json = Record<string, unknown>;

const config = (answer: Json) => {
    const { uri } = answer["overrides"] as Json;
    const { prefix } = answer["defaults"] as Json;
    return { uri, prefix, fields: Object.keys(answer).sort() };
};

const byName = (answer: Json) => {
    const warehouses = answer["warehouses"] as { name: string }[];
    return warehouses.toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

/** Beside ids, times, page tokens and the column in a 422, which no two servers have in common. */
export const unequal: Unequal[] = [
    {
        calls: /duplicate field `warehouse-name`/,
        why: "a JSON parser of the language keeps the last of two equal keys; what is refused is the rest",
    },
    {
        calls: /EOF while parsing a string|trailing comma/,
        why: "the words of the real server's JSON parser",
    },
    {
        calls: /invalid length 0, expected struct/,
        why: "the real server also reads a struct from a JSON array",
    },
    {
        calls: /^GET \/management\/v1\/warehouse(\?.*)? 200 /,
        why: "the order in which the database gives the warehouses",
        part: byName,
    },
    {
        calls: /^GET \/catalog\/v1\/config.* 200 /,
        why: "endpoints are those of the Iceberg catalog behind, and the simulator has neither idempotency keys nor a page size of its own to tell",
        part: config,
    },
    {
        calls: /^POST \/catalog\/v1\/\S+\/tables 200 /,
        why: "a table is told by the Iceberg catalog behind, which vends no key for remote signing",
        part: ({ metadata }) => (metadata as Json)["table-uuid"],
    },
    {
        calls: /Non-HTTP error occurred while reading from ADLS/,
        why: "nothing here stands for the other clouds, so the simulator looks at the kind of their credential only",
        skip: true,
    },
    {
        calls: /ShortTermCredentialError/,
        why: "the real message is a dump of the token service's answer; the emulator had failed",
    },
];
