import * as pulumi from "@pulumi/pulumi";
import { LakekeeperTaskQueue, LakekeeperWarehouse } from "../../../dynamic-providers/index.ts";

const config = new pulumi.Config();
const connection = { url: config.require("lakekeeperUrl"), token: config.requireSecret("lakekeeperToken") };

const warehouse = new LakekeeperWarehouse("archive", {
    connection,
    name: "archive",
    storage: { type: "s3", bucket: "lake", keyPrefix: "archive", region: "eu-west-1" },
    credential: {
        type: "s3-access-key",
        accessKeyId: "AKIAEXAMPLE",
        secretAccessKey: config.requireSecret("key"),
    },
});

// A purge that gave no sign of life for ten minutes is started again.
const purge = new LakekeeperTaskQueue("purge", {
    connection,
    warehouseId: warehouse.id,
    queue: "tabular_purge",
    maxSecondsSinceLastHeartbeat: 600,
});

// The log of finished tasks is kept for a month.
new LakekeeperTaskQueue("log", {
    connection,
    queue: "task_log_cleanup",
    config: { "cleanup-period": "P1D", "retention-period": "P30D" },
});

export const queue = purge.queueName;
