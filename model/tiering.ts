import { type Fault, joinPath, shownValue, throwFaults } from "./faults.ts";
import { clientOptions, type FlussClient } from "./fluss-client.ts";
import { type FlussVersion, flussVersions } from "./fluss-options.ts";
import type { Lake } from "./lake.ts";
import { lakeAndClient } from "./lake-and-client.ts";
import { datalakeOptions } from "./lake-options.ts";
import { environmentOf, type Option, renderOptions, type SecretForm } from "./secret-ref.ts";

/** What the tiering job is told besides lake and cluster. */
export interface TieringSettings {
    /** Release line of the tiering JAR. Default `1.0`. */
    version?: FlussVersion;
    /**
     * Further arguments by their names without dashes, after all others: `fluss.*` for the client (such as
     * `fluss.tiering.poll.table.interval`) and `lake.tiering.*`.
     */
    extra?: Record<string, string>;
}

/** An argument of the tiering job: its name without dashes, and its value. */
export type Argument = [key: string, value: string];

/**
 * Arguments of the tiering job in the order of the quickstart: the client's options, then the very `datalake.*` options
 * of the server without `datalake.enabled`. Secrets take the given form: `secretValue` on VVP, `env` for a plain Flink
 * job with Fluss 1.0 (the needed provider options are added), `podEnv` in a container's arguments, `value` otherwise.
 *
 * Throws a `FaultsError` with every fault; a value with whitespace is one, because the job's arguments are one line
 * that is split at blanks.
 */
export function tieringArguments(
    lake: Lake,
    client: FlussClient,
    form: SecretForm,
    settings: TieringSettings = {},
): Argument[] {
    const known = lakeAndClient({ lake, client });
    const { version = "1.0", extra = {} } = settings;
    const clientPart = clientOptions(known.client, "SASL").map((option) => ({
        ...option,
        key: `fluss.${option.key}`,
    }));
    const lakePart = datalakeOptions(known.lake);
    const extraPart = Object.entries(extra).map(
        ([key, value]): Option => ({ key, value, path: joinPath("extra", [key]) }),
    );
    const options = [...clientPart, ...lakePart, ...extraPart];
    const { rendered, faults } = renderOptions(options, form);
    faults.push(...extraFaults(extraPart, new Set([...clientPart, ...lakePart].map(({ key }) => key))));
    if (!flussVersions.includes(version)) {
        const fix = `Use one of: ${flussVersions.join(", ")}`;
        faults.push({
            path: "version",
            ...shownValue("version", version),
            reason: "is no release line of Fluss",
            fix,
        });
    }
    if (form === "env" && version === "0.9") {
        const reason = "the tiering job of Fluss 0.9 does not replace ${env:...} in its arguments";
        faults.push({
            path: "version",
            value: version,
            reason,
            fix: 'Render them with "secretValue" or "value"',
        });
    }
    rendered.forEach(([key, value], index) => {
        const { path, value: source } = options[index]!;
        if (value === "" && typeof source !== "string") return;
        if (/^\S+$/.test(value)) return;
        const reason = `--${key} ${value === "" ? "is empty" : "contains whitespace, at which the arguments are split"}`;
        faults.push({
            path,
            ...shownValue(`${path}.${key}`, value),
            reason,
            fix: "Give a value without whitespace",
        });
    });
    throwFaults("the arguments of the tiering job", faults);
    return form === "env" ? [...rendered, ...environmentProvider(options)] : rendered;
}

/**
 * The content of the environment that {@link tieringArguments} in the forms `env` and `podEnv` refers to: each variable of
 * lake and client whose value is known. Throws a `FaultsError` if one variable would have two values.
 */
export function tieringEnvironment(lake: Lake, client: FlussClient): Record<string, string> {
    return environmentOf(secretsOf(lake, client), "the environment of the tiering job");
}

/**
 * A fault for each secret of lake and client that has an `env` and no `value`, for whoever makes that environment: the variable would
 * be missing, and the job would fail where nobody looks.
 */
export function environmentFaults(lake: Lake, client: FlussClient): Fault[] {
    return secretsOf(lake, client).flatMap(({ value, path }): Fault[] => {
        if (typeof value === "string" || value.env === undefined || value.value !== undefined) return [];
        const reason = `${value.env} would not be in the environment of the job: the secret has no "value"`;
        return [{ path, reason, fix: 'Add "value" to the reference' }];
    });
}

function secretsOf(lake: Lake, client: FlussClient): Option[] {
    const known = lakeAndClient({ lake, client });
    return [...clientOptions(known.client, "SASL"), ...datalakeOptions(known.lake)];
}

/** The arguments on one line, as VVP's field "Entry Point Main Arguments" takes them. */
export function mainArgs(list: readonly Argument[]): string {
    return argumentTokens(list).join(" ");
}

/** The arguments as a list of words, as Flink's REST API and a FlinkDeployment take them. */
export function argumentTokens(list: readonly Argument[]): string[] {
    return list.flatMap(([key, value]) => [`--${key}`, value]);
}

/** VVP advises at most 1024 characters of main arguments; whether it refuses more is not known. */
export function mainArgsWarnings(line: string): Fault[] {
    if (line.length <= 1024) return [];
    const reason = `the main arguments have ${line.length} characters, and VVP advises at most 1024`;
    return [{ path: "mainArgs", reason, fix: "Shorten host names and names of secret values" }];
}

/**
 * Flink options that the tiering job needs. The job of Fluss 0.9 sets no restart strategy and would die of its first
 * failure; an S3-compatible store behind a JDBC catalog needs the AWS SDK's newer checksums off.
 */
export function tieringFlinkConfiguration(lake: Lake, version: FlussVersion): Record<string, string> {
    return {
        ...(version === "0.9" ? { "restart-strategy.type": "exponential-delay" } : {}),
        ...lakeJobFlinkConfiguration(lake),
    };
}

/** Flink options of any job that touches the lake's files. Empty for most lakes. */
export function lakeJobFlinkConfiguration({ catalog, storage }: Lake): Record<string, string> {
    if (catalog.type !== "jdbc" || storage.type !== "s3Compatible") return {};
    const options = ["aws.requestChecksumCalculation", "aws.responseChecksumValidation"];
    return { "env.java.opts.all": options.map((option) => `-D${option}=when_required`).join(" ") };
}

/** What makes the job of Fluss 1.0 replace `${env:NAME}`, for exactly the variables that its arguments name. */
function environmentProvider(options: readonly Option[]): Argument[] {
    const names = options.flatMap(({ value }) => (typeof value === "string" ? [] : (value.env ?? [])));
    if (names.length === 0) return [];
    return [
        ["config.providers", "env"],
        ["config.providers.env.param.allowlist.pattern", [...new Set(names)].join("|")],
    ];
}

function extraFaults(extra: readonly Option[], taken: Set<string>): Fault[] {
    return extra.flatMap(({ key, path }): Fault[] => {
        if (taken.has(key)) {
            return [{ path, reason: `--${key} is derived from lake and client`, fix: "Remove it" }];
        }
        if (/^(fluss|lake\.tiering)\.\S+$/.test(key)) return [];
        const reason = `--${key} is neither an option of the client nor of tiering`;
        return [{ path, reason, fix: "Use fluss.* or lake.tiering.*; lake options belong to the lake" }];
    });
}
