/** Versions of the real server that can be simulated; the chart 0.12.0 installs 0.13.3. */
export const versions = ["0.10.4", "0.11.6", "0.12.2", "0.13.3", "0.14.0"] as const;

export type Version = (typeof versions)[number];

/** Whether a server of this version has what came with another one. */
export function knows(version: Version, since: string): boolean {
    return version.localeCompare(since, undefined, { numeric: true }) >= 0;
}
