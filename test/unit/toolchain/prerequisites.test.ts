import { describe, expect, it } from "vitest";
import type { CommandResult } from "../../../local/toolchain/command.ts";
import { checkPrerequisites, type Prerequisite } from "../../../local/toolchain/prerequisites.ts";

const ALL: Prerequisite[] = ["java", "javac", "maven", "python", "go"];

/** What each program was seen to answer. */
const GOOD: Record<string, string> = {
    java: 'openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment (build 17.0.15+6-Debian-1deb12u1)\n',
    javac: "javac 17.0.15\n",
    mvn: "\u001b[1mApache Maven 3.8.7\u001b[m\nMaven home: /usr/share/maven\nJava version: 17.0.15\n",
    python3: "Python 3.11\n",
    go: "go version go1.26.8 linux/amd64\n",
};

describe("checkPrerequisites", () => {
    it("accepts programs that are new enough", async () => {
        await expect(checkPrerequisites(ALL, answering(GOOD))).resolves.toBeUndefined();
    });

    it("names everything that is missing in one error, each with its commands", async () => {
        const message = await messageOf(ALL, {});
        expect(message.split("\n")).toHaveLength(1 + 3 * ALL.length);
        expect(message).toContain("- Java 17 or newer: java not found or not working");
        expect(message).toContain("- the Java compiler (javac) 17 or newer, next to java: javac not found");
        expect(message).toContain("    Debian, Ubuntu: sudo apt-get install openjdk-17-jdk-headless");
        expect(message).toContain("    Debian, Ubuntu: sudo apt-get install maven");
        expect(message).toContain("    macOS: brew install maven");
        expect(message).toContain("    Debian, Ubuntu: sudo apt-get install python3 python3-venv");
        expect(message).toContain("- Go 1.26 or newer");
    });

    it.each([
        ["java", 'java version "1.8.0_402"\n', "Java 17 or newer: found 1.8"],
        ["java", 'openjdk version "11.0.22" 2024-01-16\n', "Java 17 or newer: found 11.0"],
        ["mvn", "Apache Maven 3.5.4\n", "Maven 3.6 or newer: found 3.5"],
        ["python3", "Python 3.9\n", "Python 3.10 or newer with venv: found 3.9"],
        ["go", "go version go1.22.2 linux/amd64\n", "export PATH=/usr/local/go/bin:$PATH"],
    ])("refuses an old %s", async (program, output, expected) => {
        const message = await messageOf(ALL, { ...GOOD, [program]: output });
        expect(message).toContain(expected);
        expect(message.split("\n")).toHaveLength(4);
    });

    it.each([
        ["java", 'openjdk version "25" 2025-09-16\n'],
        ["mvn", "Apache Maven 4.0.0 (abc)\n"],
        ["go", "go version go1.27 darwin/arm64\n"],
    ])("accepts a newer %s", async (program, output) => {
        await expect(
            checkPrerequisites(ALL, answering({ ...GOOD, [program]: output })),
        ).resolves.toBeUndefined();
    });

    it("asks only for what is needed", async () => {
        await expect(
            checkPrerequisites(["java"], answering({ java: GOOD["java"] ?? "" })),
        ).resolves.toBeUndefined();
    });

    it("looks for the compiler next to the Java that was found", async () => {
        const asked: string[] = [];
        const run = async (command: string): Promise<CommandResult> => {
            asked.push(command);
            return {
                code: 0,
                output: command.endsWith("javac") ? "javac 21.0.2" : 'openjdk version "21.0.2"',
            };
        };
        await checkPrerequisites(["java", "javac"], run, "/opt/jdk/bin/java");
        expect(asked).toEqual(["/opt/jdk/bin/java", "/opt/jdk/bin/javac"]);
    });
});

function answering(answers: Record<string, string>) {
    return async (command: string): Promise<CommandResult> => {
        const output = answers[command];
        return output === undefined ? { code: 127, output: `spawn ${command} ENOENT` } : { code: 0, output };
    };
}

async function messageOf(needed: Prerequisite[], answers: Record<string, string>): Promise<string> {
    const error = await checkPrerequisites(needed, answering(answers)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    return (error as Error).message;
}
