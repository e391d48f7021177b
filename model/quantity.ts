import * as z from "zod";

/** Size of a volume as Kubernetes writes it, at least one byte. */
export const storageSize = z.string().refine((size) => bytesOf(size) >= 1, {
    error: "must be a quantity of Kubernetes in bytes, like 20Gi",
    params: { fix: "Write a number and at once its unit: Ki, Mi, Gi, Ti, Pi, Ei, or k, M, G, T, P, E" },
});

/** A quantity of Kubernetes (`20Gi`, `500M`, `2e9`, `20000m`) in bytes; not a number when it is none. */
export function bytesOf(quantity: string): number {
    const form = /^(\d+(?:\.\d+)?)(?:[eE](\d+)|(m|Ki|Mi|Gi|Ti|Pi|Ei|k|M|G|T|P|E))?$/;
    const [, digits, exponent, unit = ""] = form.exec(quantity) ?? [];
    if (exponent !== undefined) return Number(`${digits}e${exponent}`);
    return Number(digits) * (units[unit] ?? 1);
}

const units: Record<string, number> = Object.fromEntries([
    ["m", 1 / 1000],
    ..."kMGTPE".split("").map((unit, index) => [unit, 1000 ** (index + 1)] as const),
    ...["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].map((unit, index) => [unit, 1024 ** (index + 1)] as const),
]);
