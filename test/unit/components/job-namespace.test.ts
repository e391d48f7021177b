import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import type { JobNamespaceArgs } from "../../../components/job-namespace.ts";
import { VvpWorkspaceSetup } from "../../../components/vvp-workspace-setup.ts";
import { platformRules } from "../../../model/job-namespace.ts";
import { build, misplaced, resolved } from "./harness.ts";
import { jarsFolder } from "./jars.ts";

const connection = { url: "https://vvp.example.com" };
const setup = { release: "1.0.0-vv-3", catalog: "rest", storage: "s3" } as const;
const platform = { namespace: "vvp-system", serviceAccount: "vvp-appmanager" };
const reaches = [
    { what: "Fluss", namespace: "fluss", service: "coordinator-server-hs", port: 9124 },
    { what: "the object store", host: "s3.eu-central-1.amazonaws.com", port: 443 },
];
const networkPolicies = { flussNamespace: "fluss", catalog: { namespace: "fluss", port: 8181 } };

const make = (kubernetes?: JobNamespaceArgs, preview = false, after?: pulumi.Resource) =>
    build(
        preview,
        (opts) =>
            new VvpWorkspaceSetup(
                "desk",
                {
                    connection,
                    jobNamespace: "vvp-jobs",
                    sessionCluster: false,
                    jars: { from: jarsFolder(), setup },
                    kubernetes,
                },
                { ...opts, ...(after && { dependsOn: after }) },
            ),
    );
/** Type and name of what was made in Kubernetes. */
const around = (made: Awaited<ReturnType<typeof make>>["made"]) =>
    [...made.values()]
        .filter(({ type }) => /kubernetes/i.test(type))
        .map(({ type, name }) => `${type.split(":").at(-1)} ${name}`);

describe.each([true, false])("what is around the platform, preview %s", (preview) => {
    it("is left alone by default", async () => {
        const { component, made } = await make(undefined, preview);
        expect(around(made)).toEqual([]);
        expect(component.jobNamespaceFindings).toBeUndefined();
        expect(made.get("desk-target")?.dependsOn).toEqual([]);
    });

    it("is looked at when Kubernetes is given, before the target is made", async () => {
        const { made } = await make({}, preview);
        expect(around(made)).toEqual(["JobNamespaceCheck desk-check"]);
        expect(made.get("desk-target")?.dependsOn).toEqual(["desk-check"]);
    });

    it("is looked at after the servers that the component waits for", async () => {
        const servers = new pulumi.ComponentResource("test:index:Servers", "servers");
        const { made } = await make({ createNamespace: true }, preview, servers);
        expect(made.get("desk-check")?.dependsOn).toEqual(["desk-namespace", "somebody else"]);
    });

    it("is made on request: namespace, rights, policies, then the check, then the target", async () => {
        const args = { createNamespace: true, platform, grant: true, networkPolicies, check: { reaches } };
        const { made } = await make(args, preview);
        const own = [
            "Namespace desk-namespace",
            "NetworkPolicy desk-policy-jobs-ingress",
            "NetworkPolicy desk-policy-jobs-egress",
            "Role desk-role",
            "RoleBinding desk-role-binding",
        ];
        expect(around(made)).toEqual([...own, "JobNamespaceCheck desk-check"]);
        expect(misplaced(made, "desk")).toEqual([]);
        const names = own.map((one) => one.split(" ")[1]);
        expect(made.get("desk-check")?.dependsOn.toSorted()).toEqual(names.toSorted());
        expect(made.get("desk-target")?.dependsOn).toContain("desk-check");
    });
});

describe("its content", () => {
    it("names namespace, ServiceAccount and rights", async () => {
        const { made } = await make({ createNamespace: { labels: { team: "desk" } }, platform, grant: true });
        expect(made.get("desk-namespace")?.inputs).toMatchObject({
            metadata: { name: "vvp-jobs", labels: { team: "desk" } },
        });
        expect(made.get("desk-role")?.inputs).toMatchObject({
            metadata: { name: "ververica-platform-jobs", namespace: "vvp-jobs" },
            rules: platformRules,
        });
        expect(made.get("desk-role-binding")?.inputs).toMatchObject({
            roleRef: { kind: "Role", name: "ververica-platform-jobs" },
            subjects: [{ kind: "ServiceAccount", name: "vvp-appmanager", namespace: "vvp-system" }],
        });
        expect(made.get("desk-check")?.inputs).toMatchObject({
            namespace: "vvp-jobs",
            platform,
            rules: platformRules,
            required: true,
        });
    });

    it("takes rights of one's own, and looks for the same ones", async () => {
        const rules = [{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] }];
        const { made } = await make({ platform, grant: rules, check: { reaches, required: false } });
        expect(made.get("desk-role")?.inputs.rules).toEqual(rules);
        expect(made.get("desk-check")?.inputs).toMatchObject({ rules, reaches, required: false });
    });

    it("gives the policies the platform's namespace, unless another is given", async () => {
        const from = async (args: JobNamespaceArgs) => {
            const { made } = await make({ ...args, check: false });
            return JSON.stringify(made.get("desk-policy-jobs-ingress")?.inputs.spec);
        };
        expect(await from({ platform, networkPolicies })).toContain("vvp-system");
        const other = { ...networkPolicies, platformNamespace: "gateway" };
        expect(await from({ platform, networkPolicies: other })).toContain("gateway");
    });

    it("keeps the kubeconfig a secret, and hands the findings on", async () => {
        const access = { kubeconfig: "users: token-of-the-admin" };
        const { component, made } = await make({ access });
        expect(made.get("desk-check")?.secrets).toEqual(["access"]);
        expect(component.jobNamespaceFindings).toBeDefined();
        expect(await resolved(made.get("desk-check")?.inputs.namespace)).toBe("vvp-jobs");
    });
});

describe("refuses", () => {
    it("rights for nobody", async () => {
        await expect(make({ grant: true })).rejects.toThrow(/kubernetes\.grant needs kubernetes\.platform/);
    });

    it("policies without the platform's namespace, and those that cannot be", async () => {
        await expect(make({ networkPolicies })).rejects.toThrow(/platformNamespace: is required and missing/);
        const wrong = { flussNamespace: "Fluss", external: [{ cidr: "s3", port: 443 }] };
        await expect(make({ platform, networkPolicies: wrong })).rejects.toThrow(
            /2 faults in networkPolicies/,
        );
    });
});
