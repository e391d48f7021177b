import type { Fault } from "./faults.ts";
import { FaultsError, shownValue } from "./faults.ts";

/** A VERA engine version, taken apart. */
export interface EngineVersion {
    /** Release of VERA: `4.5`. */
    vera: string;
    /** Java release that its images run on: 11 or 17. */
    jdk: number;
    /** Flink release whose API it has: `1.20`. */
    flink: string;
}

/** What an engine version is chosen for. */
export type EngineUse = "sessionCluster" | "deployment";

/** The engine of the quickstart, which the client JARs and the work-arounds in `jars.ts` are made for. */
export const quickstartEngine = "vera-4.5-jdk11-flink-1.20";

/** `vera-4.5-jdk11-flink-1.20` taken apart. Throws a {@link FaultsError} for anything else. */
export function parseEngineVersion(name: string, path = "engineVersion"): EngineVersion {
    const engine = takeApart(name);
    if (!engine) throw new FaultsError("the engine version", [unknownEngine(name, path)]);
    return engine;
}

/**
 * What is wrong with an engine version for its use. A jdk17 engine does not start a session cluster (quickstart), and
 * the Fluss client JARs are built for Flink 1.20.
 */
export function engineFaults(name: string, use: EngineUse, path = "engineVersion"): Fault[] {
    const engine = takeApart(name);
    if (!engine) return [unknownEngine(name, path)];
    const faults: Fault[] = [];
    if (use === "sessionCluster" && engine.jdk >= 17) {
        const reason = `a jdk${engine.jdk} engine does not start a session cluster`;
        faults.push({
            path,
            ...shownValue(path, name),
            reason,
            fix: `Use a jdk11 engine, e.g. ${quickstartEngine}`,
        });
    }
    if (engine.flink !== "1.20") {
        const reason = `the Fluss client JARs are for Flink 1.20, not ${engine.flink}`;
        faults.push({
            path,
            ...shownValue(path, name),
            reason,
            fix: `Use an engine for Flink 1.20, e.g. ${quickstartEngine}`,
        });
    }
    return faults;
}

function takeApart(name: string): EngineVersion | undefined {
    const match = /^vera-(\d+(?:\.\d+)*)-jdk(\d+)-flink-(\d+\.\d+)$/.exec(name);
    return match ? { vera: match[1]!, jdk: Number(match[2]), flink: match[3]! } : undefined;
}

function unknownEngine(name: string, path: string): Fault {
    const fix = `Write it like ${quickstartEngine}`;
    return { path, ...shownValue(path, name), reason: "is not the name of a VERA engine", fix };
}
