import { stripVTControlCharacters } from "node:util";
import type { CommandResult } from "./command.ts";
import { jdkTool } from "./jdk.ts";

/** Programs that a person has to install; everything else is fetched. */
export type Prerequisite = "java" | "javac" | "maven" | "python" | "go";

interface Rule {
    title: string;
    command: string[];
    /** Finds the version in the command's output. */
    version: RegExp;
    oldest: [number, number];
    debian: string;
    macos: string;
}

const PYTHON_PROBE = "import sys, venv, ensurepip; print('Python %d.%d' % sys.version_info[:2])";

const RULES: Record<Prerequisite, Rule> = {
    java: {
        title: "Java 17 or newer",
        command: ["java", "-version"],
        version: /version "(\d+)(?:\.(\d+))?/,
        oldest: [17, 0],
        debian: "sudo apt-get install openjdk-17-jdk-headless",
        macos: "brew install openjdk@17 (and follow its note on PATH)",
    },
    javac: {
        title: "the Java compiler (javac) 17 or newer, next to java",
        command: ["javac", "-version"],
        version: /javac (\d+)(?:\.(\d+))?/,
        oldest: [17, 0],
        debian: "sudo apt-get install openjdk-17-jdk-headless",
        macos: "brew install openjdk@17 (and follow its note on PATH)",
    },
    maven: {
        title: "Maven 3.6 or newer",
        command: ["mvn", "--version", "--batch-mode"],
        version: /Apache Maven (\d+)\.(\d+)/,
        oldest: [3, 6],
        debian: "sudo apt-get install maven",
        macos: "brew install maven",
    },
    python: {
        // moto 5.2.5 and boto3 require Python 3.10.
        title: "Python 3.10 or newer with venv",
        command: ["python3", "-c", PYTHON_PROBE],
        version: /Python (\d+)\.(\d+)/,
        oldest: [3, 10],
        debian: "sudo apt-get install python3 python3-venv",
        macos: "brew install python",
    },
    go: {
        title: "Go 1.26 or newer (to build what cannot be downloaded: the Pulumi CLI, or install that itself; the Kubernetes test bed)",
        command: ["go", "version"],
        version: /go version go(\d+)\.(\d+)/,
        oldest: [1, 26],
        debian: "curl -fsSL https://go.dev/dl/go1.26.8.linux-amd64.tar.gz | sudo tar -C /usr/local -xz && export PATH=/usr/local/go/bin:$PATH",
        macos: "brew install go",
    },
};

/** Runs a program and tells how it ended; `tryCommand`, or a stand-in in tests. */
export type Run = (command: string, args: string[]) => Promise<CommandResult>;

/**
 * Checks programs by running each with its version option.
 * @param needed what to check
 * @param java the Java executable to use, if one was found; javac is expected next to it
 * @throws one error that names everything that is missing or too old, with the commands that install it
 */
export async function checkPrerequisites(needed: Prerequisite[], run: Run, java?: string): Promise<void> {
    const faults = (await Promise.all(needed.map((name) => faultOf(name, run, java)))).filter(
        (fault) => fault !== "",
    );
    if (faults.length === 0) return;
    throw new Error(`The local lakehouse needs programs that are missing here:\n${faults.join("\n")}`);
}

async function faultOf(name: Prerequisite, run: Run, java: string | undefined): Promise<string> {
    const rule = RULES[name];
    const [program = "", ...args] = rule.command;
    const { code, output } = await run(commandOf(program, java), args);
    // Maven colours its output even when told not to.
    const found = rule.version.exec(stripVTControlCharacters(output));
    if (code === 0 && found && isNewEnough(found, rule.oldest)) return "";
    const state = found
        ? `found ${Number(found[1])}.${Number(found[2] ?? 0)}`
        : `${program} not found or not working`;
    return `- ${rule.title}: ${state}\n    Debian, Ubuntu: ${rule.debian}\n    macOS: ${rule.macos}`;
}

function commandOf(program: string, java: string | undefined): string {
    if (java === undefined) return program;
    if (program === "java") return java;
    return program === "javac" ? jdkTool(java, "javac") : program;
}

function isNewEnough(found: RegExpExecArray, [major, minor]: [number, number]): boolean {
    const [foundMajor, foundMinor] = [Number(found[1]), Number(found[2] ?? 0)];
    return foundMajor > major || (foundMajor === major && foundMinor >= minor);
}
