import * as pulumi from "@pulumi/pulumi";
import { LakekeeperGrants, LakekeeperRole, LakekeeperWarehouse } from "../../../dynamic-providers/index.ts";

const config = new pulumi.Config();
const connection = { url: config.require("lakekeeperUrl"), token: config.requireSecret("lakekeeperToken") };

const analysts = new LakekeeperRole("analysts", { connection, name: "analysts" });
const warehouse = new LakekeeperWarehouse("reports", {
    connection,
    name: "reports",
    storage: { type: "s3", bucket: "lake", keyPrefix: "reports", region: "eu-west-1" },
    credential: {
        type: "s3-access-key",
        accessKeyId: "AKIAEXAMPLE",
        secretAccessKey: config.requireSecret("key"),
    },
});

new LakekeeperGrants("analysts", {
    connection,
    on: { type: "warehouse", warehouseId: warehouse.id },
    grants: [{ relation: "select", role: analysts.id }],
});
