import type { VvpClient } from "./client.ts";
import { dialect } from "./dialect.ts";

/**
 * What went wrong as the log of a deployment's newest start tells it, for the error of a wait: lines to add to it, empty
 * when there are none. Its path is a guess, so that a platform without it changes nothing. Only lines of trouble are
 * shown: others name arguments and options, and with them values that nobody may see.
 */
export async function lastLogLines(client: VvpClient, deploymentId: string): Promise<string> {
    try {
        const log = await client.call(
            {
                method: "GET",
                path: dialect.jobLog.path(client.namespace, deploymentId),
                action: "read the log of the job's start",
                deadlineSeconds: longestLook,
            },
            dialect.jobLog.answer,
        );
        const lines = troubleIn(log).map((line) => `  ${hideValues(client.clean(line)).slice(0, longest)}`);
        return lines.length === 0 ? "" : `\nFrom the log of its start:\n${lines.join("\n")}`;
    } catch {
        return "";
    }
}

/** The last lines of a log that say what went wrong. */
export function troubleIn(log: string): string[] {
    return log
        .split(/\r?\n|\\n/)
        .map((line) => line.trim())
        .filter((line) => trouble.test(line) && !arguments_.test(line))
        .slice(-most);
}

/** Takes out what stands behind a secret's name, also without quotes: a job tells values that nobody told us. */
export function hideValues(line: string): string {
    return line.replace(named, "$1***").replace(argument, "$1***");
}

const secretName = String.raw`[\w.-]*(?:password|secret|token|credential|access[-_.]?key)[\w.-]*`;
const named = new RegExp(
    String.raw`(\b${secretName}["']?\s*[=:]\s*)(?:"[^"]*"|'[^']*'|[^\s"',;)}\]]+)`,
    "gi",
);
const argument = new RegExp(String.raw`(--?${secretName}\s+)\S+`, "gi");

const trouble = /\b(ERROR|FATAL)\b|^Caused by:|^(Exception in|[\w$.]+(Exception|Error)\b)/;
const arguments_ = /program[-. ]arg|-D\s*\S+=/i;

/** The failure itself is known by then: nobody waits long for its story. */
const longestLook = 10;
const most = 8;
const longest = 300;
