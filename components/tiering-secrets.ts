import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { FaultsError, parse, throwFaults } from "../model/faults.ts";
import { type FlussClient, flussClientSchema } from "../model/fluss-client.ts";
import { filesFaults, type Lake } from "../model/lake.ts";
import { coreSiteXml, usesHadoop } from "../model/lake-core-site.ts";
import { tieringEnvironment } from "../model/tiering.ts";
import { tieringClaim } from "./tiering-claim.ts";

/** Lake and cluster of a tiering job on Kubernetes, checked, and the Secrets that its pods read. */
export interface TieringSecrets {
    known: pulumi.Output<{ lake: Lake; client: FlussClient }>;
    /** Each secret of both under its `env`. */
    environment: k8s.core.v1.Secret;
    /** `core-site.xml`, where Hadoop touches the lake's files. */
    coreSite: k8s.core.v1.Secret | undefined;
}

/**
 * Makes them below `parent`, immutable and named by Pulumi: new content makes a new Secret, and so restarts the pods that
 * name it. Claims the cluster for this component.
 */
export function tieringSecrets(
    parent: pulumi.Resource,
    name: string,
    args: {
        namespace: pulumi.Input<string>;
        lake: pulumi.Input<Lake>;
        client: pulumi.Input<FlussClient>;
        coreSite: boolean;
    },
): TieringSecrets {
    const claim = tieringClaim(parent, name);
    const known = pulumi.all([args.lake, args.client]).apply(([lake, given]) => {
        const client = parse(flussClientSchema, given, "client");
        claim(client.bootstrapServers);
        throwFaults("the tiering job", filesFaults(lake));
        if (!args.coreSite) refuseHadoop(lake);
        return { lake, client };
    });
    const secret = (suffix: string, stringData: pulumi.Input<Record<string, pulumi.Input<string>>>) =>
        new k8s.core.v1.Secret(
            `${name}-${suffix}`,
            { metadata: { namespace: args.namespace }, immutable: true, stringData },
            { parent, additionalSecretOutputs: ["stringData", "data"] },
        );
    const environment = secret(
        "environment",
        pulumi.secret(known.apply(({ lake, client }) => tieringEnvironment(lake, client))),
    );
    const coreSite = args.coreSite
        ? secret("core-site", {
              "core-site.xml": pulumi.secret(known.apply(({ lake }) => neededXml(lake))),
          })
        : undefined;
    return { known, environment, coreSite };
}

/** The file that the program asked for; a lake without use for it is a mistake in the program. */
function neededXml(lake: Lake): string {
    const text = coreSiteXml(lake);
    if (text !== undefined) return text;
    const reason = "Iceberg's own client of the store touches the files of this lake, and Hadoop does not";
    throw new FaultsError("the tiering job", [{ path: "coreSite", value: "true", reason, fix: "Remove it" }]);
}

function refuseHadoop(lake: Lake): void {
    if (!usesHadoop(lake)) return;
    const reason = "Hadoop touches the files of this lake and needs a core-site.xml with its keys";
    throw new FaultsError("the tiering job", [{ path: "coreSite", reason, fix: "Set coreSite: true" }]);
}
