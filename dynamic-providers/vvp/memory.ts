import * as z from "zod";

/**
 * An amount of memory in one form, whatever the API wrote: `4GiB`, `4 G` and `4096Mi` are all `4Gi`. Flink and the
 * platform count in powers of two, also without the `i`. A text that is no amount is returned as it is.
 */
export function canonicalMemory(text: string): string {
    const match = /^(\d+(?:\.\d+)?)\s*([kmg])(?:i?b?)?$/i.exec(text.trim());
    if (!match) return text;
    const mebibytes = Number(match[1]) * ({ k: 1 / 1024, m: 1, g: 1024 }[match[2]!.toLowerCase()] ?? 1);
    if (mebibytes % 1024 === 0) return `${mebibytes / 1024}Gi`;
    return Number.isInteger(mebibytes) ? `${mebibytes}Mi` : text;
}

/** An input: cores and memory of one process. */
const amount = z.strictObject({
    cpu: z.number().positive(),
    memory: z
        .string()
        .regex(/^\d+(\.\d+)?\s*[kmg](i?b?)?$/i, { error: "must be an amount of memory, like 4Gi or 512Mi" })
        .transform(canonicalMemory),
});

/** An input: what the job manager and each task manager get. Left out: the platform's default. */
export const resourcesSchema = z.strictObject({
    jobManager: amount.optional(),
    taskManager: amount.optional(),
});
