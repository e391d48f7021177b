// The index of the package would load three hundred modules more.
import * as iam from "@pulumi/aws/iam/index.js";
import * as pulumi from "@pulumi/pulumi";
import { awsPartition } from "../model/aws-partition.ts";
import { type Fault, throwFaults } from "../model/faults.ts";
import { bucketPolicy, type PolicyTarget } from "./lake-bucket-policies.ts";

/** Roles of AWS in the place of keys, each where it works. */
export interface LakeRolesArgs {
    /**
     * The role that Lakekeeper assumes for the short-lived keys that it hands out, which it narrows to one table by a session
     * policy (`sts-enabled`). It may read and write the lake. Default: none; then clients of Lakekeeper get no keys.
     */
    lakekeeper?: LakekeeperRoleArgs;
    /**
     * The role of the pods of a Flink outside of Ververica Platform, such as the tiering job's: a web identity (IRSA). It may
     * read and write the lake. Default: none.
     */
    tiering?: WebIdentityArgs;
    /**
     * Refused: the Fluss servers take keys alone. Fluss up to 1.0.0 finds neither the role of a pod nor that of a machine
     * (apache/fluss pull request 4425).
     */
    servers?: never;
}

/** Who may assume the role of Lakekeeper. */
export interface LakekeeperRoleArgs {
    /**
     * ARNs of further principals that may assume it: the role of Lakekeeper's own pods, where the warehouse holds no key
     * (`s3-system-identity`). None of them with `*`. Default: the component's user alone, whose
     * key the warehouse holds.
     */
    trusted?: readonly pulumi.Input<string>[];
    /** The external id that must come with each request, as in the warehouse's credential. Default: none. */
    externalId?: pulumi.Input<string>;
    /**
     * The longest time that a key may live, in seconds, 3600 to 43200. A role that assumes it (`trusted`) gets an hour at most,
     * whatever stands here. Default 3600, AWS's own.
     */
    maxSessionSeconds?: number;
}

/** Which pods a role is for (EKS, "IAM roles for service accounts"). */
export interface WebIdentityArgs {
    /**
     * ARN of the OpenID provider of the Kubernetes cluster:
     * `arn:aws:iam::<account>:oidc-provider/oidc.eks.<region>.amazonaws.com/id/<id>`.
     */
    oidcProvider: pulumi.Input<string>;
    /**
     * The ServiceAccounts of the pods, by namespace and name, none of them with `*`. Each must bear the annotation
     * `eks.amazonaws.com/role-arn` with the role's ARN, {@link LakeRoles.tiering}.
     */
    serviceAccounts: readonly { namespace: string; name: string }[];
    /** The audience of the pods' tokens. Default `sts.amazonaws.com`, EKS's own. */
    audience?: string;
    /** `read` for jobs that only query the lake. Default `readWrite`. */
    access?: "read" | "readWrite";
}

/** ARNs of the roles that were asked for. */
export interface LakeRoles {
    /** For `sts-role-arn` of a warehouse; `LakekeeperCatalog` takes it as `storage.sts.roleArn`. */
    lakekeeper?: pulumi.Output<string>;
    /** For the annotation `eks.amazonaws.com/role-arn` of the ServiceAccounts. */
    tiering?: pulumi.Output<string>;
}

/** The role for short-lived keys of the lake, by its ARN; `user` may assume it once its policy says so, too. */
export function makeLakekeeperRole(
    name: string,
    args: LakekeeperRoleArgs,
    lake: PolicyTarget,
    region: string,
    user: iam.User,
    options: { parent: pulumi.Resource; tags?: Record<string, pulumi.Input<string>> },
): pulumi.Output<string> {
    const { trusted = [], externalId, maxSessionSeconds } = args;
    const known = trusted.map((principal, index) =>
        pulumi.output(principal).apply((arn) => {
            throwFaults(name, principalFaults(arn, index, region));
            return arn;
        }),
    );
    const trust = pulumi.jsonStringify({
        Version: "2012-10-17",
        Statement: [
            {
                Effect: "Allow",
                Principal: { AWS: [user.arn, ...known] },
                Action: "sts:AssumeRole",
                ...(externalId === undefined
                    ? {}
                    : { Condition: { StringEquals: { "sts:ExternalId": externalId } } }),
            },
        ],
    });
    return makeRole(name, trust, bucketPolicy(lake, "readWrite"), options, maxSessionSeconds);
}

/** The role for the pods of some ServiceAccounts, by its ARN. */
export function makeWebIdentityRole(
    name: string,
    args: WebIdentityArgs,
    lake: PolicyTarget,
    region: string,
    options: { parent: pulumi.Resource; tags?: Record<string, pulumi.Input<string>> },
): pulumi.Output<string> {
    const { serviceAccounts, audience = "sts.amazonaws.com", access = "readWrite" } = args;
    const subjects = serviceAccounts.map(
        ({ namespace, name: account }) => `system:serviceaccount:${namespace}:${account}`,
    );
    const trust = pulumi.output(args.oidcProvider).apply((provider) => {
        throwFaults(name, providerFaults(provider, region));
        const issuer = provider.slice(provider.indexOf("/") + 1);
        return JSON.stringify({
            Version: "2012-10-17",
            Statement: [
                {
                    Effect: "Allow",
                    Principal: { Federated: provider },
                    Action: "sts:AssumeRoleWithWebIdentity",
                    // Without the subject every pod of the cluster might take the role.
                    Condition: { StringEquals: { [`${issuer}:aud`]: audience, [`${issuer}:sub`]: subjects } },
                },
            ],
        });
    });
    return makeRole(name, trust, bucketPolicy(lake, access), options);
}

/** What is wrong with the roles that were asked for. What is not known yet is looked at when it is. */
export function roleFaults(roles: LakeRolesArgs, region: string): Fault[] {
    const faults: Fault[] = [];
    if ("servers" in roles) {
        const reason =
            "Fluss up to 1.0.0 takes keys alone for its remote storage: it finds neither the role of a pod nor that of a machine";
        faults.push({ path: "roles.servers", reason, fix: "Remove it; the servers get LakeBuckets.key" });
    }
    const seconds = roles.lakekeeper?.maxSessionSeconds;
    if (seconds !== undefined && !(Number.isInteger(seconds) && seconds >= 3600 && seconds <= 43_200)) {
        const path = "roles.lakekeeper.maxSessionSeconds";
        const reason = "AWS lets a role's keys live for 3600 to 43200 seconds";
        faults.push({ path, value: String(seconds), reason, fix: "Give a number of seconds in between" });
    }
    for (const [index, principal] of (roles.lakekeeper?.trusted ?? []).entries()) {
        if (typeof principal === "string") faults.push(...principalFaults(principal, index, region));
    }
    return [...faults, ...(roles.tiering ? accountFaults(roles.tiering) : [])];
}

/** One account by its number, and no `*`, with which any account of AWS could take the role. */
function principalFaults(principal: string, index: number, region: string): Fault[] {
    const partition = awsPartition(region);
    if (new RegExp(`^arn:${partition}:(?:iam|sts)::\\d{12}:[^\\s*]+$`).test(principal)) return [];
    const reason = `is not the ARN of a principal, by name, of the partition ${partition}, in which ${region} is`;
    const fix = `Write it like arn:${partition}:iam::123456789012:role/lakekeeper`;
    return [{ path: `roles.lakekeeper.trusted[${index}]`, value: principal, reason, fix }];
}

function accountFaults({ serviceAccounts }: WebIdentityArgs): Fault[] {
    const path = "roles.tiering.serviceAccounts";
    if (serviceAccounts.length === 0) {
        return [{ path, reason: "names no pods that the role is for", fix: "Give the job's ServiceAccount" }];
    }
    return serviceAccounts.flatMap(({ namespace, name }): Fault[] => {
        if ([namespace, name].every((text) => /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(text))) return [];
        const reason = "is not the namespace and the name of a ServiceAccount, each one by name";
        const fix = 'Write it like { namespace: "flink", name: "flink" }';
        return [{ path, value: `${namespace}/${name}`, reason, fix }];
    });
}

function providerFaults(provider: string, region: string): Fault[] {
    const partition = awsPartition(region);
    if (new RegExp(`^arn:${partition}:iam::\\d{12}:oidc-provider/[^\\s/]+\\S*$`).test(provider)) return [];
    const reason = `is not the ARN of an OpenID provider of the partition ${partition}, in which ${region} is`;
    const fix = `Write it like arn:${partition}:iam::123456789012:oidc-provider/<issuer without https://>`;
    return [{ path: "roles.tiering.oidcProvider", value: provider, reason, fix }];
}

/** @returns the ARN, once the role has its rights: whoever gets it can use it at once */
function makeRole(
    name: string,
    assumeRolePolicy: pulumi.Input<string>,
    policy: pulumi.Input<string>,
    { parent, tags }: { parent: pulumi.Resource; tags?: Record<string, pulumi.Input<string>> },
    maxSessionDuration?: number,
): pulumi.Output<string> {
    const role = new iam.Role(name, { assumeRolePolicy, maxSessionDuration, tags }, { parent });
    const rights = new iam.RolePolicy(`${name}-policy`, { role: role.name, policy }, { parent });
    return pulumi.all([role.arn, rights.id]).apply(([arn]) => arn);
}
