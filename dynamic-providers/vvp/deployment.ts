import { engineRules } from "../../model/engine-rules.ts";
import { engineFaults } from "../../model/engine-version.ts";
import { faultLine } from "../../model/faults.ts";
import { noJobFault } from "../../model/sql-script.ts";
import type { Change, ResourceDefinition, Review } from "../resource.ts";
import { connectionEffect } from "./connection.ts";
import { DeploymentCalls } from "./deployment-calls.ts";
import { beforeStart } from "./deployment-preflight.ts";
import { bringDeployment, type DeploymentOutputs, isTriggered, observe } from "./deployment-run.ts";
import { type DeploymentInputs, definitionDrift, deploymentInputs, toDefinition } from "./deployment-spec.ts";
import { olderTwin } from "./deployment-twin.ts";
import { stopAll } from "./job-waits.ts";
import { createOnce } from "./settle.ts";

/**
 * What runs, and whether it runs: a JAR, a Python program or a SQL script (v2). The platform itself knows no desired state, so that each
 * create and update brings the job to it.
 */
export const deployment: ResourceDefinition<DeploymentInputs, DeploymentOutputs> = {
    kind: "VVP deployment",
    inputs: deploymentInputs,
    fields: {
        connection: connectionEffect,
        name: "replace",
        deploymentTarget: "update",
        sessionCluster: "update",
        engineVersion: "update",
        executionMode: "replace",
        // The kind of a deployment, JAR, Python or SQL, is fixed when it is made.
        jarUri: kindEffect,
        entryClass: "update",
        mainArgs: "update",
        pythonUri: kindEffect,
        entryModule: "update",
        pythonLibraries: "update",
        pythonArchives: "update",
        sqlScript: kindEffect,
        additionalDependencies: "update",
        flinkConf: "update",
        parallelism: "update",
        resources: "update",
        labels: "update",
        logging: "update",
        state: "update",
        restart: "ignore",
        restartTrigger: "update",
        healthySeconds: "ignore",
        timeoutSeconds: "ignore",
        adopt: "ignore",
        mark: "ignore",
    },

    review,

    needsUpdate(state, wanted) {
        const active = ["STARTING", "RUNNING", "CANCELLING"].includes(state.jobStatus);
        if (wanted.state === "CANCELLED") return active;
        const owed = state.restartOwed === true && wanted.restart !== "NEVER";
        if (active && (owed || isTriggered(state.startedFor, wanted.restartTrigger))) return true;
        return !active && state.jobStatus !== "FINISHED";
    },

    async create(wanted, context) {
        const api = new DeploymentCalls(wanted.connection, context);
        const definition = toDefinition(wanted);
        await beforeStart(api, wanted);
        const what = `deployment '${wanted.name}' in namespace '${api.client.namespace}'`;
        const { adopt, mark } = wanted;
        const made = await createOnce({
            what,
            adopt,
            mark,
            find: () => api.findByName(wanted.name),
            findNew: () => api.findByName(wanted.name, true),
            create: () => api.create(definition),
        });
        let { object } = made;
        // Before a job is started: two of them would write everything twice.
        if (!made.adopted && wanted.state === "RUNNING") {
            object = (await olderTwin(api, object, { what, adopt, mark })) ?? object;
        }
        refuseOtherKind(wanted, object.definition);
        return { id: object.id, outputs: await bringDeployment(api, object, wanted, undefined) };
    },

    async read(id, state, context) {
        const api = new DeploymentCalls(state.connection, context);
        const found = await api.find(id);
        if (!found) return undefined;
        const [job] = await api.jobs(id);
        // Another job is one that somebody else has restarted.
        const restartOwed = state.restartOwed && job?.id === state.jobId ? true : undefined;
        return {
            inputs: definitionDrift(state, found.definition),
            outputs: observe(api, found, job, { ...state, restartOwed }),
        };
    },

    async update(id, state, wanted, context) {
        const api = new DeploymentCalls(wanted.connection, context);
        const found = await api.find(id);
        if (found) {
            await beforeStart(api, wanted);
            return bringDeployment(api, found, wanted, state);
        }
        throw new Error(
            `VVP: deployment '${wanted.name}' (${id}) is not there any more in namespace '${api.client.namespace}'.\n` +
                "What to do: `pulumi refresh`, then run again",
        );
    },

    async delete(id, state, context) {
        const api = new DeploymentCalls(state.connection, context);
        const found = await api.find(id);
        if (!found) return;
        await stopAll(api, found, state.timeoutSeconds);
        await api.delete(found);
    },
};

function kindEffect({ old, new: wanted }: Change<string | undefined>): "replace" | "update" {
    return (old === undefined) === (wanted === undefined) ? "update" : "replace";
}

function review({ new: wanted, known }: Review<DeploymentInputs>) {
    const faults: string[] = [];
    const warnings: string[] = [];
    const kinds = [wanted.jarUri, wanted.pythonUri, wanted.sqlScript].filter((kind) => kind !== undefined);
    if (kinds.length !== 1)
        faults.push("give either jarUri or sqlScript or pythonUri, and not more than one");
    if ((wanted.deploymentTarget === undefined) === (wanted.sessionCluster === undefined)) {
        faults.push("give either deploymentTarget or sessionCluster, and not both");
    }
    if (wanted.restart === "NEVER" && wanted.restartTrigger !== undefined) {
        faults.push('restartTrigger asks for restarts, and restart: "NEVER" for none: give one of them');
    }
    if (wanted.jarUri === undefined && wanted.entryClass !== undefined) {
        faults.push("entryClass and mainArgs belong to a JAR; a SQL script has none, Python has entryModule");
    } else if (wanted.sqlScript !== undefined && wanted.mainArgs !== undefined) {
        faults.push("entryClass and mainArgs belong to a JAR; a SQL script has none");
    }
    const { entryModule, pythonLibraries, pythonArchives } = wanted;
    if (wanted.pythonUri === undefined && (entryModule ?? pythonLibraries ?? pythonArchives) !== undefined) {
        faults.push(
            "entryModule, pythonLibraries and pythonArchives belong to a Python program: give pythonUri",
        );
    }
    if (known("engineVersion")) {
        const use = wanted.sessionCluster === undefined ? "deployment" : "sessionCluster";
        faults.push(...engineFaults(wanted.engineVersion, use).map(faultLine));
    }
    if (known("sqlScript") && wanted.sqlScript !== undefined) {
        // The platform tells it only after the job that runs was stopped for this one.
        const fault = noJobFault(wanted.sqlScript);
        if (fault) faults.push(faultLine(fault));
    }
    const look = <K extends keyof DeploymentInputs>(field: K) => (known(field) ? wanted[field] : undefined);
    if (known("additionalDependencies")) {
        const rules = engineRules({
            engineVersion: look("engineVersion"),
            dependencies: wanted.additionalDependencies,
            jarUri: look("jarUri"),
            sqlScript: look("sqlScript"),
            mainArgs: look("mainArgs"),
            jobOptions: look("flinkConf"),
        });
        faults.push(...rules.faults.map(faultLine));
        warnings.push(...rules.warnings.map(faultLine));
    }
    return { faults, warnings };
}

function refuseOtherKind(wanted: DeploymentInputs, found: ReturnType<typeof toDefinition>): void {
    const kind = kindOf(found);
    if (kind === kindOf(toDefinition(wanted)) && wanted.executionMode === found.executionMode) return;
    throw new Error(
        `VVP: deployment '${wanted.name}' exists as a ${found.executionMode} deployment of a ${kind}, ` +
            "and the platform cannot change that.\nWhat to do: delete it first, or choose another name",
    );
}

function kindOf({ jar, python }: ReturnType<typeof toDefinition>): string {
    if (jar) return "JAR";
    return python ? "Python program" : "SQL script";
}
