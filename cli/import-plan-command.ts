import { parseArgs } from "node:util";
import { connectionSchema } from "../dynamic-providers/vvp/connection.ts";
import { isServiceUrl } from "../model/url.ts";
import { asUsage, type Command, UsageError } from "./command.ts";
import { programOf } from "./import-plan/program.ts";
import { type Found, readCatalogs, readLakekeeper, readWorkspace } from "./import-plan/read.ts";
import { refuseExisting, writeOut } from "./out-file.ts";

const usage = `pulumi-fluss import-plan [--vvp <url>] [--lakekeeper <url>] [options]

Reads what a platform's namespace, the Fluss cluster behind its catalogs and a Lakekeeper server hold, and prints the
program that takes it over. It changes nothing. Secrets cannot be read back: the program takes them from the stack's
configuration, and the command says which.

  --vvp <url>             Ververica Platform (VV_API_HOST is not read); its token comes from VV_API_TOKEN or vvctl
    --workspace <name>    default: VV_WORKSPACE, or defaultworkspace
    --namespace <name>    default: VV_NAMESPACE, or default
    --catalog <name>      a Fluss catalog to read with its databases and tables; repeatable; default: those that the
                          platform shows to be of type fluss
    --engine <version>    engine for SQL; default: that of a job with the Fluss connector
    --jar <uri>           a client JAR for SQL; repeatable; default: those of that job
    --no-tables           read no catalog
  --lakekeeper <url>      Lakekeeper, without /catalog; its token comes from LAKEKEEPER_TOKEN
    --project <id>        default: the server's default project
    --warehouse <name>    repeatable; default: every active warehouse of the project
  --out <file>            a new file; default: the standard output
  --json                  print { "program", "secrets", "warnings" } as JSON

The first \`pulumi up\` of the program creates nothing: each resource finds its object, by \`adopt: true\`, and an object that
is not as the program says is brought to it. \`protect\` keeps all of it when the stack goes.

Examples:
  pulumi-fluss import-plan --vvp https://vvp.example.com --out index.ts
  pulumi-fluss import-plan --vvp https://vvp.example.com --catalog fluss_quickstart --lakekeeper http://localhost:8181
  pulumi-fluss import-plan --lakekeeper http://localhost:8181 --warehouse fluss --json
`;

/** `import-plan` */
export const importPlan: Command = {
    name: "import-plan",
    summary: "prints the program that takes over an existing workspace, cluster and warehouse",
    usage,
    async run(args, env, terminal) {
        const given = parse(args.slice(1), env);
        refuseExisting(given.out);
        const context = { config: () => undefined };
        const found: Found = { catalogs: [], warnings: [] };
        if (given.connection) {
            found.workspace = await readWorkspace(given.connection, context);
            if (given.tables)
                found.catalogs = await readCatalogs(found.workspace, given.sql, context, found.warnings);
        }
        if (given.lakekeeper) found.lakekeeper = await readLakekeeper(given.lakekeeper, context);
        const { source, secrets, warnings } = programOf(found);
        for (const warning of warnings) terminal.error(`warning: ${warning}`);
        for (const { key, what } of secrets)
            terminal.error(`needed: pulumi config set --secret ${key}   # ${what}`);
        const text = given.json
            ? `${JSON.stringify({ program: source, secrets, warnings }, undefined, 2)}\n`
            : source;
        writeOut(text, given.out, terminal);
        return 0;
    },
};

function parse(args: readonly string[], env: Readonly<Record<string, string | undefined>>) {
    const values = readFlags(args);
    const faults: string[] = [];
    if (values.vvp === undefined && values.lakekeeper === undefined)
        faults.push("give one of --vvp and --lakekeeper, or both");
    if (values.vvp === undefined && (values.catalog.length > 0 || values.engine || values.jar.length > 0))
        faults.push("--catalog, --engine and --jar belong to --vvp");
    if (values.lakekeeper === undefined && (values.project || values.warehouse.length > 0))
        faults.push("--project and --warehouse belong to --lakekeeper");
    const connection =
        values.vvp === undefined
            ? undefined
            : connectionSchema.safeParse({
                  url: values.vvp,
                  workspace: values.workspace ?? env["VV_WORKSPACE"],
                  namespace: values.namespace ?? env["VV_NAMESPACE"],
              });
    if (connection && !connection.success)
        faults.push(
            ...connection.error.issues.map(({ path, message }) => `--vvp ${path.join(".")}: ${message}`),
        );
    // The program that is printed holds it.
    if (values.lakekeeper !== undefined && /\/(management|catalog)(\/|$)/.test(values.lakekeeper))
        faults.push("--lakekeeper takes the server's base URL, without /management or /catalog");
    if (values.lakekeeper !== undefined && !isServiceUrl(values.lakekeeper))
        faults.push("--lakekeeper takes an http or https URL without user, password and query");
    if (faults.length > 0) throw new UsageError(faults);
    return {
        connection: connection?.data,
        tables: !values["no-tables"],
        sql: { engineVersion: values.engine, jars: values.jar, catalogs: values.catalog },
        lakekeeper:
            values.lakekeeper === undefined
                ? undefined
                : { url: values.lakekeeper, project: values.project, warehouses: values.warehouse },
        out: values.out,
        json: values.json,
    };
}

function readFlags(args: readonly string[]) {
    const one = { type: "string" } as const;
    const many = { type: "string", multiple: true, default: [] as string[] } as const;
    const flag = { type: "boolean", default: false } as const;
    const options = {
        vvp: one,
        workspace: one,
        namespace: one,
        catalog: many,
        engine: one,
        jar: many,
        "no-tables": flag,
        lakekeeper: one,
        project: one,
        warehouse: many,
        out: one,
        json: flag,
    };
    return asUsage(() => parseArgs({ args: [...args], options }).values);
}
