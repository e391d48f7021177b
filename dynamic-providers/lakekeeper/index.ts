import { type Hosted, hosted } from "../resource.ts";
import { grants } from "./grants.ts";
import { namespace } from "./namespace.ts";
import { noting } from "./newest-connection.ts";
import { project } from "./project.ts";
import { role } from "./role.ts";
import { roleMembers } from "./role-members.ts";
import { server } from "./server.ts";
import { taskQueue } from "./task-queue.ts";
import { user } from "./user.ts";
import { warehouse } from "./warehouse.ts";

/** The logic of the Lakekeeper resources by the names that users' states hold: never rename or remove one. */
export const lakekeeperProviders: Record<string, Hosted> = {
    lakekeeperServer: hosted(noting(server)),
    lakekeeperProject: hosted(noting(project)),
    lakekeeperWarehouse: hosted(noting(warehouse)),
    lakekeeperNamespace: hosted(noting(namespace)),
    lakekeeperUser: hosted(noting(user)),
    lakekeeperRole: hosted(noting(role)),
    lakekeeperRoleMembers: hosted(noting(roleMembers)),
    lakekeeperTaskQueue: hosted(noting(taskQueue)),
    lakekeeperGrants: hosted(noting(grants)),
};
