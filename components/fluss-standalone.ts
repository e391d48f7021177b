import { createHash } from "node:crypto";
// The indexes of the package and of its EC2 part would load hundreds of modules more.
import { Eip } from "@pulumi/aws/ec2/eip.js";
import { Instance } from "@pulumi/aws/ec2/instance.js";
import { NetworkInterface } from "@pulumi/aws/ec2/networkInterface.js";
import { SecurityGroup } from "@pulumi/aws/ec2/securityGroup.js";
import * as iam from "@pulumi/aws/iam/index.js";
import * as secretsmanager from "@pulumi/aws/secretsmanager/index.js";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { awsPartition } from "../model/aws-partition.ts";
import { throwFaults } from "../model/faults.ts";
import {
    type StandaloneSoftware,
    standaloneConfig,
    standaloneLakeFaults,
    standalonePorts,
    standaloneUserData,
} from "../model/fluss-standalone.ts";
import type { Lake } from "../model/lake.ts";
import type { Storage } from "../model/lake-storage.ts";
import { defineReaders, type Readers } from "../model/readers.ts";
import { standaloneFaults } from "./fluss-standalone-faults.ts";

/** Arguments of {@link FlussStandalone}. */
export interface FlussStandaloneArgs {
    /** The AWS region, for example `eu-central-1`. It must be the region of the AWS provider. */
    region: string;
    /** The VPC of `subnetId`. */
    vpcId: pulumi.Input<string>;
    /** Where the instance is. It must have a way to the internet, since the software is fetched at the first boot. */
    subnetId: pulumi.Input<string>;
    /**
     * The image: Amazon Linux 2023 of the region, for the architecture of `instanceType`. It is not looked up: with each new image
     * the instance would be replaced, and its data lost.
     */
    ami: pulumi.Input<string>;
    /** Default `t3.large`: 8 GiB, of which each of the three Java processes takes a quarter at most. */
    instanceType?: pulumi.Input<string>;
    /**
     * IPv4 ranges of the clients, which reach the two client ports, 9124 and 9125, and no other. Ranges shorter than /8 are
     * refused without `openToTheInternet`.
     */
    allowedCidrs: readonly string[];
    /** Lets ranges be as wide as `0.0.0.0/0`, for quick tests (seed 003). SASL is demanded all the same. Default false. */
    openToTheInternet?: boolean;
    /**
     * `public`: the instance has an Elastic IP, which stays when it is started anew. `private`: it is reached by its address in
     * the VPC. Default `public` (seed 003).
     */
    reach?: "public" | "private";
    /** Name under which clients reach the instance, of which its owner takes care. Default: the address. */
    advertisedHost?: pulumi.Input<string>;
    /** Release, distribution and further plugins. */
    software: StandaloneSoftware;
    /**
     * The bucket of the remote storage, its key with `value`. A folder of the machine does not do: clients fetch log segments and
     * snapshots from there by themselves.
     */
    remote: pulumi.Input<Storage>;
    /**
     * The lake that tables are tiered to; its secrets must carry a `value`. It needs plugins in `iceberg`. Not one whose files Hadoop
     * touches (a Hadoop catalog, `fileIo: "hadoop"`), for the machine gets no core-site.xml. Default: none.
     */
    lake?: pulumi.Input<Lake>;
    /** Further options of the servers by their real names; checked against the options of the release. */
    overrides?: Record<string, string | number | boolean>;
    /** SASL user of the clients. Default `fluss`. */
    clientUsername?: string;
    /** The root volume, on which the data is. Default 50 GiB, encrypted with the account's own key for EBS. */
    volume?: { sizeGiB?: number; kmsKey?: pulumi.Input<string> };
    /** Lets people in by AWS Systems Manager ("Session Manager"), without a port or a key pair. Default false. */
    sessionManager?: boolean;
    /** Refuses to delete or replace the instance while this is true. Default true. */
    deletionProtection?: boolean;
    /** Tags of all resources. */
    tags?: Record<string, pulumi.Input<string>>;
}

/**
 * Fluss on one EC2 instance (seed 003, "Configure and Start Fluss on an EC2 Instance"), for trying things out: one copy of each
 * bucket of a table, on one volume. It differs from the seed where that is open: clients log in by SASL, the internal listeners and
 * ZooKeeper are bound to the loopback, the data is on the encrypted root volume and not in /tmp, and the remote storage is a bucket.
 *
 * The secrets are in AWS Secrets Manager and are fetched at each boot with the instance's role. Not in Parameter Store, whose free
 * parameters end at 4 KiB, and not in the user data, which is shown to whoever may describe the instance.
 */
export class FlussStandalone extends pulumi.ComponentResource {
    /** Client address, `host:9124`. Fluss answers there some minutes after the instance was made. */
    readonly bootstrapServers: pulumi.Output<string>;
    /** SASL PLAIN user of the clients. */
    readonly clientUsername: pulumi.Output<string>;
    /** Its password; a secret. */
    readonly clientPassword: pulumi.Output<string>;
    /** How Flink, the Fluss clients and, with a lake, the engines of Iceberg read it. A secret. */
    readonly readers: pulumi.Output<Readers>;
    /**
     * A text that changes whenever the servers may have been started anew: with the instance, its size and its user data, which names
     * release, plugins, host and the version of the configuration. A tiering job has to start anew then: give it to
     * `clusterRevision` of its component, or to `existing.revision` of `FlussCluster`. It is derived from no secret: AWS counts
     * the versions of the configuration.
     */
    readonly revision: pulumi.Output<string>;
    /** The resources that were made, for what this component does not offer. */
    readonly nodes: {
        instance: Instance;
        securityGroup: SecurityGroup;
        /** The text of server.yaml. */
        secret: secretsmanager.Secret;
        role: iam.Role;
    };

    constructor(name: string, args: FlussStandaloneArgs, opts?: pulumi.ComponentResourceOptions) {
        super("fluss:index:FlussStandalone", name, {}, opts);
        const { clientUsername = "fluss", tags, region, reach = "public" } = args;
        throwFaults(name, standaloneFaults(args));
        const child = { parent: this };
        const securityGroup = this.#securityGroup(name, args);
        const network = new NetworkInterface(
            `${name}-network`,
            { subnetId: args.subnetId, securityGroups: [securityGroup.id], tags },
            child,
        );
        const eip =
            reach === "private"
                ? undefined
                : new Eip(`${name}-address`, { domain: "vpc", networkInterface: network.id, tags }, child);
        const address = eip?.publicIp ?? network.privateIp;
        const host = pulumi.output(args.advertisedHost ?? address);

        // Apart from the rest, so that a preview that knows the lake alone tells what is wrong with it.
        const lake = pulumi.output(args.lake).apply((known) => {
            throwFaults(name, standaloneLakeFaults(known));
            return known;
        });
        const clientPassword = this.#password(`${name}-client-password`);
        const config = pulumi
            .all([args.remote, lake, host, clientPassword, this.#password(`${name}-internal-password`)])
            .apply(([remote, knownLake, known, client, internal]) =>
                standaloneConfig(
                    args.software.release,
                    {
                        remote,
                        lake: knownLake,
                        sasl: {
                            users: [{ username: clientUsername, password: { value: client } }],
                            internal: { username: "fluss-internal", password: { value: internal } },
                        },
                        overrides: args.overrides,
                    },
                    known,
                ),
            );
        const secret = new secretsmanager.Secret(
            `${name}-config`,
            { description: "server.yaml of Fluss", tags },
            child,
        );
        const version = new secretsmanager.SecretVersion(
            `${name}-config-version`,
            { secretId: secret.id, secretString: pulumi.secret(config) },
            child,
        );
        const { role, rights } = this.#role(name, args, secret);
        const userData = pulumi
            .all([secret.arn, version.versionId, host])
            .apply(([secretArn, secretVersion, known]) =>
                standaloneUserData({
                    software: args.software,
                    region,
                    secretArn,
                    secretVersion,
                    host: known,
                }),
            );
        const instance = this.#instance(name, args, {
            network,
            role,
            // Its first boot fetches software by that address and the configuration by those rights.
            first: [...rights, ...(eip ? [eip] : [])],
            userData,
        });

        // Of the address, whatever the instance: what is made with it waits for the instance all the same.
        this.bootstrapServers = pulumi
            .all([host, instance.id])
            .apply(([known]) => `${known}:${standalonePorts.coordinator}`);
        this.clientUsername = pulumi.output(clientUsername);
        this.clientPassword = pulumi.secret(clientPassword);
        this.readers = this.#readers(args.remote, lake);
        // Known once the instance has stopped and started, so that a job that hangs on it restarts afterwards.
        this.revision = pulumi.all([instance.id, instance.instanceType, userData]).apply(revisionOf);
        this.nodes = { instance, securityGroup, secret, role };
        this.registerOutputs({ bootstrapServers: this.bootstrapServers });
    }

    #password(name: string): pulumi.Output<string> {
        // Letters and digits only: JAAS and server.yaml each give other characters a meaning.
        return new random.RandomPassword(name, { length: 32, special: false }, { parent: this }).result;
    }

    #securityGroup(name: string, { vpcId, allowedCidrs, tags }: FlussStandaloneArgs): SecurityGroup {
        const { coordinator, tablet } = standalonePorts;
        return new SecurityGroup(
            `${name}-ports`,
            {
                vpcId,
                description: "Client ports of Fluss",
                // Written here and not as rules of their own: a rule that somebody adds is taken away by the next run.
                ingress: [
                    {
                        description: "Clients of Fluss: coordinator and tablet server",
                        protocol: "tcp",
                        fromPort: coordinator,
                        toPort: tablet,
                        cidrBlocks: [...allowedCidrs],
                    },
                ],
                egress: [
                    {
                        description: "Software, Secrets Manager, the store and the lake's catalog",
                        protocol: "-1",
                        fromPort: 0,
                        toPort: 0,
                        cidrBlocks: ["0.0.0.0/0"],
                    },
                ],
                tags,
            },
            { parent: this },
        );
    }

    /** The instance's own rights: to read its configuration. The store is reached by the key in that (Fluss takes no role). */
    #role(
        name: string,
        args: FlussStandaloneArgs,
        secret: secretsmanager.Secret,
    ): { role: iam.Role; rights: pulumi.Resource[] } {
        const { tags, region, sessionManager } = args;
        const child = { parent: this };
        const dnsSuffix = awsPartition(region) === "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com";
        const statement = (rest: object) => ({
            Version: "2012-10-17",
            Statement: [{ Effect: "Allow", ...rest }],
        });
        const role = new iam.Role(
            `${name}-role`,
            {
                assumeRolePolicy: JSON.stringify(
                    statement({
                        Principal: { Service: `ec2.${dnsSuffix}` },
                        Action: "sts:AssumeRole",
                    }),
                ),
                tags,
            },
            child,
        );
        const policy = pulumi.jsonStringify(
            statement({ Action: "secretsmanager:GetSecretValue", Resource: secret.arn }),
        );
        const rights: pulumi.Resource[] = [
            new iam.RolePolicy(`${name}-role-policy`, { role: role.name, policy }, child),
        ];
        if (sessionManager) {
            const policyArn = `arn:${awsPartition(region)}:iam::aws:policy/AmazonSSMManagedInstanceCore`;
            rights.push(
                new iam.RolePolicyAttachment(
                    `${name}-session-manager`,
                    { role: role.name, policyArn },
                    child,
                ),
            );
        }
        return { role, rights };
    }

    #instance(
        name: string,
        { ami, instanceType = "t3.large", volume, deletionProtection = true, tags }: FlussStandaloneArgs,
        parts: {
            network: NetworkInterface;
            role: iam.Role;
            userData: pulumi.Output<string>;
            first: pulumi.Resource[];
        },
    ): Instance {
        const profile = new iam.InstanceProfile(
            `${name}-profile`,
            { role: parts.role.name, tags },
            { parent: this },
        );
        return new Instance(
            `${name}-instance`,
            {
                ami,
                instanceType,
                primaryNetworkInterface: { networkInterfaceId: parts.network.id },
                iamInstanceProfile: profile.name,
                userData: parts.userData,
                // A new configuration stops and starts the instance, and keeps its data.
                userDataReplaceOnChange: false,
                // The second version of the metadata service alone, and not for containers behind one more hop.
                metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
                rootBlockDevice: {
                    encrypted: true,
                    kmsKeyId: volume?.kmsKey,
                    volumeSize: volume?.sizeGiB ?? 50,
                    volumeType: "gp3",
                },
                disableApiTermination: deletionProtection,
                tags,
                volumeTags: tags,
            },
            // The interface belongs to one instance at a time.
            {
                parent: this,
                protect: deletionProtection,
                deleteBeforeReplace: true,
                dependsOn: parts.first,
            },
        );
    }

    #readers(remote: pulumi.Input<Storage>, lake: pulumi.Output<Lake | undefined>): pulumi.Output<Readers> {
        return pulumi.secret(
            pulumi
                .all([this.bootstrapServers, this.clientUsername, this.clientPassword, remote, lake])
                .apply(([bootstrapServers, username, password, storage, known]) =>
                    defineReaders({
                        catalog: "fluss_catalog",
                        client: { bootstrapServers, sasl: { username, password: { value: password } } },
                        lake: known,
                        remote: storage,
                    }),
                ),
        );
    }
}

/** Short, since it becomes an annotation of pods. */
function revisionOf(parts: readonly string[]): string {
    return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}
