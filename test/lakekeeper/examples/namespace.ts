import * as pulumi from "@pulumi/pulumi";
import { LakekeeperNamespace, LakekeeperWarehouse } from "../../../dynamic-providers/index.ts";

const config = new pulumi.Config();
const connection = { url: config.require("lakekeeperUrl"), token: config.requireSecret("lakekeeperToken") };

const warehouse = new LakekeeperWarehouse("trading", {
    connection,
    name: "trading",
    storage: { type: "s3", bucket: "lake", keyPrefix: "trading", region: "eu-west-1" },
    credential: {
        type: "s3-access-key",
        accessKeyId: "AKIAEXAMPLE",
        secretAccessKey: config.requireSecret("key"),
    },
});

const finance = new LakekeeperNamespace("finance", {
    connection,
    warehouseId: warehouse.id,
    namespace: "finance",
    properties: { owner: "desk" },
    protected: true,
});

export const namespaceId = finance.namespaceId;
