import * as pulumi from "@pulumi/pulumi";
import { StreamingLakehouse } from "../../components/streaming-lakehouse.ts";
import { FlussCatalog, FlussDatabase, FlussTable } from "../../dynamic-providers/flink-sql/resources.ts";
import {
    LakekeeperProject,
    type LakekeeperServer,
    LakekeeperWarehouse,
    type LakekeeperWarehouseArgs,
} from "../../dynamic-providers/lakekeeper/resources.ts";
import {
    LakekeeperGrants,
    LakekeeperRole,
    LakekeeperRoleMembers,
    LakekeeperUser,
} from "../../dynamic-providers/lakekeeper/resources-access.ts";
import {
    LakekeeperNamespace,
    LakekeeperTaskQueue,
} from "../../dynamic-providers/lakekeeper/resources-content.ts";
import {
    VvpApiToken,
    VvpDeploymentTarget,
    VvpDraft,
    VvpSavepoint,
    VvpSecretValue,
    VvpSqlScript,
} from "../../dynamic-providers/vvp/resources.ts";
import { emulatedAws } from "../../local/emulated-aws.ts";
import type { S3Admin } from "../../local/services/index.ts";
import { quickstartEngine } from "../../model/engine-version.ts";
import { accounts, trades } from "../../stacks/quickstart-tables.ts";
import { SampleWriters } from "../../stacks/sample-writers.ts";
import { secretive } from "../unit/lakekeeper/credentials.ts";
import type { Marks } from "./marks.ts";

/** What the program is told, in one piece of secret configuration. */
export interface Settings {
    s3: S3Admin;
    lakekeeper: string;
    oidc: string;
    vvp: string;
    fluss: string;
    gateway: string;
    jars: string;
    /** Number of the values of all secrets: a higher one is a rotation of each. */
    version: number;
    marks: Marks;
}

/**
 * The whole lakehouse and beside it every resource that is no part of it, with a marked secret in every secret input. The
 * program itself marks none as a secret: that is the library's work.
 */
export function markedProgram(settings: Settings): Record<string, unknown> {
    const { marks } = settings;
    const connection = { url: settings.vvp };
    const desk = new StreamingLakehouse(
        "desk",
        {
            buckets: { region: settings.s3.region, forceDestroy: true, tlsOnly: false },
            lakekeeper: { url: settings.lakekeeper, token: marks.lakekeeperToken },
            fluss: {
                existing: {
                    bootstrapServers: settings.fluss,
                    clientUsername: "desk",
                    clientPassword: marks.clientPassword,
                },
            },
            flussVersion: "1.0.0-vv-3",
            vvp: { connection, jobNamespace: "jobs", consoleName: "desk" },
            jars: settings.jars,
            tables: [accounts, trades],
            s3Endpoint: settings.s3.endpoint,
            deletionProtection: false,
        },
        { providers: { aws: emulatedAws(settings.s3) } },
    );
    new SampleWriters("writers", {
        connection,
        deploymentTarget: desk.workspace.deploymentTarget,
        additionalDependencies: desk.workspace.clientJarUris,
        catalog: "fluss_quickstart",
        generator: "faker",
        rowsPerSecond: 1,
    });
    const apiToken = platform(settings, desk);
    lakekeeper(settings, desk);
    sqlGateway(settings);
    return {
        readers: desk.readers,
        told: desk.outputs,
        key: desk.buckets.key,
        password: desk.cluster.clientPassword,
        token: desk.catalog.token,
        apiToken: apiToken.secret,
    };
}

function platform({ vvp, marks, version }: Settings, desk: StreamingLakehouse): VvpApiToken {
    const connection = { url: vvp };
    const secret = new VvpSecretValue("further-secret", {
        connection,
        name: "further",
        value: marks.secretValue,
        restartJobs: "WITH_STATE",
    });
    new VvpSqlScript(
        "script",
        {
            connection,
            statements: [
                "CREATE CATALOG IF NOT EXISTS `script` WITH ('type' = 'fluss', 'x.password' = '${secret_values.further}')",
            ],
            undo: ["DROP CATALOG `script`"],
            probe: "SHOW DATABASES IN `script`",
        },
        { dependsOn: [secret] },
    );
    const { deployment } = desk.tiering;
    new VvpSavepoint("savepoint", {
        connection,
        deploymentId: deployment.deploymentId,
        trigger: `${version}`,
    });
    const target = new VvpDeploymentTarget("target", {
        connection,
        name: "further",
        kubernetesNamespace: "jobs",
    });
    new VvpDraft("draft", {
        connection,
        name: "draft",
        deploymentTargetId: target.targetId,
        sqlScript: "INSERT INTO a SELECT * FROM b",
        engineVersion: quickstartEngine,
    });
    return new VvpApiToken("ci", { connection, name: "ci", role: "viewer", rotation: `${version}` });
}

function lakekeeper(settings: Settings, desk: StreamingLakehouse): void {
    const { marks } = settings;
    const connection = { url: settings.lakekeeper, token: marks.lakekeeperToken };
    const oidc = { issuer: settings.oidc, clientId: "pulumi", clientSecret: marks.oidcSecret };
    const after = { dependsOn: [desk.catalog.nodes.server as LakekeeperServer] };
    const project = new LakekeeperProject(
        "project",
        { connection, projectId: "desk", name: "Desk", deletionProtection: false },
        after,
    );
    const { projectId } = project;
    for (const { title, storage, credential } of secretive) {
        const name = title.replaceAll(" ", "-");
        const args = {
            connection,
            projectId,
            name,
            storage,
            credential: rotated(credential, settings.version),
            deletionProtection: false,
            storageWaitSeconds: 0,
        };
        new LakekeeperWarehouse(name, args as unknown as LakekeeperWarehouseArgs);
    }
    const warehouseId = desk.catalog.nodes.warehouse.id;
    new LakekeeperNamespace("namespace", {
        connection,
        warehouseId,
        namespace: "ns",
        deletionProtection: false,
    });
    new LakekeeperTaskQueue("queue", {
        connection,
        warehouseId,
        queue: "tabular_purge",
        maxSecondsSinceLastHeartbeat: 600,
    });
    const user = new LakekeeperUser(
        "user",
        {
            connection: { url: settings.lakekeeper, oidc },
            userId: "oidc~alice",
            name: `Alice ${settings.version}`,
        },
        after,
    );
    const role = new LakekeeperRole("role", { connection, projectId, name: "readers" });
    const members = [{ type: "user" as const, id: user.id }];
    new LakekeeperRoleMembers("members", { connection, projectId, roleId: role.id, members });
    new LakekeeperGrants("grants", {
        connection,
        on: { type: "warehouse", warehouseId },
        grants: [{ relation: "select", role: role.id }],
    });
}

/** The secret half of a credential gets a tail; a key file is JSON, and stays. */
function rotated(credential: Record<string, unknown>, version: number): Record<string, unknown> {
    return Object.fromEntries(
        Object.entries(credential).map(([key, value]) => [
            key,
            ["secretAccessKey", "clientSecret", "token"].includes(key) ? `${value}v${version}` : value,
        ]),
    );
}

/** On a SQL gateway the options of a catalog hold its secrets themselves. */
function sqlGateway({ gateway, marks }: Settings): void {
    const runner = { kind: "gateway", url: gateway } as const;
    const options = {
        type: "fluss",
        "bootstrap.servers": "coordinator:9123",
        "client.security.sasl.password": marks.catalogPassword,
        "table.datalake.iceberg.token": marks.catalogToken,
    };
    const catalog = { name: "gateway", options };
    const made = new FlussCatalog("gateway-catalog", { runner, name: "gateway", options });
    const database = new FlussDatabase(
        "gateway-database",
        { runner, catalog, name: "finance", deletionProtection: false },
        { dependsOn: made },
    );
    new FlussTable(
        "gateway-table",
        {
            runner,
            catalog,
            spec: { ...trades, options: {} },
            capabilities: { server: "0.9", lake: "none" },
            deletionProtection: false,
        },
        { dependsOn: database },
    );
}

/** Taken by the program's file, which the test writes. */
export function fromConfig(): Record<string, unknown> {
    return markedProgram(new pulumi.Config().requireObject<Settings>("settings"));
}
