import {
    LakekeeperProject,
    LakekeeperServer,
    LakekeeperWarehouse,
} from "../../dynamic-providers/lakekeeper/resources.ts";
import {
    LakekeeperGrants,
    LakekeeperRole,
    LakekeeperRoleMembers,
    LakekeeperUser,
} from "../../dynamic-providers/lakekeeper/resources-access.ts";
import {
    LakekeeperNamespace,
    LakekeeperTaskQueue,
} from "../../dynamic-providers/lakekeeper/resources-content.ts";
import type { Kind } from "../lakekeeper/cases/case.ts";

/** The resource of each kind. Its arguments come out of tables of cases, so they are not typed here. */
export const lakekeeperClasses: Record<Kind, new (name: string, args: never) => unknown> = {
    server: LakekeeperServer,
    project: LakekeeperProject,
    warehouse: LakekeeperWarehouse,
    namespace: LakekeeperNamespace,
    taskQueue: LakekeeperTaskQueue,
    user: LakekeeperUser,
    role: LakekeeperRole,
    roleMembers: LakekeeperRoleMembers,
    grants: LakekeeperGrants,
};
