import { parseArgs } from "node:util";
import { asUsage, type Command, UsageError } from "./command.ts";
import { checkKubernetes } from "./doctor/kubernetes-check.ts";
import { checkAws, checkConfig, checkJars, checkTools } from "./doctor/local-checks.ts";
import { printed, reportOf } from "./doctor/report.ts";
import { checkFluss, checkLakekeeper, checkVvp } from "./doctor/service-checks.ts";
import { stackValues } from "./doctor/stack-values.ts";

const usage = `pulumi-fluss doctor [options]

Looks whether a stack of the quickstart's program can come up, and says all that is missing at once: its configuration,
Node.js and Pulumi, the client JARs, and whether platform, Lakekeeper and Fluss answer, take the credentials and let
them read. Where the stack installs a server by Helm: whether the namespace is there and the kubeconfig's user may do it.
It writes nothing anywhere, and shows no secret.

  --stack <name>      the stack; default: the selected one
  --config <file>     what \`pulumi config --json --show-secrets\` printed, "-" for the standard input;
                      default: Pulumi is asked
  --folder <folder>   the folder of Pulumi.yaml, from which jarsFolder counts; default: this one
  --offline           call no service
  --json              print { "ok", "checks" } as JSON

The token of the platform comes from where an \`up\` takes it: VV_API_TOKEN, the stack's pulumi-fluss:vvpToken, vvctl.
The exit code is 0 when there is no fault, 1 when there is one, 2 when the command was called wrongly. What only a write
would show is not seen: what AWS credentials and tokens may change.

Examples:
  pulumi-fluss doctor
  pulumi-fluss doctor --stack prod --json
  pulumi config --json --show-secrets --stack prod | pulumi-fluss doctor --config -
`;

/** `doctor` */
export const doctor: Command = {
    name: "doctor",
    summary: "says what a stack misses: configuration, tools, JARs, connections, rights",
    usage,
    async run(args, env, terminal) {
        const { stack, config: file, folder, offline, json } = parse(args.slice(1));
        const values = await stackValues({ stack, file }, env, terminal);
        const { checks, config } = checkConfig(values);
        const context = { config: (key: string) => values.all[key] };
        const services = offline
            ? []
            : await Promise.all([
                  checkVvp(config, context),
                  checkLakekeeper(config, context),
                  checkFluss(config),
                  checkKubernetes(config),
              ]);
        const all = [
            ...checks,
            ...(await checkTools(env)),
            ...checkJars(config, folder),
            ...checkAws(env, values),
            ...services.flat(),
        ];
        const hidden = [env["VV_API_TOKEN"], env["LAKEKEEPER_TOKEN"], env["AWS_SECRET_ACCESS_KEY"]];
        const own = [config.clientPassword, config.lakekeeperToken];
        const report = reportOf(
            all,
            [...values.secrets, ...hidden, ...own].flatMap((secret) => secret ?? []),
        );
        terminal.out(json ? `${JSON.stringify(report, undefined, 2)}\n` : printed(report));
        return report.ok ? 0 : 1;
    },
};

function parse(args: readonly string[]) {
    const one = { type: "string" } as const;
    const flag = { type: "boolean", default: false } as const;
    const options = {
        stack: one,
        config: one,
        folder: { ...one, default: "." },
        offline: flag,
        json: flag,
    };
    const { values } = asUsage(() => parseArgs({ args: [...args], options }));
    if (values.stack !== undefined && values.config !== undefined)
        throw new UsageError(["give one of --stack and --config"]);
    return values;
}
