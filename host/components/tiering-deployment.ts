import * as z from "zod";
import type { TieringDeploymentArgs } from "../../components/tiering-deployment.ts";
import type { TieringHealth } from "../../components/tiering-health.ts";
import { flussClientSchema } from "../../model/fluss-client.ts";
import { lakeSchema } from "../../model/lake.ts";
import { catalogSchema } from "../../model/lake-catalog.ts";
import { given } from "./given.ts";
import type { HostedComponent } from "./index.ts";
import { portForward } from "./kubernetes.ts";
import { definedLake, options, release, text, vvpConnection } from "./parts.ts";

const shape = {
    connection: vvpConnection,
    /** Name of the deployment. Default `fluss-quickstart-tiering`. */
    name: z.string().min(1).optional(),
    /** The deployment target that it runs on. */
    deploymentTarget: text,
    /** VERA engine. Default that of the quickstart. */
    engineVersion: z.string().min(1).optional(),
    /** URI of the tiering service's JAR. */
    jarUri: text,
    /** URIs of the client JARs. */
    additionalDependencies: given(z.array(z.string())),
    /** The lake, as the servers know it: output `lake` of a LakekeeperCatalog. Its secrets carry a `secretValue`. */
    lake: given(lakeSchema),
    /** The cluster; its password carries a `secretValue`. */
    client: given(flussClientSchema),
    version: release.optional(),
    /** Further arguments, such as `fluss.tiering.poll.table.interval`. */
    extraArguments: options.optional(),
    /** Further Flink options of the job. */
    flinkConfiguration: options.optional(),
    /** A text that changes with the Fluss servers: a new one restarts the job. Default: none. */
    clusterRevision: text.optional(),
    /**
     * Waits after each start of the job until rows of a table reach the lake: for a table, `database.table`, into which rows are written
     * all the time. `catalog` is that of the lake as Pulumi reaches it, with the `value` of its secret. Default: not looked for.
     */
    health: z
        .strictObject({
            table: text,
            withinSeconds: given(z.number()).optional(),
            catalog: given(catalogSchema).optional(),
            portForward: portForward.optional(),
        } satisfies Record<keyof Required<TieringHealth>, z.ZodType>)
        .optional(),
    /** Takes over a deployment of that name which is as wanted. Default false. */
    adopt: z.boolean().optional(),
} satisfies Record<keyof Required<TieringDeploymentArgs>, z.ZodType>;

/** `fluss:index:TieringDeployment` for other languages. */
export const tieringDeployment: HostedComponent = {
    token: "fluss:index:TieringDeployment",
    description: "The tiering service as a JAR deployment of Ververica Platform. One per Fluss cluster.",
    inputs: z.strictObject(shape),
    outputs: {
        deploymentName: { type: "string", description: "Name of the deployment." },
        deploymentId: { type: "string", description: "The platform's id of it." },
        jobStatus: { type: "string", description: "State of its job." },
    },
    async make(name, inputs, opts) {
        const { TieringDeployment } = await import("../../components/tiering-deployment.ts");
        const args = { ...inputs, lake: await definedLake(inputs["lake"]) };
        const component = new TieringDeployment(name, args as unknown as TieringDeploymentArgs, opts);
        const { name: deploymentName, deploymentId, jobStatus } = component.deployment;
        return { component, outputs: { deploymentName, deploymentId, jobStatus } };
    },
};
