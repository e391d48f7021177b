import * as z from "zod";
import { type Fault, FaultsError, joinPath, strict, throwFaults, zodFaults } from "./faults.ts";
import { type FlussVersion, optionFaults, shownOption } from "./fluss-options.ts";
import { lakeSchema } from "./lake.ts";
import { datalakeOptions } from "./lake-options.ts";
import { type Storage, storageSchema, storageUri } from "./lake-storage.ts";
import { saslPassword, saslUsername } from "./names.ts";
import { type Option, renderOptions, type SecretForm, secretRef } from "./secret-ref.ts";

/** A SASL user of the cluster, its password in clear: JAAS knows no markers. */
const saslUser = strict({
    username: saslUsername,
    password: secretRef.refine((ref) => saslPassword.safeParse(ref.value).success, {
        error: 'must have a "value" without ", \\ and control characters: it stands in the JAAS configuration',
        params: { fix: 'Give "value"; generate it from letters, digits and _ - .' },
    }),
});

/** Schema of {@link Cluster}. */
export const clusterSchema = strict({
    version: z.enum(["0.9", "1.0"]),
    /** Where log segments and snapshots go: a bucket of its own, not the lake's. */
    remote: storageSchema.check(({ value, issues }) => {
        const [field, given] =
            value.type === "adls" ? ["accountKey", value.accountKey] : ["accessKey", value.accessKey];
        if (given) return;
        issues.push({
            code: "custom",
            input: undefined,
            path: [field],
            message: "is required: Fluss up to 1.0.0 finds no keys of the machine or the pod by itself",
            params: { fix: `Give ${field}` },
        });
    }),
    /** The lake that tables may be tiered to. Default: none. */
    lake: lakeSchema.optional(),
    /**
     * SASL PLAIN for servers that run as plain processes; the Helm chart makes its own from Secrets. Default: no
     * authentication.
     */
    sasl: strict({
        /** Who may connect through the client listener. */
        users: z.array(saslUser).min(1, { error: "needs at least one user" }),
        /** As whom the servers talk to each other. Default: without authentication, on the internal listener. */
        internal: saslUser.optional(),
    })
        .refine(
            ({ users, internal }) =>
                allDifferent([...users, internal].flatMap((user) => user?.username ?? [])),
            {
                error: "names a user twice; of two passwords only the last one counts",
                params: { fix: "Give every user one entry, the internal user another name" },
            },
        )
        .optional(),
    /** Further options of the servers by their real names. Numbers and booleans are written out. */
    overrides: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
});

/** A Fluss cluster as its servers' configuration sees it. */
export type Cluster = z.output<typeof clusterSchema>;

/** {@link Cluster} before defaults are filled in. */
export type ClusterInput = z.input<typeof clusterSchema>;

/** Listeners of servers that run as plain processes; `bind.listeners` names them with their ports. */
export const listenerNames = { internal: "FLUSS", client: "CLIENT" } as const;

/**
 * The options that all servers of a cluster share, ready for server.yaml: every value is a string, in the order of the
 * quickstart. What differs by process (`data.dir`, `bind.listeners`, `zookeeper.address`, `tablet-server.id`) is added
 * by whoever starts it. Secrets take the given form; Fluss 0.9 needs `value`.
 *
 * Throws a `FaultsError` with every fault: of the input, of options that do not exist or have values of another type,
 * and of values that the server's parser or the chart's templates would change.
 */
export function serverOptions(input: ClusterInput, form: SecretForm): Record<string, string> {
    const parsed = clusterSchema.safeParse(input);
    if (!parsed.success) {
        throw new FaultsError("cluster", [
            ...zodFaults(parsed.error, input, "cluster"),
            ...overrideFaults(input.overrides, input.version),
        ]);
    }
    const cluster = parsed.data;
    const faults = formFaults(cluster.version, form);
    const derived = [...remoteOptions(cluster.remote), ...lakeOptions(cluster), ...saslOptions(cluster)];
    const options = [...derived, ...overrideOptions(cluster.overrides)];
    faults.push(...overrideFaults(cluster.overrides, cluster.version, derived));
    const { rendered, faults: missing } = renderOptions(options, form);
    faults.push(...missing);
    rendered.slice(0, derived.length).forEach(([key, value], index) => {
        const { path, value: source } = derived[index]!;
        // A secret without that form has its fault already.
        if (typeof source !== "string" && value === "") return;
        faults.push(...optionFaults(key, value, cluster.version, path), ...textFaults(key, value, path));
    });
    throwFaults("the configuration of the Fluss servers", faults);
    return Object.fromEntries(rendered);
}

/**
 * What is wrong with overrides by themselves: those that are not theirs to set, options that do not exist, values of another type.
 * What is no text, number or boolean is a fault of the schema and left out.
 * @param derived the options that come from the other settings. Default: the one that every remote storage gives.
 */
export function overrideFaults(
    overrides: ClusterInput["overrides"],
    version: FlussVersion,
    derived: readonly { key: string }[] = [{ key: "remote.data.dir" }],
): Fault[] {
    const entries = typeof overrides === "object" ? Object.entries(overrides ?? {}) : [];
    const given = Object.fromEntries(
        entries.filter(([, value]) => ["string", "number", "boolean"].includes(typeof value)),
    );
    return [
        ...reservedFaults(given, new Set(derived.map(({ key }) => key))),
        ...overrideOptions(given).flatMap(({ key, value, path }) => [
            ...optionFaults(key, value, version, path),
            ...textFaults(key, value, path),
        ]),
    ];
}

/**
 * What server.yaml and the Helm chart would do to a value. Fluss's own parser cuts at `#`, ends at a line break and
 * drops what is empty or surrounded by blanks; the chart runs every value through its template engine.
 */
export function textFaults(key: string, value: string, path: string): Fault[] {
    const shown = shownOption(key, value);
    const fault = (reason: string, fix: string): Fault => ({
        path,
        ...shown,
        reason: `${key} ${reason}`,
        fix,
    });
    if (value.trim() === "") return [fault("is empty, and Fluss drops empty options", "Give a value")];
    const faults: Fault[] = [];
    if (value !== value.trim())
        faults.push(fault("has blanks at its ends, which Fluss drops", "Remove the blanks"));
    if (value.includes("#")) faults.push(fault("contains #, where Fluss cuts the value", "Avoid #"));
    if (/\p{Cc}/u.test(value))
        faults.push(fault("contains a line break or control character", "Use one line"));
    if (value.includes("{{"))
        faults.push(fault("contains {{, which the Helm chart takes for a template", "Avoid {{"));
    return faults;
}

/** Options of the remote storage, keys first, as in the quickstart. */
function remoteOptions(remote: Storage): Option[] {
    const at = "cluster.remote";
    if (remote.type === "adls") {
        const options: Option[] = [
            { key: "remote.data.dir", value: storageUri(remote, "abfss"), path: `${at}.prefix` },
        ];
        if (remote.accountKey) {
            options.push({
                key: "fs.azure.account.key",
                value: remote.accountKey,
                path: `${at}.accountKey`,
            });
        }
        return options;
    }
    const options: Option[] = [
        { key: "remote.data.dir", value: storageUri(remote, "s3"), path: `${at}.prefix` },
    ];
    if (remote.accessKey) {
        options.push(
            { key: "s3.access.key", value: remote.accessKey.id, path: `${at}.accessKey.id` },
            { key: "s3.secret.key", value: remote.accessKey.secret, path: `${at}.accessKey.secret` },
        );
    }
    options.push({ key: "s3.region", value: remote.region, path: `${at}.region` });
    if (remote.type === "s3") return options;
    options.push(
        { key: "s3.endpoint", value: remote.endpoint, path: `${at}.endpoint` },
        { key: "s3.path.style.access", value: String(remote.pathStyle), path: `${at}.pathStyle` },
    );
    if (remote.stsEndpoint !== undefined) {
        const key = "s3.assumed.role.sts.endpoint";
        options.push({ key, value: remote.stsEndpoint, path: `${at}.stsEndpoint` });
    }
    return options;
}

/** `datalake.enabled` exists since 1.0; before, the format alone turns the lake on. */
function lakeOptions({ lake, version }: Cluster): Option[] {
    if (!lake) return [];
    const enabled = { key: "datalake.enabled", value: "true", path: "cluster.lake" };
    return [...(version === "1.0" ? [enabled] : []), ...datalakeOptions(lake, "cluster.lake")];
}

function saslOptions({ sasl }: Cluster): Option[] {
    if (!sasl) return [];
    const { internal, client } = listenerNames;
    const at = "cluster.sasl";
    const users = sasl.internal ? [...sasl.users, sasl.internal] : sasl.users;
    const entries = users.map(({ username, password }) => `user_${username}="${password.value}"`);
    const module = "org.apache.fluss.security.auth.sasl.plain.PlainLoginModule";
    const protocols = `${internal}:${sasl.internal ? "SASL" : "PLAINTEXT"}, ${client}:SASL`;
    const options: Option[] = [
        { key: "internal.listener.name", value: internal, path: at },
        { key: "security.protocol.map", value: protocols, path: at },
        { key: "security.sasl.enabled.mechanisms", value: "PLAIN", path: at },
        {
            key: "security.sasl.plain.jaas.config",
            value: `${module} required ${entries.join(" ")};`,
            path: `${at}.users`,
        },
    ];
    if (sasl.internal) {
        const { username, password } = sasl.internal;
        options.push(
            { key: "client.security.protocol", value: "SASL", path: at },
            { key: "client.security.sasl.mechanism", value: "PLAIN", path: at },
            { key: "client.security.sasl.username", value: username, path: `${at}.internal.username` },
            {
                key: "client.security.sasl.password",
                value: password.value ?? "",
                path: `${at}.internal.password`,
            },
        );
    }
    return options;
}

function overrideOptions(overrides: Cluster["overrides"]): (Option & { value: string })[] {
    return Object.entries(overrides).map(([key, value]) => ({ key, value: String(value), path: at(key) }));
}

/** Overrides of what is not theirs to set. */
function reservedFaults(overrides: Cluster["overrides"], derived: Set<string>): Fault[] {
    return Object.keys(overrides).flatMap((key): Fault[] => {
        const path = at(key);
        const shown = shownOption(key, overrides[key]);
        const reason = derived.has(key)
            ? `${key} is derived from the other settings`
            : key.startsWith("datalake.")
              ? "the server's lake options and those of the tiering job must be the same, so both come from the lake"
              : perProcess[key];
        return reason ? [{ path, ...shown, reason, fix: "Remove it, or set it there" }] : [];
    });
}

const perProcess: Record<string, string> = {
    "data.dir": "data.dir must be the mount of the data volume: elsewhere the data is lost with the pod",
    "data.dirs": "data.dirs must be the mount of the data volume: elsewhere the data is lost with the pod",
    "bind.listeners": "bind.listeners differs by process and is set when the process is started",
    "advertised.listeners": "advertised.listeners differs by process and is set when the process is started",
    "tablet-server.id": "tablet-server.id differs by process and is set when the process is started",
};

function formFaults(version: FlussVersion, form: SecretForm): Fault[] {
    const path = "cluster.version";
    if (form === "secretValue") {
        const reason = "secret values are known to VVP only, not to a Fluss server";
        return [{ path, reason, fix: 'Render the options with "env" or "value"' }];
    }
    if (form !== "env" || version !== "0.9") return [];
    const reason =
        "Fluss 0.9 does not replace ${env:...}: the servers start, and only the object store refuses the marker as a key";
    return [{ path, value: version, reason, fix: 'Render the options with "value", or use Fluss 1.0' }];
}

function allDifferent(names: string[]): boolean {
    return new Set(names).size === names.length;
}

function at(key: string): string {
    return joinPath("cluster.overrides", [key]);
}
