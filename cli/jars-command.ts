import path from "node:path";
import { parseArgs } from "node:util";
import { completeClientJars } from "../dynamic-providers/client-jars/complete.ts";
import { fetchClientJars, type JarSource } from "../dynamic-providers/client-jars/fetch.ts";
import { JAR_LIST } from "../dynamic-providers/client-jars/jar-list.ts";
import { isVendorBuild, type JarSetup } from "../model/jars.ts";
import { asUsage, type Command, type Terminal, UsageError } from "./command.ts";

const usage = `pulumi-fluss jars --release <release> [options]
pulumi-fluss jars [--out <folder>]

Fetches the client JARs that jobs need, checks that the set is complete, and writes them to a folder with a list of
them, ${JAR_LIST}: the SHA-256 of each and where it came from. Keep the list in version control, without the JARs:
then a preview needs no JAR, and an \`up\` fetches those that it uploads. Without --release it fetches what the list of
the folder names and is not there.

  --release <release>       1.0.0-vv-3, 0.9.1-incubating
  --catalog rest|jdbc|hadoop            default: rest
  --storage s3|s3Compatible|adls        default: s3
  --from docker|registry|maven          default: docker for builds of Ververica, maven for open releases
    docker                  runs the image's own installer, as the quickstart does
    registry                reads the layers of the image; Docker is not needed
    maven                   takes the open release and what it needs from a Maven repository
  --repository <address>    of the image, without tag, or of the Maven repository; default: the vendor's, Maven Central
  --also <name>             a further JAR of the image, by the beginning of its name; repeatable, with registry
  --out <folder>            default: jars
  --json                    print { "tieringJar", "clientJars", "leftOut" } as JSON

Logins come from FLUSS_REGISTRY_HOST, FLUSS_REGISTRY_USERNAME and FLUSS_REGISTRY_PASSWORD, else from docker login or
helm registry login. --from docker knows that of docker login only. A certificate authority of one's own is named by
SSL_CERT_FILE.

Examples:
  pulumi-fluss jars --release 1.0.0-vv-3
  pulumi-fluss jars --release 1.0.0-vv-3 --from registry --repository registry.example.com/mirror/fluss
  pulumi-fluss jars --release 0.9.1-incubating --storage s3Compatible --out client-jars
  pulumi-fluss jars
`;

/** `jars` */
export const jars: Command = {
    name: "jars",
    summary: "fetches the client JARs of a release, and lists them for previews and uploads",
    usage,
    async run(args, _env, terminal) {
        const { fetch, folder, json } = parse(args.slice(1));
        const report = (line: string) => terminal.error(line);
        if (!fetch) {
            const fetched = await completeClientJars(folder, report);
            terminal.out(json ? `${JSON.stringify({ fetched })}\n` : `${fetched.length} JARs fetched\n`);
            return 0;
        }
        const selection = await fetchClientJars({ ...fetch, folder, report });
        if (json) terminal.out(`${JSON.stringify(selection, undefined, 2)}\n`);
        else tell(selection, fetch, folder, terminal);
        return 0;
    },
};

type Selection = Awaited<ReturnType<typeof fetchClientJars>>;

function tell(
    { tieringJar, clientJars, leftOut }: Selection,
    { setup, source }: { setup: JarSetup; source: JarSource },
    folder: string,
    terminal: Terminal,
): void {
    for (const name of [tieringJar, ...clientJars]) terminal.out(`${path.basename(name)}\n`);
    for (const { name, reason } of leftOut) terminal.error(`left out: ${name}, which ${reason}`);
    terminal.error(`${clientJars.length + 1} JARs and ${JAR_LIST} written to ${folder}`);
    const quickstart = setup.release === "1.0.0-vv-3" && setup.catalog === "rest" && setup.storage !== "adls";
    if (source.kind === "registry" && quickstart && clientJars.length !== 6) {
        terminal.error(
            `note: the quickstart uploads 7 JARs for this setup, and names 3 of them. The others are chosen here by what jobs are known to need; ` +
                "--from docker takes all that the installer brings, and --also <name> adds one",
        );
    }
}

function parse(args: readonly string[]) {
    const one = { type: "string" } as const;
    const { values } = asUsage(() =>
        parseArgs({
            args: [...args],
            options: {
                release: one,
                catalog: { ...one, default: "rest" },
                storage: { ...one, default: "s3" },
                from: one,
                repository: one,
                also: { ...one, multiple: true, default: [] as string[] },
                out: { ...one, default: "jars" },
                json: { type: "boolean", default: false },
            },
        }),
    );
    const { release, repository, also, out: folder, json } = values;
    if (release === undefined) {
        const given = args.filter((arg) => /^--(catalog|storage|from|repository|also)\b/.test(arg));
        if (given.length > 0) throw new UsageError([`${given.join(", ")}: only together with --release`]);
        return { folder, json };
    }
    const faults: string[] = [];
    const choice = <T extends string>(flag: string, value: string, choices: readonly T[]): T => {
        const found = choices.find((one) => one === value);
        if (!found) faults.push(`--${flag} takes one of: ${choices.join(", ")}`);
        return found ?? choices[0]!;
    };
    const setup: JarSetup = {
        release,
        catalog: choice("catalog", values.catalog, ["rest", "jdbc", "hadoop"]),
        storage: choice("storage", values.storage, ["s3", "s3Compatible", "adls"]),
    };
    const from = values.from ?? (isVendorBuild(release) ? "docker" : "maven");
    const kind = choice("from", from, ["docker", "registry", "maven"]);
    if (kind !== "registry" && also.length > 0) faults.push("--also goes with --from registry only");
    if (!/^\d[\w.-]*$/.test(release)) faults.push("--release takes a release such as 1.0.0-vv-3");
    if (faults.length > 0) throw new UsageError(faults);
    const place = repository === undefined ? {} : { repository };
    const source: JarSource = kind === "registry" ? { kind, ...place, also } : { kind, ...place };
    return { fetch: { setup, source }, folder, json };
}
