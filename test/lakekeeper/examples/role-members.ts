import * as pulumi from "@pulumi/pulumi";
import { LakekeeperRole, LakekeeperRoleMembers, LakekeeperUser } from "../../../dynamic-providers/index.ts";

const config = new pulumi.Config();
const connection = { url: config.require("lakekeeperUrl"), token: config.requireSecret("lakekeeperToken") };

const bob = new LakekeeperUser("bob", { connection, userId: "oidc~bob", name: "Bob" });
const writers = new LakekeeperRole("writers", { connection, name: "writers" });

new LakekeeperRoleMembers("writers", {
    connection,
    roleId: writers.id,
    members: [{ type: "user", id: bob.userId }],
});
