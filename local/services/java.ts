import path from "node:path";
import type { Tools } from "../toolchain/types.ts";
import { foldersOf } from "./folders.ts";
import type { ServiceName } from "./names.ts";
import { secretsFile } from "./secrets.ts";

/** One Java program. */
export interface JavaProgram {
    /** Root of the local lakehouse: the log filter finds the known secrets there. */
    root: string;
    name: ServiceName;
    classPath: string;
    mainClass: string;
    args?: string[];
    /** Highest heap, in MiB. */
    heapMiB: number;
    /** More options of the virtual machine. Never a secret: everybody on the machine sees them. */
    options?: string[];
}

/**
 * Command line of a Java service. The serial collector and the first compiler alone (C1) start in half the time
 * and need less memory than the defaults, on two cores. Log4j's configuration with the log filter is the first
 * entry of each class path. Temporary files stay in the service's own folder, which each start empties.
 */
export function javaCommand(tools: Tools, program: JavaProgram): { command: string; args: string[] } {
    const options = [
        `-Xmx${program.heapMiB}m`,
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        // Files in the system's temporary folder that a killed process would leave behind.
        "-XX:-UsePerfData",
        `-Djava.io.tmpdir=${path.join(foldersOf(program.root).run, program.name, "tmp")}`,
        `-Dfluss.local.secrets=${secretsFile(program.root)}`,
        ...(program.options ?? []),
        ...opened.map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`),
    ];
    const args = [...options, "-cp", program.classPath, program.mainClass, ...(program.args ?? [])];
    return { command: tools.java, args };
}

/** Packages of the JDK that Fluss' memory handling, Flink's serializers and Hadoop reach into. */
const opened = [
    "java.lang",
    "java.lang.invoke",
    "java.lang.reflect",
    "java.io",
    "java.net",
    "java.nio",
    "java.text",
    "java.time",
    "java.util",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "java.util.concurrent.locks",
    "jdk.internal.access",
    "sun.nio.ch",
];
