import { all, each, everything, type PlannedResource, type Rule } from "../rule.ts";
import { at, entries, isPartlyUnknown, items, plainEntries, text, unknown } from "../values.ts";
import { tieringJobs } from "../views/jobs.ts";

/** Rules about the objects of the Flink operator and of VVP's operator: mistakes of the manual's own manifests. */
export const manifestRules: Rule[] = [
    {
        id: "flink-lib-visible",
        title: "No volume lies over Flink's lib folder",
        why: "The manifest of Running Lakehouse Jobs mounts an empty volume at /opt/flink/lib, which hides Flink itself: the JobManager does not start.",
        fix: "Mount it below, at /opt/flink/lib/fluss; FlinkTieringDeployment does.",
        level: "mandatory",
        group: "platform",
        check: each(flinkDeployments, ({ resource }) =>
            containers(resource).some((container) =>
                items(at(container, "volumeMounts")).some(
                    (mount) =>
                        /^\/opt\/flink(\/lib)?\/?$/.test(text(at(mount, "mountPath")) ?? "") &&
                        at(mount, "subPath") === undefined,
                ),
            )
                ? "a volume hides Flink's own JARs"
                : undefined,
        ),
    },
    {
        id: "flink-args-expanded",
        title: "Arguments of a FlinkDeployment name no variable that nobody fills in",
        why: "$(NAME) in job.args, as in Running Lakehouse Jobs, is replaced in standalone mode only (FLINK-27491): the catalog would get the marker as its password.",
        fix: "Write ${env:NAME} with --config.providers env (Fluss 1.0), or set mode: standalone.",
        level: "mandatory",
        group: "platform",
        check: each(flinkDeployments, ({ spec }) => {
            const args = items(at(spec, "job", "args")).flatMap((one) => text(one) ?? []);
            const mode = at(spec, "mode");
            const provider = args.some((one) => /^--config\.providers(=|$)/.test(one));
            return [
                ...(mode !== unknown &&
                mode !== "standalone" &&
                args.some((one) => /\$\([A-Za-z_]\w*\)/.test(one))
                    ? ["$(…) in its arguments is replaced by nobody"]
                    : []),
                ...(args.some((one) => /\$\{env:/.test(one)) &&
                !provider &&
                !isPartlyUnknown(at(spec, "job", "args"))
                    ? ["${env:…} in its arguments needs --config.providers env"]
                    : []),
            ];
        }),
    },
    {
        id: "flink-job-jar-apart",
        title: "The job's JAR is not on the class path",
        why: 'The tiering service is a job JAR and no plugin: in lib it is loaded twice (Running Lakehouse Jobs, "Additional Tiering Service Requirements").',
        fix: "Put it into /opt/flink/usrlib.",
        level: "advisory",
        group: "platform",
        check: each(flinkDeployments, ({ spec }) =>
            /^local:\/\/\/opt\/flink\/lib\//.test(text(at(spec, "job", "jarURI")) ?? "")
                ? "its JAR is in lib, on the class path"
                : undefined,
        ),
    },
    {
        id: "flink-service-account",
        title: "A FlinkDeployment names a ServiceAccount",
        why: "The operator refuses one without: spec.serviceAccount must be defined (Apache Flink Kubernetes Operator).",
        fix: "Set spec.serviceAccount, flink by default.",
        level: "mandatory",
        group: "platform",
        check: each(flinkDeployments, ({ resource, spec }) =>
            at(resource.props, "kind") === "FlinkDeployment" &&
            spec !== unknown &&
            at(spec, "serviceAccount") === undefined
                ? "the operator refuses it without a ServiceAccount"
                : undefined,
        ),
    },
    {
        id: "flink-pull-secret",
        title: "The pull secret of a FlinkDeployment is in its pod template",
        why: "spec.imagePullSecrets, as in Running Lakehouse Jobs, is no field of the resource: it is refused or dropped.",
        fix: "Write it in spec.podTemplate.spec.imagePullSecrets alone.",
        level: "mandatory",
        group: "platform",
        check: each(flinkDeployments, ({ spec }) =>
            items(at(spec, "imagePullSecrets")).length > 0
                ? "spec.imagePullSecrets is no field of it"
                : undefined,
        ),
    },
    {
        id: "hadoop-core-site",
        title: "A Flink job that reaches the lake through Hadoop gets a core-site.xml",
        why: "Without it reads return zero rows, and tiering reports missing credentials (Running Lakehouse Jobs, Troubleshooting).",
        fix: "Mount a Secret with core-site.xml and name its folder in HADOOP_CLASSPATH; coreSite of FlinkTieringDeployment does.",
        level: "mandatory",
        group: "platform",
        check: each(tieringJobs, ({ resource, runner, options, conf }) => {
            const hadoop =
                options.get("datalake.iceberg.type") === "hadoop" ||
                /HadoopFileIO$/.test(options.get("datalake.iceberg.io-impl") ?? "");
            const unsure =
                isPartlyUnknown(at(resource.props, "spec", "podTemplate")) ||
                isPartlyUnknown(at(resource.props, "spec", "flinkConfiguration"));
            if (runner !== "flink-operator" || !hadoop || unsure) return undefined;
            const mounted = containers(resource).some((container) =>
                items(at(container, "env")).some((one) =>
                    ["HADOOP_CLASSPATH", "HADOOP_CONF_DIR"].includes(text(at(one, "name")) ?? ""),
                ),
            );
            return mounted || conf.has("kubernetes.hadoop.conf.config-map.name")
                ? undefined
                : "Hadoop finds no keys for the lake";
        }),
    },
    {
        id: "operator-owner",
        title: "A VvpDeployment names its operator and its token",
        why: "The webhook refuses one without the label ververica.platform/owner, and validates the token that apikeySecretName names (VVP documentation; Running Lakehouse Jobs).",
        fix: "Set both, or use VvpOperatorDeployment.",
        level: "mandatory",
        group: "platform",
        check: each(vvpDeployments, ({ resource }) => {
            const metadata = at(resource.props, "metadata");
            const owner = at(metadata, "labels", "ververica.platform/owner");
            const secret = at(metadata, "annotations", "apikeySecretName");
            return [
                ...(owner === undefined ? ["has no label ververica.platform/owner"] : []),
                ...(secret === undefined ? ["has no annotation apikeySecretName"] : []),
            ];
        }),
    },
    {
        id: "tiering-stateless",
        title: "A tiering job starts afresh",
        why: "What was tiered is known to the Fluss servers, not to Flink's checkpoints: a savepoint brings nothing and may stop an upgrade (Fluss, tiering service).",
        fix: 'Use upgradeMode stateless, restoreStrategy NONE, or restart: "WITHOUT_STATE".',
        level: "advisory",
        group: "reliability",
        check: each(tieringJobs, ({ resource, runner }) => {
            const { props } = resource;
            if (runner === "flink-operator") {
                const mode = at(props, "spec", "job", "upgradeMode");
                return mode === unknown || mode === "stateless" ? undefined : "is upgraded with its state";
            }
            if (runner === "vvp-operator") {
                const kind = at(props, "spec", "deployment", "spec", "restoreStrategy", "kind");
                return kind === unknown || kind === "NONE" ? undefined : "is restored from its state";
            }
            const restart = at(props, "restart");
            return restart === unknown || restart === "WITHOUT_STATE" || restart === "NEVER"
                ? undefined
                : "is restarted with its state";
        }),
    },
    {
        id: "network-policy-lets-clients-in",
        title: "A NetworkPolicy for the Fluss servers lets clients in",
        why: "A policy that blocks the bootstrap port looks like Connection refused to every job (Reading and Writing Fluss, Troubleshooting).",
        fix: "Let port 9124 in from the namespaces of the jobs; networkPolicies of FlussCluster does.",
        level: "advisory",
        group: "platform",
        check: each(all("kubernetes:networking.k8s.io/v1:NetworkPolicy"), ({ props }) => {
            const spec = at(props, "spec");
            const labels = plainEntries(at(spec, "podSelector", "matchLabels"));
            const servers = labels.some(
                ([key, value]) =>
                    (key === "app.kubernetes.io/name" && value === "fluss") ||
                    (key === "app.kubernetes.io/component" && /^(tablet|coordinator)$/.test(value)),
            );
            const types = at(spec, "policyTypes");
            if (!servers || isPartlyUnknown(types) || isPartlyUnknown(at(spec, "ingress"))) return undefined;
            if (types !== undefined && !items(types).includes("Ingress")) return undefined;
            return items(at(spec, "ingress")).some(letsClientsIn)
                ? undefined
                : "lets no client in at port 9124";
        }),
    },
];

function flinkDeployments(plan: readonly PlannedResource[]) {
    return plan
        .filter(({ props }) => /^Flink(Deployment|SessionJob)$/.test(text(at(props, "kind")) ?? ""))
        .map((resource) => ({ resource, spec: at(resource.props, "spec") }));
}

function vvpDeployments(plan: readonly PlannedResource[]) {
    return everything(plan.filter(({ props }) => at(props, "kind") === "VvpDeployment"));
}

/** Of the pod template, and of those of JobManager and TaskManagers. */
function containers({ props }: PlannedResource): unknown[] {
    const spec = at(props, "spec");
    return [spec, at(spec, "jobManager"), at(spec, "taskManager")].flatMap((one) =>
        items(at(one, "podTemplate", "spec", "containers")),
    );
}

/** One rule of a policy: without `ports` it lets every port in. */
function letsClientsIn(rule: unknown): boolean {
    const ports = at(rule, "ports");
    if (rule === unknown || ports === unknown || ports === undefined) return true;
    // The servers among themselves are no clients.
    const peers = items(at(rule, "from"));
    const own = peers.length > 0 && peers.every(isServersOwn);
    return (
        !own &&
        items(ports).some((port) => {
            const from = at(port, "port");
            const to = at(port, "endPort");
            return (
                from === unknown ||
                from === 9124 ||
                from === "client" ||
                (typeof from === "number" && typeof to === "number" && from <= 9124 && to >= 9124)
            );
        })
    );
}

function isServersOwn(peer: unknown): boolean {
    const labels = entries(at(peer, "podSelector", "matchLabels"));
    return (
        at(peer, "namespaceSelector") === undefined &&
        labels.some(([key, value]) => key === "app.kubernetes.io/name" && value === "fluss")
    );
}
