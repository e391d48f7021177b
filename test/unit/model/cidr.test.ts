import { expect, it } from "vitest";
import { cidrFaults } from "../../../model/cidr.ts";

it.each([
    [["10.0.0.0/8", "192.168.1.0/24", "203.0.113.7/32"], []],
    [[], [/lets nobody in/]],
    [["0.0.0.0/0"], [/lets the internet in/]],
    // The internet in two halves.
    [
        ["0.0.0.0/1", "128.0.0.0/1"],
        [/lets the internet in/, /lets the internet in/],
    ],
    [["10.0.0.1/8"], [/bits beyond its prefix/]],
    [["10.0.0.0", "::/0", "300.0.0.0/8", "10.0.0.0/33"], Array(4).fill(/not an IPv4 range/)],
])("judges who may reach a port: %s", (cidrs, reasons) => {
    const faults = cidrFaults(cidrs, false, "allowedCidrs");
    expect(faults.map(({ reason }) => reason)).toEqual(
        reasons.map((reason) => expect.stringMatching(reason)),
    );
});

it("lets the internet in where that was asked for by name", () => {
    expect(cidrFaults(["0.0.0.0/0"], true, "allowedCidrs")).toEqual([]);
});
