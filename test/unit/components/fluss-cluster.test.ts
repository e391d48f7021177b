import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import {
    FlussCluster,
    type FlussClusterArgs,
    type FlussServersArgs,
} from "../../../components/fluss-cluster.ts";
import { serverOptions } from "../../../model/fluss-config.ts";
import { defineLake } from "../../../model/lake.ts";
import { lakeInput, remote } from "../model/fixtures/quickstart.ts";
import { build, failuresOf, misplaced, resolved } from "./harness.ts";

const make = (args: FlussClusterArgs, preview = false) =>
    build(preview, (opts) => new FlussCluster("desk", args, opts));

const existing = { bootstrapServers: "coordinator:9124", clientUsername: "fluss", clientPassword: "sesame" };

/** The quickstart's lake and remote storage with the secrets themselves, as servers without Helm read them. */
const lake = defineLake({
    ...lakeInput,
    catalog: { ...lakeInput.catalog, auth: { type: "token", token: { value: "client-token" } } },
});
const plainRemote = {
    ...remote,
    accessKey: { id: { value: "AKIAEXAMPLE" }, secret: { value: "secret-key" } },
};

/** Servers that write down what they are started with. */
function servers(changes: Partial<FlussServersArgs> = {}) {
    const starts: { options: pulumi.Output<Record<string, string>>; opts: pulumi.CustomResourceOptions }[] =
        [];
    const args: FlussServersArgs = {
        version: "0.9",
        remote: plainRemote,
        lake,
        start: (options, opts) => {
            starts.push({ options, opts });
            return { bootstrapServers: pulumi.output("127.0.0.1:9123") };
        },
        ...changes,
    };
    return { args, starts };
}

describe("a cluster that exists", () => {
    it("is handed on, its password as a secret", async () => {
        const { component, made, completed } = await make({ existing });
        expect(await resolved(component.bootstrapServers)).toBe("coordinator:9124");
        expect(await resolved(component.clientUsername)).toBe("fluss");
        expect(await resolved(component.clientPassword)).toBe("sesame");
        expect(await pulumi.isSecret(component.clientPassword)).toBe(true);
        expect(made.get("desk-endpoint")?.inputs).toMatchObject({
            bootstrapServers: "coordinator:9124",
            username: "fluss",
            password: "sesame",
        });
        expect(made.get("desk-endpoint")?.secrets).toEqual(["password"]);
        expect(misplaced(made, "desk")).toEqual([]);
        expect(completed).toEqual(["desk"]);
    });

    it("has the revision that it was given, or none", async () => {
        const revisionOf = async (given: object) =>
            resolved((await make({ existing: { ...existing, ...given } })).component.revision);
        expect(await revisionOf({})).toBeUndefined();
        expect(await revisionOf({ revision: pulumi.output("7f3a") })).toBe("7f3a");
    });

    it("is not looked at when that is not wanted", async () => {
        const { made } = await make({ existing: { ...existing, check: false } });
        expect([...made.keys()]).toEqual(["desk"]);
    });
});

describe.each([true, false])("servers that are started, preview %s", (preview) => {
    it("get passwords of their own and start once, below the component", async () => {
        const { args, starts } = servers();
        const { component, made, completed } = await make({ servers: args }, preview);
        expect([...made.values()].map(({ type, name }) => [type, name])).toEqual([
            ["fluss:index:FlussCluster", "desk"],
            ["random:index/randomPassword:RandomPassword", "desk-client-password"],
            ["random:index/randomPassword:RandomPassword", "desk-internal-password"],
        ]);
        expect(made.get("desk-client-password")?.inputs).toEqual({ length: 32, special: false });
        expect(misplaced(made, "desk")).toEqual([]);
        expect(starts).toHaveLength(1);
        expect(starts[0]?.opts.parent).toBe(component);
        expect(await pulumi.isSecret(starts[0]!.options)).toBe(true);
        expect(await resolved(component.bootstrapServers)).toBe("127.0.0.1:9123");
        expect(completed).toEqual(["desk"]);
    });
});

describe("the options of servers that are started", () => {
    it("are the model's, with the very passwords of the stack", async () => {
        const { args, starts } = servers({ overrides: { "log.segment.file-size": "64kb" } });
        const { component } = await make({ servers: args });
        const options = await resolved(starts[0]!.options);
        expect(options).toEqual(
            serverOptions(
                {
                    version: "0.9",
                    remote: plainRemote,
                    lake,
                    sasl: {
                        users: [{ username: "fluss", password: { value: "random-of-desk-client-password" } }],
                        internal: {
                            username: "fluss-internal",
                            password: { value: "random-of-desk-internal-password" },
                        },
                    },
                    overrides: { "log.segment.file-size": "64kb" },
                },
                "value",
            ),
        );
        expect(JSON.stringify(options)).toContain("random-of-desk-client-password");
        expect(options).toMatchObject({
            "datalake.iceberg.token": "client-token",
            "s3.access.key": "AKIAEXAMPLE",
            "log.segment.file-size": "64kb",
        });
        expect(await resolved(component.clientPassword)).toBe("random-of-desk-client-password");
        expect(await resolved(component.clientUsername)).toBe("fluss");
    });

    it("are refused by the names that the user wrote", async () => {
        const { args } = servers({ overrides: { "kv.snapshot.intervall": "5min" } });
        const told = await failuresOf((opts) => new FlussCluster("desk", { servers: args }, opts));
        expect(told).toContain(
            '1 fault in FlussCluster desk:\n- servers.overrides["kv.snapshot.intervall"]: ',
        );
    });

    it("take another user", async () => {
        const { args } = servers({ clientUsername: "desk-jobs" });
        const { component } = await make({ servers: args });
        expect(await resolved(component.clientUsername)).toBe("desk-jobs");
    });
});

describe("arguments", () => {
    it.each([
        ["none", {}],
        ["both", { existing, servers: servers().args }],
    ])("that name %s of the two ways are refused", async (_, args) => {
        await expect(make(args)).rejects.toThrow(
            'desk: give exactly one of "existing", "chart" and "servers"',
        );
    });
});

describe.each([true, false])("NetworkPolicies of a cluster by Helm, preview %s", (preview) => {
    const chart = {
        namespace: "fluss",
        remote: { storage: remote, accessKeyId: "AKIAEXAMPLE", secretAccessKey: "secret-key" },
        storageClass: "gp3",
    };
    const policiesOf = async (args: FlussClusterArgs) => {
        const { made } = await make(args, preview);
        return [...made.values()].filter(({ type }) => type.endsWith(":NetworkPolicy"));
    };

    it("are not made by default", async () => {
        expect(await policiesOf({ chart })).toEqual([]);
    });

    it("are made for the servers and the bundle's ZooKeeper, and for Apache's chart for the servers alone", async () => {
        const networkPolicies = { clientsFrom: ["vvp-jobs"] };
        const bundle = await policiesOf({ chart: { ...chart, networkPolicies } });
        expect(bundle.map(({ name }) => name)).toEqual([
            "desk-policy-fluss-servers",
            "desk-policy-fluss-zookeeper-clients",
        ]);
        expect(bundle[0]?.inputs).toMatchObject({
            metadata: { name: "fluss-servers", namespace: "fluss" },
            spec: { podSelector: { matchLabels: { "app.kubernetes.io/instance": "fluss" } } },
        });
        const apache = { kind: "apache", version: "1.0.0" } as const;
        const own = { ...chart, networkPolicies, chart: apache, zookeeperAddress: "zk:2181" };
        expect((await policiesOf({ chart: own })).map(({ name }) => name)).toEqual([
            "desk-policy-fluss-servers",
        ]);
    });

    it("take the place of the one that the bundle's ZooKeeper chart brings along", async () => {
        const zookeeperOf = async (args: FlussClusterArgs) => {
            const release = (await make(args, false)).made.get("desk-release");
            return (release!.inputs["values"] as { zookeeper: object }).zookeeper;
        };
        const networkPolicies = { clientsFrom: ["vvp-jobs"] };
        expect(await zookeeperOf({ chart: { ...chart, networkPolicies } })).toMatchObject({
            networkPolicy: { enabled: false },
        });
        expect(await zookeeperOf({ chart })).not.toHaveProperty("networkPolicy");
    });

    it("are refused for what is no namespace", async () => {
        const networkPolicies = { clientsFrom: ["VVP"] };
        await expect(make({ chart: { ...chart, networkPolicies } }, preview)).rejects.toThrow(
            /clientsFrom\[0\].*no name of a Kubernetes namespace/,
        );
    });
});
