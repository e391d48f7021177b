import { secretValuesIn, tieredCluster } from "../../model/engine-rules.ts";
import { isSameCluster } from "../../model/fluss-client.ts";
import { type DeploymentCalls, isActive } from "./deployment-calls.ts";
import type { DeploymentInputs } from "./deployment-spec.ts";
import { dialect } from "./dialect.ts";

/**
 * What can only be seen on the platform and would make a started job fail or do harm: a secret value or a JAR of
 * the artifact store that it names and that is not there, and a second tiering job of the same cluster (apache/fluss#2648: both would commit a round). Makes
 * no write; a deployment that is not to run is not looked at.
 * @throws with all that was found and what to do
 */
export async function beforeStart(api: DeploymentCalls, wanted: DeploymentInputs): Promise<void> {
    if (wanted.state === "CANCELLED") return;
    const found = [
        ...(await missingSecrets(api, wanted)),
        ...(await missingArtifacts(api, wanted)),
        ...(await otherTieringJobs(api, wanted)),
    ];
    if (found.length > 0) {
        throw new Error(`VVP: deployment '${wanted.name}' cannot be started:\n- ${found.join("\n- ")}`);
    }
}

async function missingSecrets({ client }: DeploymentCalls, wanted: DeploymentInputs): Promise<string[]> {
    const { mainArgs = "", sqlScript = "", flinkConf } = wanted;
    const names = secretValuesIn([mainArgs, sqlScript, ...Object.values(flinkConf)].join("\n"));
    const collection = dialect.secretValue.collection(client.namespace);
    const missing: string[] = [];
    for (const name of names) {
        const action = `read secret value '${name}'`;
        const path = dialect.secretValue.item(client.namespace, name);
        // A token that may not read secret values, or a platform with other paths for them, is no reason to stop here.
        const there = await client
            .find({ path, action }, collection, dialect.secretValue.answer)
            .then((secret) => secret !== undefined)
            .catch(() => true);
        if (!there) missing.push(name);
    }
    return missing.map(
        (name) =>
            `it names \${secret_values.${name}}, which namespace '${client.namespace}' does not have. What to do: make it with ` +
            "VvpSecretValue and use its output `reference`, so that it is there first",
    );
}

/** A job starts without a JAR that is gone, and fails where it first needs a class of it. */
async function missingArtifacts(api: DeploymentCalls, wanted: DeploymentInputs): Promise<string[]> {
    const { jarUri, pythonUri, additionalDependencies = [] } = wanted;
    const uris = [jarUri, pythonUri, ...additionalDependencies].flatMap((uri) => uri ?? []);
    const there = await Promise.all(uris.map((uri) => api.hasArtifact(uri)));
    return uris
        .filter((_, index) => !there[index])
        .map(
            (uri) =>
                `${uri} is not in the artifact store. What to do: \`pulumi refresh\` and \`pulumi up\` upload what VvpArtifact made anew; ` +
                "else upload the file, or correct the URI",
        );
}

async function otherTieringJobs(api: DeploymentCalls, wanted: DeploymentInputs): Promise<string[]> {
    const cluster = tieredCluster(wanted.jarUri, wanted.mainArgs);
    if (cluster === undefined) return [];
    const found: string[] = [];
    for (const { id, name, definition } of await api.seen()) {
        const theirs = tieredCluster(definition.jar?.uri, definition.jar?.mainArgs);
        if (name === wanted.name || theirs === undefined || !isSameCluster(theirs, cluster)) continue;
        if (!(await api.jobs(id)).some(isActive)) continue;
        found.push(
            `deployment '${name}' (${id}) tiers cluster ${cluster} already, and two tiering jobs commit the same rows twice. ` +
                "What to do: stop it, or keep it and remove this one",
        );
    }
    return found;
}
