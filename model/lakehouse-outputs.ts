import * as z from "zod";
import { parse } from "./faults.ts";
import { flussClientSchema } from "./fluss-client.ts";
import { lakeSchema } from "./lake.ts";
import { deploymentTargetName } from "./names.ts";

/**
 * What a lakehouse stack tells other stacks: names, addresses and references to secrets, and no secret. Fields are only ever
 * added; a change that would break a reader gets another `contract`. Fields that a reader does not know are left out.
 */
export const lakehouseOutputs = z
    .object({
        /** Form of this object. */
        contract: z.literal(1, { error: "is not 1, the form that this release of pulumi-fluss reads" }),
        /** Release of cluster and client JARs, `1.0.0-vv-3`. */
        flussVersion: z.string().min(1, { error: "is empty" }),
        /** Release line of the servers, for the rules of tables. */
        server: z.enum(["0.9", "1.0"]),
        /** The platform; its API token is each stack's own. */
        vvp: z.object({
            connection: z.object({
                /** Left out where the lakehouse took it from its environment. */
                url: z.string().optional(),
                workspace: z.string().optional(),
                namespace: z.string().optional(),
                caCertificate: z.string().optional(),
            }),
            /** Name of the deployment target for jobs. */
            deploymentTarget: deploymentTargetName,
            /** VERA engine of jobs. */
            engineVersion: z.string().min(1, { error: "is empty" }),
            /** URIs of the client JARs: the additional dependencies of each job. */
            clientJarUris: z.array(z.string()),
        }),
        /** Name of the Fluss catalog on the platform. */
        catalog: z.string().min(1, { error: "is empty" }),
        /** The cluster; its password is the name of a secret value of the platform. */
        client: flussClientSchema,
        /** What tiers the cluster, by its name on the platform. Absent in outputs of older releases, and where nothing does. */
        tieredBy: z.string().optional(),
        /** The lake; its token is the name of a secret value of the platform. */
        lake: lakeSchema,
        /** Names of both buckets. */
        buckets: z.object({ remote: z.string(), lake: z.string() }),
    })
    .superRefine(({ client, lake }, context) => {
        const holdsValue = (value: unknown): boolean =>
            typeof value === "object" &&
            value !== null &&
            ("value" in value || Object.values(value).some(holdsValue));
        for (const [path, value] of Object.entries({ client, lake })) {
            if (!holdsValue(value)) continue;
            context.addIssue({
                code: "custom",
                path: [path],
                message: "holds a secret in clear",
                params: { fix: "Name it: { secretValue: <name> }" },
            });
        }
    });

/** See {@link lakehouseOutputs}. */
export type LakehouseOutputs = z.output<typeof lakehouseOutputs>;

/** The checked outputs. Throws a `FaultsError` with every fault, with paths that start with `subject`. */
export function parseLakehouseOutputs(input: unknown, subject: string): LakehouseOutputs {
    return parse(lakehouseOutputs, input, subject);
}
