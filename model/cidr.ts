import type { Fault } from "./faults.ts";

/**
 * What is wrong with the addresses that may reach a port, as IPv4 ranges. A range shorter than /8, the widest private one, is
 * taken for the internet.
 * @param openToTheInternet whether such a range was asked for by name
 */
export function cidrFaults(cidrs: readonly string[], openToTheInternet: boolean, path: string): Fault[] {
    if (cidrs.length === 0) {
        return [{ path, reason: "lets nobody in", fix: "Give the ranges of the clients, like 10.0.0.0/16" }];
    }
    return cidrs.flatMap((cidr, index): Fault[] => {
        const at = { path: `${path}[${index}]`, value: cidr };
        const range = parsed(cidr);
        if (!range) return [{ ...at, reason: "is not an IPv4 range", fix: "Write it like 10.0.0.0/16" }];
        if (range.rest !== 0) {
            const reason =
                "has bits beyond its prefix, which AWS drops, so that every preview would show a change";
            return [{ ...at, reason, fix: "Write the first address of the range" }];
        }
        if (range.prefix >= 8 || openToTheInternet) return [];
        const reason = "lets the internet in, which is for quick tests only";
        const fix = "Give the ranges of the clients, or ask for it by name: openToTheInternet: true";
        return [{ ...at, reason, fix }];
    });
}

/** The length of the prefix, and what is left of the address behind it. */
function parsed(cidr: string): { prefix: number; rest: number } | undefined {
    const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(cidr);
    if (!match) return undefined;
    const [prefix = 0, ...bytes] = [match[5], ...match.slice(1, 5)].map(Number);
    if (prefix > 32 || bytes.some((byte) => byte > 255)) return undefined;
    const address = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
    return { prefix, rest: address % 2 ** (32 - prefix) };
}
