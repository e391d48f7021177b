import { Refusal, refuse } from "./answers.ts";
import type { Store } from "./state.ts";

/** What of a running server can be changed, as its operators do. */
export interface Switches {
    /** Read-only for maintenance: each change is refused, to be tried again after so many seconds. */
    maintenanceSeconds?: number;
    /** Whether the caller is an instance admin. */
    instanceAdmin: boolean;
}

/**
 * The refusals that come before any work: of everything but reads during maintenance (unknown paths included), and of
 * what is in a project that the caller may not see. The latter follows the API's description and was not observed.
 * @throws {Refusal}
 */
export function gate(
    switches: Switches,
    store: Store,
    request: { method: string; path: string; project: string | undefined },
): void {
    const { method, path, project = store.defaultProjectId ?? "" } = request;
    if (switches.maintenanceSeconds !== undefined && !["GET", "HEAD"].includes(method)) {
        const message =
            "Lakekeeper is in read-only maintenance mode. Mutating requests are temporarily rejected; retry after the maintenance window completes.";
        throw new Refusal({
            status: 503,
            headers: { "retry-after": String(switches.maintenanceSeconds) },
            json: { error: { message, type: "MaintenanceModeError", code: 503 } },
        });
    }
    const ofProject = /^\/management\/v1\/(project(\/.*)?|warehouse|role)$/.test(path);
    if (ofProject && store.hiddenProjects.has(project)) {
        throw refuse(403, "ProjectActionForbidden", `Project action forbidden on project '${project}'`, [
            "Forbidden",
        ]);
    }
}
