import type { Resources } from "./domain.ts";

/** Of the platform's resources those that the inputs speak of, so that defaults of the platform are no difference. */
export function withOwnKeys(wanted: Resources, theirs: Resources): Resources {
    return Object.fromEntries(
        (["jobManager", "taskManager"] as const)
            .filter((part) => wanted[part] !== undefined)
            .map((part) => [part, theirs[part]]),
    );
}
