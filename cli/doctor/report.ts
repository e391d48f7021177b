import { redact } from "../../dynamic-providers/http/redact.ts";

/** What one look found. */
export interface Check {
    /** What was looked at: `config`, `tools`, `jars`, `vvp`, `lakekeeper`, `fluss`, `kubernetes`, `aws`. */
    area: string;
    /** `fault`: an `up` would fail. `warning`: it may. `note`: what a person should know. */
    status: "ok" | "fault" | "warning" | "note";
    text: string;
    /** What to do about it. */
    fix?: string;
}

/** What the command found. */
export interface Report {
    /** True when there is no fault. */
    ok: boolean;
    checks: Check[];
}

/** The report without any of the secrets, whoever said them. */
export function reportOf(checks: readonly Check[], secrets: readonly string[]): Report {
    const clean = (text: string) => redact(text, secrets);
    return {
        ok: checks.every(({ status }) => status !== "fault"),
        checks: checks.map(({ area, status, text, fix }) => ({
            area,
            status,
            text: clean(text),
            ...(fix !== undefined && { fix: clean(fix) }),
        })),
    };
}

/** The report for people, one line for each look and one for what to do. */
export function printed({ checks }: Report): string {
    const words = { ok: "ok", fault: "FAULT", warning: "warning", note: "note" };
    const width = Math.max(...checks.map(({ area }) => area.length), 0);
    const lines = checks.flatMap(({ area, status, text, fix }) => {
        const [first = "", ...more] = text.split("\n");
        const indent = " ".repeat(width + 10);
        const advice = fix === undefined ? [] : [`${indent}What to do: ${fix}`];
        return [
            `${words[status].padEnd(8)} ${area.padEnd(width)} ${first}`,
            ...more.map((line) => `${indent}${line}`),
            ...advice,
        ];
    });
    return `${[...lines, "", summary(checks)].join("\n")}\n`;
}

function summary(checks: readonly Check[]): string {
    const count = (status: Check["status"], word: string) => {
        const number = checks.filter((check) => check.status === status).length;
        return number === 0 ? [] : [`${number} ${word}${number === 1 ? "" : "s"}`];
    };
    const trouble = [...count("fault", "fault"), ...count("warning", "warning")];
    return trouble.length === 0 ? "nothing is missing" : trouble.join(", ");
}
