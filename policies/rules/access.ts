import {
    all,
    anyOf,
    each,
    everything,
    type PlannedResource,
    type Rule,
    textAt,
    types,
    valueAt,
} from "../rule.ts";
import { at, entries, isPartlyUnknown, items, plain, text, unknown } from "../values.ts";
import { clientsLogIn, flussCharts, lakekeeperCharts, serverText } from "../views/charts.ts";

/** Ports of Fluss, ZooKeeper, Lakekeeper, Flink's UI and SQL gateway. */
const defaultPorts = "9123-9126,2181,8181,8081,8083";
const ports = {
    default: defaultPorts,
    what: "ports that must not be open, with commas between",
    fault: portsFault,
} as const;

const firewalls = [
    "aws:ec2/securityGroup:SecurityGroup",
    "aws:ec2/securityGroupRule:SecurityGroupRule",
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
];

/** Rules about who may log in where, and what crosses the network in clear. */
export const accessRules: Rule[] = [
    {
        id: "connections-use-tls",
        title: "Connections that leave the cluster use TLS",
        why: "The API token of the platform and the token of the catalog would cross the network in clear.",
        fix: "Use https://; for a private authority give caCertificate.",
        level: "advisory",
        group: "security",
        check: each(everything, ({ resource }) =>
            [
                valueAt(resource, "connection.url"),
                valueAt(resource, "runner.connection.url"),
                valueAt(resource, "runner.url"),
                valueAt(resource, "cluster.url"),
                valueAt(resource, "gateway.url"),
            ].flatMap((url) => {
                const [, host] = /^http:\/\/([^/:]+)/.exec(text(url) ?? "") ?? [];
                return host !== undefined && leaves(host) ? [`calls http://${host} without TLS`] : [];
            }),
        ),
    },
    {
        id: "no-open-port",
        title: "No firewall opens the ports of the lakehouse to everybody",
        why: "0.0.0.0/0 makes the instance publicly accessible; Fluss has no TLS, and any user that can log in is an administrator (Manage Fluss catalog, step 1).",
        fix: "Name the networks of your jobs.",
        level: "mandatory",
        group: "security",
        settings: { ports },
        check: each(all(...firewalls), ({ resource }, settings) => {
            const wanted = portsOf(settings["ports"]);
            const open = firewallRules(resource).filter(
                ({ from, to, open }) => open && wanted.some((port) => port >= from && port <= to),
            );
            return open.map(({ from, to }) => `opens ports ${from} to ${to} to everybody`);
        }),
    },
    {
        id: "service-not-public",
        title: "No Service puts the ports of the lakehouse on a public load balancer",
        why: "Fluss has no TLS, and Lakekeeper behind a bare load balancer takes tokens in clear.",
        fix: "Keep it a ClusterIP, or ask for an internal load balancer by the annotation of your cloud.",
        level: "advisory",
        group: "security",
        settings: { ports },
        check: each(all("kubernetes:core/v1:Service"), ({ resource }, settings) => {
            if (textAt(resource, "spec.type") !== "LoadBalancer") return undefined;
            if (valueAt(resource, "metadata.annotations") === unknown) return undefined;
            const notes = entries(valueAt(resource, "metadata.annotations"));
            const internal = ([key, value]: [string, unknown]) =>
                /internal|scheme/i.test(key) &&
                (value === unknown || /true|internal/i.test(plain(value) ?? ""));
            if (notes.some(internal)) return undefined;
            const wanted = portsOf(settings["ports"]);
            const open = items(valueAt(resource, "spec.ports"))
                .map((port) => Number(plain(at(port, "port"))))
                .filter((port) => wanted.includes(port));
            return open.length > 0 ? `port ${open.join(", ")} is on a public load balancer` : undefined;
        }),
    },
    {
        id: "ingress-tls",
        title: "Every way in from outside has a certificate",
        why: "Without TLS the token of each request can be read on the way (Lakekeeper documentation).",
        fix: "Give tlsSecret (spec.tls of an Ingress, catalog.ingress.tls of the chart).",
        level: "mandatory",
        group: "security",
        check: anyOf(
            each(lakekeeperCharts, ({ values }) => {
                const ingress = at(values, "catalog", "ingress");
                return at(ingress, "enabled") === true && isOff(at(ingress, "tls", "enabled"))
                    ? "its ingress has no certificate"
                    : undefined;
            }),
            each(all("kubernetes:networking.k8s.io/v1:Ingress"), ({ resource }) => {
                const parts = backends(resource).filter((name) =>
                    /lakekeeper|fluss|ververica|vvp/i.test(name),
                );
                const bare = valueAt(resource, "spec.tls") === undefined;
                return parts.length > 0 && bare ? `leads to ${parts[0]} without a certificate` : undefined;
            }),
        ),
    },
    {
        id: "database-tls",
        title: "Lakekeeper's external database is reached by TLS",
        why: "libpq's default prefers TLS and falls back to none without a word (chart 0.12.0; PostgreSQL documentation, sslmode).",
        fix: "Set database.tls to require or verify-full (LAKEKEEPER__PG_SSL_MODE).",
        level: "advisory",
        group: "security",
        check: each(lakekeeperCharts, ({ values }) => {
            const external = at(values, "externalDatabase");
            if (external === undefined || external === unknown) return undefined;
            const environment = at(values, "catalog", "extraEnv");
            if (isPartlyUnknown(environment)) return undefined;
            if (items(environment).some((one) => at(one, "name") === unknown)) return undefined;
            const mode = items(environment).find((one) => at(one, "name") === "LAKEKEEPER__PG_SSL_MODE");
            const value = at(mode, "value");
            return value === unknown || /^(require|verify-ca|verify-full)$/.test(text(value) ?? "")
                ? undefined
                : "the connection to its database may be in clear";
        }),
    },
    {
        id: "fluss-client-login",
        title: "Clients of Fluss must log in",
        why: "Without SASL on the client listener everybody who reaches the port reads and drops every table (quickstart, values.yaml; Securing Fluss).",
        fix: "Set security.client.sasl.mechanism to plain with users from a Secret, or use FlussCluster.",
        level: "mandatory",
        group: "security",
        check: each(flussCharts, (chart) =>
            clientsLogIn(chart) === false && chart.values !== unknown ? "clients need no login" : undefined,
        ),
    },
    {
        id: "fluss-internal-login",
        title: "The servers of Fluss log in to each other, with a password of their own",
        why: "Without credentials the chart makes a user and a password from the release's name, which anybody can compute (chart 1.0.0).",
        fix: "Set security.internal.sasl with an existingSecret, or use FlussCluster.",
        level: "mandatory",
        group: "security",
        check: each(flussCharts, ({ values }) => {
            const sasl = at(values, "security", "internal", "sasl");
            if (values === unknown || sasl === unknown) return undefined;
            const mechanism = at(sasl, "mechanism");
            if (mechanism === unknown) return undefined;
            if (text(mechanism)?.toLowerCase() !== "plain") return "the internal listener needs no login";
            const given = ["username", "existingSecret"].some(
                (key) => at(sasl, "plain", key) !== undefined && at(sasl, "plain", key) !== "",
            );
            return given ? undefined : "the password of the internal listener can be computed";
        }),
    },
    {
        id: "zookeeper-login",
        title: "ZooKeeper wants a login",
        why: "ZooKeeper holds the metadata of every table; who writes there owns the cluster (quickstart, values.yaml).",
        fix: "Set zookeeper.auth.client.enabled and security.zookeeper.sasl with a Secret, or use FlussCluster.",
        level: "advisory",
        group: "security",
        check: each(flussCharts, ({ values, zookeeper }) => {
            const mechanism = at(values, "security", "zookeeper", "sasl", "mechanism");
            if (values === unknown) return undefined;
            if (mechanism !== unknown && text(mechanism)?.toLowerCase() !== "plain")
                return "the servers do not log in to ZooKeeper";
            return zookeeper !== undefined && isOff(at(zookeeper, "auth", "client", "enabled"))
                ? "ZooKeeper wants no login"
                : undefined;
        }),
    },
    {
        id: "fluss-authorizer",
        title: "Fluss checks what each user may do",
        why: "authorizer.enabled is false by default, and then any user that can log in is an administrator (Fluss 1.0 configuration).",
        fix: "Set authorizer.enabled and super.users; settings.authorizer of FlussCluster does.",
        level: "advisory",
        group: "security",
        check: each(flussCharts, (chart) => {
            const overrides = at(chart.values, "configurationOverrides");
            if (overrides === unknown || at(overrides, "authorizer.enabled") === unknown) return undefined;
            return serverText(chart, "authorizer.enabled") === "true"
                ? undefined
                : "every user is an administrator";
        }),
    },
    {
        id: "lakekeeper-login",
        title: "Lakekeeper wants a token",
        why: "Without any authentication Lakekeeper lets everybody do everything (Lakekeeper documentation; quickstart, lakekeeper-values.yaml).",
        fix: "Set auth.k8s.enabled (quickstart) or auth.oauth2.providerUri, or use LakekeeperCatalog.",
        level: "mandatory",
        group: "security",
        check: each(lakekeeperCharts, ({ values }) => {
            const ways = [at(values, "auth", "k8s", "enabled"), at(values, "auth", "oauth2", "providerUri")];
            return ways.some((way) => way === unknown || way === true || (text(way) ?? "") !== "")
                ? undefined
                : "everybody may call it";
        }),
    },
    {
        id: "lakekeeper-authorizer",
        title: "Lakekeeper checks what each user may do",
        why: "With allowall any token may drop any warehouse (Lakekeeper documentation); the quickstart's instance is for trying, not for production.",
        fix: "Use OpenFGA: authz.backend openfga, openFga of LakekeeperCatalog. Decide before the first start.",
        level: "advisory",
        group: "security",
        check: each(lakekeeperCharts, ({ values }) => {
            const backend = at(values, "authz", "backend");
            return backend === unknown || /^(openfga|cedar)$/.test(text(backend) ?? "")
                ? undefined
                : "every token may do everything";
        }),
    },
    {
        id: "lakekeeper-database-password",
        title: "Lakekeeper's own database has a password of its own",
        why: "Without userDatabase.existingSecret the chart's PostgreSQL has the password password, and a later change does not reach it (chart 0.12.0).",
        fix: "Name a Secret with a random password, or use LakekeeperCatalog.",
        level: "mandatory",
        group: "security",
        check: each(lakekeeperCharts, ({ values }) => {
            const [own, external] = [at(values, "postgresql"), at(values, "externalDatabase")];
            if (
                values === unknown ||
                own === unknown ||
                at(own, "enabled") === false ||
                external !== undefined
            )
                return undefined;
            const user = at(own, "userDatabase");
            const given =
                user === unknown ? unknown : (at(user, "existingSecret") ?? at(user, "password", "value"));
            return given === undefined || given === "" ? "has the chart's password" : undefined;
        }),
    },
    {
        id: "api-token-limited",
        title: "An API token ends, and is no owner's",
        why: "Whoever finds an owner's token that never ends owns the namespace for ever; most programs need an editor's (VVP documentation, API tokens).",
        fix: "Give expireTime, and role editor or viewer.",
        level: "advisory",
        group: "security",
        check: each(all(types.token), ({ resource }) => [
            ...(textAt(resource, "role") === "owner" ? ["has the rights of an owner"] : []),
            ...(valueAt(resource, "expireTime") === undefined ? ["never ends"] : []),
        ]),
    },
];

/** Hosts of this machine and of the cluster are no way that others listen on. */
function leaves(host: string): boolean {
    return /\./.test(host) && !/^127\.|\.svc(\.|$)|\.local$|\.localhost$/.test(host);
}

function isOff(value: unknown): boolean {
    return value !== unknown && plain(value) !== "true";
}

/** `9123-9126,2181` */
function portsFault(setting: string): string | undefined {
    const wrong = setting.split(",").filter((part) => {
        const [, from, to = from] = /^\s*(\d{1,5})(?:-(\d{1,5}))?\s*$/.exec(part) ?? [];
        return from === undefined || Number(from) > Number(to) || Number(to) > 65_535;
    });
    if (wrong.length === 0) return undefined;
    return `has what is no port and no range of ports: ${wrong.map((part) => `'${part.trim()}'`).join(", ")}`;
}

function portsOf(setting: unknown): number[] {
    return (text(setting) ?? defaultPorts).split(",").flatMap((part) => {
        const [from = 0, to = from] = part.split("-").map(Number);
        return Array.from(
            { length: Math.max(0, Math.min(to - from, 65_535)) + 1 },
            (_, index) => from + index,
        );
    });
}

function firewallRules({ type, props }: PlannedResource): { from: number; to: number; open: boolean }[] {
    const rules = type === firewalls[0] ? items(props["ingress"]) : [props];
    return rules.flatMap((rule) => {
        if (type === firewalls[1] && at(rule, "type") !== "ingress") return [];
        const everybody = ["cidrBlocks", "ipv6CidrBlocks", "cidrIpv4", "cidrIpv6"].flatMap((key) => {
            const given = at(rule, key);
            return [given].flat();
        });
        const every = [at(rule, "protocol"), at(rule, "ipProtocol")].some((name) => plain(name) === "-1");
        const [from, to] = [Number(plain(at(rule, "fromPort"))), Number(plain(at(rule, "toPort")))];
        const open = everybody.some((one) => one === "0.0.0.0/0" || one === "::/0");
        return [every ? { from: 0, to: 65_535, open } : { from, to, open }];
    });
}

/** Names of the Services behind an Ingress. */
function backends(resource: PlannedResource): string[] {
    return items(valueAt(resource, "spec.rules")).flatMap((rule) =>
        items(at(rule, "http", "paths")).flatMap((one) => text(at(one, "backend", "service", "name")) ?? []),
    );
}
