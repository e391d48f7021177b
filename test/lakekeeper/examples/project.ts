import * as pulumi from "@pulumi/pulumi";
import { LakekeeperProject } from "../../../dynamic-providers/index.ts";

const config = new pulumi.Config();
const connection = { url: config.require("lakekeeperUrl"), token: config.requireSecret("lakekeeperToken") };

const desk = new LakekeeperProject("desk", { connection, projectId: "desk", name: "Desk" });

export const project = desk.projectId;
