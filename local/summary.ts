import fs from "node:fs";
import path from "node:path";
import type { Phases } from "./phases.ts";
import type { Supervisor } from "./services/supervisor.ts";

/** Writes `.local/summary.json`: what the start did, in figures. */
export function writeSummary(
    root: string,
    facts: {
        phases: Phases;
        supervisor: Supervisor;
        summary: { resourceChanges?: Record<string, number | undefined> };
        changes: number;
        lakeRows: number;
    },
): void {
    const resources = Object.entries(facts.summary.resourceChanges ?? {}).reduce(
        (sum, [kind, count]) => (kind === "delete" ? sum : sum + (count ?? 0)),
        0,
    );
    // Every service has its own peak; together they are never higher than this sum.
    const peakMemoryMiB = Math.round(
        facts.supervisor.status().reduce((sum, service) => sum + (service.peakMiB ?? service.rssMiB ?? 0), 0),
    );
    const summary = {
        resources,
        changes: facts.changes,
        lakeRows: facts.lakeRows,
        seconds: { ...facts.phases.seconds, total: facts.phases.total() },
        peakMemoryMiB,
    };
    fs.writeFileSync(path.join(root, "summary.json"), `${JSON.stringify(summary, null, 2)}\n`);
    facts.phases.say(`done; figures are in .local/summary.json: ${lakeLine(summary)}`);
}

function lakeLine(summary: {
    resources: number;
    lakeRows: number;
    peakMemoryMiB: number;
    seconds: { total: number };
}): string {
    return `${summary.resources} resources, ${summary.lakeRows} rows in the lake, ${summary.seconds.total} s, peak ${summary.peakMemoryMiB} MiB`;
}
