import { createHash } from "node:crypto";
import { z } from "zod";

const readiness = z.union([
    z.strictObject({ tcp: z.int().positive() }),
    z.strictObject({ http: z.url(), contains: z.string().optional() }),
]);

/** What is needed to start a service, and to start it again later; kept in `run/<name>/spec.json` (0600). */
export const serviceSpec = z.strictObject({
    /** Name of the log file and of the folder below `run/`; see `serviceNames`. */
    name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/),
    /** Absolute path of the executable. */
    command: z.string(),
    /** Never a secret: everybody on the machine sees them. */
    args: z.array(z.string()),
    /** Added to PATH, HOME, USER, locale and time zone of the starter; nothing else is inherited. May hold secrets. */
    env: z.record(z.string(), z.string()),
    /** Path below `run/<name>/` to content; written (0600) before the start. That folder is the working directory. */
    files: z.record(z.string(), z.string()),
    /** Path below `run/<name>/` to the absolute path that a symbolic link there points to. */
    links: z.record(z.string(), z.string()).optional(),
    /** Absolute folders that must exist and outlive a restart. */
    folders: z.array(z.string()).optional(),
    /** Ports on which the service itself listens, which must be free before the start; default that of `ready.tcp`. */
    ports: z.array(z.int().positive()).optional(),
    /** Values that no log may show; noted in `run/secrets.txt` before the start. */
    secrets: z.array(z.string()).optional(),
    ready: readiness,
    /** Seconds from the start until it must be ready. */
    deadlineSeconds: z.number().positive(),
});
export type ServiceSpec = z.infer<typeof serviceSpec>;

/** Short digest of a spec: the same digest in a process record means that this very spec runs. */
export function digestOf(spec: ServiceSpec): string {
    return createHash("sha256")
        .update(JSON.stringify(sorted(spec)))
        .digest("hex")
        .slice(0, 32);
}

function sorted(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return Object.fromEntries(
        entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]),
    );
}
