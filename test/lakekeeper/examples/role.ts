import * as pulumi from "@pulumi/pulumi";
import { LakekeeperRole } from "../../../dynamic-providers/index.ts";

const config = new pulumi.Config();
const connection = { url: config.require("lakekeeperUrl"), token: config.requireSecret("lakekeeperToken") };

const readers = new LakekeeperRole("readers", {
    connection,
    name: "readers",
    description: "They read all tables",
});

export const role = readers.id;
