import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { jarsOf } from "../../dynamic-providers/client-jars/jar-list.ts";
import { FaultsError, faultLine } from "../../model/faults.ts";
import { selectJars } from "../../model/jars.ts";
import { parseStackConfig, type StackConfig, stackConfig } from "../../model/stack-config.ts";
import type { Environment } from "../command.ts";
import type { Check } from "./report.ts";
import { failed } from "./service-checks.ts";
import type { StackValues } from "./stack-values.ts";

/** Looks at the configuration. What of it is right is returned also when other parts are not. */
export function checkConfig({ program, inClear }: StackValues): {
    checks: Check[];
    config: Partial<StackConfig>;
} {
    const checks: Check[] = ["lakekeeperToken", "clientPassword"]
        .filter((key) => inClear.includes(key) && program[key] !== undefined)
        .map((key) => ({
            area: "config",
            status: "warning",
            text: `${key} is kept in clear in the stack's file`,
            fix: `give it anew: pulumi config set --secret ${key}`,
        }));
    try {
        const config = parseStackConfig(program);
        return {
            config,
            checks: [...checks, { area: "config", status: "ok", text: "every key is there and well formed" }],
        };
    } catch (error) {
        if (!(error instanceof FaultsError)) throw error;
        const faults = error.faults.map(
            ({ fix, ...fault }): Check => ({
                area: "config",
                status: "fault",
                text: faultLine({ ...fault, fix: "" })
                    .trim()
                    .replace(/ \.$/, ""),
                fix,
            }),
        );
        return { checks: [...faults, ...checks], config: parts(program) };
    }
}

/** Node and Pulumi. */
export async function checkTools(env: Environment): Promise<Check[]> {
    const node = isAtLeast(process.versions.node, "22.19.0");
    const checks: Check[] = [
        node
            ? { area: "tools", status: "ok", text: `Node.js ${process.versions.node}` }
            : {
                  area: "tools",
                  status: "fault",
                  text: `Node.js is ${process.versions.node}, and this library needs 22.19 or newer`,
                  fix: "install a newer one",
              },
    ];
    const pulumi = await promisify(execFile)("pulumi", ["version"], { env: { ...env } }).then(
        ({ stdout }) => stdout.trim().replace(/^v/, ""),
        () => undefined,
    );
    if (pulumi === undefined) {
        checks.push({
            area: "tools",
            status: "fault",
            text: "there is no pulumi on the PATH",
            fix: "install Pulumi: https://www.pulumi.com/docs/install/",
        });
    } else if (isAtLeast(pulumi, "3.216.0")) {
        checks.push({ area: "tools", status: "ok", text: `Pulumi ${pulumi}` });
    } else {
        checks.push({
            area: "tools",
            status: "warning",
            text: `Pulumi is ${pulumi}, older than the 3.216 that this library was tried with`,
            fix: "install a newer one",
        });
    }
    return checks;
}

/** The client JARs, as the program would choose them. */
export function checkJars({ jarsFolder, flussVersion }: Partial<StackConfig>, folder: string): Check[] {
    if (jarsFolder === undefined || flussVersion === undefined) return [];
    const place = path.resolve(folder, jarsFolder);
    const area = "jars";
    if (!fs.existsSync(place)) {
        return [
            {
                area,
                status: "fault",
                text: `there is no folder ${place} (jarsFolder)`,
                fix: "fetch the client JARs there: pulumi-fluss jars --release …",
            },
        ];
    }
    try {
        const { files } = jarsOf(place);
        const { clientJars } = selectJars(files, { release: flussVersion, catalog: "rest", storage: "s3" });
        const unfetched = files.filter((file) => !fs.existsSync(file)).length;
        const later = unfetched > 0 ? `; ${unfetched} of them are fetched when they are uploaded` : "";
        return [
            {
                area,
                status: "ok",
                text: `${clientJars.length} client JARs and the tiering JAR of ${flussVersion}${later}`,
            },
        ];
    } catch (error) {
        if (error instanceof FaultsError) {
            return error.faults.map(({ path: where, reason, fix }) => ({
                area,
                status: "fault",
                text: `${where}: ${reason}`,
                fix,
            }));
        }
        return [failed(area, error)];
    }
}

/** Whether AWS credentials are there at all: what they allow only AWS knows. */
export function checkAws(env: Environment, { all }: StackValues): Check[] {
    const area = "aws";
    const home = env["HOME"] ?? os.homedir();
    const sources = [
        env["AWS_ACCESS_KEY_ID"] && "AWS_ACCESS_KEY_ID",
        env["AWS_PROFILE"] && "AWS_PROFILE",
        env["AWS_WEB_IDENTITY_TOKEN_FILE"] && "AWS_WEB_IDENTITY_TOKEN_FILE",
        (all["aws:accessKey"] || all["aws:profile"]) && "the stack's aws configuration",
        fs.existsSync(path.join(home, ".aws/credentials")) && "~/.aws/credentials",
        fs.existsSync(path.join(home, ".aws/config")) && "~/.aws/config",
    ].filter(Boolean);
    return sources.length > 0
        ? [
              {
                  area,
                  status: "note",
                  text: `credentials come from ${sources[0]}; what they allow is not checked`,
              },
          ]
        : [
              {
                  area,
                  status: "warning",
                  text: "no AWS credentials are seen here",
                  fix: "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, unless the machine has a role",
              },
          ];
}

/** Keys that are right by themselves. */
function parts(program: Record<string, string>): Partial<StackConfig> {
    const found = Object.entries(stackConfig.shape).flatMap(([key, schema]) => {
        const parsed = schema.safeParse(program[key]);
        return parsed.success && parsed.data !== undefined ? [[key, parsed.data] as const] : [];
    });
    return Object.fromEntries(found) as Partial<StackConfig>;
}

function isAtLeast(version: string, since: string): boolean {
    const [have, need] = [version, since].map((text) => text.split(/[.+-]/).map(Number)) as [
        number[],
        number[],
    ];
    for (let index = 0; index < 3; index++) {
        const [got = 0, wanted = 0] = [have[index], need[index]];
        if (got !== wanted) return got > wanted;
    }
    return true;
}
