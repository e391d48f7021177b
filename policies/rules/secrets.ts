import { optionsIn } from "../../model/text-options.ts";
import { all, each, everything, type PlannedResource, type Rule, types, valueAt } from "../rule.ts";
import { at, entries, items, plainEntries, text, texts } from "../values.ts";
import { flussCharts, lakekeeperCharts } from "../views/charts.ts";
import { jobs } from "../views/jobs.ts";
import { isClear, isReference, isSecretName, isWellKnown, keyIn, placeholderIn } from "../views/secrets.ts";
import { sqlPairs } from "../views/sql.ts";

/** Rules about secrets that stand where others read them. Messages name the place and never the value. */
export const secretRules: Rule[] = [
    {
        id: "no-secret-in-job",
        title: "A job names its secrets, it does not hold them",
        why: 'Arguments and SQL of a job are shown in the console and in Flink\'s own UI (quickstart, "Creating the Secret Values").',
        fix: "On the platform make a VvpSecretValue and write ${secret_values.<name>}; elsewhere ${env:NAME} with a Secret.",
        level: "mandatory",
        group: "security",
        check: each(placedJobs, ({ options, line = "", sql, conf }) =>
            clearKeys([
                ...options,
                ...conf,
                ...sql.flatMap((script) => sqlPairs(script)),
                ...[line, ...conf.values()].flatMap(pairsIn),
            ]).map((key) => `${key} is given in clear`),
        ),
    },
    {
        id: "no-secret-in-session-cluster",
        title: "A session cluster names its secrets, it does not hold them",
        why: 'The platform stores the Flink options of a session cluster, and everybody who may see the cluster sees them, there and in Flink\'s own UI (quickstart, "Creating the Secret Values").',
        fix: "Give the key to what needs it: the servers hand out keys of the lake, and a job names a VvpSecretValue as ${secret_values.<name>}.",
        level: "mandatory",
        group: "security",
        check: each(all(types.sessionCluster), ({ props }) =>
            clearKeys(plainEntries(at(props, "flinkConfiguration"))).map(
                (key) => `flinkConfiguration has ${key} in clear`,
            ),
        ),
    },
    {
        id: "no-secret-in-catalog",
        title: "A catalog on the platform names its secrets, it does not hold them",
        why: 'The platform stores the catalog\'s options, and everybody who may see the catalog sees them (Reading and Writing Fluss, "Lake Credentials").',
        fix: "Make a VvpSecretValue and write ${secret_values.<name>} in its place.",
        level: "mandatory",
        group: "security",
        check: each(all(types.catalog), ({ props }) =>
            // A gateway forgets its catalogs with each session, and replaces nothing.
            at(props, "runner", "kind") === "vvp"
                ? clearKeys(plainEntries(at(props, "options"))).map((key) => `${key} is given in clear`)
                : [],
        ),
    },
    {
        id: "no-secret-in-chart",
        title: "The values of a chart hold no secret",
        why: "Helm keeps all values in its release, and the quickstart's readiness probe writes the password into the StatefulSet, too (quickstart, values.yaml).",
        fix: "Name a Kubernetes Secret (existingSecret, secrets.env), and ${FLUSS_PROBE_PASSWORD} from extraEnv in the probe; FlussCluster does.",
        level: "mandatory",
        group: "security",
        check: each(
            (plan) => [...flussCharts(plan), ...lakekeeperCharts(plan)],
            ({ resource }) => [
                ...texts(valueAt(resource, "values"), "values").flatMap(({ path, key, text: value }) =>
                    isClear(key, value) ? [`${path} is given in clear`] : [],
                ),
                ...probePasswords(resource),
                ...environmentOf(valueAt(resource, "values")),
            ],
        ),
    },
    {
        id: "no-secret-in-config-map",
        title: "No ConfigMap holds keys",
        why: "Everybody who may read ConfigMaps reads them. The manual for the Flink operator puts the S3 keys of core-site.xml there (Running Lakehouse Jobs).",
        fix: "Put the file into a Secret and mount it; FlinkTieringDeployment does.",
        level: "mandatory",
        group: "security",
        check: each(all("kubernetes:core/v1:ConfigMap"), ({ resource }) =>
            plainEntries(valueAt(resource, "data")).flatMap(([file, content]) =>
                clearKeys([
                    [file, content.includes("\n") ? "" : content],
                    ...xmlProperties(content),
                    ...lineOptions(content),
                ]).map((key) => `${key === file ? "" : `${file}: `}${key} is given in clear`),
            ),
        ),
    },
    {
        id: "no-secret-in-pod",
        title: "No pod has a secret in its environment as a text",
        why: "The object shows it to everybody who may read pods (Kubernetes documentation, Secrets).",
        fix: "Take it from a Secret: valueFrom.secretKeyRef, or envFrom.secretRef.",
        level: "mandatory",
        group: "security",
        check: each(
            (plan) =>
                everything(
                    plan.filter(
                        ({ type, props }) =>
                            /^kubernetes:(apps|batch|core)\/v\d\w*:(Deployment|StatefulSet|DaemonSet|ReplicaSet|Job|CronJob|Pod)$/.test(
                                type,
                            ) || text(at(props, "kind"))?.startsWith("Flink"),
                    ),
                ),
            ({ resource }) => environmentOf(valueAt(resource, "spec")),
        ),
    },
    {
        id: "no-secret-in-headers",
        title: "No header of a connection is a secret",
        why: "Headers of a connection are kept in the state in clear (VvpConnectionArgs).",
        fix: "Put it into the stack configuration pulumi-fluss:vvpHeaders as a secret.",
        level: "mandatory",
        group: "security",
        check: each(everything, ({ resource }) =>
            [at(resource.props, "connection"), at(resource.props, "runner", "connection")].flatMap((one) =>
                entries(at(one, "headers")).flatMap(([name, value]) =>
                    /^(authorization|proxy-authorization|cookie)$|token|key|secret/i.test(name) &&
                    text(value) !== undefined
                        ? [`header ${name} is kept in clear`]
                        : [],
                ),
            ),
        ),
    },
    {
        id: "no-key-in-any-input",
        title: "No argument of any resource holds a key",
        why: "What is no secret to Pulumi is in the state, in previews and in pull requests in clear (Pulumi documentation, secrets). Keys are known by their form; whether an argument is a secret, Pulumi does not tell a pack.",
        fix: "Take it from where it is made, or from the stack configuration as a secret, and pass it to an argument that is meant for it.",
        level: "advisory",
        group: "security",
        check: each(everything, ({ resource }) =>
            keeps(resource)
                ? []
                : texts(resource.props).flatMap(({ path, text: value }) => {
                      const kind = kept.test(path) ? undefined : keyIn(value);
                      return kind ? [`${path} holds ${kind}`] : [];
                  }),
        ),
    },
    {
        id: "no-default-password",
        title: "No password is one that everybody knows",
        why: "Passwords of manuals and charts are the first that are tried. The Lakekeeper chart's own database has the password password (chart 0.12.0).",
        fix: "Generate it: random.RandomPassword, or leave it to the component.",
        level: "mandatory",
        group: "security",
        check: each(everything, ({ resource }) =>
            passwordsOf(resource).flatMap(([path, value]) =>
                isWellKnown(value) ? [`${path} is a password that everybody knows`] : [],
            ),
        ),
    },
    {
        id: "no-placeholder",
        title: "Nothing is left of a manual's placeholders",
        why: "The manuals write <AWS_REGION> and its like for what is yours; services take it as a value and fail late (all seed documents).",
        fix: "Put your value in its place.",
        level: "mandatory",
        group: "security",
        check: each(lakehouseParts, ({ resource }) =>
            texts(resource.props).flatMap(({ path, text: value }) => {
                const placeholder = placeholderIn(value);
                return placeholder ? [`${path} still has ${placeholder}`] : [];
            }),
        ),
    },
];

/** Those of an open session cluster are left out: nothing there replaces a name, so that they are kept as secrets. */
function placedJobs(plan: readonly PlannedResource[]) {
    return jobs(plan).filter(({ runner }) => runner !== "session");
}

/** What the manuals are about; elsewhere such a text may be no placeholder. */
function lakehouseParts(plan: readonly PlannedResource[]) {
    const about =
        /^(pulumi-nodejs:dynamic\/(vvp|fluss|flink|lakekeeper):|kubernetes:(helm|flink|ververica|core)|aws:(s3|iam)\/)/;
    return everything(plan.filter(({ type }) => about.test(type)));
}

/** Arguments of this library's resources that are kept encrypted in the state. */
const kept =
    /^(__provider$|args\b|catalogs\b|connection\b|credential\b|access\b|options\b|catalog\.options\b|password$)/;

/** Kinds whose arguments are kept encrypted, or that are there to hold a secret; components and the stack repeat others'. */
function keeps({ type }: PlannedResource): boolean {
    return (
        type === "kubernetes:core/v1:Secret" ||
        type === types.secretValue ||
        type === types.token ||
        /^(pulumi:|fluss:index:|random:|tls:|command:|aws:(secretsmanager|ssm|iam\/accessKey))/.test(type)
    );
}

/** Options in arguments and in Java options, as `-Dname=value`. */
function pairsIn(line: string): [string, string][] {
    return optionsIn(line).map(({ name, value }) => [name, value]);
}

/** Names of the options that are secrets in clear, each once. */
function clearKeys(options: readonly (readonly [string, string])[]): string[] {
    return [...new Set(options.filter(([key, value]) => isClear(key, value)).map(([key]) => key))];
}

/** `client.security.sasl.password` of the probe, whose options are separated by semicolons. */
function probePasswords(resource: PlannedResource): string[] {
    return texts(valueAt(resource, "values"), "values")
        .filter(({ key }) => key === "healthCheckAuth")
        .flatMap(({ path, text: value }) =>
            value.split(";").flatMap((option) => {
                const [key = "", ...rest] = option.split(":");
                return isClear(key, rest.join(":")) ? [`${path} has ${key} in clear`] : [];
            }),
        );
}

/** `env` of every container below. */
function environmentOf(value: unknown): string[] {
    const own = ["env", "extraEnv", "extraEnvVars"].flatMap((field) =>
        items(at(value, field)).flatMap((one) => {
            const [name, content] = [text(at(one, "name")), text(at(one, "value"))];
            return name !== undefined && content !== undefined && isClear(name, content)
                ? [`variable ${name} is given in clear`]
                : [];
        }),
    );
    const below = Array.isArray(value) ? value : entries(value).map(([, one]) => one);
    return [...own, ...below.flatMap(environmentOf)];
}

/** Properties of a file of Hadoop. */
function xmlProperties(content: string): [string, string][] {
    const pattern = /<name>\s*([^<]+?)\s*<\/name>\s*<value>\s*([^<]*?)\s*<\/value>/g;
    return [...content.matchAll(pattern)].map(([, key = "", value = ""]) => [key, value]);
}

/** Lines such as `s3.secret.key: x` of server.yaml and properties. */
function lineOptions(content: string): [string, string][] {
    const pattern = /^[ \t]*([A-Za-z][\w.-]*)[ \t]*[:=][ \t]*(\S.*?)[ \t]*$/gm;
    return [...content.matchAll(pattern)].map(([, key = "", value = ""]) => [key, value]);
}

/** Arguments that are passwords, wherever they are meant to be. */
function passwordsOf(resource: PlannedResource): [path: string, value: string][] {
    const { type, props } = resource;
    if (type === types.secretValue) return plainEntries({ value: props["value"] });
    const password = (key: string) => /pass(word|wd)?$|secret[._-]?key$|secretAccessKey$/i.test(key);
    const found = texts(props).filter(
        ({ key, text: value }) =>
            key !== "__provider" &&
            password(key) &&
            (isSecretName(key) || /[._-]/.test(key)) &&
            !isReference(value),
    );
    return found.map(({ path, text: value }) => [path, value]);
}
