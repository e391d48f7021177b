import type { Fault } from "./faults.ts";
import { clusterAddress } from "./fluss-client.ts";
import { optionValueFault } from "./option-values.ts";

/** What a job or a session cluster is made of, as far as the quickstart's known problems go. All parts are optional. */
export interface EngineSetup {
    engineVersion?: string;
    /** URIs of the JARs on the class path. */
    dependencies?: readonly string[];
    /** Entry JAR of the job. */
    jarUri?: string;
    sqlScript?: string;
    mainArgs?: string;
    /** Flink options of the job. */
    jobOptions?: Readonly<Record<string, string>>;
    /** Flink options of a session cluster; only then its memory and slots are looked at. */
    sessionOptions?: Readonly<Record<string, string>>;
}

/** Faults stop a run in its preview, warnings are shown in it. */
export interface EngineFindings {
    faults: Fault[];
    warnings: Fault[];
}

/**
 * The quickstart's known problems that can be seen before any call: the S3 file system that the engine cannot load, lake
 * JARs that are missing, a session cluster that is too small for lake reads, arguments that are too long. Which engine
 * fits is told by `engineFaults`.
 */
export function engineRules(setup: EngineSetup): EngineFindings {
    return {
        faults: [...brokenFileSystem(setup), ...unreadableSession(setup)],
        warnings: [
            ...missingLakeJars(setup),
            ...noRestarts(setup),
            ...smallSession(setup),
            ...longArguments(setup),
        ],
    };
}

/** True for the JAR of the tiering service, of any release and with a hash in its name. */
export function isTieringJar(uri: string | undefined): boolean {
    return uri !== undefined && /(^|\/)fluss-flink-tiering-[^/]*\.jar$/.test(uri);
}

/** The cluster that a tiering job works on: its `fluss.bootstrap.servers`, the hosts in order of the alphabet. */
export function tieredCluster(jarUri: string | undefined, mainArgs: string | undefined): string | undefined {
    if (!isTieringJar(jarUri)) return undefined;
    const servers = /(?:^|\s)--fluss\.bootstrap\.servers[\s=]+(\S+)/.exec(mainArgs ?? "")?.[1];
    return servers && clusterAddress(servers);
}

/** Names of the secret values that a text uses. */
export function secretValuesIn(text: string): string[] {
    return [...new Set([...text.matchAll(/\$\{secret_values\.([^}]+)\}/g)].map((match) => match[1]!))];
}

function brokenFileSystem({ engineVersion, dependencies = [] }: EngineSetup): Fault[] {
    if (engineVersion?.startsWith("vera-4.5-jdk11") !== true) return [];
    const broken = dependencies.find((uri) => /(^|\/)fluss-fs-s3-1\.0\.0-vv-3\b/.test(uri));
    if (broken === undefined) return [];
    return [
        {
            path: "additionalDependencies",
            reason: `${broken} fails on ${engineVersion} with NoSuchMethodError: Configuration.getEnumSet (quickstart)`,
            fix: "Use fluss-fs-s3-0.9.1-vv-1.jar in its place",
        },
    ];
}

function missingLakeJars({ dependencies = [], jarUri, sqlScript }: EngineSetup): Fault[] {
    const has = (pattern: RegExp) => dependencies.some((uri) => pattern.test(uri));
    const readsLake = isTieringJar(jarUri) || /\$lake\b/.test(sqlScript ?? "");
    if (!readsLake || has(/(^|\/)fluss-lake-[a-z]+-[^/]*\.jar$/)) return [];
    return [
        {
            path: "additionalDependencies",
            reason: "there is no lake JAR (fluss-lake-…) among them, and the job fails with `No LakeStoragePlugin available` (quickstart)",
            fix: "Add all client JARs of the setup, e.g. clientJarUris of VvpWorkspaceSetup",
        },
    ];
}

/** The tiering job of 1.0 sets a restart strategy itself. */
function noRestarts({ jarUri, jobOptions }: EngineSetup): Fault[] {
    if (jobOptions === undefined || !isTieringJar(jarUri) || !/fluss-flink-tiering-0\./.test(jarUri ?? ""))
        return [];
    if (jobOptions["restart-strategy.type"] ?? jobOptions["execution.checkpointing.interval"]) return [];
    return [
        {
            path: "flinkConf",
            reason: "the tiering job of Fluss 0.9 sets no restart strategy: its first passing error ends it for good (apache/fluss#3681)",
            fix: "Set restart-strategy.type to exponential-delay",
        },
    ];
}

const metaspaceOption = "taskmanager.memory.jvm-metaspace.size";
const slotsOption = "taskmanager.numberOfTaskSlots";

/** Flink reads both in Fluss' notation, and does not start with others. */
function unreadableSession({ sessionOptions = {} }: EngineSetup): Fault[] {
    return [
        { option: metaspaceOption, type: "memory", example: "512m" },
        { option: slotsOption, type: "int", example: "16" },
    ].flatMap(({ option, type, example }) => {
        const value = sessionOptions[option];
        const fault = value === undefined ? undefined : optionValueFault(type, value.trim());
        return fault
            ? [
                  {
                      path: `flinkConfiguration["${option}"]`,
                      value: JSON.stringify(value),
                      reason: fault.reason,
                      fix: `Write it like ${example}`,
                  },
              ]
            : [];
    });
}

function smallSession({ sessionOptions }: EngineSetup): Fault[] {
    if (sessionOptions === undefined) return [];
    const warnings: Fault[] = [];
    const metaspace = mebibytes(sessionOptions[metaspaceOption] ?? "256m");
    if (metaspace !== undefined && metaspace < 512) {
        warnings.push({
            path: "flinkConfiguration",
            reason: `the metaspace of the task managers has ${metaspace} MiB, and each lake query loads its JARs anew until it is full (quickstart)`,
            fix: `Set ${metaspaceOption} to 512m or more`,
        });
    }
    const slots = Number(sessionOptions[slotsOption] ?? "1");
    if (slots < 16) {
        warnings.push({
            path: "flinkConfiguration",
            reason: `a task manager has ${slots} slots, and a lake read runs one task for each split (quickstart)`,
            fix: `Set ${slotsOption} to 16 or more`,
        });
    }
    return warnings;
}

function longArguments({ mainArgs }: EngineSetup): Fault[] {
    if (mainArgs === undefined || mainArgs.length <= 1024) return [];
    return [
        {
            path: "mainArgs",
            reason: `has ${mainArgs.length} characters; the platform's documentation allows 1024`,
            fix: "Shorten host names, or move options into flinkConf",
        },
    ];
}

/** Undefined for what is no amount of memory. */
function mebibytes(size: string): number | undefined {
    if (optionValueFault("memory", size.trim())) return undefined;
    const [, count = "", unit = ""] = /^(\d+)\s*([kmgt]?)/i.exec(size.trim())!;
    return Math.round(
        (Number(count) * 1024 ** ["", "k", "m", "g", "t"].indexOf(unit.toLowerCase())) / 1024 ** 2,
    );
}
