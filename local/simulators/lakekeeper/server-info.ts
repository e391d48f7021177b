import { type Answer, empty, refuse } from "./answers.ts";
import { decodeBody } from "./decode.ts";
import type { Request, Route } from "./http.ts";
import { defaultProjectId, type Store } from "./state.ts";

/** The version that is simulated; the chart 0.12.0 installs it. */
export const simulatedVersion = "0.13.3";

/** The one identity behind the token. */
const userId = "kubernetes~simulated-service-account";

/** `/health`, `/info`, bootstrap and `whoami`. */
export function serverRoutes(store: Store): Route[] {
    const base = "/management/v1";
    return [
        { method: "GET", path: "/health", operationId: "health", handle: health },
        { method: "GET", path: `${base}/info`, operationId: "get_server_info", handle: () => info(store) },
        {
            method: "POST",
            path: `${base}/bootstrap`,
            operationId: "bootstrap",
            handle: (request) => bootstrap(store, request),
        },
        { method: "GET", path: `${base}/whoami`, operationId: "whoami", handle: () => whoami(store) },
    ];
}

/** Remembers the caller, as the real server does at bootstrap and at the first catalog configuration call. */
export function registerUser(store: Store): void {
    if (store.state.users.includes(userId)) return;
    store.state.users.push(userId);
    store.save();
}

function health(): Answer {
    const lastCheck = Date.now();
    const pools = ["read_pool", "write_pool"].map((name) => ({ name, lastCheck, status: "ok" }));
    const services = { catalog: pools, secrets: pools, auth: [] };
    return { status: 200, json: { health: "ok", services, maintenance_mode: "off" } };
}

function info(store: Store): Answer {
    return {
        status: 200,
        json: {
            version: simulatedVersion,
            "lakekeeper-version": simulatedVersion,
            bootstrapped: store.state.bootstrapped,
            "server-id": store.state.serverId,
            "default-project-id": defaultProjectId,
            "authz-backend": "allow-all",
            "aws-system-identities-enabled": false,
            "azure-system-identities-enabled": false,
            "gcp-system-identities-enabled": false,
            queues: ["tabular_expiration", "tabular_purge", "task_log_cleanup"],
            "license-status": {
                issuer: null,
                audience: "lakekeeper-core",
                "license-type": "Apache-2.0",
                valid: true,
            },
        },
    };
}

function bootstrap(store: Store, request: Request): Answer {
    const accepted = decodeBody(request.headers["content-type"], request.body, (body) => {
        const accept = body.boolean("accept-terms-of-use");
        body.boolean("is-operator", false);
        body.optionalString("user-name");
        body.optionalString("user-email");
        const types = { human: "human", application: "application" };
        if (body.has("user-type")) body.variant("user-type", Object.keys(types), types);
        return accept;
    });
    if (!accepted) {
        const message = "You must accept the terms of use to bootstrap the catalog.";
        throw refuse(400, "TermsOfUseNotAccepted", message);
    }
    if (store.state.bootstrapped) {
        throw refuse(400, "CatalogAlreadyBootstrapped", "Catalog is not open for bootstrap");
    }
    store.state.bootstrapped = true;
    if (!store.project(defaultProjectId)) {
        store.state.projects.push({ id: defaultProjectId, name: "Default Project" });
    }
    store.save();
    registerUser(store);
    return empty(204);
}

function whoami(store: Store): Answer {
    if (!store.state.users.includes(userId)) {
        throw refuse(404, "UserNotFound", `User with id ${userId} not found.`);
    }
    return {
        status: 200,
        json: {
            name: `Nameless App with ID ${userId}`,
            email: null,
            id: userId,
            "user-type": "application",
            "last-updated-with": "update-endpoint",
            "created-at": new Date().toISOString(),
            "updated-at": null,
            "is-instance-admin": false,
        },
    };
}
