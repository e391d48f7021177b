import * as pulumi from "@pulumi/pulumi";
import { LakekeeperWarehouse, minioStorage } from "../../../dynamic-providers/index.ts";

const config = new pulumi.Config();
const connection = { url: config.require("lakekeeperUrl"), token: config.requireSecret("lakekeeperToken") };

const fluss = new LakekeeperWarehouse("fluss", {
    connection,
    name: "fluss",
    storage: minioStorage({ bucket: "lake", keyPrefix: "fluss", endpoint: "http://minio:9000" }),
    credential: {
        type: "s3-access-key",
        accessKeyId: "minio",
        secretAccessKey: config.requireSecret("minioKey"),
    },
    deleteProfile: { type: "soft", expirationSeconds: 7 * 24 * 3600 },
});

export const uri = fluss.catalogUri;
export const warehouse = fluss.catalogWarehouse;
