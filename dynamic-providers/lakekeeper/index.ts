import { type Hosted, hosted } from "../resource.ts";
import { project } from "./project.ts";
import { server } from "./server.ts";
import { warehouse } from "./warehouse.ts";

/** The logic of the Lakekeeper resources by the names that users' states hold: never rename or remove one. */
export const lakekeeperProviders: Record<string, Hosted> = {
    lakekeeperServer: hosted(server),
    lakekeeperProject: hosted(project),
    lakekeeperWarehouse: hosted(warehouse),
};
