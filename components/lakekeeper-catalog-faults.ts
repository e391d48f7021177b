import * as pulumi from "@pulumi/pulumi";
import { type Fault, faultsIn, renamed } from "../model/faults.ts";
import type { LakekeeperHelmParts } from "../model/lakekeeper-helm-parts.ts";
import { lakekeeperHelmValues } from "../model/lakekeeper-helm-values.ts";
import type { LakekeeperChartArgs } from "./lakekeeper-catalog-chart.ts";
import { partsOf } from "./lakekeeper-catalog-parts.ts";

/**
 * Every fault of the chart's arguments that is known while the program runs, by the names that the user wrote. What is an output is
 * looked at when it is known.
 * @param at what the user wrote the arguments below
 */
export function lakekeeperChartFaults(args: LakekeeperChartArgs, at = "chart"): Fault[] {
    const { storageClass, storageSize, version } = args;
    const parts = knownParts(partsOf(args, "credentials")) as LakekeeperHelmParts;
    return renamed(
        [
            ...versionFaults(version),
            ...faultsIn(() => lakekeeperHelmValues({ storageClass, storageSize, parts })),
        ],
        lakekeeperChartNames(at),
    );
}

/** What the parts of the model's input are called in the arguments. */
export function lakekeeperChartNames(at = "chart"): Record<string, string> {
    return {
        version: `${at}.version`,
        storageClass: `${at}.storageClass`,
        storageSize: `${at}.storageSize`,
        parts: at,
        "parts.externalDatabase": `${at}.database`,
        "parts.kv2": `${at}.secretStore`,
    };
}

/** The chart's PostgreSQL goes from 17 to 18 with 0.12. */
function versionFaults(version = "0.12.0"): Fault[] {
    const [major = 0, minor = 0] = version.split(".").map(Number);
    if (major > 0 || minor >= 12) return [];
    const reason =
        "comes with PostgreSQL 17, and an upgrade to 0.12 (PostgreSQL 18) does not move its data: the database would not start on the old volume";
    const fix = "Use 0.12.0; from an older installation dump and restore the database";
    return [{ path: "version", value: JSON.stringify(version), reason, fix }];
}

/** The parts with something of the right form in the place of each output. */
function knownParts(part: unknown, key?: string): unknown {
    if (pulumi.Output.isInstance(part) || part instanceof Promise) {
        return key === "port" ? 5432 : "http://known.later";
    }
    if (Array.isArray(part) || typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, knownParts(value, name)]));
}
