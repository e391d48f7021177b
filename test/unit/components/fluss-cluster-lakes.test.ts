import type * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { FlussCluster } from "../../../components/fluss-cluster.ts";
import type { FlussChartArgs } from "../../../components/fluss-cluster-chart.ts";
import { defineLake, type Lake } from "../../../model/lake.ts";
import { lakeCombinations } from "../../../model/lake-combinations.ts";
import { build, failuresOf } from "./harness.ts";

const region = "eu-central-1";
const s3 = { type: "s3", bucket: "acme-lake", region } as const;
const keyed = {
    ...s3,
    accessKey: {
        id: { env: "LAKE_KEY", value: "AKIALAKE" },
        secret: { env: "LAKE_SECRET", value: "lake-secret" },
    },
} as const;
const rest = { type: "rest", uri: "http://catalog:8181/catalog", warehouse: "fluss" } as const;
const oauth = (value?: string) => ({
    ...rest,
    auth: {
        type: "oauth" as const,
        clientId: "fluss",
        clientSecret: { env: "LAKE_CLIENT", value },
        scope: "PRINCIPAL_ROLE:ALL",
    },
});
const jdbc = {
    type: "jdbc",
    name: "lake",
    uri: "jdbc:postgresql://db:5432/lake",
    user: "iceberg",
    password: { env: "LAKE_PASSWORD", value: "p@ss:w/r'd\"$&" },
} as const;

const program = (args: Partial<FlussChartArgs>) => (opts: pulumi.ComponentResourceOptions) =>
    new FlussCluster(
        "desk",
        {
            chart: {
                namespace: "fluss",
                access: { kubeconfig: "kubeconfig-text" },
                remote: {
                    storage: { type: "s3", bucket: "acme-remote", region },
                    accessKeyId: "AKIA",
                    secretAccessKey: "remote-secret",
                },
                storageClass: "gp3",
                ...args,
            },
        },
        opts,
    );

interface Server {
    extraEnv?: { name: string; value?: string }[];
    extraVolumes: { name: string; secret?: object }[];
    extraVolumeMounts: { name: string; mountPath: string }[];
    initContainers: { command: string[] }[];
}

interface FlussValues {
    configurationOverrides: Record<string, string>;
    secrets: { env: { name: string; secretName: string; key: string }[] };
    tablet: Server;
    coordinator: Server;
}

async function released(args: Partial<FlussChartArgs>) {
    const { made } = await build(false, program(args));
    const { values } = made.get("desk-release")!.inputs as { values: { fluss: FlussValues } };
    const { fluss } = values;
    const contents = (secret: string) =>
        made.get(`desk-${secret}`)?.inputs["stringData"] as Record<string, string> | undefined;
    return { fluss, contents, text: JSON.stringify(values) };
}

const ofSecret = (name: string, key = name) => ({ name, secretName: "fluss-lake-credentials", key });

describe("a lake whose secrets are its own", () => {
    it("with an OAuth client: the pair is in a Secret, and the servers read it from there", async () => {
        const lake = defineLake({ catalog: oauth("client-secret"), storage: s3 });
        const { fluss, contents, text } = await released({ lake, lakeCredentials: true });
        expect(contents("fluss-lake-credentials")).toEqual({ LAKE_CLIENT: "fluss:client-secret" });
        expect(fluss.secrets.env).toContainEqual(ofSecret("LAKE_CLIENT"));
        expect(fluss.configurationOverrides["datalake.iceberg.credential"]).toBe("${env:LAKE_CLIENT}");
        expect(fluss.configurationOverrides["datalake.iceberg.scope"]).toBe("PRINCIPAL_ROLE:ALL");
        expect(text).not.toContain("client-secret");
    });

    it("with a JDBC catalog: password and keys, and the driver is installed", async () => {
        const lake = defineLake({ catalog: jdbc, storage: keyed });
        const { fluss, contents, text } = await released({ lake, lakeCredentials: true });
        expect(contents("fluss-lake-credentials")).toEqual({
            LAKE_PASSWORD: jdbc.password.value,
            LAKE_KEY: "AKIALAKE",
            LAKE_SECRET: "lake-secret",
        });
        expect(fluss.configurationOverrides).toMatchObject({
            "datalake.iceberg.jdbc.password": "${env:LAKE_PASSWORD}",
            "datalake.iceberg.s3.secret-access-key": "${env:LAKE_SECRET}",
        });
        expect(fluss.tablet.initContainers[0]?.command.join()).toContain("--catalog jdbc-postgres");
        expect(text).not.toMatch(/lake-secret|p@ss|AKIALAKE/);
    });

    it("beside a token that the catalog keeps in a Secret of its own", async () => {
        const auth = { type: "token", token: { env: "LAKE_TOKEN" } } as const;
        const lake = defineLake({ catalog: { ...rest, auth }, storage: keyed });
        const { fluss, contents } = await released({
            lake,
            lakeCredentials: true,
            lakeTokenSecret: "tokens",
        });
        expect(Object.keys(contents("fluss-lake-credentials")!)).toEqual(["LAKE_KEY", "LAKE_SECRET"]);
        expect(fluss.secrets.env).toContainEqual({ name: "LAKE_TOKEN", secretName: "tokens", key: "token" });
    });

    it("by Hadoop: core-site.xml is in a Secret, where both kinds of servers look for it", async () => {
        const lake = defineLake({ catalog: { type: "hadoop" }, storage: keyed });
        const { fluss, contents, text } = await released({ lake, coreSite: true });
        expect(contents("fluss-core-site")?.["core-site.xml"]).toContain("<value>lake-secret</value>");
        for (const server of [fluss.tablet, fluss.coordinator]) {
            const folder = server.extraVolumeMounts.find(({ name }) => name === "core-site")?.mountPath;
            expect(server.extraVolumes).toContainEqual({
                name: "core-site",
                secret: { secretName: "fluss-core-site" },
            });
            expect(server.extraEnv).toContainEqual({ name: "HADOOP_CONF_DIR", value: folder });
        }
        expect(fluss.tablet.extraEnv?.map(({ name }) => name)).toContain("FLUSS_PROBE_PASSWORD");
        expect(text).not.toMatch(/lake-secret|AKIALAKE/);
    });
});

describe("the remote storage on Azure", () => {
    it("has the account's key in the Secret", async () => {
        const storage = { type: "adls", account: "acme", container: "remote" } as const;
        const { fluss, contents } = await released({ remote: { storage, accountKey: "azure-key" } });
        expect(contents("fluss-storage-credentials")).toEqual({ "azure-account-key": "azure-key" });
        expect(fluss.configurationOverrides["fs.azure.account.key"]).toBe("${env:FLUSS_AZURE_ACCOUNT_KEY}");
    });
});

describe("what does not fit", () => {
    const folder = defineLake({ catalog: { type: "hadoop" }, storage: { type: "files", folder: "/lake" } });
    const hadoop = defineLake({ catalog: { type: "hadoop" }, storage: keyed });
    const token = (env: string) =>
        defineLake({ catalog: { ...rest, auth: { type: "token", token: { env } } }, storage: s3 });
    it.each<[string, Partial<FlussChartArgs>, RegExp]>([
        [
            "a secret without a Secret",
            { lake: defineLake({ catalog: jdbc, storage: keyed }) },
            /Set lakeCredentials: true/,
        ],
        [
            "a secret without its value",
            { lake: defineLake({ catalog: oauth(), storage: s3 }), lakeCredentials: true },
            /this one has no "value"/,
        ],
        ["a Secret of nothing", { lake: token("T"), lakeCredentials: true }, /no secret with a value/],
        ["a name of another's variable", { lake: token("FLUSS_S3_SECRET_KEY") }, /Choose another name/],
        ["Hadoop without its file", { lake: hadoop }, /Set coreSite: true/],
        ["Hadoop's file without Hadoop", { lake: token("T"), coreSite: true }, /and Hadoop does not/],
        ["a folder of one machine", { lake: folder }, /which pods do not share/],
        [
            "a password that server.yaml of 0.9 would cut",
            {
                lake: defineLake({
                    catalog: { ...jdbc, password: { env: "P", value: "a#b" } },
                    storage: keyed,
                }),
                lakeCredentials: true,
                chart: { kind: "apache", version: "0.9.1-incubating" },
                zookeeperAddress: "zk:2181",
            },
            /contains #/,
        ],
    ])("%s is refused", async (_, args, reason) => {
        const message = await failuresOf(program(args));
        expect(message).toMatch(reason);
        expect(message).not.toMatch(/lake-secret|a#b/);
    });
});

it("every lake of the model is either installed or refused with its reason", async () => {
    for (const { lake, catalog, storage } of lakeCombinations()) {
        if (!lake) continue;
        const hadoop = /Hadoop/.test(catalog) && storage !== "Files";
        const args = { lake, lakeCredentials: hasSecrets(lake), coreSite: hadoop };
        const name = `${catalog} on ${storage}`;
        if (storage === "Files" || (hadoop && lacksKeys(lake))) {
            expect(await failuresOf(program(args)), name).toMatch(/fault/);
        } else {
            const { fluss } = await released(args);
            expect(fluss.configurationOverrides["datalake.format"], name).toBe("iceberg");
        }
    }
});

function hasSecrets(lake: Lake): boolean {
    return lake.catalog.type !== "hadoop";
}

/** Hadoop gets no keys of such a store from anybody; on Amazon S3 a role may serve. */
function lacksKeys({ storage }: Lake): boolean {
    if (storage.type === "adls") return storage.accountKey === undefined;
    return storage.type === "s3Compatible" && storage.accessKey === undefined;
}
