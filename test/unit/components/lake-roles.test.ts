import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { LakeBuckets, type LakeBucketsArgs } from "../../../components/lake-buckets.ts";
import { build, failuresOf, misplaced, resolved } from "./harness.ts";

const names = { remoteBucket: "acme-remote", lakeBucket: "acme-lake" };
const withArgs = (args: Partial<LakeBucketsArgs>) => ({ region: "eu-central-1", ...names, ...args });
const make = (args: Partial<LakeBucketsArgs>) =>
    build(false, (opts) => new LakeBuckets("desk", withArgs(args), opts));
const faultsOf = (args: Partial<LakeBucketsArgs>) =>
    failuresOf((opts) => new LakeBuckets("desk", withArgs(args), opts));

const userArn = "arn:aws:iam::123456789012:user/desk-user-1a2b3c4";
const oidcProvider =
    "arn:aws:iam::123456789012:oidc-provider/oidc.eks.eu-central-1.amazonaws.com/id/EXAMPLED539D4633";
const flink = { namespace: "flink", name: "tiering" };

type Policies = Map<string, { inputs: Record<string, unknown> }>;
const policyOf = (made: Policies, name: string, input = "policy") =>
    JSON.parse(String(made.get(name)?.inputs[input])).Statement;

describe("Lakekeeper's role", () => {
    it("trusts the user, who may assume it, and reaches the lake alone", async () => {
        const { made, component } = await make({
            roles: { lakekeeper: {} },
            kmsKey: "arn:aws:kms:eu-central-1:123456789012:key/1",
        });
        expect(misplaced(made, "desk")).toEqual([]);
        expect(policyOf(made, "desk-lakekeeper-role", "assumeRolePolicy")).toEqual([
            { Effect: "Allow", Principal: { AWS: [userArn] }, Action: "sts:AssumeRole" },
        ]);
        const [listing, objects, kms] = policyOf(made, "desk-lakekeeper-role-policy");
        expect([listing.Resource, objects.Resource]).toEqual([
            ["arn:aws:s3:::acme-lake"],
            ["arn:aws:s3:::acme-lake/*"],
        ]);
        expect(kms).toMatchObject({ Action: ["kms:Decrypt", "kms:GenerateDataKey"] });
        expect(policyOf(made, "desk-user-policy").at(-1)).toEqual({
            Effect: "Allow",
            Action: "sts:AssumeRole",
            Resource: "arn:aws:iam::123456789012:role/desk-lakekeeper-role-1a2b3c4",
        });
        expect(await resolved(component.roles.lakekeeper!)).toMatch(/:role\/desk-lakekeeper-role/);
        expect(component.roles.tiering).toBeUndefined();
    });

    it("trusts the pods of Lakekeeper too, under an external id, for as long as is wanted", async () => {
        const pods = "arn:aws:iam::123456789012:role/lakekeeper-pods";
        const lakekeeper = { trusted: [pods], externalId: "lake-7", maxSessionSeconds: 43_200 };
        const { made } = await make({ roles: { lakekeeper } });
        expect(policyOf(made, "desk-lakekeeper-role", "assumeRolePolicy")).toMatchObject([
            {
                Principal: { AWS: [userArn, pods] },
                Condition: { StringEquals: { "sts:ExternalId": "lake-7" } },
            },
        ]);
        expect(made.get("desk-lakekeeper-role")?.inputs.maxSessionDuration).toBe(43_200);
    });

    it.each([
        "*",
        "123456789012",
        "arn:aws:iam::123456789012:role/*",
        "arn:aws:iam::*:role/lakekeeper",
        "arn:aws-cn:iam::123456789012:role/lakekeeper",
    ])("trusts nobody but principals by name: not %s, at once or when it is known", async (arn) => {
        const told = `roles.lakekeeper.trusted[0] = ${arn}: is not the ARN of a principal`;
        expect(await faultsOf({ roles: { lakekeeper: { trusted: [arn] } } })).toContain(told);
        const later = pulumi.output(Promise.resolve(arn));
        expect(await faultsOf({ roles: { lakekeeper: { trusted: [later] } } })).toContain(told);
    });

    it("trusts a session of a role, in the region's partition", async () => {
        const session = "arn:aws-cn:sts::123456789012:assumed-role/pods/lakekeeper";
        const { made } = await make({
            region: "cn-north-1",
            roles: { lakekeeper: { trusted: [pulumi.output(session)] } },
        });
        const [trust] = policyOf(made, "desk-lakekeeper-role", "assumeRolePolicy");
        expect(trust.Principal.AWS[1]).toBe(session);
    });
});

it("gives the ARN of a role once it has its rights", async () => {
    const roles = { lakekeeper: {}, tiering: { oidcProvider, serviceAccounts: [flink] } };
    const { component } = await make({ roles });
    const resourcesOf = async (output: pulumi.Output<string> | undefined) =>
        [
            ...(await (
                output as unknown as { allResources(): Promise<Set<pulumi.Resource>> }
            ).allResources()),
        ].map((resource) => (resource as unknown as { __name: string }).__name);
    expect(await resourcesOf(component.roles.lakekeeper)).toContain("desk-lakekeeper-role-policy");
    expect(await resourcesOf(component.roles.tiering)).toContain("desk-tiering-role-policy");
});

describe("the role of pods", () => {
    it("is for the named ServiceAccounts of one cluster alone, and reaches the lake alone", async () => {
        const { made, component } = await make({
            roles: { tiering: { oidcProvider, serviceAccounts: [flink], access: "read" } },
            tags: { team: "desk" },
        });
        const issuer = "oidc.eks.eu-central-1.amazonaws.com/id/EXAMPLED539D4633";
        expect(policyOf(made, "desk-tiering-role", "assumeRolePolicy")).toEqual([
            {
                Effect: "Allow",
                Principal: { Federated: oidcProvider },
                Action: "sts:AssumeRoleWithWebIdentity",
                Condition: {
                    StringEquals: {
                        [`${issuer}:aud`]: "sts.amazonaws.com",
                        [`${issuer}:sub`]: ["system:serviceaccount:flink:tiering"],
                    },
                },
            },
        ]);
        expect(policyOf(made, "desk-tiering-role-policy")[1]).toEqual({
            Effect: "Allow",
            Action: ["s3:GetObject"],
            Resource: ["arn:aws:s3:::acme-lake/*"],
        });
        expect(made.get("desk-tiering-role")?.inputs.tags).toEqual({ team: "desk" });
        expect(await resolved(component.roles.tiering!)).toMatch(/:role\/desk-tiering-role/);
    });

    it.each([
        ["cn-north-1", "aws-cn"],
        ["us-gov-west-1", "aws-us-gov"],
    ])("has a provider of the region's partition: %s is in %s", async (region, partition) => {
        const tiering = (provider: string) => ({ oidcProvider: provider, serviceAccounts: [flink] });
        const right = oidcProvider.replace("arn:aws:", `arn:${partition}:`);
        const { made } = await make({ region, roles: { tiering: tiering(right) } });
        expect(policyOf(made, "desk-tiering-role", "assumeRolePolicy")[0].Principal.Federated).toBe(right);
        expect(await faultsOf({ region, roles: { tiering: tiering(oidcProvider) } })).toContain(
            `is not the ARN of an OpenID provider of the partition ${partition}`,
        );
    });
});

describe("what cannot be", () => {
    it("is told all at once: roles of the servers, pods that are not named, keys that live too long", async () => {
        const roles = {
            servers: {} as never,
            lakekeeper: { maxSessionSeconds: 60 },
            tiering: { oidcProvider, serviceAccounts: [{ namespace: "flink", name: "*" }] },
        };
        const message = await faultsOf({ roles });
        expect(message).toMatch(/3 faults in desk/);
        expect(message).toMatch(/roles\.servers: Fluss up to 1\.0\.0 takes keys alone/);
        expect(message).toMatch(/serviceAccounts = flink\/\*/);
        expect(message).toMatch(/maxSessionSeconds = 60/);
    });
});

describe("a store without IAM", () => {
    const key = { accessKeyId: "minio", secretAccessKey: "minio-secret" };

    it("gets its buckets alone, and its key from its own administration", async () => {
        const { made, component } = await make({ s3Compatible: { key }, abortUploadsAfterDays: 2 });
        expect([...made.keys()]).toEqual([
            "desk",
            "desk-remote",
            "desk-remote-lifecycle",
            "desk-lake",
            "desk-lake-lifecycle",
        ]);
        expect(await resolved(component.key.accessKeyId)).toBe("minio");
        expect(await resolved(component.key.secretAccessKey)).toBe("minio-secret");
        expect(await pulumi.isSecret(component.key.secretAccessKey)).toBe(true);
        const [, objects] = JSON.parse(await resolved(component.userPolicy)).Statement;
        expect(objects.Resource).toEqual(["arn:aws:s3:::acme-remote/*", "arn:aws:s3:::acme-lake/*"]);
        expect(component.nodes.user).toBeUndefined();
    });

    it("refuses what only AWS has, and TLS alone on request", async () => {
        const message = await faultsOf({
            s3Compatible: { key },
            keys: ["a"],
            kmsKey: "arn:aws:kms:key",
            platformPrincipal: { user: "vvp" },
            roles: { lakekeeper: {} },
        });
        expect(message).toMatch(/4 faults in desk/);
        const { made } = await make({ s3Compatible: { key }, tlsOnly: true });
        expect([...made.keys()].filter((name) => name.endsWith("tls-only"))).toHaveLength(2);
    });
});
