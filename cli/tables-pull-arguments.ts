import { parseArgs } from "node:util";
import {
    type CatalogInputs,
    catalogSchema,
    type RunnerInputs,
    runnerSchema,
} from "../dynamic-providers/flink-sql/runner-inputs.ts";
import { isSecretOption } from "../model/show-create.ts";
import type { Pull } from "./tables-pull.ts";

/** What the command was told. */
export interface Arguments {
    runner: RunnerInputs;
    catalog: CatalogInputs;
    pull: Pull;
    /** Where to write; default the standard output. */
    file?: string;
    /** JSON in the place of TypeScript. */
    json: boolean;
}

/** What `tables pull --help` prints. */
export const usage = `pulumi-fluss tables pull --database <name> [options]

Writes the tables of a Fluss database as TypeScript specs for FlussTables.

Where SQL runs, one of the two:
  --gateway <url>            a SQL gateway of Flink, http://localhost:8083
    --option <key>=<value>   an option of the Fluss catalog, such as bootstrap.servers=host:9123; repeatable
    --secret <key>=<VAR>     the same, its value from the environment variable VAR:
                             client.security.sasl.password=FLUSS_PASSWORD; repeatable
  --vvp <url>                Ververica Platform; its token comes from the environment variable VV_API_TOKEN
    --workspace <name>       default: VV_WORKSPACE, or defaultworkspace
    --namespace <name>       default: VV_NAMESPACE, or default
    --engine <version>       default: the platform's default engine
    --jar <uri>              a client JAR; repeatable

What to pull:
  --catalog <name>           default: fluss
  --database <name>
  --table <name>             repeatable; default: every table of the database
  --partitions               declare the partitions that exist, too
  --server 0.9|1.0           line of the servers, for warnings; default: 1.0
  --out <file>               a new file; default: the standard output
  --json                     print { "tables", "warnings" } as JSON in the place of TypeScript

Examples:
  pulumi-fluss tables pull --gateway http://localhost:8083 --option bootstrap.servers=localhost:9123 --database finance
  pulumi-fluss tables pull --vvp https://vvp.example.com --catalog fluss_quickstart --database finance --out tables.ts
`;

/** Reads the arguments of `tables pull`. Secrets come from the environment only: others see the arguments of a process. */
export function parseArguments(
    args: readonly string[],
    env: Readonly<Record<string, string | undefined>>,
): Arguments | { faults: string[] } {
    const read = readFlags(args);
    if (typeof read === "string") return { faults: [read] };
    const { values, positionals } = read;
    const faults: string[] = [];
    const rest = positionals.slice(2);
    if (rest.length > 0) faults.push(`tables pull takes no ${rest.map((one) => `'${one}'`).join(", ")}`);
    if (values.database === undefined) faults.push("--database is missing");
    if (values.server !== "0.9" && values.server !== "1.0") faults.push("--server takes 0.9 or 1.0");
    const options = catalogOptions(values.option, values.secret, env, faults);
    const runner = runnerSchema.safeParse(
        values.vvp === undefined
            ? { kind: "gateway", url: values.gateway ?? "" }
            : {
                  kind: "vvp",
                  connection: { url: values.vvp, workspace: values.workspace, namespace: values.namespace },
                  engineVersion: values.engine,
                  additionalDependencies: values.jar,
              },
    );
    if ((values.vvp === undefined) === (values.gateway === undefined)) {
        faults.push("give one of --gateway and --vvp");
    } else if (!runner.success) {
        faults.push(...runner.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`));
    }
    if (faults.length > 0 || !runner.success || values.database === undefined) return { faults };
    return {
        runner: runner.data,
        catalog: catalogSchema.parse({
            name: values.catalog,
            ...(runner.data.kind === "gateway" && { options: { type: "fluss", ...options } }),
        }),
        pull: {
            catalog: values.catalog,
            database: values.database,
            tables: values.table,
            partitions: values.partitions,
            server: values.server === "0.9" ? "0.9" : "1.0",
        },
        ...(values.out !== undefined && { file: values.out }),
        json: values.json,
    };
}

function readFlags(args: readonly string[]) {
    const one = { type: "string" } as const;
    const many = { type: "string", multiple: true, default: [] as string[] } as const;
    try {
        return parseArgs({
            args: [...args],
            allowPositionals: true,
            options: {
                gateway: one,
                option: many,
                secret: many,
                vvp: one,
                workspace: one,
                namespace: one,
                engine: one,
                jar: many,
                catalog: { ...one, default: "fluss" },
                database: one,
                table: many,
                partitions: { type: "boolean", default: false },
                server: { ...one, default: "1.0" },
                out: one,
                json: { type: "boolean", default: false },
            },
        });
    } catch (error) {
        return error instanceof Error ? error.message : String(error);
    }
}

function catalogOptions(
    plain: readonly string[],
    secret: readonly string[],
    env: Readonly<Record<string, string | undefined>>,
    faults: string[],
): Record<string, string> {
    const options: Record<string, string> = {};
    for (const [flag, pairs] of [
        ["--option", plain],
        ["--secret", secret],
    ] as const) {
        for (const pair of pairs) {
            const [, key, given = ""] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
            const value = flag === "--option" ? given : env[given];
            if (key === undefined) {
                faults.push(`${flag} takes <key>=<${flag === "--option" ? "value" : "VAR"}>`);
            } else if (flag === "--option" && isSecretOption(key, given)) {
                faults.push(
                    `--option ${key}: is a secret, and others see the arguments; use --secret ${key}=<VAR>`,
                );
            } else if (value === undefined) {
                faults.push(`--secret ${key}: the environment has no variable of the name that is given`);
            } else {
                options[key] = value;
            }
        }
    }
    return options;
}
