import { type Answer, empty, refuse } from "./answers.ts";
import { decodeBody } from "./decode.ts";
import type { Request, Route } from "./http.ts";
import { addProject } from "./projects.ts";
import type { Store } from "./state.ts";
import type { Switches } from "./switches.ts";
import { seenUser } from "./users.ts";
import { knows, type Version } from "./version.ts";

/** What kind of server it is. */
export interface ServerKind {
    version: Version;
    /** `openfga` has the paths of assignments. */
    authzBackend: "allow-all" | "openfga";
    systemIdentities: boolean;
    switches: Switches;
}

/** `/health`, `/info`, bootstrap and `whoami`. */
export function serverRoutes(store: Store, kind: ServerKind): Route[] {
    const base = "/management/v1";
    return [
        { method: "GET", path: "/health", operationId: "health", handle: () => health(kind) },
        {
            method: "GET",
            path: `${base}/info`,
            operationId: "get_server_info",
            handle: () => info(store, kind),
        },
        {
            method: "POST",
            path: `${base}/bootstrap`,
            operationId: "bootstrap",
            handle: (request) => bootstrap(store, kind, request),
        },
        {
            method: "GET",
            path: `${base}/whoami`,
            operationId: "whoami",
            handle: (request) => whoami(store, kind, request.caller),
        },
    ];
}

/** Remembers the caller, as the real server does at bootstrap and at the first catalog configuration call. */
export function registerUser(store: Store, caller: string | undefined): void {
    if (caller === undefined || store.state.users.some(({ id }) => id === caller)) return;
    store.state.users.push(seenUser(caller));
    store.save();
}

function health({ switches }: ServerKind): Answer {
    const lastCheck = Date.now();
    const pools = ["read_pool", "write_pool"].map((name) => ({ name, lastCheck, status: "ok" }));
    const services = { catalog: pools, secrets: pools, auth: [] };
    const mode = switches.maintenanceSeconds === undefined ? "off" : "read-only";
    return { status: 200, json: { health: "ok", services, maintenance_mode: mode } };
}

function info(store: Store, { version, authzBackend, systemIdentities, switches }: ServerKind): Answer {
    // A build of the main branch tells a lower version than the last release, but has a queue of another name.
    const told = version === "0.14.0" ? "0.12.9" : version;
    const expiration = version === "0.14.0" ? "soft_deletion" : "tabular_expiration";
    return {
        status: 200,
        json: {
            version: told,
            ...(knows(version, "0.12.2") ? { "lakekeeper-version": told } : {}),
            bootstrapped: store.state.bootstrapped,
            "server-id": store.state.serverId,
            "default-project-id": store.defaultProjectId,
            "authz-backend": authzBackend,
            "aws-system-identities-enabled": systemIdentities,
            "azure-system-identities-enabled": systemIdentities,
            "gcp-system-identities-enabled": systemIdentities,
            // Nothing is worked on during maintenance.
            queues:
                switches.maintenanceSeconds === undefined
                    ? [expiration, "tabular_purge", "task_log_cleanup"]
                    : [],
            "license-status": {
                issuer: null,
                audience: "lakekeeper-core",
                "license-type": "Apache-2.0",
                valid: true,
            },
        },
    };
}

function bootstrap(store: Store, { authzBackend }: ServerKind, request: Request): Answer {
    const { accepted, operator } = decodeBody(request.headers["content-type"], request.body, (body) => {
        const accept = body.boolean("accept-terms-of-use");
        const operator = body.boolean("is-operator", false);
        body.optionalString("user-name");
        body.optionalString("user-email");
        const types = { human: "human", application: "application" };
        if (body.has("user-type")) body.variant("user-type", Object.keys(types), types);
        return { accepted: accept, operator };
    });
    if (!accepted) {
        const message = "You must accept the terms of use to bootstrap the catalog.";
        throw refuse(400, "TermsOfUseNotAccepted", message);
    }
    if (authzBackend === "openfga" && request.caller === undefined) {
        // Its text was not observed.
        throw refuse(401, "AnonymousBootstrap", "The catalog cannot be bootstrapped anonymously.");
    }
    if (store.state.bootstrapped) {
        throw refuse(400, "CatalogAlreadyBootstrapped", "Catalog is not open for bootstrap");
    }
    store.state.bootstrapped = true;
    const id = store.defaultProjectId;
    if (id !== null && !store.project(id)) addProject(store, { id, name: "Default Project" }, request.caller);
    store.save();
    registerUser(store, request.caller);
    store.grant("server", operator ? "operator" : "admin", request.caller);
    return empty(204);
}

function whoami(store: Store, { switches: { instanceAdmin } }: ServerKind, caller?: string): Answer {
    if (caller === undefined) throw refuse(401, "GetMyUserWithoutToken", "No token provided");
    const user = store.state.users.find(({ id }) => id === caller);
    if (!user) throw refuse(404, "UserNotFound", `User with id ${caller} not found.`);
    return { status: 200, json: { ...user, "is-instance-admin": instanceAdmin } };
}
