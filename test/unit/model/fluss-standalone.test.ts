import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { serverOptions } from "../../../model/fluss-config.ts";
import {
    type StandaloneCluster,
    type StandaloneSoftware,
    standaloneConfig,
    standaloneTabletArguments,
    standaloneUserData,
} from "../../../model/fluss-standalone.ts";
import { type Machine, machine, scriptOf } from "./fixtures/boot.ts";
import { faultsOf, pathsOf } from "./fixtures/faults.ts";

const release = "0.9.1-incubating";
const archive = "https://archive.example.org/fluss-0.9.1-incubating-bin.tgz";
const jar = "https://maven.example.org/fluss-lake-iceberg-0.9.1-incubating.jar";
const files = { [archive]: "distribution", [jar]: { text: "a JAR" } } as const;

const cluster: StandaloneCluster = {
    remote: {
        type: "s3",
        bucket: "acme-remote",
        region: "eu-central-1",
        accessKey: { id: { value: "AKIA" }, secret: { value: "key-secret" } },
    },
    sasl: {
        users: [{ username: "fluss", password: { value: "client-secret" } }],
        internal: { username: "fluss-internal", password: { value: "internal-secret" } },
    },
};

let made: Machine | undefined;
afterEach(() => made?.remove());

function newMachine(): { machine: Machine; software: StandaloneSoftware } {
    const here = machine(files);
    made = here;
    const from = (url: string) => ({ url, sha512: here.sha512[url]! });
    const plugins = [{ folder: "iceberg", ...from(jar) }];
    return { machine: here, software: { release, archive: from(archive), plugins } };
}

const userData = (software: StandaloneSoftware, secretVersion = "v1") =>
    standaloneUserData({
        software,
        region: "eu-central-1",
        secretArn: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:desk-config-1a2b3c",
        secretVersion,
        host: "203.0.113.7",
    });

describe("server.yaml of one machine", () => {
    it("is what the model derives, and the coordinator's listeners of seed 003, the internal ones on the loopback", () => {
        const lines = standaloneConfig(release, cluster, "fluss.example.org").trim().split("\n");
        const options = Object.fromEntries(lines.map((line) => line.split(/: (.*)/).slice(0, 2)));
        expect(options).toEqual({
            ...serverOptions({ ...cluster, version: "0.9" }, "value"),
            "default.replication.factor": "1",
            "zookeeper.address": "127.0.0.1:2181",
            "data.dir": "/var/lib/fluss/coordinator",
            "tablet-server.id": "0",
            "bind.listeners": "FLUSS://127.0.0.1:9123,CLIENT://0.0.0.0:9124",
            "advertised.listeners": "CLIENT://fluss.example.org:9124",
        });
    });

    it("leaves the tablet server its own listeners, without a secret", () => {
        expect(standaloneTabletArguments("fluss.example.org")).toEqual([
            "-Dbind.listeners=FLUSS://127.0.0.1:9126,CLIENT://0.0.0.0:9125",
            "-Dadvertised.listeners=CLIENT://fluss.example.org:9125",
            "-Ddata.dir=/var/lib/fluss/tablet",
        ]);
    });

    it("refuses more copies than servers, another ZooKeeper, and a host that is none", () => {
        const overrides = { "default.replication.factor": 3, "zookeeper.address": "zk:2181" };
        expect(pathsOf(() => standaloneConfig(release, { ...cluster, overrides }, "a b"))).toEqual([
            'overrides["zookeeper.address"]',
            'overrides["default.replication.factor"]',
            "advertisedHost",
        ]);
    });
});

describe("the user data", () => {
    it("is in bash's language, runs at every boot, and is within EC2's 16 KB", () => {
        const text = userData(newMachine().software);
        expect(text).toContain("cloud_final_modules: [[scripts-user, always]]");
        expect(text.length).toBeLessThan(8000);
        const checked = spawnSync("bash", ["-n"], { input: scriptOf(text), encoding: "utf8" });
        expect([checked.status, checked.stderr]).toEqual([0, ""]);
    });

    it("refuses software that comes without TLS or cannot be checked", () => {
        const software = { release, archive: { url: "http://example.org/fluss.tgz", sha512: "abc" } };
        expect(pathsOf(() => userData(software))).toEqual([
            "software.archive.url",
            "software.archive.sha512",
        ]);
        expect(faultsOf(() => userData(software))[0]?.reason).toMatch(/not an https URL/);
    });
});

describe("a plugin's JAR", () => {
    const sha512 = "ab".repeat(64);
    const withPlugins = (...plugins: NonNullable<StandaloneSoftware["plugins"]>) =>
        userData({ release, archive: { url: archive, sha512 }, plugins });
    const from = (url: string, folder = "iceberg") => ({ folder, url, sha512 });

    it("has its name in the URL's path, whatever query follows", () => {
        const text = withPlugins(from("https://maven.example.org/a/x-1.jar?sig=$(id)/y"));
        expect(text).toContain(
            `fetch 'https://maven.example.org/a/x-1.jar?sig=$(id)/y' ${sha512} "$new"/plugins/iceberg/x-1.jar\n`,
        );
    });

    it.each(["$(id).jar", "`id`.jar", "x.zip", "x.jar/", "?f=x.jar", ".."])(
        "is refused under the name %s",
        (name) => {
            const [fault, ...others] = faultsOf(() => withPlugins(from(`https://maven.example.org/${name}`)));
            expect(others).toEqual([]);
            expect(fault?.path).toBe("software.plugins[0].url");
            expect(fault?.reason).toMatch(/does not end in the name of a JAR/);
        },
    );

    it("does not take the place of another one of its folder", () => {
        const [one, two] = ["https://a.example.org/x.jar", "https://b.example.org/x.jar"] as const;
        expect(pathsOf(() => withPlugins(from(one), from(two)))).toEqual(["software.plugins[1].url"]);
        expect(withPlugins(from(one), from(two, "paimon"))).toContain('"$new"/plugins/paimon/x.jar');
    });

    it("is refused without a URL, and taken for no other one's name then", () => {
        const paths = pathsOf(() => withPlugins(from("https://["), from("https://[")));
        expect(new Set(paths)).toEqual(new Set(["software.plugins[0].url", "software.plugins[1].url"]));
        const reasons = faultsOf(() => withPlugins(from("https://["), from("https://["))).map(
            ({ reason }) => reason,
        );
        expect(reasons.join()).not.toMatch(/take its place/);
    });
});

describe("a boot", () => {
    it("installs the software, fetches the configuration and starts the three processes", () => {
        const { machine: here, software } = newMachine();
        const config = standaloneConfig(release, cluster, "203.0.113.7");
        const { status, said, calls } = here.boot(userData(software), config);
        expect([status, said]).toEqual([0, ""]);

        const conf = path.join(here.software, "conf");
        const written = fs.readFileSync(path.join(conf, "server.yaml"), "utf8");
        expect(written).toBe(config.replaceAll("/var/lib/fluss", here.data));
        expect(fs.statSync(path.join(conf, "server.yaml")).mode & 0o777).toBe(0o600);
        expect(fs.readFileSync(path.join(conf, "zookeeper.properties"), "utf8")).toBe(
            `dataDir=${here.data}/zookeeper\nclientPort=2181\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\n`,
        );
        const plugin = path.join(here.software, "plugins/iceberg/fluss-lake-iceberg-0.9.1-incubating.jar");
        expect(fs.readFileSync(plugin, "utf8")).toBe("a JAR");

        const log = `log=${here.data}/log`;
        expect(calls.filter((call) => !/^(curl|chown)/.test(call))).toEqual([
            `useradd --system --home-dir ${here.data} --shell /sbin/nologin fluss`,
            "aws secretsmanager get-secret-value --region eu-central-1 --secret-id arn:aws:secretsmanager:eu-central-1:123456789012:secret:desk-config-1a2b3c --query SecretString --output text",
            `fluss-daemon.sh start zookeeper ${conf}/zookeeper.properties ${log}`,
            `coordinator-server.sh start ${log}`,
            `tablet-server.sh start ${standaloneTabletArguments("203.0.113.7").join(" ").replaceAll("/var/lib/fluss", here.data)} ${log}`,
        ]);
        expect(calls.join()).not.toMatch(/client-secret|internal-secret|key-secret/);
    });

    it("fetches no software again, takes a new configuration up, and installs another release once", () => {
        const { machine: here, software } = newMachine();
        here.boot(userData(software), "a: 1\n");
        const again = here.boot(userData(software, "v2"), "a: 2\n");
        expect(again.status).toBe(0);
        expect(again.calls.filter((call) => call.startsWith("curl"))).toEqual([]);
        expect(fs.readFileSync(path.join(here.software, "conf/server.yaml"), "utf8")).toBe("a: 2\n");
        const other = here.boot(userData({ ...software, plugins: [] }), "a: 3\n");
        expect(other.calls.filter((call) => call.startsWith("curl"))).toHaveLength(1);
        expect(fs.existsSync(path.join(here.software, "plugins/iceberg"))).toBe(false);
    });

    it("waits some minutes for the right to read its configuration", () => {
        const { machine: here, software } = newMachine();
        const { status, calls } = here.boot(userData(software), "a: 1\n", 3);
        expect(status).toBe(0);
        expect(calls.filter((call) => call === "sleep 10")).toHaveLength(3);
        expect(fs.readFileSync(path.join(here.software, "conf/server.yaml"), "utf8")).toBe("a: 1\n");
        expect(calls.at(-1)).toMatch(/^tablet-server\.sh start/);
        const denied = here.boot(userData(software), undefined);
        expect(denied.calls.filter((call) => call === "sleep 10")).toHaveLength(29);
    });

    it("installs again where a plugin is to be in another folder", () => {
        const { machine: here, software } = newMachine();
        here.boot(userData(software), "a: 1\n");
        const plugins = software.plugins!.map((plugin) => ({ ...plugin, folder: "lake" }));
        expect(here.boot(userData({ ...software, plugins }), "a: 1\n").status).toBe(0);
        expect(fs.readdirSync(path.join(here.software, "plugins"))).toEqual(["lake"]);
    });

    it("starts nothing with a file that is another one, or without its configuration", () => {
        const { machine: here, software } = newMachine();
        const wrong = { ...software, archive: { ...software.archive, sha512: "0".repeat(128) } };
        const refused = here.boot(userData(wrong), "a: 1\n");
        expect(refused.status).not.toBe(0);
        expect(refused.said).toContain("did NOT match");
        const denied = here.boot(userData(software), undefined);
        expect(denied.status).toBe(254);
        expect(denied.said).toContain("AccessDeniedException");
        for (const { calls } of [refused, denied]) {
            expect(calls.filter((call) => call.includes("start"))).toEqual([]);
        }
    });
});
