import type * as pulumi from "@pulumi/pulumi";
import {
    VvpApiToken,
    VvpArtifact,
    VvpDeployment,
    VvpDeploymentTarget,
    VvpDraft,
    VvpFlussConsoleCluster,
    VvpSavepoint,
    VvpSecretValue,
    VvpSessionCluster,
    VvpSqlScript,
} from "../../dynamic-providers/vvp/resources.ts";
import { engineVersion } from "./vvp-platform.ts";

/** Another engine that the simulated platform of these tests has. */
export const otherEngine = "vera-4.6-jdk11-flink-1.20";

/** What the instances need besides themselves. */
export interface Ground {
    connection: { url: string };
    adopt: boolean;
    /** Folder for the artifacts' files. */
    folder: string;
    /** Ids of the targets `a` and `b`. */
    targetIds: { a: pulumi.Input<string>; b: pulumi.Input<string> };
    /** Ids of two deployments that run. */
    running: { a: pulumi.Input<string>; b: pulumi.Input<string> };
    /** All of the ground: it is there before the instances and goes after them. */
    dependsOn: pulumi.Resource[];
}

type Args = Record<string, unknown>;

/** One class of the platform, and what each of its arguments does when it alone changes. */
export interface Kind {
    /** Also the first part of its instances' names. */
    name: string;
    make(name: string, args: Args, ground: Ground): void;
    /** The arguments of the instance of that name. */
    base(name: string, ground: Ground): Args;
    /**
     * The change, what it does, and the part of the platform's object that is then as given, and no other part.
     * A function gets what only the ground knows.
     */
    fields: Field[];
}

/** See {@link Kind.fields}. */
export type Field = [
    change: Args | ((ground: Ground) => Args),
    effect: Effect,
    path?: string,
    value?: unknown,
];

/** `none`: the engine does not even call the provider. */
export type Effect = "update" | "replace" | "none";

type Constructor = new (name: string, args: never, opts: pulumi.CustomResourceOptions) => unknown;
const maker =
    (Class: Constructor, more: (ground: Ground) => Args = () => ({})): Kind["make"] =>
    (name, args, ground) => {
        const { connection, dependsOn } = ground;
        new Class(name, { connection, ...more(ground), ...args } as never, { dependsOn });
    };
const adopting = ({ adopt }: Ground): Args => ({ adopt });

const insert = (name: string) => `INSERT INTO a SELECT '${name}' FROM b`;
const createCatalog = (name: string) => [
    `CREATE CATALOG IF NOT EXISTS ${name} WITH ('type' = 'fluss')`,
    `CREATE DATABASE IF NOT EXISTS ${name}.d`,
];
const slots = (count: number) => ({ "taskmanager.numberOfTaskSlots": String(count) });

/** Every class whose objects are told from each other by name; the fields of a JAR deployment are in `vvp-many`. */
export const kinds: Kind[] = [
    {
        name: "target",
        make: maker(VvpDeploymentTarget, adopting),
        base: (name) => ({ name, kubernetesNamespace: "jobs" }),
        fields: [
            [{ name: "target-renamed" }, "replace"],
            [{ kubernetesNamespace: "jobs-2" }, "replace", "spec.kubernetes.namespace", "jobs-2"],
        ],
    },
    {
        name: "session",
        make: maker(VvpSessionCluster, adopting),
        base: (name) => ({
            name,
            deploymentTarget: "a",
            engineVersion,
            resources: { taskManager: { cpu: 1, memory: "2Gi" } },
            flinkConfiguration: slots(16),
        }),
        fields: [
            [{ name: "session-renamed" }, "replace"],
            [{ deploymentTarget: "b" }, "update", "spec.deploymentTargetName", "b"],
            [{ engineVersion: otherEngine }, "update", "spec.versionName", otherEngine],
            [{ state: "STOPPED" }, "update", "status.state", "STOPPED"],
            [{ state: "ON_DEMAND" }, "update"],
            [{ keepRunning: true }, "update"],
            [{ numberOfTaskManagers: 3 }, "update", "spec.numberOfTaskManagers", 3],
            [
                { resources: { taskManager: { cpu: 2, memory: "2Gi" } } },
                "update",
                "spec.resources.taskmanager.cpu",
                2,
            ],
            [{ resources: undefined }, "update"],
            [{ flinkConfiguration: slots(32) }, "update", "spec.flinkConfiguration", slots(32)],
            [{ timeoutSeconds: 60 }, "none"],
        ],
    },
    {
        name: "secret",
        make: maker(VvpSecretValue, adopting),
        base: (name) => ({ name, value: "first-hush-5521" }),
        fields: [
            [{ name: "secret-renamed" }, "replace"],
            [{ value: "second-hush-5521" }, "update"],
            [{ restartJobs: "WITH_STATE", timeoutSeconds: 60 }, "none"],
        ],
    },
    {
        name: "artifact",
        make: maker(VvpArtifact, adopting),
        base: (name, { folder }) => ({ source: `${folder}/first.jar`, fileName: `${name}.jar` }),
        fields: [
            [{ fileName: "artifact-renamed.jar" }, "replace"],
            [({ folder }) => ({ source: `${folder}/second.jar` }), "update", "size", String("second".length)],
            [{ fileName: undefined }, "replace"],
            [{ maximumMiB: 10, timeoutSeconds: 60 }, "none"],
        ],
    },
    {
        name: "python",
        make: maker(VvpDeployment, adopting),
        base: (name) => ({
            name,
            deploymentTarget: "a",
            engineVersion,
            pythonUri: "s3i://bucket/a.py",
            mainArgs: "--a b",
            state: "CANCELLED",
        }),
        fields: [
            [
                { pythonUri: "s3i://bucket/b.py" },
                "update",
                "artifact.pythonArtifact.pythonArtifactUri",
                "s3i://bucket/b.py",
            ],
            [{ entryModule: "main" }, "update", "artifact.pythonArtifact.entryModule", "main"],
            [{ mainArgs: "--a c" }, "update", "artifact.pythonArtifact.mainArgs", "--a c"],
            [
                { pythonLibraries: ["s3i://bucket/c.zip"] },
                "update",
                "artifact.pythonArtifact.additionalPythonLibraries",
                ["s3i://bucket/c.zip"],
            ],
            [
                { pythonArchives: ["s3i://bucket/d.zip"] },
                "update",
                "artifact.pythonArtifact.additionalPythonArchives",
                ["s3i://bucket/d.zip"],
            ],
        ],
    },
    {
        name: "sql",
        make: maker(VvpDeployment, adopting),
        base: (name) => ({
            name,
            deploymentTarget: "a",
            engineVersion,
            sqlScript: insert(name),
            healthySeconds: 0,
        }),
        fields: [
            [{ sqlScript: insert("other") }, "update", "artifact.sqlArtifact.sqlScript", insert("other")],
            [
                { deploymentTarget: undefined, sessionCluster: "session-host" },
                "update",
                "deploymentTarget",
                { mode: "SESSION", name: "session-host" },
            ],
            [{ state: "CANCELLED" }, "update", "jobSummary.running", 0],
            [{ restartTrigger: "2" }, "update"],
            [{ restart: "WITHOUT_STATE", healthySeconds: 1, timeoutSeconds: 60 }, "none"],
        ],
    },
    {
        name: "script",
        make: maker(VvpSqlScript),
        base: (name) => ({ statements: createCatalog(name.replace("-", "_")) }),
        fields: [
            [{ statements: createCatalog("more") }, "update"],
            [{ undo: ["DROP CATALOG IF EXISTS script_1"] }, "update"],
            [{ probe: "SHOW DATABASES IN script_2" }, "update"],
            [{ engineVersion: otherEngine }, "update"],
            [{ flinkConfiguration: { a: "1" } }, "update"],
            [{ additionalDependencies: ["s3i://vvp/artifacts/namespaces/default/base.jar"] }, "update"],
            [{ keepResult: true }, "update"],
            [{ timeoutSeconds: 60 }, "none"],
        ],
    },
    {
        name: "token",
        make: maker(VvpApiToken),
        base: (name) => ({ name, role: "viewer" }),
        fields: [
            [{ name: "token-renamed" }, "replace"],
            [{ role: "editor" }, "replace", "role", "editor"],
            [{ expireTime: "2999-01-01T00:00:00Z" }, "replace", "expireTime", "2999-01-01T00:00:00Z"],
            [{ rotation: "2" }, "replace"],
        ],
    },
    {
        name: "savepoint",
        make: maker(VvpSavepoint),
        base: (name, { running }) => ({ deploymentId: running.a, description: name }),
        fields: [
            [({ running }) => ({ deploymentId: running.b }), "replace"],
            [{ description: "savepoint-1-other" }, "replace"],
            [{ nativeFormat: true }, "replace", "nativeFormat", true],
            [{ trigger: "2" }, "replace"],
            [{ timeoutSeconds: 60 }, "none"],
        ],
    },
    {
        name: "draft",
        make: maker(VvpDraft, adopting),
        base: (name, { targetIds }) => ({ name, deploymentTargetId: targetIds.a, sqlScript: insert(name) }),
        fields: [
            [{ name: "draft-renamed" }, "replace"],
            [({ targetIds }) => ({ deploymentTargetId: targetIds.b }), "replace"],
            [{ sessionCluster: "session-host" }, "replace", "spec.sessionClusterName", "session-host"],
            [{ sqlScript: insert("x") }, "replace", "spec.template.spec.artifact.sqlScript", insert("x")],
            [{ engineVersion }, "replace", "spec.template.spec.artifact.versionName", engineVersion],
            [{ executionMode: "BATCH" }, "replace", "spec.template.spec.batchMode", true],
            [
                { additionalDependencies: ["s3i://b/c.jar"] },
                "replace",
                "spec.template.spec.artifact.additionalDependencies",
                ["s3i://b/c.jar"],
            ],
            [
                { flinkConfiguration: { a: "1" } },
                "replace",
                "spec.template.spec.flinkConfiguration",
                { a: "1" },
            ],
            [{ deploy: true }, "update"],
            [{ validate: false }, "none"],
        ],
    },
    {
        name: "console",
        make: maker(VvpFlussConsoleCluster),
        base: (name) => ({
            name,
            bootstrapServers: "a:1",
            username: "admin",
            password: "first-hush-5521",
            required: true,
        }),
        fields: [
            [{ name: "console-renamed" }, "replace"],
            [{ bootstrapServers: "b:1" }, "update", "bootstrapEndpoint", "b:1"],
            [{ externalEndpoint: "c:1" }, "update", "externalEndpoint", "c:1"],
            [{ username: "other" }, "update", "username", "other"],
            [{ password: "second-hush-5521" }, "update"],
            [{ required: false }, "update"],
            [{ healthSeconds: 20 }, "none"],
        ],
    },
];
