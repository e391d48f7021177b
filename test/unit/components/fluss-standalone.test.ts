import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { FlussStandalone, type FlussStandaloneArgs } from "../../../components/fluss-standalone.ts";
import type { Lake } from "../../../model/lake.ts";
import type { Storage } from "../../../model/lake-storage.ts";
import { build, failuresOf, misplaced, resolved } from "./harness.ts";

const remote: Storage = {
    type: "s3",
    bucket: "acme-remote",
    region: "eu-central-1",
    accessKey: { id: { value: "AKIA" }, secret: { value: "key-secret" } },
};
const base: FlussStandaloneArgs = {
    region: "eu-central-1",
    vpcId: "vpc-1",
    subnetId: "subnet-1",
    ami: "ami-1",
    allowedCidrs: ["10.1.0.0/16"],
    software: {
        release: "0.9.1-incubating",
        archive: { url: "https://archive.example.org/fluss.tgz", sha512: "ab".repeat(64) },
    },
    remote,
};
const rest = {
    type: "rest",
    uri: "https://catalog.example.org/catalog",
    warehouse: "fluss",
    auth: { type: "token", token: { value: "lake-token" } },
    vendedCredentials: false,
    fileIo: "native",
} as const;
const withIceberg: FlussStandaloneArgs["software"] = {
    ...base.software,
    plugins: [{ folder: "iceberg", url: "https://maven.example.org/x.jar", sha512: "cd".repeat(64) }],
};
const program = (args: Partial<FlussStandaloneArgs>) => (opts: pulumi.ComponentResourceOptions) =>
    new FlussStandalone("desk", { ...base, ...args }, opts);
const make = (args: Partial<FlussStandaloneArgs> = {}, preview = false) => build(preview, program(args));

describe.each([true, false])("FlussStandalone, preview %s", (preview) => {
    it("makes the instance, its network, its role and its configuration", async () => {
        const { made, completed } = await make({}, preview);
        expect([...made.values()].map(({ type, name }) => [type, name])).toEqual([
            ["fluss:index:FlussStandalone", "desk"],
            ["aws:ec2/securityGroup:SecurityGroup", "desk-ports"],
            ["aws:ec2/networkInterface:NetworkInterface", "desk-network"],
            ["aws:ec2/eip:Eip", "desk-address"],
            ["random:index/randomPassword:RandomPassword", "desk-client-password"],
            ["random:index/randomPassword:RandomPassword", "desk-internal-password"],
            ["aws:secretsmanager/secret:Secret", "desk-config"],
            ["aws:secretsmanager/secretVersion:SecretVersion", "desk-config-version"],
            ["aws:iam/role:Role", "desk-role"],
            ["aws:iam/rolePolicy:RolePolicy", "desk-role-policy"],
            ["aws:iam/instanceProfile:InstanceProfile", "desk-profile"],
            ["aws:ec2/instance:Instance", "desk-instance"],
        ]);
        expect(misplaced(made, "desk")).toEqual([]);
        expect(completed).toEqual(["desk"]);
    });
});

describe("the instance", () => {
    it("has an encrypted volume, the second version of the metadata service, and cannot be deleted by mistake", async () => {
        const { made } = await make({ volume: { kmsKey: "arn:aws:kms:key" } });
        expect(made.get("desk-instance")).toMatchObject({
            protect: true,
            inputs: {
                metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
                rootBlockDevice: { encrypted: true, kmsKeyId: "arn:aws:kms:key", volumeSize: 50 },
                userDataReplaceOnChange: false,
                disableApiTermination: true,
                primaryNetworkInterface: { networkInterfaceId: "desk-network-id" },
            },
        });
        expect((await make({ deletionProtection: false })).made.get("desk-instance")).toMatchObject({
            protect: false,
            inputs: { disableApiTermination: false },
        });
    });

    it("comes after its address and its rights, which its first boot needs", async () => {
        const dependencies = async (args: Partial<FlussStandaloneArgs>) =>
            (await make(args)).made.get("desk-instance")?.dependsOn;
        expect(await dependencies({})).toEqual(["desk-role-policy", "desk-address"]);
        expect(await dependencies({ reach: "private", sessionManager: true })).toEqual([
            "desk-role-policy",
            "desk-session-manager",
        ]);
    });

    it("has no secret in its user data, which names the version of its configuration", async () => {
        const { made } = await make();
        const text = String(made.get("desk-instance")?.inputs.userData);
        expect(text).toMatch(/version version-[0-9a-f]{8} of the secret/);
        expect(text).toContain("--secret-id arn:aws:secretsmanager:eu-central-1:1:secret:desk-config");
        expect(text).not.toMatch(/key-secret|random-of-|AKIA|jaas/);
        expect(made.get("desk-instance")?.secrets).toEqual([]);
        const version = made.get("desk-config-version");
        expect(version?.secrets).toEqual(["secretString"]);
        const config = String(version?.inputs.secretString);
        expect(config).toContain("s3.secret.key: key-secret\n");
        expect(config).toContain('user_fluss="random-of-desk-client-password"');
        expect(config).toContain("advertised.listeners: CLIENT://203.0.113.7:9124\n");
    });

    it("may read its own configuration and nothing else, and lets people in where that is wanted", async () => {
        const { made } = await make({ region: "cn-north-1", sessionManager: true });
        expect(JSON.parse(String(made.get("desk-role-policy")?.inputs.policy)).Statement).toEqual([
            {
                Effect: "Allow",
                Action: "secretsmanager:GetSecretValue",
                Resource: "arn:aws:secretsmanager:eu-central-1:1:secret:desk-config",
            },
        ]);
        expect(String(made.get("desk-role")?.inputs.assumeRolePolicy)).toContain("ec2.amazonaws.com.cn");
        expect(made.get("desk-session-manager")?.inputs.policyArn).toBe(
            "arn:aws-cn:iam::aws:policy/AmazonSSMManagedInstanceCore",
        );
    });
});

describe("who reaches it", () => {
    it("are the given ranges, on the two client ports alone", async () => {
        const { made, component } = await make();
        expect(made.get("desk-ports")?.inputs.ingress).toEqual([
            expect.objectContaining({
                protocol: "tcp",
                fromPort: 9124,
                toPort: 9125,
                cidrBlocks: ["10.1.0.0/16"],
            }),
        ]);
        expect(await resolved(component.bootstrapServers)).toBe("203.0.113.7:9124");
        expect(await pulumi.isSecret(component.clientPassword)).toBe(true);
    });

    it("find it at its address in the VPC, or under a name of its owner's", async () => {
        const { made, component } = await make({ reach: "private" });
        expect(made.has("desk-address")).toBe(false);
        expect(await resolved(component.bootstrapServers)).toBe("10.1.0.7:9124");
        const named = await make({ advertisedHost: "fluss.example.org" });
        expect(await resolved(named.component.bootstrapServers)).toBe("fluss.example.org:9124");
        expect(String(named.made.get("desk-instance")?.inputs.userData)).toContain(
            "CLIENT://fluss.example.org:9125",
        );
    });

    it("have ready settings, with the password, as a secret", async () => {
        const { component } = await make();
        const { readers } = await resolved(component.readers);
        expect(readers.javaClient?.settings).toMatchObject({
            "bootstrap.servers": "203.0.113.7:9124",
            "client.security.sasl.password": "random-of-desk-client-password",
        });
        expect(await pulumi.isSecret(component.readers)).toBe(true);
    });
});

describe("what cannot be", () => {
    it("is told all at once: the internet, a lake without its JARs, a volume too small", async () => {
        const lake = {
            format: "iceberg",
            catalog: { type: "hadoop" },
            storage: { type: "s3", bucket: "lake", region: "eu-central-1" },
        } as const;
        const message = await failuresOf(
            program({ allowedCidrs: ["0.0.0.0/0"], lake, volume: { sizeGiB: 1 } }),
        );
        expect(message).toMatch(/3 faults in desk/);
        expect(message).toMatch(/allowedCidrs\[0\] = 0\.0\.0\.0\/0: lets the internet in/);
        expect(message).toMatch(/software\.plugins: the distribution has no JARs for a lake/);
        const { made } = await make({ allowedCidrs: ["0.0.0.0/0"], openToTheInternet: true });
        expect(made.has("desk-instance")).toBe(true);
    });

    it("is told all at once with the software, the place, the names, and no login of a URL", async () => {
        const archive = { url: "https://me:hunter2@files.example.com/fluss.tgz", sha512: "abc" };
        const message = await failuresOf(
            program({
                region: "Frankfurt",
                vpcId: "my-vpc",
                ami: undefined as unknown as string,
                software: { release: "0.9.1-incubating", archive },
                allowedCidrs: [],
                advertisedHost: "fluss.example.com:9124",
                clientUsername: "two words",
                reach: "vpn" as "public",
            }),
        );
        expect(message).toMatch(/9 faults in desk/);
        expect(message).toMatch(
            /software\.archive\.url = "https:\/\/\*\*\*@files\.example\.com\/fluss\.tgz": .*user data/,
        );
        for (const path of [
            "software.archive.sha512",
            "region",
            "vpcId",
            "ami",
            "allowedCidrs",
            "advertisedHost",
            "clientUsername",
            "reach",
        ])
            expect(message).toMatch(new RegExp(`\n- ${path.replaceAll(".", "\\.")}( = .*)?: `));
        expect(message).not.toContain("hunter2");
    });

    it.each<[string, Lake, RegExp]>([
        [
            "a Hadoop catalog",
            { format: "iceberg", catalog: { type: "hadoop" }, storage: remote },
            /lake\.catalog\.type = "hadoop": Hadoop would touch .* Give a catalog of type rest or jdbc/,
        ],
        [
            "files by Hadoop",
            { format: "iceberg", catalog: { ...rest, fileIo: "hadoop" }, storage: remote },
            /lake\.catalog\.fileIo = "hadoop": Hadoop would touch .* Remove it/,
        ],
        [
            "a folder",
            { format: "iceberg", catalog: { type: "hadoop" }, storage: { type: "files", folder: "/lake" } },
            /lake\.storage\.type = "files": the lake is a folder of one machine.* Give a store/,
        ],
    ])("is a lake of %s", async (_, lake, told) => {
        expect(await failuresOf(program({ lake, software: withIceberg }))).toMatch(told);
    });

    it("is no lake of a REST catalog whose files Iceberg's own client reads", async () => {
        const lake: Lake = { format: "iceberg", catalog: rest, storage: remote };
        const { made } = await make({ lake, software: withIceberg });
        expect(String(made.get("desk-config-version")?.inputs.secretString)).toContain(
            "datalake.format: iceberg\n",
        );
    });

    it("is a store without the key: the role of the machine does not serve Fluss", async () => {
        const { accessKey: _, ...keyless } = remote as Extract<Storage, { type: "s3" }>;
        expect(await failuresOf(program({ remote: keyless }))).toMatch(/finds no keys of the machine/);
    });
});

describe("the revision", () => {
    const of = async (args: Partial<FlussStandaloneArgs> = {}) => {
        const { component } = await make(args);
        return {
            text: await resolved(component.revision),
            secret: await pulumi.isSecret(component.revision),
        };
    };

    it("is short and no secret, and the same for the same servers, whoever reaches them", async () => {
        const { text, secret } = await of();
        expect(text).toMatch(/^[0-9a-f]{16}$/);
        expect(secret).toBe(false);
        expect((await of({ allowedCidrs: ["10.2.0.0/16"], tags: { team: "desk" } })).text).toBe(text);
    });

    it.each<[string, Partial<FlussStandaloneArgs>]>([
        ["an option of the servers", { overrides: { "kv.snapshot.interval": "30s" } }],
        [
            "the key of the store",
            {
                remote: {
                    ...remote,
                    accessKey: { id: { value: "AKIA" }, secret: { value: "rotated" } },
                } as Storage,
            },
        ],
        ["the release", { software: { ...base.software, release: "0.9.2-incubating" } }],
        ["the name of the host", { advertisedHost: "fluss.example.org" }],
        ["the size of the instance", { instanceType: "t3.xlarge" }],
    ])("changes with %s", async (_, args) => {
        expect((await of(args)).text).not.toBe((await of()).text);
    });
});
