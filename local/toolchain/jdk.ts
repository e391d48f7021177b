import path from "node:path";
import { findOnPath, isExecutable } from "./command.ts";

/** The Java to use: the one that `JAVA_HOME` names, as Maven does, else the one on `PATH`. Undefined when there is none. */
export function findJava(env: NodeJS.ProcessEnv = process.env): string | undefined {
    const home = env["JAVA_HOME"];
    const ofHome = home ? path.join(home, "bin", "java") : undefined;
    return ofHome && isExecutable(ofHome) ? path.resolve(ofHome) : findOnPath("java", env["PATH"]);
}

/** `javac` or `jar` of the same installation as `java`. They need not be there: a JRE has neither. */
export function jdkTool(java: string, tool: "javac" | "jar"): string {
    return path.join(path.dirname(java), tool);
}
