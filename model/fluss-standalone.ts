import * as z from "zod";
import { type Fault, joinPath, parse, strict, throwFaults } from "./faults.ts";
import { type clusterSchema, listenerNames, serverOptions } from "./fluss-config.ts";
import { flussVersionOf } from "./fluss-options.ts";
import type { Lake } from "./lake.ts";
import { usesHadoop } from "./lake-core-site.ts";
import { shellWord } from "./shell.ts";
import { hasLogin } from "./url.ts";

/**
 * Fluss on one machine (seed 003, "Configure and Start Fluss on an EC2 Instance"): ZooKeeper, one coordinator and one tablet
 * server. The ports are the seed's; 2181, ZooKeeper's, is bound to the loopback.
 */
export const standalonePorts = {
    /** Of the coordinator, for the servers among themselves. */
    coordinatorInternal: 9123,
    /** Of the coordinator, for clients. */
    coordinator: 9124,
    /** Of the tablet server, for clients. */
    tablet: 9125,
    /** Of the tablet server, for the servers among themselves. */
    tabletInternal: 9126,
} as const;

/** Where the machine has what. */
export const standaloneFolders = { software: "/opt/fluss", data: "/var/lib/fluss" } as const;

const sha512 = z.string().refine((text) => /^[0-9a-f]{128}$/i.test(text), {
    error: "is not a SHA-512 in hexadecimal digits",
    params: { fix: "Give the 128 digits of the file's .sha512" },
});

const url = z
    .string()
    .refine((text) => /^https:\/\/[^\s'"\\]+$/.test(text) && URL.canParse(text) && !hasLogin(text), {
        error: "is not an https URL without blanks, quotes, user and password",
        params: {
            fix: "Give a place that the machine reaches by https without a login: whoever may describe the instance reads its user data",
        },
    });

/** A file that is fetched while the machine boots. */
const download = strict({ url, sha512 });

/** A JAR for a folder below `plugins`, under its name in the URL's path. */
const plugin = strict({
    folder: z.string().refine((text) => /^[a-z0-9-]+$/.test(text), {
        error: "is not the name of a plugin's folder",
        params: { fix: "Write it like iceberg" },
    }),
    ...download.shape,
    url: url.refine((text) => jarName(text) !== undefined, {
        error: "has a path that does not end in the name of a JAR: letters, digits, _ . + -, and .jar",
        params: { fix: "Give a place that ends in one; a query may follow" },
    }),
});

/** Schema of {@link StandaloneSoftware}. */
export const standaloneSoftware = strict({
    /** Release of Fluss, which the options follow: `0.9.1-incubating`. */
    release: z.string().refine((text) => /^\d+\.\d+\.[\w.-]+$/.test(text), {
        error: "is not a release of Fluss",
        params: { fix: "Write it like 0.9.1-incubating" },
    }),
    /** The binary distribution, `fluss-<release>-bin.tgz`, whose folders lie below one. */
    archive: download,
    /**
     * Further JARs for folders below `plugins`. The distribution brings the file systems; a lake needs its JARs in `iceberg`.
     * Default: none.
     */
    plugins: z
        .array(plugin)
        .check(({ value, issues }) => {
            const files = value.map(pluginFile);
            for (const [index, file] of files.entries()) {
                if (files.indexOf(file) === index || jarName(value[index]!.url) === undefined) continue;
                const message = `is ${file} as an earlier one is, and would take its place`;
                const params = { fix: "Give each JAR of a folder a name of its own" };
                const path = [index, "url"];
                issues.push({ code: "custom", input: value[index]!.url, path, message, params });
            }
        })
        .default([]),
});

/** What is installed on the machine. */
export type StandaloneSoftware = z.input<typeof standaloneSoftware>;

/** The cluster as {@link standaloneConfig} takes it: SASL is demanded, for an address that others reach. */
export type StandaloneCluster = Omit<z.input<typeof clusterSchema>, "version" | "sasl"> &
    Required<Pick<z.input<typeof clusterSchema>, "sasl">>;

/**
 * server.yaml of the machine, secrets in it: the options that the model derives, and those of the coordinator's process.
 * Those of the tablet server's process are arguments of its start, see {@link standaloneUserData}. The internal listeners are
 * bound to the loopback, where the seed opens them on every address: nobody else needs them.
 *
 * Throws a `FaultsError` with every fault.
 * @param host under which clients reach the machine
 */
export function standaloneConfig(release: string, cluster: StandaloneCluster, host: string): string {
    const overrides = cluster.overrides ?? {};
    throwFaults("the configuration of the Fluss servers", standaloneFaults(overrides, host));
    const { coordinator, coordinatorInternal } = standalonePorts;
    const options = {
        "default.replication.factor": "1",
        ...serverOptions({ ...cluster, version: flussVersionOf(release) }, "value"),
        "zookeeper.address": "127.0.0.1:2181",
        "data.dir": `${standaloneFolders.data}/coordinator`,
        "tablet-server.id": "0",
        "bind.listeners": listeners("127.0.0.1", coordinatorInternal, "0.0.0.0", coordinator),
        "advertised.listeners": `${listenerNames.client}://${host}:${coordinator}`,
    };
    return Object.entries(options)
        .map(([key, value]) => `${key}: ${value}\n`)
        .join("");
}

/** What is wrong with a lake for this machine, which has no core-site.xml and shares no folder with the jobs and readers. */
export function standaloneLakeFaults(lake: Lake | undefined): Fault[] {
    if (lake?.storage.type === "files") {
        const reason =
            "the lake is a folder of one machine, which the jobs and readers on others do not share";
        return [{ path: "lake.storage.type", value: '"files"', reason, fix: "Give a store" }];
    }
    if (lake === undefined || !usesHadoop(lake)) return [];
    const reason =
        "Hadoop would touch the lake's files, and its core-site.xml with their keys is not made here";
    return lake.catalog.type === "rest"
        ? [
              {
                  path: "lake.catalog.fileIo",
                  value: '"hadoop"',
                  reason,
                  fix: "Remove it; Iceberg's own client does",
              },
          ]
        : [
              {
                  path: "lake.catalog.type",
                  value: '"hadoop"',
                  reason,
                  fix: "Give a catalog of type rest or jdbc",
              },
          ];
}

/** Arguments of the tablet server's start, which go before server.yaml. No secret is among them: they show in lists of processes. */
export function standaloneTabletArguments(host: string): string[] {
    const { tablet, tabletInternal } = standalonePorts;
    return [
        `-Dbind.listeners=${listeners("127.0.0.1", tabletInternal, "0.0.0.0", tablet)}`,
        `-Dadvertised.listeners=${listenerNames.client}://${host}:${tablet}`,
        `-Ddata.dir=${standaloneFolders.data}/tablet`,
    ];
}

/** What {@link standaloneUserData} is told. */
export interface StandaloneBoot {
    software: StandaloneSoftware;
    /** Region of the secret. */
    region: string;
    /** ARN of the secret whose text is server.yaml. */
    secretArn: string;
    /** A version of the secret: another one is another user data, with which EC2 starts the machine anew. */
    secretVersion: string;
    /** Under which clients reach the machine. */
    host: string;
}

/**
 * User data for Amazon Linux 2023: at every boot a script that installs what is missing, fetches server.yaml from AWS Secrets
 * Manager with the machine's own role, and starts the three processes as the distribution's `local-cluster.sh` does. There is
 * no secret in it, for whoever may describe the instance reads it.
 *
 * Throws a `FaultsError` for software that cannot be fetched as told.
 */
export function standaloneUserData({ software, ...boot }: StandaloneBoot): string {
    const checked = parse(standaloneSoftware, software, "software");
    return [
        'Content-Type: multipart/mixed; boundary="==part=="',
        "MIME-Version: 1.0",
        "",
        "--==part==",
        'Content-Type: text/cloud-config; charset="us-ascii"',
        "",
        "#cloud-config",
        // Otherwise a script runs at the first boot only.
        "cloud_final_modules: [[scripts-user, always]]",
        "",
        "--==part==",
        'Content-Type: text/x-shellscript; charset="us-ascii"',
        "",
        standaloneScript(checked, boot),
        "--==part==--",
        "",
    ].join("\n");
}

function standaloneScript(
    { release, archive, plugins }: z.output<typeof standaloneSoftware>,
    { region, secretArn, secretVersion, host }: Omit<StandaloneBoot, "software">,
): string {
    const { software, data } = standaloneFolders;
    const fetches = plugins.map(
        (jar) => `    fetch ${shellWord(jar.url)} ${jar.sha512} "$new"/${shellWord(pluginFile(jar))}`,
    );
    return `#!/bin/bash
# Starts Fluss ${release} at every boot. Configuration: version ${secretVersion} of the secret.
set -euo pipefail
umask 077

software=${software}
data=${data}
mark=${shellWord([release, archive.sha512, ...plugins.map((jar) => `${pluginFile(jar)}=${jar.sha512}`)].join(" "))}

fetch() {
    mkdir -p "$(dirname "$3")"
    curl --fail --silent --show-error --location --retry 10 --retry-all-errors --output "$3" "$1"
    echo "$2  $3" | sha512sum --check --quiet
}

id fluss >/dev/null 2>&1 || useradd --system --home-dir "$data" --shell /sbin/nologin fluss
command -v java >/dev/null || dnf install --assumeyes --quiet java-17-amazon-corretto-headless

if [ "$(cat "$software/.installed" 2>/dev/null)" != "$mark" ]; then
    new=$(mktemp --directory "$software-new.XXXXXX")
    fetch ${shellWord(archive.url)} ${archive.sha512} "$new.tgz"
    tar --extract --gzip --file "$new.tgz" --directory "$new" --strip-components 1
${fetches.map((line) => `${line}\n`).join("")}    echo "$mark" >"$new/.installed"
    rm -rf "$software" "$new.tgz"
    mv "$new" "$software"
fi

mkdir -p "$data/coordinator" "$data/tablet" "$data/zookeeper" "$data/log" "$data/run"
# What stands there is of the last boot, or, with a mode of its own, of the distribution.
rm -f "$data"/run/* "$software/conf/server.yaml"
# A right takes effect some time after it was given: five minutes must do.
left=30
until aws secretsmanager get-secret-value --region ${shellWord(region)} --secret-id ${shellWord(secretArn)} \\
    --query SecretString --output text >"$software/conf/server.yaml"; do
    status=$?
    left=$((left - 1))
    [ "$left" -gt 0 ] || exit "$status"
    sleep 10
done
cat >"$software/conf/zookeeper.properties" <<END
dataDir=$data/zookeeper
clientPort=2181
clientPortAddress=127.0.0.1
admin.enableServer=false
END
chown -R fluss:fluss "$software" "$data"

run() {
    runuser --user fluss -- env FLUSS_LOG_DIR="$data/log" FLUSS_PID_DIR="$data/run" bash "$software/bin/$1" "\${@:2}"
}
run fluss-daemon.sh start zookeeper "$software/conf/zookeeper.properties"
run coordinator-server.sh start
run tablet-server.sh start ${standaloneTabletArguments(host).map(shellWord).join(" ")}
`;
}

/** Where a plugin's JAR is put, below the software's folder. */
function pluginFile({ folder, url }: z.output<typeof plugin>): string {
    return `plugins/${folder}/${jarName(url)}`;
}

/** The last part of a URL's path, where it is a JAR's name: what follows, such as a signature, is no part of it. */
function jarName(url: string): string | undefined {
    const name = URL.canParse(url) ? new URL(url).pathname.split("/").at(-1) : undefined;
    return name !== undefined && /^[\w.+-]+\.jar$/.test(name) ? name : undefined;
}

function listeners(internalHost: string, internal: number, clientHost: string, client: number): string {
    return `${listenerNames.internal}://${internalHost}:${internal},${listenerNames.client}://${clientHost}:${client}`;
}

function standaloneFaults(overrides: Record<string, unknown>, host: string): Fault[] {
    const own: Record<string, string> = {
        "zookeeper.address": "ZooKeeper runs on the machine itself",
        "internal.listener.name": "the listeners are set when the processes are started",
    };
    const faults = Object.keys(overrides).flatMap((key): Fault[] => {
        const reason = own[key];
        return reason ? [{ path: joinPath("overrides", [key]), reason, fix: "Remove it" }] : [];
    });
    const factor = Number(overrides["default.replication.factor"] ?? 1);
    if (factor !== 1) {
        const path = joinPath("overrides", ["default.replication.factor"]);
        const reason = "one tablet server holds one copy, and no table could be created with more";
        faults.push({ path, value: String(factor), reason, fix: "Remove it" });
    }
    if (!/^[A-Za-z0-9.-]+$/.test(host)) {
        const reason = "is not the name or the IPv4 address of a host";
        faults.push({ path: "advertisedHost", value: host, reason, fix: "Give a name that clients resolve" });
    }
    return faults;
}
