import * as pulumi from "@pulumi/pulumi";
import { LakekeeperServer } from "../../../dynamic-providers/index.ts";

const config = new pulumi.Config();
const connection = { url: config.require("lakekeeperUrl"), token: config.requireSecret("lakekeeperToken") };

const server = new LakekeeperServer("lake", { connection, acceptTermsOfUse: true });

export const version = server.version;
