/** A second stack: it adds a table and a SQL job to a lakehouse that another stack keeps. */
import * as pulumi from "@pulumi/pulumi";
import { FlussTables } from "../../components/fluss-tables.ts";
import { outputsOf } from "../../components/outputs-of.ts";
import { VvpDeployment } from "../../dynamic-providers/vvp/resources.ts";
import { dailyVolume, dailyVolumeSql } from "./daily-volume.ts";

const config = new pulumi.Config();
const reference = new pulumi.StackReference(config.require("lakehouse"));
const { vvp, catalog, client, lake, server } = await outputsOf(reference);

const tables = new FlussTables("analytics", {
    runner: {
        kind: "vvp",
        connection: vvp.connection,
        engineVersion: vvp.engineVersion,
        additionalDependencies: vvp.clientJarUris,
    },
    catalog,
    existingCatalog: true,
    client,
    lake,
    version: server,
    tables: { dailyVolume },
    deletionProtection: config.getBoolean("deletionProtection") ?? true,
});

const job = new VvpDeployment(
    "daily-volume",
    {
        connection: vvp.connection,
        name: "analytics-daily-volume",
        deploymentTarget: vvp.deploymentTarget,
        engineVersion: vvp.engineVersion,
        additionalDependencies: vvp.clientJarUris,
        sqlScript: dailyVolumeSql(catalog),
    },
    { dependsOn: [tables] },
);

export const table = tables.tables.dailyVolume.path;
export const jobStatus = job.jobStatus;
