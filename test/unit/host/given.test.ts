import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { argumentFaults, given } from "../../../host/components/given.ts";

const place = z.strictObject({ name: z.string(), key: z.strictObject({ id: z.string() }) });
const schema = z.strictObject({
    kind: z.string(),
    place: given(place),
    other: given(place).optional(),
});
const good = { kind: "a", place: { name: "n", key: { id: "i" } } };
const faults = (args: Record<string, unknown>) =>
    argumentFaults(schema, args).map(({ path, reason }) => `${path}: ${reason}`);

describe("the arguments of a component", () => {
    test("may be outputs where the component takes them, whole or in parts", () => {
        expect(faults(good)).toEqual([]);
        expect(faults({ ...good, place: pulumi.output(good.place) })).toEqual([]);
        expect(
            faults({ ...good, place: { name: pulumi.output("n"), key: pulumi.secret({ id: "i" }) } }),
        ).toEqual([]);
    });

    test("must be known where they decide what is made", () => {
        expect(faults({ ...good, kind: pulumi.secret("a") })).toEqual([
            expect.stringMatching(/^kind: is an output of another resource, or a secret/),
        ]);
    });

    test("are told with every fault at once, also beside outputs", () => {
        const found = faults({
            place: { name: pulumi.output("n"), key: { id: 1 }, more: 1 },
            other: { name: "n" },
            wrong: true,
        });
        expect(found).toEqual([
            expect.stringMatching(/^kind: /),
            expect.stringMatching(/^place\.key\.id: /),
            expect.stringMatching(/^place: .*more/),
            expect.stringMatching(/^other\.key: /),
            expect.stringMatching(/^wrong: /),
        ]);
    });
});
