import * as pulumi from "@pulumi/pulumi";
import { LakekeeperUser } from "../../../dynamic-providers/index.ts";

const config = new pulumi.Config();
const connection = { url: config.require("lakekeeperUrl"), token: config.requireSecret("lakekeeperToken") };

const alice = new LakekeeperUser("alice", {
    connection,
    userId: "oidc~d223d88c-85b6-4859-b5c5-27f3825e47f6",
    name: "Alice",
    email: "alice@example.com",
});

export const user = alice.userId;
